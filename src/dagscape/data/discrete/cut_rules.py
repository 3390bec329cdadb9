"""Where to cut a column of numbers: the methods of discretising.

A column of numbers becomes a column of intervals ``(-inf,2.45]``, ``(2.45,4.75]``, ``(4.75,inf)``. A *cut* c
sends the cells up to c to the left and those above it to the right. All methods see a column only through
its distinct values and their counts, so results do not depend on the order of the rows, and equal cells
are never separated.

**Equal width** cuts the range of the values into ``bins`` parts of equal width, and drops the empty ones.
**Equal frequency** (``quantile``) puts, for each i, a cut between the two adjacent distinct values where the
number of cells to the left is nearest to i·N/bins (the lower on a tie); coinciding cuts are merged. **Automatic** cuts
(``auto``) are the same, except that a value with more than its share of the rows has an interval of its own.

**Entropy and minimum description length** (``mdl``) [fayyad1993]: the cut T of the cells S into S1 and S2 is
the one with the smallest class entropy

    E(T; S) = |S1|/N Ent(S1) + |S2|/N Ent(S2),

the lowest on a tie, at the midpoint between adjacent distinct values. It is accepted, and both sides are cut
in turn, if and only if it gains more than it costs to describe:

    Ent(S) - E(T; S)  >  log2(N - 1)/N + Δ/N,      Δ = log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)].

Each recursion costs one pass over its distinct values times the number of classes, using cumulative class
counts.

**Pairwise information** (``hartemink``) [hartemink2001]_ begins with many intervals of equal frequency, and merges
adjacent ones (:mod:`dagscape.data.discrete.information_merging`).

Notation
    [fayyad1993]'s N is ``total``, the number of cells in S, and k the number of classes that occur in S; the
    class counts of S, S1 and S2 are ``whole``, ``left`` and ``right``, N·Ent of such counts is
    `_Entropy.whole`, and k·Ent is `_Entropy.weighted`. ``values`` are the d distinct numbers in ascending
    order and ``counts`` is a d × classes array.

Entropies are summed as integers, in units of a small fraction of a bit, so that sums do not depend on the order
of their terms, and ties between cuts are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dagscape.data.tables.numbers import Floats

Counts = npt.NDArray[np.int64]

# What automatic cuts leave in an interval: so many rows in a small table, and one in so many (2%) of a large one.
_ROWS_OF_INTERVAL = 10
_ROWS_FOR_ONE = 50


@dataclass(frozen=True, slots=True)
class CutRule:
    """A discretisation method: where it cuts a column of numbers.

    Attributes
    ----------
    cut : callable
        Takes the distinct values in ascending order, their counts by class and the number of bins; returns the cuts
        in ascending order.
    needs_class : bool
        Whether it needs a class column; without one, `counts` has a single class.
    summary : str
        What it does, in a few words.
    merges : bool
        Whether ``cut`` only makes many initial intervals, of which adjacent ones are then merged with a view to all
        columns (:mod:`dagscape.data.discrete.information_merging`).
    """

    cut: Callable[[Floats, Counts, int], Floats]
    needs_class: bool
    summary: str
    merges: bool = False


def cut_by_width(values: Floats, counts: Counts, bins: int) -> Floats:  # noqa: ARG001 (as all rules take them)
    """Return cuts at equal distances.

    Examples
    --------
    >>> cut_by_width(np.array([0.0, 1.0, 9.0]), np.array([[1], [1], [1]]), 3).tolist()
    [3.0, 6.0]
    """
    low, high = float(values[0]), float(values[-1])
    if low == high:
        return np.empty(0)
    # Exact arithmetic, because rounding could put a value that equals a cut on the wrong side of it.
    step = (Fraction(high) - Fraction(low)) / bins
    cuts = np.array([float(Fraction(low) + index * step) for index in range(1, bins)])
    return np.unique(cuts[cuts < high])


def cut_by_quantile(values: Floats, counts: Counts, bins: int) -> Floats:
    """Return cuts that make the intervals as equal in frequency as ties allow.

    Examples
    --------
    >>> cut_by_quantile(np.array([0.0, 1.0, 2.0]), np.array([[8], [1], [1]]), 2).tolist()
    [0.5]
    """
    below = np.cumsum(counts.sum(axis=1))
    total, below = int(below[-1]), below[:-1]
    if not below.size:
        return np.empty(0)
    targets = np.arange(1, bins) * total
    right = np.searchsorted(below * bins, targets)
    left, right = (right - 1).clip(min=0), right.clip(max=below.size - 1)
    nearer = np.abs(below[left] * bins - targets) <= np.abs(below[right] * bins - targets)
    cuts: Floats = _midpoints(values)[np.unique(np.where(nearer, left, right))]
    return cuts


def cut_automatically(values: Floats, counts: Counts, bins: int) -> Floats:
    """Return cuts of equal frequency, except that a frequent value has an interval of its own.

    A value is frequent if it holds more than its share, 1/bins of the rows, such as the zeros of a count. The values
    between frequent ones share the intervals that are left, at least one each. Of more than two intervals, none holds
    fewer than 2% of the rows, or than half its share if that is less: it joins a neighbour, if need be a frequent
    value. In fewer than 10 rows for each interval, there are fewer, at least 2.

    Examples
    --------
    >>> cut_automatically(np.arange(5.0), np.array([[60], [10], [10], [10], [10]]), 3).tolist()
    [0.5, 2.5]
    >>> cut_automatically(np.arange(6.0), np.full((6, 1), 10), 3).tolist()
    [1.5, 3.5]
    >>> cut_automatically(np.arange(4.0), np.array([[1], [60], [20], [19]]), 3).tolist()
    [1.5, 2.5]
    """
    rows = counts.sum(axis=1)
    total = int(rows.sum())
    bins = max(2, min(bins, total // _ROWS_OF_INTERVAL))
    # Rounded up: fewer rows than this are fewer than the share.
    least = -(-total // max(_ROWS_FOR_ONE, 2 * bins))
    frequent = rows * bins > total
    pieces = _pieces(rows, frequent, least)
    sizes = [int(rows[slice(*piece)].sum()) for piece in pieces]
    # A frequent value stays with what joined it, or what is too small would be cut off again.
    wide = [
        place
        for place, (start, stop) in enumerate(pieces)
        if stop - start > 1 and sizes[place] >= 2 * least and not frequent[start:stop].any()
    ]
    parts = [1] * len(pieces)
    while wide and sum(parts) < bins:
        parts[max(wide, key=lambda place: sizes[place] / parts[place])] += 1
    ends = [stop for _, stop in pieces[:-1]]
    for (start, stop), count in zip(pieces, parts, strict=True):
        inside = cut_by_quantile(values[start:stop], counts[start:stop], count)
        inner = np.searchsorted(values[start:stop], inside, side="right")
        ends += [start + end for end in _large_enough(rows[start:stop], inner.tolist(), least)]
    return _midpoints(values)[np.array(sorted(ends), dtype=np.intp) - 1]


def _pieces(rows: Counts, frequent: npt.NDArray[np.bool_], least: int) -> list[tuple[int, int]]:
    """Return the frequent values, and the runs of values between them, as ranges in ascending order.

    Of more than two, none has fewer rows than asked for: runs that do have joined a neighbour.
    """
    places = np.flatnonzero(frequent)
    pieces = list(pairwise(sorted({0, *places.tolist(), *(places + 1).tolist(), rows.size})))
    while len(pieces) > 2 and (small := _smallest_piece(rows, pieces, least)) is not None:
        neighbour = small - 1 if small else 1
        first, second = sorted((small, neighbour))
        pieces[first : second + 1] = [(pieces[first][0], pieces[second][1])]
    return pieces


def _smallest_piece(rows: Counts, pieces: list[tuple[int, int]], least: int) -> int | None:
    """Return the piece of the fewest rows, if these are too few for an interval."""
    sizes = [int(rows[slice(*piece)].sum()) for piece in pieces]
    place = int(np.argmin(sizes))
    return place if sizes[place] < least else None


def _large_enough(rows: Counts, ends: list[int], least: int) -> list[int]:
    """Return the ends of intervals but the last, after those of too few rows have joined their smaller neighbours."""
    below = np.concatenate([[0], np.cumsum(rows)])
    bounds = [0, *ends, rows.size]
    while len(bounds) > 2:
        sizes = np.diff(below[bounds])
        small = int(np.argmin(sizes))
        if sizes[small] >= least:
            break
        last = small == sizes.size - 1
        # The bound on the left of an interval has its number.
        leftwards = small > 0 and (last or sizes[small - 1] <= sizes[small + 1])
        del bounds[small if leftwards else small + 1]
    return bounds[1:-1]


def _midpoints(values: Floats) -> Floats:
    """Return the midpoints of adjacent values, or the lower value if no float lies between them."""
    middle = values[:-1] / 2 + values[1:] / 2
    inside = (middle >= values[:-1]) & (middle < values[1:])
    return np.where(inside, middle, values[:-1])


def cut_by_mdl(values: Floats, counts: Counts, bins: int) -> Floats:  # noqa: ARG001 (as all rules take them)
    """Return cuts that minimise class entropy, as long as they pay for their description [fayyad1993].

    Examples
    --------
    >>> cut_by_mdl(np.arange(6.0), np.array([[1, 0]] * 3 + [[0, 1]] * 3), 2).tolist()
    [2.5]
    """
    entropy = _Entropy(int(counts.sum()), counts.shape[1])
    accepted: list[int] = []
    pieces = [(0, values.size)]
    while pieces:
        start, stop = pieces.pop()
        cut = entropy.best_cut(counts[start:stop])
        if cut is not None:
            accepted.append(start + cut)
            pieces += [(start, start + cut + 1), (start + cut + 1, stop)]
    return _midpoints(values)[sorted(accepted)]


# Of more rows than this, no table of logarithms is made.
_LARGEST_TABLE = 2**26


class FixedPointTerms:
    """The terms f(x) = x log2 x of entropies of counts, as integers in units of a small fraction of a bit.

    Parameters
    ----------
    total : int
        The largest count.
    classes : int
        The number of terms that are added up, apart from those whose counts add up to the total.
    """

    def __init__(self, total: int, classes: int) -> None:
        # A float holds 53 bits of a term; a unit that uses only 46 of them is far above the rounding error.
        bits = 46 - math.ceil(math.log2(max(total, 2) * math.log2(max(total, 2)) + classes + 1))
        self.unit = 2.0**bits
        # Weights may count very many rows: then a table of all counts would take more memory than the data.
        self._table = self._computed(np.arange(total + 1)) if total <= _LARGEST_TABLE else None

    def of(self, counts: Counts) -> Counts:
        """Return the term of each count."""
        return self._computed(counts) if self._table is None else self._table[counts]

    def _computed(self, counts: Counts) -> Counts:
        numbers = np.maximum(counts, 1).astype(np.float64)
        return np.rint(numbers * np.log2(numbers) * self.unit).astype(np.int64)


class _Entropy:
    """Class entropies in fixed point: for class counts c, N·Ent = f(N) - Σ f(c) with f(x) = x log2 x."""

    def __init__(self, total: int, classes: int) -> None:
        self._terms = FixedPointTerms(total, classes)
        self._unit = self._terms.unit
        # Each term is off by at most about half a unit, and a cost has two terms for every class and two more.
        self._slack = 2 * classes + 2

    def whole(self, counts: Counts) -> Counts:
        """Return N·Ent for class counts along the last axis."""
        terms: Counts = self._terms.of(counts.sum(axis=-1)) - self._terms.of(counts).sum(axis=-1)
        return terms

    def best_cut(self, counts: Counts) -> int | None:
        """Return the index of the last value left of the best cut, or None if that cut is not accepted."""
        below = np.cumsum(counts, axis=0)
        whole = below[-1]
        if len(counts) < 2 or np.count_nonzero(whole) < 2:
            return None
        costs = self.whole(below[:-1]) + self.whole(whole - below[:-1])
        cut = int(np.argmax(costs <= costs.min() + self._slack))
        left, right = below[cut], whole - below[cut]
        total, gain = int(whole.sum()), (self.whole(whole) - costs[cut]) / self._unit
        k = np.count_nonzero(whole)
        # log2(3^k - 2), computed so that 3^k cannot overflow.
        delta = k * math.log2(3) + math.log1p(-2 * 3.0**-k) / math.log(2)
        delta -= self.weighted(whole) - self.weighted(left) - self.weighted(right)
        return cut if gain > math.log2(total - 1) + delta else None

    def weighted(self, counts: Counts) -> float:
        """Return the entropy of class counts, times the number of classes that occur."""
        bits = float(self.whole(counts)) / self._unit
        return np.count_nonzero(counts) * bits / float(counts.sum())


CUT_RULES: dict[str, CutRule] = {
    "auto": CutRule(cut_automatically, needs_class=False, summary="measured columns only, into equal frequencies"),
    "quantile": CutRule(cut_by_quantile, needs_class=False, summary="intervals of equal frequency"),
    "width": CutRule(cut_by_width, needs_class=False, summary="intervals of equal width"),
    "mdl": CutRule(cut_by_mdl, needs_class=True, summary="class entropy and description length"),
    "hartemink": CutRule(
        cut_by_quantile, needs_class=False, summary="the least loss of pairwise information", merges=True
    ),
}
