"""Tables of results on a terminal.

Names and levels are data: they are always shown as plain text, never interpreted as markup.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Group

from dagscape.core.resources import format_bytes
from dagscape.core.wording import format_seconds, plural
from dagscape.data.discrete.summary import DataSummary, VariableSummary
from dagscape.graphs.comparison import Comparison
from dagscape.planning.plan import Plan
from dagscape.report.best import render_best, render_optimal
from dagscape.report.edges import render_bootstrap, render_posterior
from dagscape.report.layout import listed_names, plain, shortened, table_of
from dagscape.report.learning import render_learned
from dagscape.report.modes import render_modes
from dagscape.report.neighbours import render_neighbours
from dagscape.report.sensitivity import render_sensitivity
from dagscape.report.students import render_evaluation, render_parm, render_student_model
from dagscape.results.base import Result
from dagscape.scores.definitions.parameter import words_of
from dagscape.scores.registry import SCORES
from dagscape.scores.summary import ScoreSummary

if TYPE_CHECKING:
    from rich.console import RenderableType

_LEVELS_SHOWN = 6


def render(result: Result) -> RenderableType:
    """Return a result as a rich renderable."""
    return RENDERERS[result.kind](result)


def _data_summary(summary: DataSummary) -> RenderableType:
    table = table_of("variable", "kind", "levels", "missing", "counts", right=(2, 3))
    for column in summary.columns:
        table.add_row(
            shortened(column.name),
            column.kind,
            str(column.distinct),
            str(column.missing or "-"),
            _counts(column),
        )
    missing = sum(column.missing for column in summary.columns)
    heading = (
        f"{plural(len(summary.variables), 'variable')}, {plural(summary.rows, 'row')} "
        f"({summary.distinct_rows:,} distinct), {plural(missing, 'missing cell')}"
    )
    if summary.experimental_rows:
        heading += f"\n{_experiments(summary)}"
    warnings = [plain(f"warning: {warning}", style="yellow") for warning in summary.warnings]
    return Group(plain(heading), plain(), table, *([plain(), *warnings] if warnings else []))


def _experiments(summary: DataSummary) -> str:
    parts = [f"{shortened(column.name)} set in {column.set_rows:,}" for column in summary.columns if column.set_rows]
    return f"{plural(summary.experimental_rows, 'row')} from experiments: {', '.join(parts)}"


def _counts(column: VariableSummary) -> str:
    if not column.levels:
        return f"{plural(column.distinct, 'different value')}"
    pairs = list(zip(column.levels, column.counts, strict=True))
    if len(pairs) > _LEVELS_SHOWN:
        pairs.sort(key=lambda pair: -pair[1])
    # A level may span several lines.
    levels = [shortened(level) for level, _ in pairs[:_LEVELS_SHOWN]]
    names = [level if level.isprintable() else repr(level) for level in levels]
    shown = ", ".join(f"{name}: {count:,}" for name, (_, count) in zip(names, pairs, strict=False))
    return shown + (f", … {len(pairs) - _LEVELS_SHOWN:,} more" if len(pairs) > _LEVELS_SHOWN else "")


def _score_summary(summary: ScoreSummary) -> RenderableType:
    several = len(summary.families) > len(summary.variables)
    table = table_of("variable", "best parents", "local score", *(["behind best"] if several else []), right=(2, 3))
    previous, best = "", 0.0
    for family in summary.families:
        first = family.child != previous
        if first:
            previous, best = family.child, family.score
        behind = "" if first else f"{best - family.score:,.4f}"
        table.add_row(
            shortened(family.child) if first else "",
            listed_names(family.parents) or "(none)",
            f"{family.score:,.4f}",
            *([behind] if several else []),
        )
    families = plural(summary.family_count, "family", "families")
    parents = plural(summary.max_parents, "parent")
    heading = f"{_score_name(summary)}: {families} of up to {parents}, {format_bytes(summary.memory)}"
    return Group(plain(heading), plain(), table)


def _score_name(summary: ScoreSummary) -> str:
    """Return the name of the score, and all options that are not defaults."""
    info = summary.score_info
    if info is None or info.score is None:
        return "Scores"
    parts = [SCORES[info.score].title if info.score in SCORES else info.score]
    if info.parameters:
        parts.append(words_of(info.parameters))
    if info.structure_prior != "uniform":
        parts.append(f"prior {info.structure_prior}")
    for kind, edges in (("required", info.required), ("forbidden", info.forbidden)):
        if edges:
            parts.append(plural(len(edges), f"{kind} edge"))
    parts.append(plural(info.rows or 0, "row"))
    if info.experimental_rows:
        parts.append(f"{info.experimental_rows:,} of them from experiments")
    return ", ".join(parts)


def _plan(planned: Plan) -> RenderableType:
    table = table_of("step", "work", "memory", "time", right=(2, 3))
    for step in planned.steps:
        table.add_row(step.name, step.work, format_bytes(step.memory), format_seconds(step.seconds))
    available = f" of {format_bytes(planned.memory_available)} available now" if planned.memory_available else ""
    limit = f"the limit is {format_bytes(planned.memory_limit)}{available}"
    largest = [f"{plural(n, 'variable')} ({name})" for name, n in planned.largest.items()]
    reach = [plain(f"The largest sums that fit: {', '.join(largest)}.")] if largest else []
    if planned.fits:
        return Group(table, plain(), plain(f"It fits: {limit}."), *reach)
    verdict = plain(f"It does not fit: {planned.refusal or limit}.", style="bold red")
    return Group(table, plain(), verdict, *reach, plain(f"Advice: {planned.advice}."))


def _comparison(comparison: Comparison) -> RenderableType:
    table = table_of("measure", "value", "", right=(1,))
    meanings = _MEANINGS | (_DAG_MEANINGS if comparison.level == "dags" else {})
    for name, value in comparison.items():
        meaning = meanings[name]
        table.add_row(name, str(value) if isinstance(value, int) else f"{value:.3f}", meaning)
    return table


_MEANINGS = {
    "shd": "structural Hamming distance between the equivalence classes",
    "a_plus": "adjacencies that are only in the first",
    "a_minus": "adjacencies that are only in the second",
    "vs_plus": "v-structures that are only in the first",
    "vs_minus": "v-structures that are only in the second",
    "precision_adjacency": "share of the first's adjacencies that the second has",
    "recall_adjacency": "share of the second's adjacencies that the first has",
    "f1_adjacency": "their harmonic mean",
    "precision_orientation": "share of the first's compelled directions that the second has",
    "recall_orientation": "share of the second's compelled directions that the first has",
    "f1_orientation": "their harmonic mean",
}

_DAG_MEANINGS = {
    "shd": "structural Hamming distance between the DAGs: edges to add, remove or reverse",
    "precision_orientation": "share of the first's edges that the second has with the same direction",
    "recall_orientation": "share of the second's edges that the first has with the same direction",
    "reversed": "adjacencies of both with opposite directions",
    "same_direction": "share of the adjacencies of both that have the same direction",
}

RENDERERS: dict[str, Callable[[Any], RenderableType]] = {
    "bootstrap": render_bootstrap,
    "comparison": _comparison,
    "data-summary": _data_summary,
    "k-best": render_best,
    "learned-network": render_learned,
    "modes": render_modes,
    "optimal-network": render_optimal,
    "parents-and-children": render_neighbours,
    "parm": render_parm,
    "plan": _plan,
    "posterior": render_posterior,
    "score-summary": _score_summary,
    "sensitivity": render_sensitivity,
    "student-evaluation": render_evaluation,
    "student-model": render_student_model,
}
