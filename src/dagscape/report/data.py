"""Data: variables with their levels and counts, and missing cells."""

from __future__ import annotations

from collections.abc import Iterator

from dagscape.core.wording import plural
from dagscape.data.discrete.summary import DataSummary, VariableSummary
from dagscape.report.blocks import Block, Heading, Inline, Name, Note, Number, Text, joined, number, table

_LEVELS_SHOWN = 6


def render_data(summary: DataSummary) -> list[Block]:
    """Render the columns of a table."""
    missing = sum(column.missing for column in summary.columns)
    heading = (
        f"{plural(len(summary.variables), 'variable')}, {plural(summary.rows, 'row')} "
        f"({summary.distinct_rows:,} distinct), {plural(missing, 'missing cell')}"
    )
    guessed = any(column.guess for column in summary.columns)
    rows = [
        (
            Name(column.name),
            column.kind,
            number(column.distinct, "d"),
            Number(column.missing, str(column.missing or "-")),
            _counts(column),
        )
        for column in summary.columns
    ]
    below = [_experiments(summary)] if summary.experimental_rows else []
    if summary.weighted_by is not None:
        below.append(("each row counts as often as its cell in ", Name(summary.weighted_by), " says"))
    return [
        Heading(heading, tuple(below)),
        table(["variable", "kind", "levels", "missing", "counts"], rows, numeric=[2, 3]),
        *(_guesses(summary) if guessed else ()),
    ]


def _guesses(summary: DataSummary) -> Iterator[Block]:
    """Return what each column seems to hold, why, and what it is used as."""
    yield Note("What the columns seem to hold, and what they are used as:")
    rows = [(Name(column.name), column.guess, column.use, column.reason) for column in summary.columns]
    yield table(["variable", "seems", "used as", "because of"], rows)


def _experiments(summary: DataSummary) -> Text:
    parts = [
        (Name(column.name, listed=True), f" set in {column.set_rows:,}")
        for column in summary.columns
        if column.set_rows
    ]
    return (f"{plural(summary.experimental_rows, 'row')} from experiments: ", *joined(parts))


def _counts(column: VariableSummary) -> Text:
    if not column.levels:
        return plural(column.distinct, "different value")
    pairs = list(zip(column.levels, column.counts, strict=True))
    if len(pairs) > _LEVELS_SHOWN:
        pairs.sort(key=lambda pair: -pair[1])
    shown: list[tuple[Inline, ...]] = [(Name(level), f": {count:,}") for level, count in pairs[:_LEVELS_SHOWN]]
    if len(pairs) > _LEVELS_SHOWN:
        shown.append((f"… {len(pairs) - _LEVELS_SHOWN:,} more",))
    return joined(shown)
