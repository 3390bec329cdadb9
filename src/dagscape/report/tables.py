"""The renderers of all kinds of results: what there is to see of each, as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dagscape.drawing.display import Drawn
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.report.best import render_best, render_optimal
from dagscape.report.blocks import Block, Caution, Picture
from dagscape.report.comparison import render_comparison
from dagscape.report.data import render_data
from dagscape.report.edges import render_bootstrap, render_posterior
from dagscape.report.learning import render_learned
from dagscape.report.modes import render_modes
from dagscape.report.neighbours import render_neighbours
from dagscape.report.plans import render_plan
from dagscape.report.scores import render_scores
from dagscape.report.sensitivity import render_sensitivity
from dagscape.report.students import render_evaluation, render_parm, render_student_model
from dagscape.results.base import Result

# A renderer leaves out the picture and the warnings, which all results have in common.
RENDERERS: dict[str, Callable[[Any], Sequence[Block]]] = {
    "bootstrap": render_bootstrap,
    "comparison": render_comparison,
    "data-summary": render_data,
    "k-best": render_best,
    "learned-network": render_learned,
    "modes": render_modes,
    "optimal-network": render_optimal,
    "parents-and-children": render_neighbours,
    "parm": render_parm,
    "plan": render_plan,
    "posterior": render_posterior,
    "score-summary": render_scores,
    "sensitivity": render_sensitivity,
    "student-evaluation": render_evaluation,
    "student-model": render_student_model,
}


def render(result: Result) -> list[Block]:
    """Return a result as blocks: its tables, its picture and its warnings.

    Examples
    --------
    >>> import dagscape as ds
    >>> post = ds.posterior(ds.local_scores(ds.load_dataset("iris")))
    >>> [type(block).__name__ for block in render(post)]
    ['Heading', 'Table', 'Note', 'Picture']
    """
    picture = [Picture(result)] if isinstance(result, Drawn | OwnPicture) else []
    return [*RENDERERS[result.kind](result), *picture, *cautions(result.warnings)]


def cautions(warnings: Iterable[str]) -> list[Block]:
    """Return warnings as blocks."""
    return [Caution(warning) for warning in warnings]
