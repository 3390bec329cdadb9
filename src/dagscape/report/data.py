"""Data: variables with their levels and counts, and missing cells."""

from __future__ import annotations

from collections.abc import Iterator

from dagscape.core.wording import plural
from dagscape.data.discrete.summary import DataSummary, VariableSummary
from dagscape.data.incomplete.missing_cells import MissingCells
from dagscape.report.blocks import Block, Heading, Inline, Name, Note, Number, Text, joined, names, number, table

_LEVELS_SHOWN = 6
_PATTERNS_SHOWN, _PAIRS_SHOWN, _TESTS_SHOWN = 6, 4, 6
# Columns of Little's test that are named.
_TESTED_SHOWN = 8
# A p-value that says something.
_SMALL = 0.05

_TESTS = {"chi-square": "Pearson", "mann-whitney": "Mann-Whitney"}


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
        *(() if summary.missing_cells is None else render_missing_cells(summary.missing_cells, summary.rows)),
    ]


def render_missing_cells(found: MissingCells, rows: int) -> Iterator[Block]:
    """Return which columns are missing together, and whether gaps depend on what was observed."""
    if found.never_observed:
        yield Note((*names(found.never_observed), ": never observed, and left out of what follows."))
    share = f"{found.complete_rows:,} of {plural(rows, 'row')} ({found.complete_rows / rows:.0%}) are complete"
    yield Note(f"Missing cells: {share}; columns are missing in {plural(found.pattern_count, 'combination')}:")
    shown = [
        (names(pattern.columns), number(pattern.rows), number(pattern.rows / rows, ".1%"))
        for pattern in found.patterns[:_PATTERNS_SHOWN]
    ]
    hidden = found.pattern_count - len(shown)
    omitted = f"… {plural(hidden, 'combination')} not shown" if hidden > 0 else ""
    yield table(["missing together", "rows", "share"], shown, numeric=[1, 2], omitted=omitted)
    pairs = [
        (Name(pair.first), Name(pair.second), number(pair.together), number(pair.expected, ",.1f"))
        for pair in found.pairs[:_PAIRS_SHOWN]
    ]
    if pairs:
        yield Note(
            "Pairs of columns, the rows in which both are missing, and how many are expected if gaps are independent:"
        )
        yield table(["column", "and", "both missing", "expected"], pairs, numeric=[2, 3])
    yield from _gap_tests(found)


def _gap_tests(found: MissingCells) -> Iterator[Block]:
    if found.little is not None:
        little = found.little
        hidden = len(little.columns) - _TESTED_SHOWN
        verdict = "gaps" if little.p_value < _SMALL else "no sign that gaps"
        yield Note(
            (
                "Little's test of the numbers of ",
                *names(little.columns[:_TESTED_SHOWN]),
                f" and {plural(hidden, 'other column')}" if hidden > 0 else "",
                f" in {plural(little.groups, 'group')} of rows: d² = {little.statistic:.2f} with "
                f"{plural(little.freedom, 'degree')} of freedom, p = {little.p_value:.2g}: {verdict} of these columns "
                "depend on what was observed in them. It says nothing of other columns.",
            )
        )
    if not found.test_count:
        return
    small = [test for test in found.tests if test.adjusted < _SMALL][:_TESTS_SHOWN]
    if not small:
        yield Note(
            f"No sign that gaps depend on another column, by tests of {plural(found.test_count, 'pair')} (pairs with "
            f"few rows are not tested; all of Holm's p-values are at least {_SMALL:g})."
        )
        return
    yield Note(
        f"Gaps that depend on other columns, by tests of {plural(found.test_count, 'pair')} with Holm's p-values "
        "(pairs with few rows are not tested):"
    )
    rows = [
        (
            Name(test.column),
            Name(test.other),
            number(test.rows),
            _TESTS[test.test],
            number(test.statistic, ",.2f"),
            number(test.adjusted, ".2g"),
        )
        for test in small
    ]
    yield table(["gaps of", "depend on", "rows with gaps", "test", "χ²", "p"], rows, numeric=[2, 4, 5])


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
