"""Slow, obvious versions of the discretising methods: lists, loops and textbook formulas."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from math import log, log2, prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def entropy(classes: Sequence[object]) -> float:
    """The class entropy of some cells, in bits."""
    shares = [count / len(classes) for count in Counter(classes).values()]
    return -sum(share * log2(share) for share in shares)


def mdl_cuts(values: Sequence[float], classes: Sequence[object]) -> list[float]:
    """Fayyad and Irani's cuts, by recursion over sorted cells."""
    cells = sorted(zip(values, classes, strict=True), key=lambda cell: cell[0])
    labels = [label for _, label in cells]
    N, k = len(cells), len(set(labels))
    candidates = []
    for i in range(1, N):
        if cells[i - 1][0] < cells[i][0]:
            weighted = (i * entropy(labels[:i]) + (N - i) * entropy(labels[i:])) / N
            candidates.append((weighted, i))
    if not candidates:
        return []
    least = min(weighted for weighted, _ in candidates)
    # Equally good cuts differ by rounding here: the lowest of them counts.
    weighted, i = next(candidate for candidate in candidates if candidate[0] <= least + 1e-10)
    left, right = labels[:i], labels[i:]
    gain = entropy(labels) - weighted
    delta = log2(3**k - 2) - (k * entropy(labels) - len(set(left)) * entropy(left) - len(set(right)) * entropy(right))
    if not gain > (log2(N - 1) + delta) / N:
        return []
    below, above = zip(*cells[:i], strict=True), zip(*cells[i:], strict=True)
    return [*mdl_cuts(*below), (cells[i - 1][0] + cells[i][0]) / 2, *mdl_cuts(*above)]


def quantile_cuts(values: Sequence[float], bins: int) -> list[float]:
    """For each i, the cut between distinct values with the number of cells below it nearest to i·N/bins."""
    distinct = sorted(set(values))
    cuts = set()
    for i in range(1, bins):
        off = [
            (abs(bins * sum(value <= low for value in values) - i * len(values)), (low + high) / 2)
            for low, high in itertools.pairwise(distinct)
        ]
        if off:
            cuts.add(min(off)[1])
    return sorted(cuts)


def cut_cells(
    columns: Mapping[str, Sequence[object]], cuts: Mapping[str, Sequence[float]], levels: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    """The rows of new data as a fitted discretizer must see them: each number by comparison with every cut."""
    rows = []
    for cells in zip(*columns.values(), strict=True):
        row = []
        for name, cell in zip(columns, cells, strict=True):
            row.append(levels[name][sum(cell > cut for cut in cuts[name])] if name in cuts else str(cell))
        rows.append(tuple(row))
    return rows


def pairwise_information(columns: Sequence[Sequence[int]]) -> Fraction:
    """2^(N·T) for the total pairwise mutual information T of some columns, exactly: a ratio of products of x^x."""
    found = Fraction(1)
    for u, v in itertools.combinations(columns, 2):
        joint, ends = Counter(zip(u, v, strict=True)).values(), (*Counter(u).values(), *Counter(v).values())
        found *= Fraction(prod(x**x for x in joint) * len(u) ** len(u), prod(x**x for x in ends))
    return found


def hartemink_groups(
    columns: Sequence[Sequence[int]], intervals: Sequence[int], wanted: Sequence[int]
) -> list[list[list[int]]]:
    """The intervals of each column, as lists of old ones, by trying every merge and computing all information anew."""
    groups = [[[level] for level in range(count)] for count in intervals]
    while True:
        tried = []
        for v, parts in enumerate(groups):
            for i in range(len(parts) - 1 if len(parts) > wanted[v] else 0):
                merged = [*parts[:i], parts[i] + parts[i + 1], *parts[i + 2 :]]
                now = [*groups[:v], merged, *groups[v + 1 :]]
                coded = [
                    [next((g for g, part in enumerate(kept) if level in part), 1000 + level) for level in column]
                    for column, kept in zip(columns, now, strict=True)
                ]
                rows = sum(level in merged[i] for level in columns[v])
                tried.append((-pairwise_information(coded), rows, v, i, now))
        if not tried:
            return groups
        groups = min(tried, key=lambda entry: entry[:4])[4]


def log_widths(values: Sequence[float], cuts: Sequence[float]) -> list[float]:
    """The log width of the interval of each number: end intervals reach half a resolution beyond the numbers."""
    distinct = sorted(set(values))
    low, high, resolution = distinct[0], distinct[-1], 1.0
    if all(value == int(value) for value in values):
        inside = range(int(low), int(high) + 1)
        return [
            log(sum(sum(other > cut for cut in cuts) == sum(value > cut for cut in cuts) for other in inside))
            for value in values
        ]
    if len(distinct) > 1:
        resolution = min(b - a for a, b in itertools.pairwise(distinct))
    ends = [low - resolution / 2, *cuts, high + resolution / 2]
    found = []
    for value in values:
        place = sum(value > cut for cut in cuts)
        left, right = max(ends[place], ends[0]), min(ends[place + 1], ends[-1])
        found.append(log(max(right - left, resolution)))
    return found
