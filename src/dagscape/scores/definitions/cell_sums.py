r"""Set functions of scores for discrete data: sums over the cells of a set, its observed joint states.

.. math:: J(S) = \sum_s t(N_s) - c\,q_S

Each cell contributes a :class:`CellTerm`, a function of its number of rows. Each of the :math:`q_S` possible joint
states costs a penalty. For score-equivalent scores, :math:`J` and :math:`J'` are the same function.

If the rows are split into segments, each of them is scored as a data set of its own: no cell has rows of two segments,
and a joint state costs the sum of its penalties in all segments. :math:`q_S` remains the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from dagscape.core import kernels
from dagscape.core.errors import InvalidOption, argument
from dagscape.data.discrete.dataset import Dataset
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.arithmetic.rounding import EPSILON, LOG_ERROR, SHORT_ULPS
from dagscape.scores.definitions.set_functions import ScoreFacts, SetFunctions

# A family is treated as impossible if its penalty alone exceeds this multiple of the largest possible log-likelihood by
# a million nats, so that the unit can stay fine. Families that every network must have are exempt.
_PENALTY_ROOM = 16.0
_PENALTY_FLOOR = 1e6
_UNLIMITED_STATES = 2**62
_MAX_NEEDED_STATES = 2**30

# The errors of a term, in errors of a logarithm, with a safety margin: those of N ln N, and of lnΓ, for each row of a
# cell.
_ENTROPY_ERRORS = 2
_GAMMA_ERRORS = 24


class TermKind(IntEnum):
    """Functions of a cell's count that the kernels have (``native/include/dagscape/scores/cell_terms.hpp``)."""

    DIRICHLET_SHARED = 0
    DIRICHLET_CONSTANT = 1
    ENTROPY = 2


@dataclass(frozen=True, slots=True)
class CellTerm:
    """The contribution of one cell, and the penalty of one joint state.

    Attributes
    ----------
    kind : TermKind
        The function of the count N: lnΓ(N + alpha/q) − lnΓ(alpha/q), lnΓ(N + alpha) − lnΓ(alpha), or N ln N, where q
        is the number of joint states of the set.
    alpha : float
        The Dirichlet parameter; 1 if the function has none.
    penalty : float
        The cost of each of the q joint states, in nats.
    """

    kind: TermKind
    alpha: float = 1.0
    penalty: float = 0.0


@dataclass(frozen=True, slots=True)
class ChildFacts:
    """Facts about a child on which the terms of its families may depend.

    Attributes
    ----------
    rows : int
        The number of rows that its families are fitted to.
    arity : int
        The number of its levels.
    parameters : mapping of str to float or str
        The values of the score's parameters.
    """

    rows: int
    arity: int
    parameters: Mapping[str, Any]


ChildTerms = Callable[[ChildFacts], tuple[CellTerm, CellTerm]]


def cell_sums(terms: ChildTerms) -> Callable[[Dataset, ScoreFacts], CellSums]:
    """Return the set functions of a score from ``terms(child)``: the terms of a family's own set and of its parents."""
    return lambda data, facts: CellSums(data, facts, terms)


def same_for_parents(term: Callable[[ChildFacts], CellTerm]) -> ChildTerms:
    """Return the terms of a score-equivalent score, which uses one function for families and parents."""
    return lambda child: (term(child), term(child))


@dataclass(frozen=True, slots=True)
class CellSum:
    """One set function.

    Attributes
    ----------
    rows : bytes
        For each distinct row, whether the sum includes it (a byte, 0 or 1).
    row_count : int
        The number of rows of the data that the sum includes.
    term : CellTerm
        The contribution of a cell.
    """

    rows: bytes
    row_count: int
    term: CellTerm

    def max_states(self, needed: int) -> int:
        """Return the most joint states that a possible set has; sets of ``needed`` states must be possible."""
        if self.term.penalty <= 0:
            return _UNLIMITED_STATES
        likelihood = self.row_count * natural_log(max(self.row_count, 2))
        affordable = (_PENALTY_ROOM * likelihood + _PENALTY_FLOOR) / self.term.penalty
        return max(needed, int(affordable))

    def bound(self, log_states: float, needed: int) -> float:
        """Return a bound on the absolute value of the function, over sets of at most exp(log_states) joint states."""
        if self.term.kind == TermKind.ENTROPY:
            largest_penalty = self.term.penalty * self.max_states(needed) if self.term.penalty > 0 else 0.0
            return self.row_count * natural_log(max(self.row_count, 2)) + largest_penalty
        log_alpha = natural_log(self.term.alpha)
        smallest = log_alpha - (log_states if self.term.kind == TermKind.DIRICHLET_SHARED else 0.0)
        return self.row_count * max(abs(smallest), abs(log_alpha), natural_log(self.row_count + self.term.alpha + 1))


class CellSums(SetFunctions):
    """The set functions of a score on a data set."""

    def __init__(self, data: Dataset, facts: ScoreFacts, terms: ChildTerms) -> None:
        """Determine the functions of each child; children share functions where possible."""
        self._data = data
        self._max_size = facts.max_size
        self._segments = facts.segments
        self._needed_states = _needed_states(data, facts.required)
        functions: dict[CellSum, int] = {}
        joint, base = [], []
        for child, arity in enumerate(data.arities.tolist()):
            fitted = facts.fitted_rows(data.interventions, len(data.codes), child)
            rows, row_count = fitted.tobytes(), int(data.weights[fitted].sum())
            of_family, of_parents = self._terms(terms, ChildFacts(row_count, arity, facts.parameters), rows)
            joint.append(functions.setdefault(CellSum(rows, row_count, of_family), len(functions)))
            base.append(functions.setdefault(CellSum(rows, row_count, of_parents), len(functions)))
        self._functions = tuple(functions)
        self.count = len(functions)
        self.joint, self.base = tuple(joint), tuple(base)
        largest_set = sorted(data.arities.tolist(), reverse=True)[: facts.bounded_size or facts.max_size]
        log_states = math.fsum(natural_log(arity) for arity in largest_set)
        self.bound = max(function.bound(log_states, self._needed_states) for function in functions)

    @property
    def needed_states(self) -> int:
        """The joint states of the largest family of one variable and its required parents only."""
        return self._needed_states

    def _terms(self, terms: ChildTerms, child: ChildFacts, rows: bytes) -> tuple[CellTerm, CellTerm]:
        """Return the terms of a child's families; the penalties of all segments are added up."""
        of_family, of_parents = terms(child)
        if self._segments is None or of_family.penalty == of_parents.penalty == 0:
            return of_family, of_parents
        observed = np.frombuffer(rows, dtype=np.bool_)
        sizes = np.bincount(self._segments[observed], self._data.weights[observed]).astype(np.int64)
        each = [
            (terms(replace(child, rows=size)), count)
            for size, count in zip(
                *(part.tolist() for part in np.unique(sizes[sizes > 0], return_counts=True)), strict=True
            )
        ]
        return (
            replace(of_family, penalty=math.fsum(count * own.penalty for (own, _), count in each)),
            replace(of_parents, penalty=math.fsum(count * own.penalty for (_, own), count in each)),
        )

    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""
        of_families = [self._function_rounding(function, unit, self._max_size) for function in self._functions]
        of_parents = [self._function_rounding(function, unit, self._max_size - 1) for function in self._functions]
        return math.fsum([of_families[i] for i in self.joint] + [of_parents[i] for i in self.base])

    def _function_rounding(self, function: CellSum, unit: Unit, size: int) -> float:
        """Return a bound on the error of a function at sets of up to ``size`` variables."""
        states: int = math.prod(sorted(self._data.arities.tolist(), reverse=True)[:size])
        cells = function.rows.count(1)
        if self._segments is None:
            cells = min(states, cells)
        penalty: float = function.term.penalty * min(states, function.max_states(self._needed_states))
        half_unit = math.ldexp(0.5, -unit.bits)
        rounding = half_unit + (cells + 1) * math.ldexp(half_unit, -unit.guard_bits(self.bound))
        return rounding + self._term_errors(function, size) + SHORT_ULPS * EPSILON * penalty

    def _term_errors(self, function: CellSum, size: int) -> float:
        """Return a bound on the total error of the terms of all cells of a set, before they are rounded."""
        if function.term.kind == TermKind.ENTROPY:
            return function.row_count * _ENTROPY_ERRORS * LOG_ERROR
        # The parameter comes from a sum of logarithms; Stirling's series multiplies an error by parameter / 2^14.
        return function.row_count * (_GAMMA_ERRORS + size + function.term.alpha / 2**12) * LOG_ERROR

    def lattice_kernel(self, function: int, unit: Unit) -> kernels.JointScoreJob:
        """Return the kernel that computes one of the functions for all sets; segments are not supported."""
        assert self._segments is None
        wanted = self._functions[function]
        codes, weights = self._data.codes, self._data.weights
        chosen = np.frombuffer(wanted.rows, dtype=np.bool_)
        if wanted.row_count == 0:
            # One row of weight 0: sums over rows are empty, but penalties still apply.
            codes, weights = codes[:1], np.zeros(1, dtype=np.int64)
        elif not chosen.all():
            codes, weights = codes[chosen], weights[chosen]
        return kernels.JointScoreJob(
            np.ascontiguousarray(codes),
            weights.astype(np.uint32),
            self._data.arities.astype(np.uint32),
            self._max_size,
            int(wanted.term.kind),
            wanted.term.alpha,
            unit.bits,
            unit.guard_bits(self.bound),
            wanted.term.penalty,
            wanted.max_states(self._needed_states),
        )

    def lattice_memory(self, sets: int, threads: int) -> int:
        """Return how many bytes the work on ``sets`` sets needs in addition to the values."""
        rows, n = len(self._data.codes), self._data.n
        table = n * (self._data.codes.itemsize + 4) + 4
        partitions = threads * 12 * (self._max_size + 1)
        # The cache of a thread exceeds its limit by at most one table.
        most_terms = kernels.TERM_CACHE_BYTES + 2**20
        terms = threads * min(most_terms, 8 * (self._data.m + 20) * min(sets, self._state_counts()))
        return rows * (table + partitions) + terms

    def _state_counts(self) -> int:
        """Return a bound on how many different numbers of joint states occur; each has its own table of terms."""
        _, counts = np.unique(self._data.arities, return_counts=True)
        return math.prod(count + 1 for count in counts.tolist())

    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> kernels.FamilyScorer:
        """Return the kernel that scores families on demand and caches values within ``most_bytes``."""
        subsets = self._subsets()
        functions = [
            (
                int(function.term.kind),
                function.term.alpha,
                unit.bits,
                unit.guard_bits(self.bound),
                function.term.penalty,
                function.max_states(self._needed_states),
                subsets[function.rows],
            )
            for function in self._functions
        ]
        return kernels.FamilyScorer(
            self._data.codes,
            self._data.weights.astype(np.uint32),
            self._data.arities.astype(np.uint32),
            functions,
            np.frombuffer(b"".join(subsets), dtype=np.uint8).reshape(len(subsets), -1),
            np.array(self.joint, dtype=np.uint32),
            np.array(self.base, dtype=np.uint32),
            np.empty(0, dtype=np.uint32) if self._segments is None else self._segments,
            threads,
            most_bytes,
        )

    def family_memory(self, threads: int) -> int:
        """Return how many bytes scoring on demand needs in addition to the cached values."""
        terms = len({(function.term.kind, function.term.alpha) for function in self._functions})
        arities = self._data.arities.astype(np.uint32)
        return kernels.FamilyScorer.fixed_bytes(
            len(self._data.codes),
            arities,
            self._data.m,
            len(self._subsets()),
            terms,
            threads,
            segmented=self._segments is not None,
        )

    def _subsets(self) -> dict[bytes, int]:
        """Return the distinct sets of rows of the sums, numbered."""
        return {rows: i for i, rows in enumerate(dict.fromkeys(function.rows for function in self._functions))}


def _needed_states(data: Dataset, required: tuple[frozenset[int], ...]) -> int:
    """Return the joint states of the largest family of one variable and its required parents only."""
    arities = data.arities.tolist()
    needed: list[int] = [
        math.prod(arities[member] for member in (child, *parents)) for child, parents in enumerate(required)
    ]
    most = max(needed)
    if most > _MAX_NEEDED_STATES:
        raise InvalidOption(
            f"{data.variables[needed.index(most)]!r} and its required parents have {most:,} joint states; "
            f"the limit is {_MAX_NEEDED_STATES:,}: list fewer of its parents in {argument('required')}"
        )
    return most
