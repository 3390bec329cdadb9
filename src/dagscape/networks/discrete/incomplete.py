"""Expected counts of incomplete rows, their likelihood, and draws of their holes, given a network.

The expected count of a cell of a family's table is the sum, over the rows, of the probability that the family is in
that cell given what the row shows. Rows are divided into groups, each with a bucket tree
(:mod:`dagscape.networks.discrete.bucket_tree`) over the variables that any of its rows lacks. All incomplete rows are
one group if that tree is small; otherwise the group is divided by whether a variable is missing, again and again, until
trees are small, or a group has holes in the same places. Complete rows are counted.

A value that was set by an intervention tells nothing about its own family: that family's table is left out.

*Cost.* For each group, the rows times the cells of its tree; what does not fit in memory is refused beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits, mask_of
from dagscape.data.discrete.rows import group_rows, pack_words
from dagscape.networks.discrete.bucket_tree import BucketTree, Collected, summed_to
from dagscape.networks.discrete.elimination import BLOCK_CELLS, Factor, Tables, check_size
from dagscape.networks.discrete.evidence import UNOBSERVED
from dagscape.networks.discrete.families import matching_columns, parent_states

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# A tree with fewer cells is not worth dividing its rows for.
_SMALL_TREE = 2**12


@dataclass(frozen=True, slots=True, eq=False)
class IncompleteRows:
    """Rows with holes, equal ones once.

    Attributes
    ----------
    codes : array of int, rows × variables
        The codes; -1 where a cell is missing.
    weights : array of int
        How often each row occurs.
    chosen : array of bool, rows × variables, or None
        Whether the variable was set by an intervention, which is then not missing.
    """

    codes: Integers
    weights: Integers
    chosen: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, variables: Sequence[str], data: Dataset) -> IncompleteRows:
        """Return the rows of data, which must have these variables, in any order, and whose levels are those in use.

        Examples
        --------
        >>> from dagscape.data.discrete.dataset import Dataset
        >>> data = Dataset.from_array([["a", None], ["b", "c"], ["b", "d"]], ["x", "y"], missing="keep")
        >>> IncompleteRows.of(["y", "x"], data).codes.tolist()
        [[-1, 0], [0, 1], [1, 1]]
        """
        columns = matching_columns(variables, data, incomplete=True)
        codes = data.codes[:, columns].astype(np.int64)
        if data.holes is not None:
            codes[data.holes[:, columns]] = UNOBSERVED
        marks = None if data.interventions is None else data.interventions[:, columns]
        return cls(codes, data.weights, marks)

    @property
    def holes(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        return np.asarray(self.codes == UNOBSERVED)

    def free(self, variable: int) -> NDArray[np.bool_]:
        """Return the rows in which a variable was not set."""
        return np.ones(len(self.codes), dtype=np.bool_) if self.chosen is None else ~self.chosen[:, variable]


class ExpectedCounts(NamedTuple):
    """What a network says about incomplete rows.

    Attributes
    ----------
    counts : list of array
        The expected number of rows in each cell of the table of each variable, without those in which it was set.
    log_likelihood : float
        The logarithm of the probability of all observed cells.
    """

    counts: list[Floats]
    log_likelihood: float


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows in which the same variables were set, and a tree over all that any of them lacks.

    Attributes
    ----------
    rows : array of int
        Which rows.
    hidden : int
        The variables that some of the rows lack, as a set.
    families : tuple of int
        The variables whose tables enter.
    tree : BucketTree or None
        The tree of the indicators, and of the families with hidden members; None if nothing is hidden.
    """

    rows: NDArray[np.intp]
    hidden: int
    families: tuple[int, ...]
    tree: BucketTree | None

    @property
    def block(self) -> int:
        """How many rows are worth handling together."""
        return max(1, BLOCK_CELLS // self.tree.cells) if self.tree is not None else max(1, len(self.rows))


class IncompleteCounter:
    """Expected counts of some rows under networks of the same structure.

    Parameters
    ----------
    parents : sequence of int
        The parents of each variable, as a set.
    arities : sequence of int
        The number of levels of each variable.
    rows : IncompleteRows
        The rows.
    max_memory : int, str or None
        The limit of memory.

    Examples
    --------
    >>> rows = IncompleteRows(np.array([[0, -1], [0, 0], [1, 1]]), np.array([2, 1, 1]))
    >>> counter = IncompleteCounter([0, 0b01], [2, 2], rows)
    >>> found = counter.expected([np.array([0.5, 0.5]), np.array([[0.75, 0.25], [0.5, 0.5]])])
    >>> found.counts[1].tolist(), round(found.log_likelihood, 4)
    ([[2.5, 0.5], [0.0, 1.0]], -3.7534)
    """

    def __init__(
        self,
        parents: Sequence[int],
        arities: Sequence[int],
        rows: IncompleteRows,
        max_memory: int | str | None = None,
    ) -> None:
        """Divide the rows, and plan the work on each group."""
        self.parents, self.arities, self.rows = list(parents), list(arities), rows
        self._max_memory = max_memory
        self._scopes = [mask | 1 << v for v, mask in enumerate(self.parents)]
        self._patterns = _numbered(rows.holes)
        self._groups = [group for part in _parts(rows) for group in self._divided(part)]
        # Variables that were set in every row and have no parents: their tables say how often each level was chosen,
        # and are part of neither likelihood nor prior.
        self.only_chosen = [v for v, mask in enumerate(self.parents) if not (mask or rows.free(v).any())]

    @cached_property
    def incomplete(self) -> int:
        """The number of rows with holes, each as often as it occurs."""
        return int(self.rows.weights[self.rows.holes.any(axis=1)].sum())

    def expected(self, cpts: Sequence[Floats]) -> ExpectedCounts:
        """Return the expected counts and the likelihood under some tables.

        Parameters
        ----------
        cpts : sequence of array
            The table of each variable: an axis for each parent, then one for the variable itself.
        """
        tables = Tables(self.parents, cpts)
        counts = [np.zeros(cpt.size) for cpt in cpts]
        for v in self.only_chosen:
            shown = ~self.rows.holes[:, v]
            counts[v] += np.bincount(self.rows.codes[shown, v], self.rows.weights[shown], counts[v].size)
        logs = []
        for group, rows in self._blocks():
            collected, log_probabilities = self._collected(tables, group, rows)
            weights = self.rows.weights[rows]
            logs.append(math.fsum((weights * log_probabilities).tolist()))
            if collected is not None:
                beliefs = collected.beliefs()
                homes = collected.tree.homes[group.hidden.bit_count() :]
                for v, home in zip(self._with_hidden(group), homes, strict=True):
                    scope = self._scopes[v] & group.hidden
                    shares = summed_to(collected.tree.scopes[home], beliefs[home], scope)
                    _add(counts[v], self._cells(v, rows, group.hidden), weights, shares)
            for v in group.families:
                if not self._scopes[v] & group.hidden:
                    cells, _ = self._cells(v, rows, 0)
                    counts[v] += np.bincount(cells, weights=weights, minlength=counts[v].size)
        shaped = [count.reshape(cpt.shape) for count, cpt in zip(counts, cpts, strict=True)]
        return ExpectedCounts(shaped, math.fsum(logs))

    def row_logs(self, cpts: Sequence[Floats]) -> Floats:
        """Return the logarithm of the probability of what each row shows."""
        found = np.zeros(len(self.rows.codes))
        for group, rows in self._blocks():
            _, found[rows] = self._collected(Tables(self.parents, cpts), group, rows)
        return found

    def draw(self, cpts: Sequence[Floats], rng: np.random.Generator) -> Integers:
        """Return the rows with a draw of their holes, given what each row shows: independent and exact."""
        codes = self.rows.codes.copy()
        tables = Tables(self.parents, cpts)
        for group, rows in self._blocks():
            if group.tree is None:
                continue
            collected, _ = self._collected(tables, group, rows)
            assert collected is not None
            drawn = collected.draw(rng.random((len(rows), len(group.tree.order))))
            own = codes[rows]
            codes[rows] = np.where(own == UNOBSERVED, drawn, own)
        return codes

    def _blocks(self) -> Iterator[tuple[_Group, NDArray[np.intp]]]:
        """Iterate over the groups, a block of rows at a time."""
        for group in self._groups:
            for start in range(0, len(group.rows), group.block):
                yield group, group.rows[start : start + group.block]

    def _with_hidden(self, group: _Group) -> list[int]:
        """Return the families of a group with hidden members, in the order of the last factors of its tree."""
        return [v for v in group.families if self._scopes[v] & group.hidden]

    def _collected(self, tables: Tables, group: _Group, rows: NDArray[np.intp]) -> tuple[Collected | None, Floats]:
        """Return the first pass over a block of rows, and the logarithm of the probability of each row."""
        codes = self.rows.codes[rows]
        evidence = np.where(codes == UNOBSERVED, 0, codes).astype(np.intp)
        logs = np.zeros(len(rows))
        with np.errstate(divide="ignore"):
            for v in group.families:
                if not self._scopes[v] & group.hidden:
                    logs += np.log(tables.restricted(v, ~group.hidden, evidence).values)
        if group.tree is None:
            return None, logs
        factors = []
        for v in bits(group.hidden):
            shown = codes[:, v, np.newaxis] == np.arange(self.arities[v])
            factors.append(Factor(1 << v, (shown | (codes[:, v, np.newaxis] == UNOBSERVED)).astype(np.float64)))
        factors += [tables.restricted(v, ~group.hidden, evidence) for v in self._with_hidden(group)]
        collected = group.tree.collect(factors, len(rows))
        return collected, logs + collected.log_probabilities

    def _cells(self, variable: int, rows: NDArray[np.intp], hidden: int) -> tuple[Integers, Integers]:
        """Return the first cell of a family's table for each row, and how far those of each hidden state are from it.

        The hidden states are in the order of a factor over the hidden members.
        """
        scope = [*bits(self.parents[variable]), variable]
        shape = [self.arities[v] for v in scope]
        known = self.rows.codes[rows]
        if hidden:
            known = np.where([hidden >> v & 1 for v in range(len(self.arities))], 0, known)
        first = parent_states(known, scope, self.arities)
        strides = dict(zip(scope, np.cumprod([1, *shape[:0:-1]])[::-1].tolist(), strict=True))
        away = np.zeros(1, dtype=np.int64)
        for v in sorted(v for v in scope if hidden >> v & 1):
            away = (away[:, np.newaxis] + strides[v] * np.arange(self.arities[v])).ravel()
        return first, away

    def _divided(self, rows: NDArray[np.intp]) -> list[_Group]:
        """Return groups of some rows, in which the same variables were set."""
        holes = self.rows.holes[rows]
        complete = ~holes.any(axis=1)
        if complete.any() and not complete.all():
            return [*self._divided(rows[complete]), *self._divided(rows[~complete])]
        chosen = None if self.rows.chosen is None else self.rows.chosen[rows[0]]
        families = tuple(v for v in range(len(self.parents)) if chosen is None or not chosen[v])
        hidden = mask_of(np.flatnonzero(holes.any(axis=0)).tolist())
        if not hidden:
            return [_Group(rows, 0, families, None)]
        scopes = [scope for v in families if (scope := self._scopes[v] & hidden)]
        tree = BucketTree.of([*(1 << v for v in bits(hidden)), *scopes], self.arities)
        if tree.cells > _SMALL_TREE and len(np.unique(self._patterns[rows])) > 1:
            missing = holes[:, self._divider(tree, holes)]
            return [*self._divided(rows[missing]), *self._divided(rows[~missing])]
        largest = max(tree.sizes)
        if tree.cells > BLOCK_CELLS or self._max_memory is not None:
            check_size(max(largest, tree.cells), self._max_memory)
        return [_Group(rows, hidden, families, tree)]

    def _divider(self, tree: BucketTree, holes: NDArray[np.bool_]) -> int:
        """Return the variable by which rows are divided: of those in the largest product, the most evenly missing."""
        shares = holes.mean(axis=0)
        uneven = np.abs(shares - 0.5)
        uneven[(shares == 0) | (shares == 1)] = 1.0
        largest = max(tree.scopes, key=dict(zip(tree.scopes, tree.sizes, strict=True)).__getitem__)
        members = [v for v in bits(largest) if uneven[v] < 1.0] or list(range(len(uneven)))
        return min(members, key=lambda v: float(uneven[v]))


def _add(counts: Floats, cells: tuple[Integers, Integers], weights: Integers, shares: Floats) -> None:
    """Add the shares of the hidden states of each row to the cells of a table."""
    first, away = cells
    shares = shares.reshape(len(shares), -1)
    if (first == first[0]).all():
        total = weights @ shares if len(shares) == len(weights) else weights.sum() * shares[0]
        counts[first[0] + away] += total
        return
    where = first[:, np.newaxis] + away
    weighed = np.broadcast_to(weights[:, np.newaxis] * shares, where.shape)
    counts += np.bincount(where.ravel(), weights=weighed.ravel(), minlength=counts.size)


def _numbered(marks: NDArray[np.bool_]) -> Integers:
    """Return a number for each row that is equal for equal rows."""
    order, starts = group_rows(pack_words((marks[:, i], 2) for i in range(marks.shape[1])))
    numbers = np.empty(len(marks), dtype=np.int64)
    numbers[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(marks))))
    return numbers


def _parts(rows: IncompleteRows) -> list[NDArray[np.intp]]:
    """Return the rows divided by which variables were set."""
    if rows.chosen is None:
        return [np.arange(len(rows.codes))]
    numbers = _numbered(rows.chosen)
    return [np.flatnonzero(numbers == number) for number in range(int(numbers.max()) + 1)]
