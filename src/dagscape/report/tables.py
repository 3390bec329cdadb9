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
from dagscape.resources import format_bytes
from dagscape.results import Result
from dagscape.scores.planning import Plan
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
        f"{len(summary.variables)} variables, {summary.rows:,} rows ({summary.distinct_rows:,} distinct), "
        f"{missing:,} missing cells"
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
    table = _table("variable", "best parents", "local score", "behind best", right=(2, 3))
    previous, best = "", 0.0
    for family in summary.families:
        first = family.child != previous
        if first:
            previous, best = family.child, family.score
        table.add_row(
            Text(family.child if first else ""),
            Text(", ".join(family.parents) or "(none)"),
            f"{family.score:,.4f}",
            "" if first else f"{best - family.score:,.4f}",
        )
    parameters = summary.provenance.parameters
    name = str(parameters.get("score", "scores")).upper().replace("BDEU", "BDeu")
    ess = f", ess {parameters['ess']:g}" if parameters.get("ess") is not None else ""
    heading = (
        f"{name}{ess}: {summary.family_count:,} families of up to {summary.max_parents} parents, "
        f"{format_bytes(summary.memory)}"
    )
    return Group(Text(heading), Text(), table)


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
    return f"{seconds / 31_557_600:.2g} years"


_RENDERERS: dict[type[Result], Callable[[Any], RenderableType]] = {
    DataSummary: _data_summary,
    ScoreSummary: _score_summary,
    Plan: _plan,
}
