"""Columns that copy or determine each other.

A copy of a column takes away its edges: two variables that always agree explain each other, and each of them is as good
a parent as the other. So the probability of a true edge is divided among copies, and edges between copies, which are
certain, say nothing. The same holds for a column that another determines, and for the columns of a one-hot code.

What is found is exact, with one exception: columns that agree in more than 99% of the rows. Among few rows, or with
many values, one column may determine another by chance. So a finding counts only if a shuffled column would hardly
ever do the same: with k values that occur n_1, …, n_k times, and shares p_y of the values of the other column, the
chance that every value goes with one value only is about the product of Σ_y p_y^n_i over all i, and it must stay below
a thousandth after multiplication by the number of pairs of columns.

Cost: columns that split the rows alike are found by one pass over each column. For the rest, the rows are sorted by
each column in turn, and all others are compared with their neighbours: n² passes over the rows in the worst case. A
first look at a few hundred rows leaves few pairs of columns that are not related.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from dagscape.data.kinds.findings import Finding
from dagscape.data.kinds.one_hot import one_hot_groups

Codes = npt.NDArray[Any]
Weights = npt.NDArray[np.int64]

# Beyond this number of columns, or of cells in distinct rows, nothing is looked for.
MOST_COLUMNS = 200
MOST_CELLS = 20_000_000

# Fewer rows prove nothing.
FEWEST_ROWS = 20

# Columns that agree in this share of the rows nearly copy each other, unless they agree no better than by chance.
_NEARLY = 0.99
_BETTER_THAN_CHANCE = 0.98

# The chance that shuffled columns do the same, in all pairs together.
_CHANCE = 1e-3

# The rows of the first look, and up to how many levels, and how many pairs of levels at a time, it is one product of
# matrices.
_FIRST_ROWS = 512
_FEW_LEVELS = 64
_MOST_PAIRS_OF_LEVELS = 1 << 21


@dataclass(frozen=True, slots=True)
class Relations:
    """What was found among some columns, by their indices.

    Attributes
    ----------
    copies : tuple of tuple of int
        Groups of columns that split the rows alike, up to the names of their levels.
    determined : dict of int to tuple of int
        For some columns, those that they determine.
    one_hot : tuple of tuple of int
        Groups of columns of two levels, of which exactly one has its second level in every row.
    near_copies : tuple of (int, int, float)
        Pairs that agree in nearly all rows, and the share of these.
    """

    copies: tuple[tuple[int, ...], ...] = ()
    determined: dict[int, tuple[int, ...]] = field(default_factory=dict)
    one_hot: tuple[tuple[int, ...], ...] = ()
    near_copies: tuple[tuple[int, int, float], ...] = ()


def find_relations(codes: Codes, weights: Weights) -> Relations:
    """Find columns that copy or determine each other.

    Parameters
    ----------
    codes : ndarray of int
        Distinct rows × columns: the number of the level of each cell, from 0.
    weights : ndarray of int64
        How many times each row occurs.

    Examples
    --------
    >>> rows = np.array([[i % 3, 2 - i % 3, i % 3 == 0, i // 3 % 2] for i in range(60)])
    >>> found = find_relations(rows, np.ones(60, dtype=np.int64))
    >>> found.copies, found.determined
    (((0, 1),), {0: (2,)})
    """
    n, rows = codes.shape[1], int(weights.sum())
    if rows < FEWEST_ROWS or not 2 <= n <= MOST_COLUMNS or codes.size > MOST_CELLS:
        return Relations()
    dense = np.stack([_dense(codes[:, i]) for i in range(n)], axis=1)
    levels = dense.max(axis=0) + 1
    groups = _alike(dense, [i for i in range(n) if levels[i] > 1])
    # Of columns that are alike, the first stands for all.
    single = [group[0] for group in groups]
    limit = np.log(_CHANCE / n**2)
    determined: dict[int, tuple[int, ...]] = {}
    for i in single:
        candidates = _first_look(dense, i, [j for j in single if j != i and levels[j] < levels[i]])
        found = [j for j in candidates if _determines(dense, i, j) and _log_chance(dense, weights, i, j) < limit]
        if found:
            determined[i] = tuple(found)
    copies = [group for group in groups if len(group) > 1 and _log_chance(dense, weights, *group[:2]) < limit]
    return Relations(
        tuple(map(tuple, copies)),
        determined,
        one_hot_groups(dense, single, levels),
        _near(dense, weights, single, levels),
    )


def _dense(column: Codes) -> Codes:
    """Return the codes of a column, numbered without gaps."""
    used = np.bincount(column) > 0
    lookup = np.cumsum(used, dtype=np.int32) - 1
    return lookup[column]


def _alike(dense: Codes, columns: Sequence[int]) -> list[list[int]]:
    """Return the columns in groups that split the rows alike."""
    groups: dict[bytes, list[int]] = {}
    rows = np.arange(len(dense) - 1, -1, -1)
    for i in columns:
        # Of several rows with a level, the last that is written here is the first of the table.
        first = np.empty(int(dense[:, i].max()) + 1, dtype=np.int64)
        first[dense[::-1, i]] = rows
        digest = hashlib.sha256(first[dense[:, i]].tobytes()).digest()
        groups.setdefault(digest, []).append(i)
    return list(groups.values())


def _first_look(dense: Codes, column: int, others: Sequence[int]) -> list[int]:
    """Return those of some columns that a column determines in some of the rows."""
    if not others:
        return []
    some = dense[:: 1 + len(dense) // _FIRST_ROWS]
    order = np.argsort(some[:, column], kind="stable")
    same = np.diff(some[order, column]) == 0
    steps = np.diff(some[order][:, others], axis=0) != 0
    return [other for other, wrong in zip(others, (steps & same[:, np.newaxis]).any(axis=0), strict=True) if not wrong]


def _determines(dense: Codes, column: int, other: int) -> bool:
    """Whether each level of a column goes with one level of another."""
    first = np.full(int(dense[:, column].max()) + 1, -1)
    first[dense[:, column]] = dense[:, other]
    return bool((first[dense[:, column]] == dense[:, other]).all())


def _log_chance(dense: Codes, weights: Weights, column: int, other: int) -> float:
    """Return the logarithm of the chance that each level of a column goes with one level of a shuffled other."""
    sizes = np.bincount(dense[:, column], weights=weights)
    shares = np.bincount(dense[:, other], weights=weights) / weights.sum()
    different, counts = np.unique(sizes, return_counts=True)
    # The largest share decides for large groups, where powers underflow.
    logs = np.log(shares[shares > 0])[:, np.newaxis] * different
    return float(np.logaddexp.reduce(logs, axis=0) @ counts)


def _near(
    dense: Codes, weights: Weights, columns: Sequence[int], levels: npt.NDArray[np.intp]
) -> tuple[tuple[int, int, float], ...]:
    """Return the pairs of columns of as many levels that agree in nearly all rows, but not in all."""
    some = np.argsort(-weights, kind="stable")[:_FIRST_ROWS]
    alike: dict[int, list[int]] = {}
    for i in columns:
        alike.setdefault(int(levels[i]), []).append(i)
    found = []
    for size, group in alike.items():
        look = _look_at_few if size <= _FEW_LEVELS else _look_at_many
        for i, j in look(dense[some], weights[some], group, size):
            share, by_chance = _agreement(dense, weights, i, j, size)
            if _is_near(share, by_chance):
                found.append((i, j, share))
    return tuple(sorted(found))


def _look_at_few(dense: Codes, weights: Weights, columns: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """Iterate over the pairs of columns of few levels that agree in most of the first rows."""
    levels = np.arange(size)
    indicators = (dense[:, columns, np.newaxis] == levels).astype(np.float64).reshape(len(dense), -1)
    weighted = indicators.T * weights
    step = max(1, _MOST_PAIRS_OF_LEVELS // indicators.shape[1] // size)
    for begin in range(0, len(columns), step):
        block = weighted[begin * size : (begin + step) * size]
        joint = (block @ indicators).reshape(-1, size, len(columns), size)
        share = joint.max(axis=3).sum(axis=1) / weights.sum()
        # Levels that do not occur in these rows have no partner.
        partners = np.sort(np.where(joint.any(axis=3), joint.argmax(axis=3), size + levels[:, np.newaxis]), axis=1)
        shared = (np.diff(partners, axis=1) == 0).any(axis=1)
        for a, b in np.argwhere((share > 2 * _NEARLY - 1) & ~shared):
            if begin + a < b:
                yield columns[begin + a], columns[b]


def _look_at_many(dense: Codes, weights: Weights, columns: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """Iterate over the same pairs, one by one."""
    for i, j in combinations(columns, 2):
        if _agreement(dense, weights, i, j, size)[0] > 2 * _NEARLY - 1:
            yield i, j


def _is_near(share: float, by_chance: float) -> bool:
    return _NEARLY <= share < 1 and share - by_chance >= _BETTER_THAN_CHANCE * (1 - by_chance)


def _agreement(dense: Codes, weights: Weights, i: int, j: int, size: int) -> tuple[float, float]:
    """Return the share of rows in which two columns agree if each level means the one it most often goes with.

    The second number is the share that is expected of independent columns.
    """
    cells, counts = _counted(dense[:, i].astype(np.int64) * size + dense[:, j], weights, size * size)
    first, second = np.divmod(cells, size)
    # The most frequent partner of each level comes first.
    order = np.lexsort((second, -counts, first))
    best = order[np.diff(first[order], prepend=-1) != 0]
    partner = second[best]
    if np.unique(partner).size < partner.size:
        return 0.0, 0.0
    total = counts.sum()
    sizes, other_sizes = (np.bincount(side, weights=counts, minlength=size) for side in (first, second))
    expected = (sizes[first[best]] * other_sizes[partner]).sum() / total**2
    return float(counts[best].sum() / total), float(expected)


def _counted(cells: Codes, weights: Weights, size: int) -> tuple[Codes, npt.NDArray[Any]]:
    """Return the different numbers below a size in increasing order, and the sums of their weights."""
    if size > len(cells):
        different, where = np.unique(cells, return_inverse=True)
        return different, np.bincount(where, weights=weights)
    counts = np.bincount(cells, weights=weights)
    different = np.flatnonzero(counts)
    return different, counts[different]


def relation_findings(found: Relations, names: Sequence[str], cut: Collection[str] = ()) -> Iterator[Finding]:
    """Iterate over what was found in words, with the remedy.

    Parameters
    ----------
    found : Relations
        What was found.
    names : sequence of str
        The names of the columns.
    cut : collection of str
        Those that were cut into intervals before: what is found of them holds after cutting, perhaps not before.

    Examples
    --------
    >>> next(relation_findings(Relations(copies=((0, 1),)), ["city", "town"])).sentence
    "'city' and 'town' say the same in every row: leave out all but one, because copies take edges from each other"
    """

    def finding(sentence: str, columns: Iterable[int]) -> Finding:
        about = tuple(names[i] for i in columns)
        return Finding("relation", sentence if {*cut}.isdisjoint(about) else f"after cutting, {sentence}", about)

    for group in found.copies:
        copies = _listed([names[i] for i in group])
        said = f"{copies} say the same in every row: leave out all but one, because copies take edges from each other"
        yield finding(said, group)
    for hot in found.one_hot:
        code = _listed([names[i] for i in hot])
        said = (
            f"exactly one of {code} is set in every row: make one column of them, because each is known from the others"
        )
        yield finding(said, hot)
    for i, others in found.determined.items():
        those = "that is" if len(others) == 1 else "those are"
        said = (
            f"{names[i]!r} determines {_listed([names[j] for j in others])}: leave out {names[i]!r} or what it "
            f"determines, unless {those} what you ask about"
        )
        yield finding(said, (i, *others))
    for i, j, share in found.near_copies:
        said = (
            f"{names[i]!r} and {names[j]!r} say the same in {_percent(share)} of the rows: leave out one of them, "
            "because copies take edges from each other"
        )
        yield finding(said, (i, j))


def _percent(share: float) -> str:
    """Return a share below 1 as a percentage that does not round to 100%.

    >>> _percent(0.9951), _percent(0.99999)
    ('99.5%', 'all but 0.001%')
    """
    return f"{100 * share:.1f}%" if share < 0.9995 else f"all but {100 * (1 - share):.1g}%"


def _listed(names: Sequence[str], limit: int = 6) -> str:
    shown = [repr(name) for name in names[:limit]]
    if len(names) > limit:
        shown.append(f"{len(names) - limit} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
