r"""Local scores from the expected counts of the joint states of binary variables.

Where variables are hidden, as the skills of students are, expectation maximisation gives an expected count
:math:`N_x`, a real number, for each of the :math:`2^n` joint states. The counts of a family are marginals of this
vector, so one function of a set is enough here, too:

.. math:: J(S) = \sum_s N_s \ln N_s - c\,2^{|S|}, \qquad local\_score(i, G) = J(G ∪ \{i\}) - J(G)

with :math:`c = \frac12 \ln m` for BIC and 1 for AIC. The kernel (``native/include/dagscape/scores/joint_counts.hpp``)
decides the variables depth first: one that is no member of the set is added up. This costs about :math:`3^n`
logarithms.

Counts are rounded once, to a multiple of a power of two, so that their sums are exact. The scores therefore do not
depend on the order of the variables, and are the same on every platform.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core import kernels
from dagscape.core.checks import check_choice, check_names
from dagscape.core.constraints import Number, OrNone
from dagscape.core.errors import InvalidData, InvalidOption, brief
from dagscape.core.progress import ProgressOption, kernel_callback, listening
from dagscape.core.resources import check_memory, thread_count
from dagscape.core.wording import plural
from dagscape.results.base import provenance_of
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.arithmetic.logarithms import binary_log_ceiling, natural_log
from dagscape.scores.arithmetic.rounding import EPSILON, LOG_ERROR, SHORT_ULPS
from dagscape.scores.constraints import Edge, EdgeConstraints, edge_constraints, named_edges
from dagscape.scores.definitions.set_functions import KernelProgress
from dagscape.scores.scoring_job import parent_limit
from dagscape.scores.tables.lattice import set_count
from dagscape.scores.tables.lattice_scores import LatticeScores

# Each variable more takes three times as long: this many take a minute or two.
_MOST_VARIABLES = 20

# Sums of counts: the kernel has digits for these.
_SMALLEST_SUM = 1e-3
_LARGEST_SUM = 2.0**32

_ROWS = Number(1, 2**53, said="a number from 1 to 2^53")

_SCORES = ("bic", "aic")


def scores_from_joint(
    variables: Sequence[str],
    counts: ArrayLike,
    score: str = "bic",
    max_parents: int | None = None,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    rows: float | None = None,
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
) -> LatticeScores:
    """Compute the local scores of all families of binary variables from the counts of their joint states.

    The counts need not be integers: they may be expected counts of hidden variables. With the counts of a data set, the
    scores are those of :func:`dagscape.local_scores`, up to rounding.

    Parameters
    ----------
    variables : sequence of str
        The names of the variables, up to 20.
    counts : array of float
        The count of each joint state: ``counts[x]`` for the state in which ``variables[i]`` has the value of bit *i* of
        *x*. For two variables *a* and *b*, these are the states 00, 10, 01 and 11 of (*a*, *b*).
    score : str
        ``bic`` or ``aic``.
    max_parents : int, optional
        The limit on the number of parents of a variable. Default: no limit.
    required, forbidden : iterable of (parent, child)
        Edges that every network must have, and edges that no network may have.
    tiers : sequence of iterables of names, optional
        Edges must not lead from a later tier to an earlier one. Variables in no tier are unconstrained.
    rows : float, optional
        The number of rows in the penalty of BIC. Default: the sum of the counts. ``scores.info.rows`` is the nearest
        integer; the penalty uses the number itself.
    threads : int, optional
        The number of threads. Default: all processors. The scores do not depend on it.
    max_memory : int or str, optional
        The limit on memory, such as ``"8GiB"``. Default: most of what is available.
    progress : bool or callable, optional
        True shows a bar on standard error; a callable receives a :class:`~dagscape.core.progress.Progress`.

    Returns
    -------
    LatticeScores
        The scores: natural logs, higher is better.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.scores_from_joint(["addition", "multiplication"], [40.5, 29.5, 1.5, 28.5])
    >>> scores.family("multiplication", ["addition"]) > scores.family("multiplication")
    True
    >>> ds.optimal_network(scores).network.edge_count
    1
    """
    names = _checked_names(variables)
    check_choice(score, _SCORES, "score")
    limit = parent_limit(len(names), max_parents)
    constraints = edge_constraints(names, limit, required, forbidden, tiers)
    threads = thread_count(threads)
    _check_memory(len(names), limit + 1, threads, max_memory)
    fixed = _FixedCounts.of(_checked_counts(counts, len(names)))
    OrNone(_ROWS).check(rows, "rows")
    job = _Job(names, limit, constraints, fixed, score, float(fixed.total if rows is None else rows))
    start = time.perf_counter()
    with listening(progress) as listener:
        table = job.table(threads, kernel_callback("Scoring sets of variables", listener, 0, 0))
    return job.scores(table, time.perf_counter() - start, threads)


@dataclass(frozen=True, slots=True)
class _FixedCounts:
    """Counts as integers, in units of 2^-bits.

    Attributes
    ----------
    units : array of int
        The counts.
    bits : int
        The digits after the binary point.
    error : float
        The sum of the absolute errors of all counts.
    """

    units: NDArray[np.uint64]
    bits: int
    error: float

    @classmethod
    def of(cls, counts: NDArray[np.float64]) -> _FixedCounts:
        """Round counts to the finest unit in which their sum fits."""
        # The sum is rounded once, so it does not depend on the order of the states.
        bits = min(60 - binary_log_ceiling(math.fsum(counts.tolist())), 63)
        exact = np.ldexp(counts, bits)
        rounded = np.rint(exact)
        return cls(rounded.astype(np.uint64), bits, math.ldexp(math.fsum(np.abs(exact - rounded).tolist()), -bits))

    @property
    def total(self) -> float:
        """The sum of the counts."""
        return math.ldexp(int(self.units.sum()), -self.bits)


@dataclass(frozen=True, slots=True)
class _Job:
    """Everything that is determined before scores are computed."""

    variables: tuple[str, ...]
    max_parents: int
    constraints: EdgeConstraints
    counts: _FixedCounts
    score: str
    rows: float

    @property
    def _max_size(self) -> int:
        return self.max_parents + 1

    @property
    def _price(self) -> float:
        """The cost of a parameter, in nats."""
        return natural_log(max(self.rows, 1.0)) / 2 if self.score == "bic" else 1.0

    @property
    def _bound(self) -> float:
        """A bound on the absolute values of J, and of every sum of some of its terms.

        Positive terms add up to at most M ln M, for a total M. Negative ones add up to at least -q/e for q states, and
        to at least -M ln(q/M) if M is less than that.
        """
        total, states = self.counts.total, 1 << self._max_size
        return total * max(natural_log(total), natural_log(states / total), 1.0) + self._price * states

    @property
    def _unit(self) -> Unit:
        return Unit.for_scores_up_to(2 * self._bound, len(self.variables))

    def table(self, threads: int, progress: KernelProgress) -> NDArray[np.int64]:
        """Return J of all sets of up to ``max_parents + 1`` variables, in units."""
        unit = self._unit
        table = np.empty(set_count(len(self.variables), self._max_size), dtype=np.int64)
        kernels.joint_count_scores(
            self.counts.units,
            self.counts.bits,
            self._max_size,
            unit.bits,
            unit.guard_bits(self._bound),
            self._price,
            table,
            threads,
            progress,
        )
        return table

    def scores(self, table: NDArray[np.int64], seconds: float, threads: int) -> LatticeScores:
        """Return the scores of the families from J of all sets."""
        n, no_terms = len(self.variables), np.zeros(self._max_size, dtype=np.int64)
        info = self._info()
        return LatticeScores(
            variables=self.variables,
            max_parents=self.max_parents,
            unit=self._unit,
            rounding=2 * n * self._rounding(),
            tables=[table],
            joint_table=[0] * n,
            base_table=[0] * n,
            size_terms=no_terms,
            prior_terms=no_terms,
            constraints=self.constraints,
            info=info,
            provenance=provenance_of("scores_from_joint", info.to_dict(), {"scoring": seconds}, threads),
        )

    def _info(self) -> ScoreInfo:
        return ScoreInfo(
            score=self.score,
            max_parents=self.max_parents,
            required=named_edges(self.variables, self.constraints.required),
            forbidden=named_edges(self.variables, self.constraints.forbidden),
            rows=round(self.rows),
            score_equivalent=self.constraints.empty,
            level_counts=(2,) * len(self.variables),
        )

    def _rounding(self) -> float:
        """Return a bound on the error of J of any set, in nats."""
        unit, cells = self._unit, 1 << self._max_size
        half_unit = math.ldexp(0.5, -unit.bits)
        rounded = half_unit + (cells + 1) * math.ldexp(half_unit, -unit.guard_bits(self._bound))
        logarithms = (self.counts.total + cells) * LOG_ERROR
        penalty = SHORT_ULPS * EPSILON * self._price * cells
        return rounded + logarithms + penalty + _shift(self.counts.error, self.counts.total, cells)


def _shift(error: float, total: float, cells: int) -> float:
    """Return a bound on the change of Σ N ln N if the counts of some cells change by ``error`` in all.

    Where N changes by e, N ln N changes by at most e times the larger of -ln e and ln N + 1. The first part is largest
    if all cells change alike.
    """
    if error == 0:
        return 0.0
    return error * (natural_log(cells) - natural_log(error) + max(natural_log(total), 0.0) + 1)


def _checked_names(variables: Sequence[str]) -> tuple[str, ...]:
    if isinstance(variables, str) or not isinstance(variables, Iterable):
        raise InvalidOption(f"is {brief(variables)}; it must be a sequence of names", option="variables")
    names = tuple(variables)
    check_names(names)
    if not names:
        raise InvalidData("there are no variables")
    if len(names) > _MOST_VARIABLES:
        raise InvalidData(
            f"there are {len(names)} variables; scores can be computed from the counts of all joint states for up to "
            f"{_MOST_VARIABLES}: merge some variables, or leave some out"
        )
    return names


def _checked_counts(counts: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return counts as floats, and refuse what cannot be a vector of counts."""
    try:
        given = np.asarray(counts)
    except ValueError:
        given = np.array(None)
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise InvalidData(f"the counts are {brief(counts)}; they must be a vector of numbers")
    if len(given) != 2**n:
        raise InvalidData(
            f"there are {plural(len(given), 'count')}, but {plural(n, 'binary variable')} have {2**n:,} joint states: "
            "the counts must have one number for each"
        )
    checked = given.astype(np.float64)
    wrong = np.flatnonzero(~((checked >= 0) & (checked <= _LARGEST_SUM)))
    if len(wrong):
        raise InvalidData(
            f"counts[{wrong[0]}] is {checked[wrong[0]]:g}; a count must be a number from 0 to {_LARGEST_SUM:.0f}"
        )
    total = math.fsum(checked.tolist())
    if not _SMALLEST_SUM <= total <= _LARGEST_SUM:
        problem = f"sum to {total:g}" if total else "are all 0"
        raise InvalidData(f"the counts {problem}; their sum must be between {_SMALLEST_SUM:g} and {_LARGEST_SUM:.0f}")
    return checked


def joint_memory(n: int, max_size: int, threads: int) -> int:
    """Return how many bytes the scores of families with up to ``max_size`` members need."""
    # The counts are held as given, as floats and as integers, and rounded through two more arrays or Python's lists of
    # numbers; each thread adds up in room for as many.
    return 8 * set_count(n, max_size) + ((8 * (5 + threads) + 40) << n)


def _check_memory(n: int, max_size: int, threads: int, max_memory: int | str | None) -> None:
    what = f"the scores from counts of {plural(n, 'variable')}"
    check_memory(joint_memory(n, max_size, threads), max_memory, what, "raise the limit, or merge variables")
