"""The kernels of conditional Gaussian scores, over the lattice and on demand, and the values that they leave open."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.definitions.cell_sums import CellSum, CellSums, CellTerm, TermKind
from dagscape.scores.definitions.determinants import OPEN
from dagscape.scores.definitions.measured_cells import FineUnit, MeasuredCells
from dagscape.scores.definitions.set_functions import FamilyKernel, KernelProgress
from dagscape.scores.tables.lattice import Members, SetIndex, set_count

# The work on J of a set in one cell, in visits of a row, and the numbers of a trial.
_VISITS_PER_VALUE = 70.0
_TRIAL_VALUES = 2**18


@dataclass(frozen=True, slots=True)
class RowFunction:
    """One set function.

    Attributes
    ----------
    rows : array of int
        The rows that it is fitted to.
    of_discrete : int or None
        The number of its part D; None if that is 0, because its children are measured.
    """

    rows: NDArray[np.uint32]
    of_discrete: int | None


class ConditionalParts:
    """What the set functions of a conditional Gaussian score consist of.

    Attributes
    ----------
    data : MixedData
        The data.
    cells : MeasuredCells
        The measured variables in cells.
    discrete : CellSums
        The set functions of the discrete variables.
    functions : tuple of RowFunction
        The functions.
    joint : tuple of int
        The function of each child.
    max_size : int
        The size of the largest set.
    is_discrete : array of bool
        Whether each variable is discrete.
    place : array of int
        The place of each variable among the discrete or the measured ones.
    measured_bound : float
        A bound on the values of the part of the measured variables, in nats.
    """

    data: MixedData
    cells: MeasuredCells
    discrete: CellSums
    functions: tuple[RowFunction, ...]
    joint: tuple[int, ...]
    max_size: int
    is_discrete: NDArray[np.bool_]
    place: NDArray[np.int64]
    measured_bound: float

    def price(self, function: RowFunction) -> float:
        """Return what a parameter costs, in nats."""
        return self.cells.price(len(function.rows))

    def most_states(self, function: RowFunction) -> int:
        """Return the most parameters of a possible set."""
        term = CellTerm(TermKind.ENTROPY, penalty=self.price(function))
        return CellSum(b"", len(function.rows), term).max_states(self.discrete.needed_states)

    def fine_unit(self, unit: Unit) -> FineUnit:
        """Return the unit of values and of cells."""
        return FineUnit(unit.bits, unit.guard_bits(self.measured_bound))

    def kernel_table(self) -> kernels.MixedTable:
        """Return the columns as the kernels take them."""
        codes = np.ascontiguousarray(self.data.values[:, self.is_discrete], dtype=np.uint32)
        numbers = np.ascontiguousarray(self.cells.columns.integers, dtype=np.int64)
        return kernels.MixedTable(np.array(self.data.level_counts, dtype=np.uint32), codes, numbers)

    def kernel_function(self, number: int, unit: Unit) -> kernels.CellFunction:
        """Return the part of the measured variables of a function as the kernels take it."""
        function = self.functions[number]
        return self.cells.kernel(function.rows, self.price(function), self.most_states(function), self.fine_unit(unit))

    def kernel_families(self, unit: Unit, threads: int, most_bytes: int) -> kernels.ConditionalFamilies:
        """Return the kernel that scores families of measured children."""
        made = [self.kernel_function(number, unit) for number in range(len(self.functions))]
        function_of = np.array(self.joint, dtype=np.uint32)
        return kernels.ConditionalFamilies(self.kernel_table(), made, function_of, self.max_size, threads, most_bytes)


class OpenSets:
    """Computes the values of sets whose rounding the kernels cannot tell.

    Parameters
    ----------
    functions : ConditionalParts
        The set functions.
    unit : Unit
        The unit of the values.
    kernel : ConditionalFamilies
        The kernel, which tells of which cells the values are open.
    """

    def __init__(self, functions: ConditionalParts, unit: Unit, kernel: kernels.ConditionalFamilies) -> None:
        self._functions, self._kernel, self._fine = functions, kernel, functions.fine_unit(unit)

    def value(self, number: int, members: Sequence[int]) -> int:
        """Return the part of the measured variables in units, or ``IMPOSSIBLE``."""
        functions = self._functions
        total, rows, impossible = self._kernel.parts(number, sorted(members))
        if impossible:
            return IMPOSSIBLE
        discrete = [v for v in members if functions.is_discrete[v]]
        columns = [int(functions.place[v]) for v in sorted(members) if not functions.is_discrete[v]]
        codes = functions.data.values[functions.functions[number].rows][:, discrete]
        for row in rows:
            alike = (codes == functions.data.values[row, discrete]).all(axis=1)
            cell = functions.functions[number].rows[alike]
            high, low = self._kernel.constant(number, len(cell), len(columns))
            value = functions.cells.exact(cell, columns, (high << 64) | low, self._fine.of_cells)
            if value is None:
                return IMPOSSIBLE
            total += value
        return self._fine.rounded(total)


@dataclass(frozen=True, slots=True)
class ConditionalLattice:
    """Computes a set function for every set up to a given size."""

    functions: ConditionalParts
    number: int
    unit: Unit

    def run(self, out: NDArray[np.int64], threads: int, progress: KernelProgress) -> None:
        """Fill ``out``, one value for each set as :class:`~dagscape.scores.tables.lattice.SetIndex` numbers them."""
        functions = self.functions
        count = len(functions.data.discrete)
        of_discrete = np.zeros(set_count(count, functions.max_size), dtype=np.int64)
        part = functions.functions[self.number].of_discrete
        if part is not None:
            functions.discrete.lattice_kernel(part, self.unit).run(of_discrete, threads, None)
        open_sets = self._kernel().run(of_discrete, out, threads, progress)
        if not open_sets:
            return
        exact = OpenSets(functions, self.unit, functions.kernel_families(self.unit, 1, 0))
        index = SetIndex(functions.data.n, functions.max_size)
        discrete_index = SetIndex(count, min(functions.max_size, count))
        for members in open_sets:
            value = exact.value(self.number, members)
            if value != IMPOSSIBLE:
                places = [int(functions.place[v]) for v in members if functions.is_discrete[v]]
                value += int(of_discrete[discrete_index.rank(_row(places))][0])
            out[index.rank(_row(members))] = value

    def _kernel(self) -> kernels.ConditionalLattice:
        functions = self.functions
        return kernels.ConditionalLattice(
            functions.kernel_table(), functions.kernel_function(self.number, self.unit), functions.max_size
        )

    def _random_set(self, random: np.random.Generator) -> tuple[list[int], int]:
        """Return the discrete columns of a random set, and the most measured variables that they can have."""
        n, max_size = self.functions.data.n, min(self.functions.max_size, self.functions.data.n)
        counts = np.array([math.comb(n, size) for size in range(max_size + 1)], dtype=np.float64)
        size = int(random.choice(max_size + 1, p=counts / counts.sum()))
        members = random.choice(n, size, replace=False)
        chosen = members[self.functions.is_discrete[members]]
        return sorted(self.functions.place[chosen].tolist()), min(max_size - len(chosen), self.functions.cells.count)

    def seconds_per_set(self, budget: float) -> float:
        """Return the seconds per set on one thread, from trials of about ``budget`` seconds in all."""
        kernel, random, measured = self._kernel(), np.random.default_rng(0), self.functions.cells.count
        most = next(
            size
            for size in range(measured, 0, -1)
            if size == 1 or set_count(measured, size) * self.functions.data.m <= _TRIAL_VALUES
        )
        start, total, tried = time.perf_counter(), 0.0, 0
        while tried == 0 or time.perf_counter() - start < budget:
            discrete, room = self._random_set(random)
            begin = time.perf_counter()
            sets = kernel.trial(discrete, min(most, room))
            total += (time.perf_counter() - begin) / sets
            tried += 1
        return total / tried

    def visits_per_set(self, samples: int) -> float:
        """Return the work per set in visits of a row, from the cells of random sets."""
        random, total = np.random.default_rng(0), 0.0
        rows = self.functions.functions[self.number].rows
        codes = self.functions.data.values[rows][:, self.functions.is_discrete]
        for _ in range(samples):
            discrete, _ = self._random_set(random)
            total += len(np.unique(codes[:, discrete], axis=0)) if discrete else 1
        return _VISITS_PER_VALUE * max(total / max(samples, 1), 1.0)


@dataclass(frozen=True, slots=True)
class ConditionalFamilies:
    """Computes J(G ∪ {i}) − J(G) for families on demand: discrete children with one kernel, measured with another."""

    functions: ConditionalParts
    unit: Unit
    discrete: FamilyKernel
    measured: kernels.ConditionalFamilies

    @property
    def bytes(self) -> int:
        """The memory in use, in bytes."""
        return self.discrete.bytes + int(self.measured.bytes)

    @property
    def cached_sets(self) -> int:
        """The number of cached values."""
        return self.discrete.cached_sets + int(self.measured.cached_sets)

    def scores(self, child: int, sets: Members, out: NDArray[np.int64], progress: KernelProgress) -> None:
        """Score a child with parent sets of one size, given as rows of increasing numbers."""
        if self.functions.is_discrete[child]:
            ruled = self.functions.is_discrete[sets].all(axis=1)
            found = np.empty(int(ruled.sum()), dtype=np.int64)
            self.discrete.scores(self._place(child), self._places(sets[ruled]), found, progress)
            out[ruled] = found
            for i in np.flatnonzero(~ruled):
                out[i] = self._outside(child, sets[i].tolist())
            return
        self.measured.scores(child, np.ascontiguousarray(sets, dtype=np.uint16), out, progress)
        for i in np.flatnonzero(out == OPEN):
            out[i] = self._exact(child, sets[i].tolist())

    def additions(
        self,
        child: int,
        parents: Members,
        candidates: Members,
        out: NDArray[np.int64],
        progress: KernelProgress,
    ) -> None:
        """Score a child with each candidate added to its parents, given in increasing order."""
        if self.functions.is_discrete[child]:
            ruled = self.functions.is_discrete[candidates] & self.functions.is_discrete[parents].all()
            if ruled.any():
                found = np.empty(int(ruled.sum()), dtype=np.int64)
                places = self._places(candidates[ruled])
                self.discrete.additions(self._place(child), self._places(parents), places, found, progress)
                out[ruled] = found
            for i in np.flatnonzero(~ruled):
                out[i] = self._outside(child, [*parents.tolist(), int(candidates[i])])
            return
        known, added = (np.ascontiguousarray(part, dtype=np.uint16) for part in (parents, candidates))
        self.measured.additions(child, known, added, out, progress)
        for i in np.flatnonzero(out == OPEN):
            out[i] = self._exact(child, [*parents.tolist(), int(candidates[i])])

    def _place(self, variable: int) -> int:
        return int(self.functions.place[variable])

    def _places(self, variables: Members) -> NDArray[np.uint16]:
        return np.ascontiguousarray(self.functions.place[variables], dtype=np.uint16)

    def _outside(self, child: int, parents: list[int]) -> int:
        """Return the score of a discrete child with measured parents, which is in no network under the rule."""
        places = sorted(self._place(parent) for parent in parents if self.functions.is_discrete[parent])
        found = np.empty(1, dtype=np.int64)
        self.discrete.scores(self._place(child), np.array([places], dtype=np.uint16), found, None)
        measured = self._exact(child, parents)
        return IMPOSSIBLE if IMPOSSIBLE in (found[0], measured) else int(found[0]) + measured

    def _exact(self, child: int, parents: list[int]) -> int:
        exact = OpenSets(self.functions, self.unit, self.measured)
        joint, base = (exact.value(self.functions.joint[child], members) for members in ([*parents, child], parents))
        return IMPOSSIBLE if IMPOSSIBLE in (joint, base) else joint - base


def _row(members: Sequence[int]) -> Members:
    return np.array([members], dtype=np.int64)
