"""Relations between columns, found by looking at all pairs, or at all sets, of columns row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

Rows = Sequence[Sequence[int]]


def determines(rows: Rows, one: int, other: int) -> bool:
    """Whether equal cells of one column always go with equal cells of another."""
    seen: dict[int, int] = {}
    return all(seen.setdefault(row[one], row[other]) == row[other] for row in rows)


def varies(rows: Rows, column: int) -> bool:
    """Whether a column has more than one value."""
    return len({row[column] for row in rows}) > 1


def copies(rows: Rows, columns: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the groups of columns that determine each other in both directions."""
    groups: list[list[int]] = []
    for column in columns:
        for group in groups:
            if determines(rows, group[0], column) and determines(rows, column, group[0]):
                group.append(column)
                break
        else:
            groups.append([column])
    return [tuple(group) for group in groups if len(group) > 1]


def one_hot(rows: Rows, columns: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the sets of at least three columns of zeros and ones, of which exactly one is 1 in every row."""
    binary = [column for column in columns if {row[column] for row in rows} == {0, 1}]
    return [
        chosen
        for size in range(3, len(binary) + 1)
        for chosen in combinations(binary, size)
        if all(sum(row[column] for column in chosen) == 1 for row in rows)
    ]
