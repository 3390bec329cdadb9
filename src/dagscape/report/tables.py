"""The renderers of all kinds of results: what there is to see of each, as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dagscape.core.references import loaded
from dagscape.drawing.display import Drawn
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.report.blocks import Block, Caution, Note, Paragraph, Picture
from dagscape.results.base import Result, settings_of, source_of

# Where the renderer of each kind of result is defined: a command imports no others. It leaves out the picture and the
# warnings, which all results have in common.
RENDERERS: dict[str, str] = {
    "bootstrap": "report.edges:render_bootstrap",
    "class-members": "report.class_members:render_class_members",
    "classification": "report.classification:render_classification",
    "comparison": "report.comparison:render_comparison",
    "data-summary": "report.data:render_data",
    "edge-accuracy": "report.edge_accuracy:render_edge_accuracy",
    "edge-effects": "report.edge_effects:render_edge_effects",
    "feature-averages": "report.feature_averages:render_feature_averages",
    "k-best": "report.best:render_best",
    "learned-network": "report.learning:render_learned",
    "list-curves": "report.list_curves:render_list_curves",
    "modes": "report.modes:render_modes",
    "optimal-network": "report.best:render_optimal",
    "parents-and-children": "report.neighbours:render_neighbours",
    "parm": "report.students:render_parm",
    "probability-comparison": "report.comparison:render_probabilities",
    "plan": "report.plans:render_plan",
    "posterior": "report.edges:render_posterior",
    "sampled-networks": "report.samples:render_samples",
    "score-summary": "report.scores:render_scores",
    "sensitivity": "report.sensitivity:render_sensitivity",
    "missing-rules": "report.missing_rules:render_missing_rules",
    "student-evaluation": "report.students:render_evaluation",
    "student-model": "report.students:render_student_model",
}


def render(result: Result) -> list[Block]:
    """Return a result as blocks: its tables, its picture and its warnings.

    Examples
    --------
    >>> import dagscape as ds
    >>> post = ds.posterior(ds.local_scores(ds.load_dataset("iris")))
    >>> [type(block).__name__ for block in render(post)]
    ['Heading', 'Table', 'Note', 'Note', 'Note', 'Picture']
    """
    picture = [Picture(result)] if isinstance(result, Drawn | OwnPicture) else []
    renderer: Callable[[Result], Sequence[Block]] = loaded(RENDERERS[result.kind])
    return [*renderer(result), *picture, *closing(result)]


def closing(result: Result) -> list[Block]:
    """Return what ends every page about a result: what its data are and rule out, and its warnings."""
    return [*remarks(result), *cautions(result.warnings)]


def remarks(result: Result) -> list[Block]:
    """Return how the data were cut, which settings were chosen, and what the data rule out, as blocks."""
    return [*_cut_line(result), *_settings_line(result), *(Note(sentence) for sentence in result.remarks)]


def _cut_line(result: Result) -> list[Block]:
    """Return a line that says how the numbers of the data were cut, if they were."""
    source = source_of(result)
    said = "" if source is None else source.line()
    return [Paragraph(f"Data: {said}")] if said else []


def _settings_line(result: Result) -> list[Block]:
    """Return a line that says which settings were chosen, and how, if they were not given."""
    said = settings_of(result)
    return [Paragraph(f"Settings: {said}")] if said else []


def cautions(warnings: Iterable[str]) -> list[Block]:
    """Return warnings as blocks."""
    return [Caution(warning) for warning in warnings]
