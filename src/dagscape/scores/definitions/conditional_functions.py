r"""Set functions of conditional Gaussian scores: a part of discrete variables, and one of measured ones in cells.

.. math:: J(Δ, Γ) = D(Δ) + \sum_{cells\ of\ Δ} J(Γ; cell) - price\, q_Δ \frac{d (d + 3)}2

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
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from dagscape.core import kernels
from dagscape.core.errors import InvalidData
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.converting import dataset_from_mixed, numeric_from_mixed
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.arithmetic.rounding import EPSILON, SHORT_ULPS
from dagscape.scores.definitions.cell_sums import CellSums
from dagscape.scores.definitions.conditional_kernels import (
    ConditionalFamilies,
    ConditionalLattice,
    ConditionalParts,
    RowFunction,
)
from dagscape.scores.definitions.measured_cells import MOST_ROWS, MeasuredCells
from dagscape.scores.definitions.set_functions import ScoreFacts, SetFunctions
from dagscape.scores.tables.lattice import set_count

# The rule of these scores, as a clause.
DISCRETE_RULE = "no measured variable is a parent of a discrete one"


def edges_into_discrete(data: MixedData) -> Iterator[tuple[str, str]]:
    """Iterate over the edges from measured to discrete variables, which no network has."""
    return product(data.measured, data.discrete)


def functions_by_kind(
    of_measured: Callable[[NumericData, ScoreFacts], SetFunctions],
    of_discrete: Callable[[Dataset, ScoreFacts], SetFunctions],
    of_mixed: Callable[[MixedData, ScoreFacts], SetFunctions],
) -> Callable[[MixedData, ScoreFacts], SetFunctions]:
    """Return the set functions of a conditional score: where all variables are alike, those of a score of such data."""

    def functions(data: MixedData, facts: ScoreFacts) -> SetFunctions:
        if not data.discrete:
            of_prior = None if facts.prior_data is None else numeric_from_mixed(facts.prior_data)
            return of_measured(numeric_from_mixed(data), replace(facts, prior_data=of_prior))
        if not data.measured:
            return of_discrete(dataset_from_mixed(data), facts)
        return of_mixed(data, facts)

    return functions


class ConditionalFunctions(ConditionalParts, SetFunctions):
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

    def _functions(self, facts: ScoreFacts) -> tuple[tuple[RowFunction, ...], tuple[int, ...]]:
        """Return the functions, and that of each child."""
        fitted = [facts.fitted_rows(self.data.interventions, self.data.m, child) for child in range(self.data.n)]
        parts: dict[bytes, int | None] = {rows.tobytes(): None for rows in fitted}
        for child in np.flatnonzero(self.is_discrete).tolist():
            parts[fitted[child].tobytes()] = self.discrete.joint[int(self.place[child])]
        numbers = {rows: number for number, rows in enumerate(parts)}
        functions = tuple(
            RowFunction(np.flatnonzero(np.frombuffer(rows, dtype=np.bool_)).astype(np.uint32), part)
            for rows, part in parts.items()
        )
        return functions, tuple(numbers[rows.tobytes()] for rows in fitted)

    def _most_cells(self, rows: int, size: int) -> int:
        """Return the most cells with rows of a set that has a measured variable."""
        levels = sorted(self.data.level_counts, reverse=True)[: max(size - 1, 0)]
        return min(rows, math.prod(max(count, 1) for count in levels))

    def _bound(self, function: RowFunction, size: int) -> float:
        price = self.price(function)
        penalty = price * self.most_states(function) if price else 0.0
        rows = len(function.rows)
        return self.cells.bound(rows, self._most_cells(rows, size), size) + penalty

    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""
        # The part D of a measured child cancels, and discrete children have discrete parents only.
        measured = [self.functions[self.joint[child]] for child in np.flatnonzero(~self.is_discrete).tolist()]
        errors = [
            self._rounding(function, unit, size) for function in measured for size in (self.max_size, self.max_size - 1)
        ]
        return self.discrete.rounding(unit) + math.fsum(errors)

    def _rounding(self, function: RowFunction, unit: Unit, size: int) -> float:
        fine, rows, price = self.fine_unit(unit), len(function.rows), self.price(function)
        penalty = 0.0
        if price:
            columns = min(size, self.cells.count)
            states = math.prod(sorted(map(int, self.data.level_counts), reverse=True)[:size])
            most = min(max(states, 1) * (1 + columns * (columns + 3) // 2), self.most_states(function))
            penalty = SHORT_ULPS * EPSILON * price * most
        of_cells = self.cells.rounding(rows, self._most_cells(rows, size), size, fine.of_cells)
        return math.ldexp(0.5, -unit.bits) + math.ldexp(0.5, -fine.of_cells) + of_cells + penalty

    def lattice_kernel(self, function: int, unit: Unit) -> ConditionalLattice:
        """Return the kernel that computes one of the functions for all sets."""
        return ConditionalLattice(self, function, unit)

    def lattice_memory(self, sets: int, threads: int) -> int:
        """Return how many bytes the work on ``sets`` sets needs in addition to the values."""
        discrete, measured = len(self.data.discrete), self.cells.count
        of_discrete = set_count(discrete, self.max_size)
        kernel = kernels.ConditionalLattice.bytes(
            self.data.m, discrete, measured, min(self.max_size, self.data.n), threads
        )
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
