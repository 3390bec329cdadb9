r"""Set functions of scores for continuous data: logarithms of determinants.

.. math:: J(S) = c(d) + a(d) \ln |T_{SS}| - b(d) \ln |R_{SS}|

*R* is a matrix of sums over rows, *T* that of a prior, and *d* the number of columns of *S*: a variable has one column,
or several. All variables' parts of *T* are independent of each other, so that ln |T| is a sum over variables.

Values are correctly rounded. The kernel (``native/include/dagscape/scores/determinants.hpp``) computes determinants
with 31 digits, and tells of which sets the rounding is not certain; those are computed here, with integers.
Equivalent networks therefore have identical scores, and neither the order of the columns nor the way in which a set was
reached can change one.

Cost: all 2^n sets together take a few multiplications each (the Schur complement of a set serves all larger ones), and
two logarithms. A family on demand takes the square of its size.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import DagscapeError
from dagscape.scores.arithmetic.correlations import CORRELATION_BITS, Correlations, exact_determinant
from dagscape.scores.arithmetic.decimals import FIXED_BITS, context
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.definitions.set_functions import KernelProgress, SetFunctions
from dagscape.scores.tables.lattice import Members, SetIndex, set_count

OPEN: int = kernels.OPEN

# The variables of the trial that estimates the time of a set.
_TRIAL_VARIABLES = 12
# The work on a set and on a number of a matrix, in visits of a row.
_VISITS_PER_SET = 60.0
_VISITS_PER_ENTRY = 1.0


@dataclass(frozen=True, slots=True)
class DeterminantFunction:
    """One set function.

    Attributes
    ----------
    correlations : Correlations
        The correlations of *R*, and the logs of its diagonal.
    first : tuple of int
        The first column of each variable, and the number of columns.
    prior_logs : tuple of int
        For each variable, the log of the determinant of its part of *T*, in units of 2^-80.
    constants : tuple of int or None
        *c* in units of 2^-80, by number of columns; None where sets are impossible.
    prior_factors, factors : tuple of float
        *a* and *b*, by number of columns.
    prior_error : float
        A bound on the error of one of ``prior_logs``.
    least_determinant : float
        Sets whose correlations have a smaller determinant are checked by :meth:`DeterminantFunctions.check_set`.
    """

    correlations: Correlations
    first: tuple[int, ...]
    prior_logs: tuple[int, ...]
    constants: tuple[int | None, ...]
    prior_factors: tuple[float, ...]
    factors: tuple[float, ...]
    prior_error: float = 0.0
    least_determinant: float = 0.0

    @property
    def logs(self) -> list[int]:
        """For each variable, the sum of the logs of the diagonal of *R* over its columns, in units of 2^-80."""
        logs = self.correlations.logs
        return [sum(logs[begin:end]) for begin, end in zip(self.first, self.first[1:], strict=False)]

    def columns(self, members: Sequence[int]) -> list[int]:
        """Return the columns of some variables."""
        return [column for v in members for column in range(self.first[v], self.first[v + 1])]

    def kernel(self, unit: Unit) -> kernels.DeterminantFunction:
        """Return the function as the kernels take it."""
        return kernels.DeterminantFunction(
            self.correlations.high,
            self.correlations.low,
            np.array(self.first, dtype=np.uint32),
            words(self.prior_logs),
            words(self.logs),
            np.array([constant is not None for constant in self.constants], dtype=np.uint8),
            words([constant or 0 for constant in self.constants]),
            np.array(self.prior_factors),
            np.array(self.factors),
            self.correlations.least_eigenvalue,
            self.least_determinant,
            unit.bits,
        )

    def value(self, members: Sequence[int], unit: Unit) -> int | None:
        """Return the correctly rounded value of a set, in units; None if its columns are linearly dependent."""
        columns = self.columns(members)
        d = len(columns)
        if (constant := self.constants[d]) is None:
            return IMPOSSIBLE
        determinant = exact_determinant(self.correlations.exact(columns))
        if determinant <= 0:
            return None
        logs = self.logs
        priors, posteriors = sum(self.prior_logs[v] for v in members), sum(logs[v] for v in members)
        digits = 60
        while True:
            with localcontext(context(digits)):
                log = Decimal(determinant).ln() - CORRELATION_BITS * d * Decimal(2).ln()
                rest = Decimal(posteriors) / (1 << FIXED_BITS) + log
                nats = Decimal(constant) / (1 << FIXED_BITS)
                nats += Decimal(self.prior_factors[d]) * priors / (1 << FIXED_BITS) - Decimal(self.factors[d]) * rest
                units = nats * (1 << unit.bits) + Decimal("0.5")
                nearest = units.to_integral_value(ROUND_FLOOR)
                # An edge of rounding is met exactly by a determinant of 1 at most.
                if min(units - nearest, nearest + 1 - units) > Decimal(10) ** (40 - digits) or digits > 1000:
                    return int(nearest)
            digits *= 2

    def bound(self, max_size: int) -> float:
        """Return a bound on the absolute values for sets of up to ``max_size`` variables, in nats."""
        scale = 2.0**-FIXED_BITS
        columns = sum(
            sorted((b - a for a, b in zip(self.first, self.first[1:], strict=False)), reverse=True)[:max_size]
        )
        priors = math.fsum(sorted((abs(log) * scale for log in self.prior_logs), reverse=True)[:max_size])
        posteriors = math.fsum(sorted((abs(log) * scale for log in self.logs), reverse=True)[:max_size])
        # No set is worth anything if its determinant is less than this.
        least = max(self.correlations.least_eigenvalue, 2.0**-CORRELATION_BITS)
        possible = [d for d in range(columns + 1) if self.constants[d] is not None]
        return max(
            abs(self.constants[d] or 0) * scale
            + self.prior_factors[d] * priors
            + self.factors[d] * (posteriors + d * abs(math.log(least)))
            for d in possible
        )

    def rounding(self, unit: Unit, max_size: int) -> float:
        """Return a bound on the error of the function at its worst set of up to ``max_size`` variables, in nats."""
        widths = sorted((b - a for a, b in zip(self.first, self.first[1:], strict=False)), reverse=True)
        most = max(d for d in range(sum(widths[:max_size]) + 1) if self.constants[d] is not None)
        error = self.correlations.error + 2.0**-CORRELATION_BITS
        least = self.correlations.least_eigenvalue
        # A single variable's correlation is 1. The factor 2 covers terms of second order.
        shift = 2 * most * most * error / least if most > 1 and least > 0 else math.inf if most > 1 else 0.0
        inputs = self.factors[most] * (shift + most * error) + self.prior_factors[most] * most * self.prior_error
        return math.ldexp(0.5, -unit.bits) + inputs + (most + 1) * (1 + self.factors[most]) * 2.0**-77


def words(numbers: Sequence[int]) -> NDArray[np.int64]:
    """Return integers of 128 bits as pairs of their upper and lower halves."""
    low = (1 << 64) - 1
    halves = [(number >> 64, (number & low) - ((number & (1 << 63)) << 1)) for number in numbers]
    return np.array(halves, dtype=np.int64).reshape(-1, 2)


class DeterminantFunctions(SetFunctions):
    """The set functions of a score on continuous data.

    A subclass sets ``functions``, ``function_of`` (for each child, the number of its function) and ``max_size``.
    """

    functions: tuple[DeterminantFunction, ...]
    function_of: tuple[int, ...]
    max_size: int

    @abstractmethod
    def dependent(self, function: int, members: Sequence[int]) -> DagscapeError:
        """Return the error for a set whose columns are linearly dependent."""

    def check_set(self, function: int, members: Sequence[int]) -> None:
        """Raise an error if a set whose correlations have a small determinant must be refused."""

    def _prepare(self, bounded_size: int | None) -> None:
        """Set what follows from the functions."""
        self.n, self.count = len(self.function_of), len(self.functions)
        self.joint = self.base = self.function_of
        self.bound = max(function.bound(bounded_size or self.max_size) for function in self.functions)

    def exact(self, function: int, members: Sequence[int], unit: Unit) -> int:
        """Return the value of a set in units, with as many digits as it takes."""
        if self.functions[function].constants[len(self.functions[function].columns(members))] is not None:
            self.check_set(function, members)
        value = self.functions[function].value(members, unit)
        if value is None:
            raise self.dependent(function, members)
        return value

    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""
        return math.fsum(
            self.functions[number].rounding(unit, size)
            for number in self.function_of
            for size in (self.max_size, self.max_size - 1)
        )

    def lattice_kernel(self, function: int, unit: Unit) -> DeterminantLattice:
        """Return the kernel that computes one of the functions for all sets."""
        return DeterminantLattice(self, function, unit)

    def lattice_memory(self, sets: int, threads: int) -> int:  # noqa: ARG002 (as all scores take it)
        """Return how many bytes the work on the sets needs in addition to the values."""
        columns = max(function.first[-1] for function in self.functions)
        # Each thread keeps a matrix for each size; those of the function are copied once.
        return 16 * columns**2 * (len(self.functions) + threads * max(2, self.max_size))

    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> DeterminantFamilies:  # noqa: ARG002 (as above)
        """Return the kernel that scores families on demand; it caches nothing."""
        return DeterminantFamilies(self, unit)

    def family_memory(self, threads: int) -> int:  # noqa: ARG002 (as above)
        """Return how many bytes scoring on demand needs."""
        return 32 * sum(function.first[-1] ** 2 for function in self.functions)


@dataclass(frozen=True, slots=True)
class DeterminantLattice:
    """Computes a set function for every set up to a given size."""

    functions: DeterminantFunctions
    function: int
    unit: Unit

    def run(self, out: NDArray[np.int64], threads: int, progress: KernelProgress) -> None:
        """Fill ``out``, one value for each set as :class:`~dagscape.scores.tables.lattice.SetIndex` numbers them."""
        index = SetIndex(self.functions.n, self.functions.max_size)
        kernel = kernels.DeterminantLattice(self._kernel_function(), self.functions.max_size)
        for members in kernel.run(out, threads, progress):
            out[index.rank(np.array([members], dtype=np.int64))] = self.functions.exact(
                self.function, members, self.unit
            )

    def _kernel_function(self) -> kernels.DeterminantFunction:
        return self.functions.functions[self.function].kernel(self.unit)

    def seconds_per_set(self, budget: float) -> float:
        """Return the seconds per set on one thread, from trials of about ``budget`` seconds in all."""
        size = min(self.functions.max_size, self.functions.n, _TRIAL_VARIABLES)
        kernel = kernels.DeterminantLattice(self._kernel_function(), min(size, 2 if self.functions.n > 40 else 3))
        sets = set_count(self.functions.n, min(size, 2 if self.functions.n > 40 else 3))
        out = np.empty(sets, dtype=np.int64)
        start, tried = time.perf_counter(), 0
        while tried == 0 or time.perf_counter() - start < budget:
            kernel.run(out, 1, None)
            tried += sets
        return (time.perf_counter() - start) / tried

    def visits_per_set(self, samples: int) -> float:  # noqa: ARG002 (as all kernels take it)
        """Return the work per set in visits of a row: two logarithms, and a few numbers of a matrix."""
        return _VISITS_PER_SET + _VISITS_PER_ENTRY * min(self.functions.max_size, 6) ** 2


@dataclass(slots=True)
class DeterminantFamilies:
    """Computes J(G ∪ {i}) − J(G) for families on demand."""

    functions: DeterminantFunctions
    unit: Unit
    _kernel: kernels.DeterminantFamilies | None = None

    @property
    def kernel(self) -> kernels.DeterminantFamilies:
        """The compiled kernel."""
        if self._kernel is None:
            made = [function.kernel(self.unit) for function in self.functions.functions]
            self._kernel = kernels.DeterminantFamilies(made, np.array(self.functions.function_of, dtype=np.uint32))
        return self._kernel

    @property
    def bytes(self) -> int:
        """The memory in use, in bytes."""
        return int(self.kernel.bytes)

    @property
    def cached_sets(self) -> int:
        """The number of cached values: none."""
        return 0

    def scores(self, child: int, sets: Members, out: NDArray[np.int64], progress: KernelProgress) -> None:
        """Score a child with parent sets of one size, given as rows of increasing numbers."""
        self.kernel.scores(child, np.ascontiguousarray(sets, dtype=np.uint16), out, progress)
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
        """Score a child with each candidate added to its parents."""
        known, added = (np.ascontiguousarray(part, dtype=np.uint16) for part in (parents, candidates))
        self.kernel.additions(child, known, added, out, progress)
        for i in np.flatnonzero(out == OPEN):
            out[i] = self._exact(child, [*parents.tolist(), int(candidates[i])])

    def _exact(self, child: int, parents: list[int]) -> int:
        number = self.functions.function_of[child]
        joint, base = (
            self.functions.exact(number, sorted(members), self.unit) for members in ([*parents, child], parents)
        )
        return IMPOSSIBLE if IMPOSSIBLE in (joint, base) else joint - base
