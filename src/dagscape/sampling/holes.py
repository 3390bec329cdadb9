r"""Missing cells of discrete tables, drawn given a network: its tables first, then the cells given these.

Given a DAG *G* and a completed table, the probabilities of the levels of a variable in a state of its parents have a
Dirichlet distribution, with the parameters of the score plus the counts. Given all these probabilities θ, the rows are
independent, and the missing cells *H* of a row have the conditional distribution of the network. So the two draws leave

.. math:: p(θ, H \mid G, \text{observed cells}) \propto p(θ \mid G) \prod_{rows} p(row \mid G, θ)

as it is: each is exactly conditional on all else [tanner1987]_.

Missing cells of a row depend on each other if they are in one family, or linked by a chain of such pairs. Each linked
set is drawn at once, from the probabilities of all its joint states; the same set in all rows that lack it together.
Sets with more than :data:`MOST_STATES` joint states are cut into parts, each of which is drawn given the others.

Cost of a draw: the rows, times the joint states of what is drawn together, times the families that it is in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits, mask_of
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.rows import merge_rows
from dagscape.scores.definitions.set_functions import ScoredData

# The parents of each variable.
Parents = Sequence[Sequence[int]]

# Joint states of missing cells that are drawn together, and numbers of an array of their probabilities.
MOST_STATES = 2048
_MOST_NUMBERS = 2**20


class Holes(ABC):
    """The missing cells of a table, with their present values.

    Attributes
    ----------
    count : int
        The number of missing cells.
    """

    count: int

    @abstractmethod
    def fill(self, rng: np.random.Generator) -> None:
        """Draw each cell from the observed ones of its column, whatever the rest of its row says."""

    @abstractmethod
    def draw(self, parents: Parents, rng: np.random.Generator) -> None:
        """Draw the parameters of a network, and all cells given these."""

    @abstractmethod
    def completed(self) -> ScoredData:
        """Return the table with its present values."""

    @property
    @abstractmethod
    def values(self) -> NDArray[np.float64]:
        """The present values of the missing cells, row by row."""

    @values.setter
    @abstractmethod
    def values(self, values: NDArray[np.float64]) -> None: ...

    @staticmethod
    @abstractmethod
    def memory(data: ScoredData) -> int:
        """Return how many bytes the cells of a table and the work on them need."""


class DiscreteHoles(Holes):
    """The missing cells of a discrete table.

    Parameters
    ----------
    data : Dataset
        The table.
    parameters : mapping
        The parameters of the score.
    """

    def __init__(self, data: Dataset, parameters: Mapping[str, object]) -> None:
        """Tell complete rows, which are counted by their weights, from incomplete ones, each of which is kept."""
        assert data.holes is not None
        self._data = data
        self._levels: list[int] = data.arities.tolist()
        # Without an equivalent sample size, each cell of a table counts as one (K2).
        self._ess = parameters.get("ess")
        incomplete = data.holes.any(axis=1)
        self._complete = data.codes[~incomplete].astype(np.int64)
        self._weights = data.weights[~incomplete]
        self._rows = np.repeat(data.codes[incomplete].astype(np.int64), data.weights[incomplete], axis=0)
        self._missing = np.repeat(data.holes[incomplete], data.weights[incomplete], axis=0)
        self._patterns = self._grouped()
        self.count = int(self._missing.sum())
        self._known_states: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def _grouped(self) -> list[tuple[int, NDArray[np.intp]]]:
        """Return each set of variables that are missing together, and the rows without them."""
        kinds, places = np.unique(self._missing, axis=0, return_inverse=True)
        rows = np.argsort(places, kind="stable")
        ends = np.cumsum(np.bincount(places, minlength=len(kinds)))
        return [
            (mask_of(np.flatnonzero(kind).tolist()), part)
            for kind, part in zip(kinds, np.split(rows, ends[:-1]), strict=True)
        ]

    @staticmethod
    def memory(data: ScoredData) -> int:
        """Return how many bytes the cells of a table and the work on them need."""
        return 48 * data.m * data.n + 4 * 8 * _MOST_NUMBERS

    def fill(self, rng: np.random.Generator) -> None:
        """Draw each cell from the observed ones of its column, whatever the rest of its row says."""
        for v, levels in enumerate(self._levels):
            lacking = self._missing[:, v]
            counts = np.bincount(self._complete[:, v], weights=self._weights, minlength=levels)
            counts += np.bincount(self._rows[~lacking, v], minlength=levels)
            self._rows[lacking, v] = rng.choice(levels, size=int(lacking.sum()), p=counts / counts.sum())

    @property
    def values(self) -> NDArray[np.float64]:
        """The codes of the missing cells, row by row."""
        return self._rows[self._missing].astype(np.float64)

    @values.setter
    def values(self, values: NDArray[np.float64]) -> None:
        self._rows[self._missing] = values.astype(np.int64)

    def completed(self) -> Dataset:
        """Return the table with its present values."""
        codes = np.concatenate([self._complete, self._rows])
        weights = np.concatenate([self._weights, np.ones(len(self._rows), dtype=np.int64)])
        merged, counts, _, _ = merge_rows(codes, self._levels, weights, None)
        return replace(self._data, codes=merged, weights=counts, holes=None)

    def draw(self, parents: Parents, rng: np.random.Generator) -> None:
        """Draw the tables of a network, and all cells given these."""
        families = [self._drawn_family((child, *own), rng) for child, own in enumerate(parents)]
        members = [mask_of(family.members) for family in families]
        linked: dict[int, list[NDArray[np.intp]]] = {}
        for pattern, rows in self._patterns:
            for part in linked_parts(pattern, members):
                linked.setdefault(part, []).append(rows)
        for part, groups in linked.items():
            rows = np.concatenate(groups)
            for block in self._blocks(part):
                mask = mask_of(block)
                concerned = [family for family, own in zip(families, members, strict=True) if own & mask]
                self._draw_block(block, rows, concerned, rng)

    def _drawn_family(self, family: Sequence[int], rng: np.random.Generator) -> _Family:
        """Return a family with drawn probabilities."""
        levels = self._levels[family[0]]
        strides, size = strides_of([self._levels[member] for member in family])
        counts = np.zeros(size)
        counts += np.bincount(self._complete[:, family] @ strides, weights=self._weights, minlength=size)
        counts += np.bincount(self._rows[:, family] @ strides, minlength=size)
        states = size // levels
        prior = 1.0 if self._ess is None else float(self._ess) / size  # type: ignore[arg-type]  # a number
        logs = log_gammas(counts + prior, rng).reshape(states, levels)
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return _Family(family, strides, logs.ravel())

    def _blocks(self, part: int) -> Iterator[list[int]]:
        """Yield the members of a linked set in parts whose joint states can be listed."""
        block: list[int] = []
        states = 1
        for member in bits(part):
            if block and states * self._levels[member] > MOST_STATES:
                yield block
                block, states = [], 1
            block.append(member)
            states *= self._levels[member]
        yield block

    def _draw_block(
        self,
        block: Sequence[int],
        rows: NDArray[np.intp],
        families: Sequence[_Family],
        rng: np.random.Generator,
    ) -> None:
        """Draw the joint state of some variables in some rows, given all other cells of these rows."""
        states = self._joint_states(tuple(self._levels[member] for member in block))
        parts = [family.parts(block, states) for family in families]
        at_once = max(1, _MOST_NUMBERS // len(states))
        for start in range(0, len(rows), at_once):
            chosen = rows[start : start + at_once]
            cells = self._rows[chosen]
            logs = np.zeros((len(chosen), len(states)))
            for family, (others, strides, own) in zip(families, parts, strict=True):
                given = cells[:, others] @ strides
                logs += family.table[given[:, np.newaxis] + own]
            self._rows[chosen[:, np.newaxis], block] = states[drawn_places(logs, rng)]

    def _joint_states(self, levels: tuple[int, ...]) -> NDArray[np.int64]:
        """Return all joint states of variables with so many levels, one in each row."""
        if levels not in self._known_states:
            self._known_states[levels] = np.indices(levels).reshape(len(levels), -1).T.copy()
        return self._known_states[levels]


@dataclass(frozen=True, slots=True)
class _Family:
    """A variable and its parents, the strides of their table, and the logs of its drawn probabilities."""

    members: Sequence[int]
    strides: NDArray[np.int64]
    table: NDArray[np.float64]

    def parts(
        self, block: Sequence[int], states: NDArray[np.int64]
    ) -> tuple[list[int], NDArray[np.int64], NDArray[np.int64]]:
        """Return the members that are not in a block with their strides, and the places of the block's states."""
        within = [member in block for member in self.members]
        others = [member for member, inside in zip(self.members, within, strict=True) if not inside]
        inside = np.array(within, dtype=np.bool_)
        columns = [block.index(member) for member in self.members if member in block]
        return others, self.strides[~inside], states[:, columns] @ self.strides[inside]


def linked_parts(pattern: int, families: Sequence[int]) -> list[int]:
    """Return the parts of a set of missing variables that are linked by families, which are sets, too.

    >>> linked_parts(0b1011, [0b0011, 0b0100, 0b1100])
    [8, 3]
    """
    parts = [1 << member for member in bits(pattern)]
    for family in families:
        within = family & pattern
        if within & (within - 1):
            joined = [part for part in parts if part & within]
            if len(joined) > 1:
                parts = [part for part in parts if not part & within]
                parts.append(mask_of(member for part in joined for member in bits(part)))
    return parts


def strides_of(levels: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """Return the strides of a table whose first variable changes fastest, and its size.

    >>> strides_of([2, 3, 4])
    (array([1, 2, 6]), 24)
    """
    sizes = np.cumprod([1, *levels], dtype=np.int64)
    return sizes[:-1], int(sizes[-1])


def log_gammas(shapes: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return logs of gamma variates of given shapes, which may be so small that the variates themselves underflow.

    If *g* has the shape a + 1 and *u* is uniform, then :math:`g u^{1/a}` has the shape *a*.
    """
    logs: NDArray[np.float64] = np.log(rng.standard_gamma(shapes + 1)) + np.log1p(-rng.random(shapes.shape)) / shapes
    return logs


def drawn_places(logs: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a place of each row of logs of weights, drawn with these weights."""
    sums = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    drawn = rng.random(len(logs)) * sums[:, -1]
    places: NDArray[np.intp] = np.minimum((sums <= drawn[:, np.newaxis]).sum(axis=1), logs.shape[1] - 1)
    return places
