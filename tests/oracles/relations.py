"""Relations between columns, found by looking at all pairs, or at all sets, of columns row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
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


def near_copies(rows: Rows, columns: Sequence[int]) -> list[tuple[int, int, Fraction]]:
    """Return the pairs of columns of as many values that agree in at least 99% of the rows, and the share of these.

    They agree where the value of one is that which most often goes with the value of the other. No two values may have
    the same partner, and the pair must agree better than by chance.
    """
    found = []
    for one, other in combinations(columns, 2):
        values = sorted({row[one] for row in rows})
        if len(values) != len({row[other] for row in rows}):
            continue
        pairs = Counter((row[one], row[other]) for row in rows)
        partner = {x: max((count, -y) for (first, y), count in pairs.items() if first == x) for x in values}
        if len({y for _, y in partner.values()}) < len(values):
            continue
        share = Fraction(sum(count for count, _ in partner.values()), len(rows))
        sizes, others = Counter(row[one] for row in rows), Counter(row[other] for row in rows)
        chance = Fraction(sum(sizes[x] * others[-y] for x, (_, y) in partner.items()), len(rows) ** 2)
        if Fraction(99, 100) <= share < 1 and share - chance >= Fraction(98, 100) * (1 - chance):
            found.append((one, other, share))
    return found
