"""Results as tables on a terminal.

Names and levels are data: they are always shown as plain text, never read as markup.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from dagscape.data.summary import DataSummary, VariableSummary
from dagscape.graphs.comparison import Comparison
from dagscape.posterior.result import Posterior
from dagscape.resources import format_bytes
from dagscape.results import Result
from dagscape.scores.planning import Plan
from dagscape.scores.registry import SCORES
from dagscape.scores.summary import ScoreSummary

if TYPE_CHECKING:
    from rich.console import RenderableType

_LEVELS_SHOWN = 6


def render(result: Result) -> RenderableType:
    """A result as something that rich can print."""
    return _RENDERERS[type(result)](result)


def _table(*headers: str, right: Sequence[int] = ()) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for i, header in enumerate(headers):
        table.add_column(header, justify="right" if i in right else "left", overflow="fold")
    return table


def _data_summary(summary: DataSummary) -> RenderableType:
    table = _table("variable", "kind", "levels", "missing", "counts", right=(2, 3))
    for column in summary.columns:
        table.add_row(
            Text(column.name),
            column.kind,
            str(column.distinct),
            str(column.missing or "-"),
            Text(_counts(column)),
        )
    missing = sum(column.missing for column in summary.columns)
    heading = (
        f"{plural(len(summary.variables), 'variable')}, {plural(summary.rows, 'row')} "
        f"({summary.distinct_rows:,} distinct), {plural(missing, 'missing cell')}"
    )
    warnings = [Text(f"warning: {warning}", style="yellow") for warning in summary.warnings]
    return Group(Text(heading), Text(), table, *([Text(), *warnings] if warnings else []))


def _counts(column: VariableSummary) -> str:
    if not column.levels:
        return f"{column.distinct:,} different values"
    pairs = list(zip(column.levels, column.counts, strict=True))
    if len(pairs) > _LEVELS_SHOWN:
        pairs.sort(key=lambda pair: -pair[1])
    shown = ", ".join(f"{level} {count:,}" for level, count in pairs[:_LEVELS_SHOWN])
    return shown + (f", … {len(pairs) - _LEVELS_SHOWN:,} more" if len(pairs) > _LEVELS_SHOWN else "")


def _score_summary(summary: ScoreSummary) -> RenderableType:
    several = len(summary.families) > len(summary.variables)
    table = _table("variable", "best parents", "local score", *(["behind best"] if several else []), right=(2, 3))
    previous, best = "", 0.0
    for family in summary.families:
        first = family.child != previous
        if first:
            previous, best = family.child, family.score
        behind = "" if first else f"{best - family.score:,.4f}"
        table.add_row(
            Text(family.child if first else ""),
            Text(_names(family.parents) or "(none)"),
            f"{family.score:,.4f}",
            *([behind] if several else []),
        )
    families = plural(summary.family_count, "family", "families")
    parents = plural(summary.max_parents, "parent")
    heading = f"{_score_name(summary)}: {families} of up to {parents}, {format_bytes(summary.memory)}"
    return Group(Text(heading), Text(), table)


def _score_name(summary: ScoreSummary) -> str:
    """The score, and all that was asked for besides the usual."""
    parameters = summary.provenance.parameters
    if "score" not in parameters:
        return "Scores"
    parts = [SCORES[parameters["score"]].title]
    if parameters["ess"] is not None:
        parts.append(f"ess {parameters['ess']:g}")
    if parameters["structure_prior"] != "uniform":
        parts.append(f"prior {parameters['structure_prior']}")
    parts += [
        f"{len(parameters[kind])} {kind} {'edge' if len(parameters[kind]) == 1 else 'edges'}"
        for kind in ("required", "forbidden")
        if parameters[kind]
    ]
    parts.append(plural(parameters["rows"], "row"))
    if parameters["experimental_rows"]:
        parts.append(f"{parameters['experimental_rows']:,} of them from experiments")
    return ", ".join(parts)


def _names(variables: Sequence[str]) -> str:
    """Names one after the other; those that hold a comma in quotes, to tell them apart."""
    return ", ".join(repr(name) if "," in name else name for name in variables)


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> plural(1, "row"), plural(2000, "row"), plural(2, "family", "families")
    ('1 row', '2,000 rows', '2 families')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _plan(planned: Plan) -> RenderableType:
    table = _table("step", "work", "memory", "time", right=(2, 3))
    for step in planned.steps:
        table.add_row(step.name, step.work, format_bytes(step.memory), format_seconds(step.seconds))
    verdict = (
        "It fits: " if planned.fits else "It does not fit: "
    ) + f"the limit is {format_bytes(planned.memory_limit)}."
    return Group(table, Text(), Text(verdict, style="" if planned.fits else "bold red"))


def format_seconds(seconds: float) -> str:
    """A time as people say it.

    >>> format_seconds(0.0123), format_seconds(5400)
    ('0.012 s', '90 min')
    """
    for limit, divisor, unit in (
        (100, 1, "s"),
        (6000, 60, "min"),
        (172_800, 3600, "h"),
        (6e7, 86_400, "days"),
    ):
        if seconds < limit:
            return f"{seconds / divisor:.2g} {unit}"
    years = seconds / 31_557_600
    return f"{years:.2g} years" if years < 1e10 else "for ever"


def _comparison(comparison: Comparison) -> RenderableType:
    table = _table("measure", "value", "", right=(1,))
    for name, meaning in _MEANINGS.items():
        value = comparison[name]
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

_EDGES_SHOWN = 0.05


def render_posterior(post: Posterior, threshold: float = _EDGES_SHOWN) -> RenderableType:
    """The edges that are as probable as the threshold, or more so."""
    frame = post.to_frame()
    shown = frame[frame["edge"] >= threshold]
    headers = ["from", "to", "edge"] + (["ancestor"] if post.ancestors is not None else [])
    table = _table(*headers, right=(2, 3))
    for row in shown.itertuples(index=False):
        table.add_row(Text(row[0]), Text(row[1]), *(f"{value:.4f}" for value in row[2:]))
    hidden = len(frame) - len(shown)
    evidence = f"log evidence {post.log_evidence:,.4f}"
    heading = f"Posterior over {post.over}: {evidence}, every probability to within {post.error:.0e}"
    footer = [Text(f"\n{plural(hidden, 'edge')} below {threshold:g} not shown")] if hidden else []
    return Group(Text(heading), Text(), table, *footer)


_RENDERERS: dict[type[Result], Callable[[Any], RenderableType]] = {
    DataSummary: _data_summary,
    ScoreSummary: _score_summary,
    Plan: _plan,
    Comparison: _comparison,
    Posterior: render_posterior,
}
