"""Discretising: replacing numbers by intervals.

A column of numbers becomes a column of intervals ``(-inf,2.45]``, ``(2.45,4.75]``, ``(4.75,inf)``. A *cut* c
sends the cells up to c to the left and those above it to the right. All methods see a column only through
its distinct values and their counts, so results do not depend on the order of the rows, and equal cells
are never separated.

**Equal width** cuts the range of the values into ``bins`` parts of equal width, and drops the empty ones.
**Equal frequency** (``quantile``) puts, for each i, a cut between the two adjacent distinct values where the
number of cells to the left is nearest to i·N/bins (the lower on a tie); coinciding cuts are merged.

**Entropy and minimum description length** (``mdl``) [fayyad1993]: the cut T of the cells S into S1 and S2 is
the one with the smallest class entropy

    E(T; S) = |S1|/N Ent(S1) + |S2|/N Ent(S2),

the lowest on a tie, at the midpoint between adjacent distinct values. It is accepted, and both sides are cut
in turn, if and only if it gains more than it costs to describe:

    Ent(S) - E(T; S)  >  log2(N - 1)/N + Δ/N,      Δ = log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)].

Each recursion costs one pass over its distinct values times the number of classes, using cumulative class
counts.

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
import operator
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from dagscape.data.dataset import Dataset, Missing, encode
from dagscape.data.frames import table_from_array, table_from_frame
from dagscape.data.intervals import Floats, cut_column
from dagscape.data.reading import read_table
from dagscape.data.table import DEFAULT_MISSING_VALUES, MISSING, Column, Table, kind, listing, parse_numbers
from dagscape.errors import InvalidData, InvalidOption, argument

if TYPE_CHECKING:
    from dagscape.data.levels import LevelsOption

Counts = npt.NDArray[np.int64]

# Columns of integers with more distinct values than this count as measurements.
MAX_LEVELS = 20

# More bins are surely a typing error, which should not take hours.
MAX_BINS = 100_000


@dataclass(frozen=True, slots=True)
class Discretizer:
    """A discretisation method.

    Attributes
    ----------
    cut : callable
        Takes the distinct values in ascending order, their counts by class and the number of bins; returns the cuts
        in ascending order.
    needs_class : bool
        Whether it needs a class column; without one, `counts` has a single class.
    summary : str
        What it does, in a few words.
    """

    cut: Callable[[Floats, Counts, int], Floats]
    needs_class: bool
    summary: str


def discretize(
    source: Any,
    *,
    method: str = "quantile",
    bins: SupportsIndex | Mapping[str, SupportsIndex] = 3,
    columns: Collection[str] | None = None,
    class_column: str | None = None,
    missing: Missing = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
) -> Dataset:
    """Discretise columns of numbers, and make a data set.

    Parameters
    ----------
    source : data frame, NumPy array, Table, str or path
        The data; a file is read as by :func:`~dagscape.data.reading.read_data`.
    method : {"quantile", "width", "mdl"}
        Equal frequency, equal width, or the entropy method of Fayyad and Irani.
    bins : int or mapping of str to int
        The number of intervals, at least 2, for all columns or by column. There are fewer if there are too few
        distinct values, if ties prevent it, or if an interval of equal width is empty. ``"mdl"`` chooses the
        number itself.
    columns : collection of str, optional
        Columns to discretise in addition to those that always are: columns of decimals, and of integers with
        more than 20 distinct values. Columns with declared levels are not discretised.
    class_column : str, optional
        The class, for ``"mdl"`` only: a discrete column, which is not changed. Rows without a class do not
        count.
    missing, levels, interventions, missing_values
        As in :meth:`Dataset.from_frame`. With ``missing="drop"``, rows are dropped before cuts are chosen.

    Returns
    -------
    Dataset
        The levels of a discretised variable are its intervals, in order. A constant column, or one for which
        ``"mdl"`` accepts no cut, has the single interval ``(-inf,inf)``.

    Examples
    --------
    >>> data = discretize(np.array([[0.5], [1.5], [2.5], [9.5]]), method="quantile", bins=2)
    >>> data.levels["X0"]
    ('(-inf,2]', '(2,inf)')
    """
    if method not in DISCRETIZERS:
        raise InvalidOption(f"is {method!r}; it must be one of {', '.join(map(repr, DISCRETIZERS))}", option="method")
    discretizer = DISCRETIZERS[method]
    if discretizer.needs_class and class_column is None:
        raise InvalidOption(
            f"{argument('method', method)} needs {argument('class_column')}, the name of a discrete column"
        )
    if class_column is not None and not discretizer.needs_class:
        raise InvalidOption(
            f"is {class_column!r}, but {argument('method', method)} does not use a class", option="class_column"
        )
    if isinstance(columns, str):
        raise InvalidOption(f"is {columns!r}; it must be a collection of names", option="columns")
    declared = frozenset(levels or ())

    def transform(table: Table) -> Table:
        chosen = _choose_columns(table, columns, class_column, declared)
        sizes = _check_bins(bins, chosen, table)
        classes = None if class_column is None else table.column(class_column)
        replaced = [
            _discretize_column(table, name, discretizer, sizes[name], classes) if name in sizes else column
            for name, column in zip(table.names, table.columns, strict=True)
        ]
        return table.with_columns(table.names, replaced)

    table = _as_table(source, missing_values)
    return encode(table, missing=missing, levels=levels, interventions=interventions, transform=transform)


def _as_table(source: Any, missing_values: Iterable[str]) -> Table:
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        return read_table(source, missing_values=missing_values)
    if isinstance(source, np.ndarray):
        return table_from_array(source, missing_values=missing_values)
    return table_from_frame(source, missing_values=missing_values)


def _choose_columns(
    table: Table, columns: Collection[str] | None, class_column: str | None, declared: frozenset[str]
) -> list[str]:
    """Return the names of the columns to discretise, in the order of the table."""
    for name in [*(columns or ()), *([] if class_column is None else [class_column])]:
        if name not in table.names:
            raise InvalidOption(
                f"{table.source} has no variable {name!r} to use in discretising: "
                f"its variables are {listing(table.names)}"
            )
    if class_column is not None and columns is not None and class_column in columns:
        raise InvalidOption(f"is {class_column!r}, which is also a column to discretise", option="class_column")
    if class_column is not None and class_column not in declared:
        column = table.column(class_column)
        if not column.declared and kind(column) == "decimals":
            raise InvalidData(f"{table.source} has decimals in the class column {class_column!r}: it must be discrete")
    for name in columns or ():
        if name in declared:
            raise InvalidOption(f"{name!r} is to be discretised, but {argument('levels')} declares levels for it")
    asked = frozenset(columns or ())
    return [
        name
        for name, column in zip(table.names, table.columns, strict=True)
        if name in asked or (name != class_column and name not in declared and _is_measured(column))
    ]


def _is_measured(column: Column) -> bool:
    """Whether a column holds measurements, not levels: decimals, or many distinct integers."""
    if column.declared:
        return False
    sort = kind(column)
    return sort == "decimals" or (sort == "integers" and len(column.observed().values) > MAX_LEVELS)


def _check_bins(bins: SupportsIndex | Mapping[str, SupportsIndex], chosen: list[str], table: Table) -> dict[str, int]:
    """Return the number of bins of each column to discretise."""
    if not isinstance(bins, Mapping):
        return dict.fromkeys(chosen, _check_bin_count(bins, ""))
    for name in bins:
        if name not in chosen:
            reason = "is not discretised" if name in table.names else "does not exist"
            raise InvalidOption(f"gives a number for column {name!r}, which {reason}", option="bins")
    for name in chosen:
        if name not in bins:
            raise InvalidOption(f"gives no number for column {name!r}, which is to be discretised", option="bins")
    return {name: _check_bin_count(bins[name], f" for {name!r}") for name in chosen}


def _check_bin_count(count: SupportsIndex, where: str) -> int:
    try:
        number = 0 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = 0
    if not 2 <= number <= MAX_BINS:
        raise InvalidOption(f"is {count!r}{where}; it must be an integer from 2 to {MAX_BINS}", option="bins")
    return number


def _discretize_column(table: Table, name: str, discretizer: Discretizer, bins: int, classes: Column | None) -> Column:
    """Return a column with its numbers replaced by intervals; empty intervals are dropped."""
    column = table.column(name).observed()
    numbers = _finite_numbers(table, name, column)
    if not numbers.size:
        return column
    # "1.5" and "1.50" are one number.
    values, rank = np.unique(numbers, return_inverse=True)
    counts = _class_counts(column, rank, values.size, classes)
    seen = counts.any(axis=1)
    cuts = discretizer.cut(values[seen], counts[seen], bins) if seen.any() else np.empty(0)
    return cut_column(column, values, rank, cuts)


def _finite_numbers(table: Table, name: str, column: Column) -> Floats:
    """Return the values of a column as numbers; raise an error that locates any other value."""
    numbers = parse_numbers(column.values)
    if numbers is not None and np.isfinite(numbers).all():
        return numbers
    code = next(code for code, text in enumerate(column.values) if not _is_finite(text))
    raise InvalidData(
        f"{table.source} has {column.values[code]!r} in column {name!r} at "
        f"{table.where(column.first_row(code))}, which is not a finite number and cannot be discretised: "
        f"add it to {argument('missing_values')} if it means a missing cell"
    )


def _is_finite(text: str) -> bool:
    number = parse_numbers([text])
    return number is not None and bool(np.isfinite(number[0]))


def _class_counts(column: Column, rank: npt.NDArray[np.intp], distinct: int, classes: Column | None) -> Counts:
    """Count the rows of each distinct number by class; rows without a class do not count."""
    kept = column.codes != MISSING
    groups = 1 if classes is None else len(classes.values)
    if classes is not None:
        kept &= classes.codes != MISSING
    cells = rank[column.codes[kept]].astype(np.int64) * groups
    if classes is not None:
        cells += classes.codes[kept]
    return np.bincount(cells, minlength=distinct * groups).reshape(distinct, groups)


def cut_by_width(values: Floats, counts: Counts, bins: int) -> Floats:  # noqa: ARG001
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


def _midpoints(values: Floats) -> Floats:
    """Return the midpoints of adjacent values, or the lower value if no float lies between them."""
    middle = values[:-1] / 2 + values[1:] / 2
    inside = (middle >= values[:-1]) & (middle < values[1:])
    return np.where(inside, middle, values[:-1])


def cut_by_mdl(values: Floats, counts: Counts, bins: int) -> Floats:  # noqa: ARG001
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


class _Entropy:
    """Class entropies in fixed point: for class counts c, N·Ent = f(N) - Σ f(c) with f(x) = x log2 x."""

    def __init__(self, total: int, classes: int) -> None:
        # A float holds 53 bits of a term; a unit that uses only 46 of them is far above the rounding error.
        bits = 46 - math.ceil(math.log2(max(total, 2) * math.log2(max(total, 2)) + classes + 1))
        self._unit = 2.0**bits
        counts = np.arange(total + 1, dtype=np.float64)
        counts[0] = 1.0
        self._table = np.rint(counts * np.log2(counts) * self._unit).astype(np.int64)
        # Each term is off by at most about half a unit, and a cost has two terms for every class and two more.
        self._slack = 2 * classes + 2

    def whole(self, counts: Counts) -> Counts:
        """Return N·Ent for class counts along the last axis."""
        terms: Counts = self._table[counts.sum(axis=-1)] - self._table[counts].sum(axis=-1)
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


DISCRETIZERS: dict[str, Discretizer] = {
    "quantile": Discretizer(cut_by_quantile, needs_class=False, summary="intervals of equal frequency"),
    "width": Discretizer(cut_by_width, needs_class=False, summary="intervals of equal width"),
    "mdl": Discretizer(cut_by_mdl, needs_class=True, summary="class entropy and description length"),
}
