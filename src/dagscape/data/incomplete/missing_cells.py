"""The report of missing cells: which columns lack them together, and whether that depends on other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.data.discrete.rows import group_rows, pack_words
from dagscape.data.incomplete.gap_tests import GapTest, LittleTest, Weights, gap_tests, little_test
from dagscape.data.tables.numbers import Floats
from dagscape.results.decoding import Count

if TYPE_CHECKING:
    import pandas as pd

# Patterns, pairs and tests that are kept.
_MOST_KEPT = 50

PARTS = ("patterns", "pairs", "tests")


@dataclass(frozen=True, slots=True)
class MissingPattern:
    """Columns that are missing together, and no others, in some rows.

    Attributes
    ----------
    columns : tuple of str
        The columns.
    rows : int
        The number of rows.
    """

    columns: tuple[str, ...]
    rows: Count


@dataclass(frozen=True, slots=True)
class MissingPair:
    """Two columns with missing cells.

    Attributes
    ----------
    first, second : str
        The columns.
    together : int
        The number of rows in which both are missing.
    expected : float
        That number if gaps of one did not depend on those of the other.
    """

    first: str
    second: str
    together: Count
    expected: float


@dataclass(frozen=True, slots=True)
class MissingCells:
    """What is missing where, and together, in the columns that were observed in some row.

    Attributes
    ----------
    complete_rows : int
        The number of rows without missing cells in these columns.
    pattern_count : int
        The number of different sets of missing columns.
    patterns : tuple of MissingPattern
        The most frequent of them, most rows first.
    pairs : tuple of MissingPair
        The pairs of columns that are missing together most often.
    little : LittleTest or None
        Little's test of the columns of numbers; None if it could not be made.
    test_count : int
        How many pairs of columns were tested.
    tests : tuple of GapTest
        The tests with the smallest p-values.
    never_observed : tuple of str
        The columns without any cell, which the rest leaves out.
    """

    complete_rows: Count
    pattern_count: Count
    patterns: tuple[MissingPattern, ...]
    pairs: tuple[MissingPair, ...]
    little: LittleTest | None
    test_count: Count
    tests: tuple[GapTest, ...]
    never_observed: tuple[str, ...] = ()

    def to_frame(self, part: str = "patterns") -> pd.DataFrame:
        """Return a part as a data frame, with one row for each of its entries.

        Parameters
        ----------
        part : {"patterns", "pairs", "tests"}
            Which one.
        """
        import pandas as pd

        check_choice(part, PARTS, "part")
        kinds: dict[str, Any] = {"patterns": MissingPattern, "pairs": MissingPair, "tests": GapTest}
        columns = list(kinds[part].__slots__)
        entries = getattr(self, part)
        return pd.DataFrame([[getattr(entry, name) for name in columns] for entry in entries], columns=columns)


def missing_cells(columns: Mapping[str, Floats], measured: Sequence[str], weights: Weights) -> MissingCells | None:
    """Report the missing cells of a table; None if there are none in columns that were observed in some row.

    Parameters
    ----------
    columns : mapping of str to array
        The numbers of measured columns, and numbers of the levels of others; NaN where a cell is missing.
    measured : sequence of str
        The measured ones.
    weights : array of int
        How often each row counts.

    Examples
    --------
    >>> columns = {"a": np.array([0.0, 1.0, np.nan, np.nan]), "b": np.array([0.0, np.nan, np.nan, 1.0])}
    >>> found = missing_cells(columns, [], np.ones(4, dtype=np.int64))
    >>> found.complete_rows, found.pattern_count
    (1, 3)
    >>> found.to_frame("pairs").values.tolist()
    [['a', 'b', 1, 1.0]]
    """
    never = tuple(name for name, column in columns.items() if np.isnan(column).all())
    columns = {name: column for name, column in columns.items() if name not in never}
    names = list(columns)
    if not any(np.isnan(column).any() for column in columns.values()):
        return None
    lacking = np.stack([np.isnan(column) for column in columns.values()], axis=1)
    order, starts = group_rows(pack_words((lacking[:, i], 2) for i in range(len(names))))
    groups = [(lacking[rows[0]], int(weights[rows].sum())) for rows in np.split(order, starts[1:])]
    patterns = [
        MissingPattern(tuple(name for name, gap in zip(names, gaps, strict=True) if gap), rows)
        for gaps, rows in groups
        if gaps.any()
    ]
    patterns.sort(key=lambda pattern: -pattern.rows)
    tests = gap_tests(columns, measured, weights)
    return MissingCells(
        complete_rows=sum(rows for gaps, rows in groups if not gaps.any()),
        pattern_count=len(patterns),
        patterns=tuple(patterns[:_MOST_KEPT]),
        pairs=tuple(_pairs(names, lacking, weights)[:_MOST_KEPT]),
        little=_little(columns, measured, weights),
        test_count=len(tests),
        tests=tuple(tests[:_MOST_KEPT]),
        never_observed=never,
    )


def _little(columns: Mapping[str, Floats], measured: Sequence[str], weights: Weights) -> LittleTest | None:
    names = [name for name in columns if name in measured]
    return little_test(names, np.stack([columns[name] for name in names], axis=1), weights) if names else None


def _pairs(names: Sequence[str], lacking: np.ndarray[Any, Any], weights: Weights) -> list[MissingPair]:
    """Return the pairs of columns that are missing together, most often first."""
    gappy = np.flatnonzero(lacking.any(axis=0))
    marks = lacking[:, gappy].astype(np.float64)
    together = marks.T @ (marks * weights[:, np.newaxis])
    counts, total = np.diag(together), float(weights.sum())
    first, second = np.triu_indices(len(gappy), 1)
    both = together[first, second]
    order = np.lexsort([second, first, -both])
    return [
        MissingPair(
            names[gappy[first[k]]],
            names[gappy[second[k]]],
            int(both[k]),
            float(counts[first[k]] * counts[second[k]] / total),
        )
        for k in order.tolist()
        if both[k]
    ]
