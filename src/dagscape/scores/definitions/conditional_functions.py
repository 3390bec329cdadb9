"""Set functions of conditional Gaussian scores: a part of the discrete variables, and one of the measured ones in cells.

.. math:: J(Δ, Γ) = D(Δ) + \\sum_{cells\\ of\\ Δ} J(Γ; cell) - price\\, q_Δ \\frac{d (d + 3)}2

for discrete variables Δ and *d* measured ones Γ. D is a score of discrete data (``cell_sums.py``), and the cells are
those of ``measured_cells.py``. Values of cells are rounded to finer units than scores, and their sum is rounded once,
so that no order of rows, variables or threads matters. A family has the same integer score in a table of all sets and
on demand.

Cost: all sets together take a walk over all sets Γ for each cell of each set Δ
(``native/include/dagscape/scores/conditional_lattice.hpp``); a family on demand takes the rows times the square of its
size.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData, dataset_from_mixed
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.arithmetic.rounding import EPSILON, SHORT_ULPS
from dagscape.scores.definitions.cell_sums import CellSum, CellSums, CellTerm, TermKind
from dagscape.scores.definitions.determinants import OPEN
from dagscape.scores.definitions.measured_cells import MOST_ROWS, FineUnit, MeasuredCells
from dagscape.scores.definitions.set_functions import FamilyKernel, KernelProgress, ScoreFacts, SetFunctions
from dagscape.scores.tables.lattice import Members, SetIndex, set_count

# The rule of these scores, as a clause.
DISCRETE_RULE = "no measured variable is a parent of a discrete one"

# The work on J of a set in one cell, in visits of a row, and the numbers of a trial.
_VISITS_PER_VALUE = 70.0
_TRIAL_VALUES = 2**18


def edges_into_discrete(data: MixedData) -> Iterator[tuple[str, str]]:
    """Iterate over the edges from measured to discrete variables, which no network has."""
    return product(data.measured, data.discrete)


@dataclass(frozen=True, slots=True)
class _Function:
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


class ConditionalFunctions(SetFunctions):
    """The set functions of a conditional Gaussian score.

    Parameters
    ----------
    data : MixedData
        The data, with discrete and measured variables.
    facts : ScoreFacts
        What the functions depend on besides the data.
    of_discrete : callable
        The set functions of the score of the discrete variables.
    cells : MeasuredCells
        The measured variables in cells.
    title : str
        The score, in messages.
    """

    def __init__(
        self,
        data: MixedData,
        facts: ScoreFacts,
        of_discrete: Callable[[Dataset, ScoreFacts], SetFunctions],
        cells: MeasuredCells,
        title: str,
    ) -> None:
        """Determine the functions of each child; those that are fitted to the same rows share one."""
        if data.m > MOST_ROWS:
            raise InvalidData(f"the data have {data.m:,} rows; {title} takes up to {MOST_ROWS:,}")
        self.data, self.cells = data, cells
        self.max_size = facts.max_size
        self.is_discrete = data.is_discrete
        # By variable: its place among the discrete or the measured ones.
        self.place = np.where(self.is_discrete, np.cumsum(self.is_discrete), np.cumsum(~self.is_discrete)) - 1
        self.discrete = self._discrete_functions(facts, of_discrete)
        self.functions, self.joint = self._functions(facts)
        self.base, self.count = self.joint, len(self.functions)
        size = facts.bounded_size or facts.max_size
        # The part of the measured variables has guard bits of its own.
        self.measured_bound = max(self._bound(function, size) for function in self.functions)
        self.bound = self.discrete.bound + self.measured_bound

    def _discrete_functions(
        self, facts: ScoreFacts, of_discrete: Callable[[Dataset, ScoreFacts], SetFunctions]
    ) -> CellSums:
        chosen = np.flatnonzero(self.is_discrete)
        count = len(chosen)
        required = tuple(
            frozenset(int(self.place[parent]) for parent in facts.required[child]) for child in chosen.tolist()
        )
        found = of_discrete(
            dataset_from_mixed(self.data.select(self.data.discrete)),
            replace(
                facts,
                max_size=min(facts.max_size, count),
                bounded_size=min(facts.bounded_size or facts.max_size, count),
                required=required,
                segments=None,
            ),
        )
        assert isinstance(found, CellSums)
        return found

    def _functions(self, facts: ScoreFacts) -> tuple[tuple[_Function, ...], tuple[int, ...]]:
        """Return the functions, and that of each child."""
        fitted = [facts.fitted_rows(self.data.interventions, self.data.m, child) for child in range(self.data.n)]
        parts: dict[bytes, int | None] = {rows.tobytes(): None for rows in fitted}
        for child in np.flatnonzero(self.is_discrete).tolist():
            parts[fitted[child].tobytes()] = self.discrete.joint[int(self.place[child])]
        numbers = {rows: number for number, rows in enumerate(parts)}
        functions = tuple(
            _Function(np.flatnonzero(np.frombuffer(rows, dtype=np.bool_)).astype(np.uint32), part)
            for rows, part in parts.items()
        )
        return functions, tuple(numbers[rows.tobytes()] for rows in fitted)

    def _most_cells(self, rows: int, size: int) -> int:
        """Return the most cells with rows of a set that has a measured variable."""
        levels = sorted(self.data.level_counts, reverse=True)[: max(size - 1, 0)]
        return min(rows, math.prod(max(count, 1) for count in levels))

    def _price(self, function: _Function) -> float:
        return self.cells.price(len(function.rows))

    def _most_states(self, function: _Function) -> int:
        """Return the most parameters of a possible set."""
        term = CellTerm(TermKind.ENTROPY, penalty=self._price(function))
        return CellSum(b"", len(function.rows), term).max_states(self.discrete.needed_states)

    def _bound(self, function: _Function, size: int) -> float:
        price = self._price(function)
        penalty = price * self._most_states(function) if price else 0.0
        rows = len(function.rows)
        return self.cells.bound(rows, self._most_cells(rows, size), size) + penalty

    def fine_unit(self, unit: Unit) -> FineUnit:
        """Return the unit of values and of cells."""
        return FineUnit(unit.bits, unit.guard_bits(self.measured_bound))

    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""
        # The part D of a measured child cancels, and discrete children have discrete parents only.
        measured = [self.functions[self.joint[child]] for child in np.flatnonzero(~self.is_discrete).tolist()]
        errors = [
            self._rounding(function, unit, size) for function in measured for size in (self.max_size, self.max_size - 1)
        ]
        return self.discrete.rounding(unit) + math.fsum(errors)

    def _rounding(self, function: _Function, unit: Unit, size: int) -> float:
        fine, rows, price = self.fine_unit(unit), len(function.rows), self._price(function)
        penalty = 0.0
        if price:
            columns = min(size, self.cells.count)
            states = math.prod(sorted(map(int, self.data.level_counts), reverse=True)[:size])
            most = min(max(states, 1) * (1 + columns * (columns + 3) // 2), self._most_states(function))
            penalty = SHORT_ULPS * EPSILON * price * most
        of_cells = self.cells.rounding(rows, self._most_cells(rows, size), size, fine.of_cells)
        return math.ldexp(0.5, -unit.bits) + math.ldexp(0.5, -fine.of_cells) + of_cells + penalty

    def kernel_table(self) -> kernels.MixedTable:
        """Return the columns as the kernels take them."""
        codes = np.ascontiguousarray(self.data.values[:, self.is_discrete], dtype=np.uint32)
        numbers = np.ascontiguousarray(self.cells.columns.integers, dtype=np.int64)
        return kernels.MixedTable(np.array(self.data.level_counts, dtype=np.uint32), codes, numbers)

    def kernel_function(self, number: int, unit: Unit) -> kernels.CellFunction:
        """Return the part of the measured variables of a function as the kernels take it."""
        function = self.functions[number]
        return self.cells.kernel(
            function.rows, self._price(function), self._most_states(function), self.fine_unit(unit)
        )

    def kernel_families(self, unit: Unit, threads: int, most_bytes: int) -> kernels.ConditionalFamilies:
        """Return the kernel that scores families of measured children."""
        made = [self.kernel_function(number, unit) for number in range(self.count)]
        function_of = np.array(self.joint, dtype=np.uint32)
        return kernels.ConditionalFamilies(self.kernel_table(), made, function_of, self.max_size, threads, most_bytes)

    def lattice_kernel(self, function: int, unit: Unit) -> ConditionalLattice:
        """Return the kernel that computes one of the functions for all sets."""
        return ConditionalLattice(self, function, unit)

    def lattice_memory(self, sets: int, threads: int) -> int:
        """Return how many bytes the work on ``sets`` sets needs in addition to the values."""
        discrete, measured = len(self.data.discrete), self.cells.count
        of_discrete = set_count(discrete, self.max_size)
        kernel = kernels.ConditionalLattice.bytes(self.data.m, discrete, measured, min(self.max_size, self.data.n), threads)
        table = 12 * self.data.m * self.data.n
        return table + kernel + 8 * of_discrete + self.discrete.lattice_memory(min(sets, of_discrete), threads)

    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> ConditionalFamilies:
        """Return the kernel that scores families on demand and caches values within ``most_bytes``."""
        of_discrete = self.discrete.family_memory(threads)
        for_caches = max(0, most_bytes - self.family_memory(threads))
        return ConditionalFamilies(
            self,
            unit,
            self.discrete.family_kernel(unit, threads, of_discrete + for_caches // 2),
            self.kernel_families(unit, threads, most_bytes - of_discrete - for_caches // 2),
        )

    def family_memory(self, threads: int) -> int:
        """Return how many bytes scoring on demand needs in addition to the cached values."""
        own = kernels.ConditionalFamilies.fixed_bytes(
            self.data.m, self.data.n, self.count, min(self.max_size, self.data.n), threads
        )
        return int(own) + self.discrete.family_memory(threads)


class OpenSets:
    """Computes the values of sets whose rounding the kernels cannot tell.

    Parameters
    ----------
    functions : ConditionalFunctions
        The set functions.
    unit : Unit
        The unit of the values.
    kernel : ConditionalFamilies
        The kernel, which tells of which cells the values are open.
    """

    def __init__(self, functions: ConditionalFunctions, unit: Unit, kernel: kernels.ConditionalFamilies) -> None:
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

    functions: ConditionalFunctions
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

    functions: ConditionalFunctions
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
