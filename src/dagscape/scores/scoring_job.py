"""What has to be computed to score a data set, settled before anything is: functions, unit, memory.

A :class:`ScoringJob` then runs (``scoring.py``), or is only estimated (``planning.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from dagscape import kernels
from dagscape.checks import is_between, is_whole
from dagscape.data.dataset import Dataset
from dagscape.errors import InvalidData, InvalidOption
from dagscape.score_info import ScoreInfo
from dagscape.scores.constraints import Edge, EdgeConstraints, edge_constraints
from dagscape.scores.definition import CellTerm, ChildFacts, ScoreDefinition, TermKind
from dagscape.scores.fixed_point import Unit
from dagscape.scores.lattice import set_count
from dagscape.scores.priors import StructurePrior, find_prior
from dagscape.scores.registry import find_score

# A family whose penalty alone is this many times the largest possible log-likelihood, and a million nats more, is
# impossible, so that the unit need not make room for it; unless every network has to have one as large.
_PENALTY_ROOM = 16.0
_PENALTY_FLOOR = 1e6
_UNLIMITED_STATES = 2**62
_MOST_NEEDED_STATES = 2**30

# What each thread may keep of terms of cells (kCacheBytes in native/src/cell_terms.cpp), and one more table.
_TERM_CACHE = 17 * 2**20


@dataclass(frozen=True, slots=True)
class SetFunction:
    """A function over the lattice that has to be computed.

    Attributes
    ----------
    rows : bytes or None
        For each distinct row, whether it is summed over (a byte, 0 or 1); None for all.
    row_count : int
        How many rows of the data that makes.
    term : CellTerm
        What a cell contributes.
    """

    rows: bytes | None
    row_count: int
    term: CellTerm

    def max_states(self, needed: int) -> int:
        """The most joint states a possible set has, when sets of ``needed`` states must be possible."""
        if self.term.penalty <= 0:
            return _UNLIMITED_STATES
        likelihood = self.row_count * math.log(max(self.row_count, 2))
        affordable = (_PENALTY_ROOM * likelihood + _PENALTY_FLOOR) / self.term.penalty
        return max(needed, int(affordable))

    def bound(self, log_states: float, needed: int) -> float:
        """A bound on the absolute value of the function, over sets of at most exp(log_states) joint states."""
        if self.term.kind == TermKind.ENTROPY:
            largest_penalty = self.term.penalty * self.max_states(needed) if self.term.penalty > 0 else 0.0
            return self.row_count * math.log(max(self.row_count, 2)) + largest_penalty
        log_alpha = math.log(self.term.alpha)
        smallest = log_alpha - (log_states if self.term.kind == TermKind.DIRICHLET_SHARED else 0.0)
        return self.row_count * max(abs(smallest), abs(log_alpha), math.log(self.row_count + self.term.alpha + 1))


@dataclass(frozen=True, slots=True)
class ScoringJob:
    """All that is settled before scores are computed."""

    data: Dataset
    definition: ScoreDefinition
    prior: StructurePrior
    constraints: EdgeConstraints
    ess: float
    max_parents: int
    functions: tuple[SetFunction, ...]
    joint_table: tuple[int, ...]
    base_table: tuple[int, ...]
    needed_states: int
    unit: Unit
    guard_bits: int

    @property
    def max_size(self) -> int:
        """The size of the largest set."""
        return self.max_parents + 1

    @property
    def sets(self) -> int:
        """The number of sets in each function."""
        return set_count(self.data.n, self.max_size)

    @property
    def score_equivalent(self) -> bool:
        """Whether Markov-equivalent networks will have identical scores."""
        return self.definition.score_equivalent and self.data.interventions is None and self.constraints.empty

    @property
    def info(self) -> ScoreInfo:
        """What the scores will be scores of."""
        experiments = self.data.interventions
        return ScoreInfo(
            score=self.definition.name,
            ess=self.ess if self.definition.uses_ess else None,
            max_parents=self.max_parents,
            structure_prior=self.prior.name,
            required=self._named(self.constraints.required),
            forbidden=self._named(self.constraints.forbidden),
            data=self.data.fingerprint,
            rows=self.data.m,
            dropped_rows=self.data.dropped,
            experimental_rows=0 if experiments is None else int(self.data.weights[experiments.any(axis=1)].sum()),
            score_equivalent=self.score_equivalent,
        )

    def _named(self, by_child: Sequence[frozenset[int]]) -> tuple[Edge, ...]:
        """Edges by name, from the parents of each child."""
        names = self.data.variables
        return tuple((names[parent], names[child]) for child, above in enumerate(by_child) for parent in sorted(above))

    def memory(self, threads: int) -> int:
        """Bytes that the scores and the work on them take."""
        rows, n = len(self.data.codes), self.data.n
        table = n * (self.data.codes.itemsize + 4) + 4
        partitions = threads * 12 * (self.max_size + 1)
        terms = threads * min(_TERM_CACHE, 8 * (self.data.m + 20) * min(self.sets, self._state_counts()))
        return 8 * self.sets * len(self.functions) + rows * (table + partitions) + terms

    def _state_counts(self) -> int:
        """How many different numbers of joint states sets can have, at most: each has a table of terms of its own."""
        _, counts = np.unique(self.data.arities, return_counts=True)
        return math.prod(count + 1 for count in counts.tolist())

    def kernel(self, function: SetFunction) -> kernels.JointScoreJob:
        """The kernel that computes one of the functions."""
        codes, weights = self.data.codes, self.data.weights
        if function.row_count == 0:
            # One row that does not count: every sum over rows is empty, and penalties are still charged.
            codes, weights = codes[:1], np.zeros(1, dtype=np.int64)
        elif function.rows is not None:
            chosen = np.frombuffer(function.rows, dtype=np.bool_)
            codes, weights = codes[chosen], weights[chosen]
        return kernels.JointScoreJob(
            np.ascontiguousarray(codes),
            weights.astype(np.uint32),
            self.data.arities.astype(np.uint32),
            self.max_size,
            int(function.term.kind),
            function.term.alpha,
            self.unit.bits,
            self.guard_bits,
            function.term.penalty,
            function.max_states(self.needed_states),
        )

    def prior_terms(self) -> list[float]:
        """The log of the structure prior of a family, for each number of parents."""
        return [self.prior.log_weight(self.data.n, parents) for parents in range(self.max_parents + 1)]

    def size_terms(self) -> list[float]:
        """What a family gets for each number of parents: the prior, less the cost that is part of the score."""
        return _size_terms(self.definition, self.prior, self.data.n, self.max_parents)


class ScoreOptions(TypedDict, total=False):
    """The arguments of :func:`dagscape.local_scores` that shape the scores; its documentation explains them."""

    score: str
    ess: float
    max_parents: int | None
    structure_prior: str
    required: Iterable[Edge]
    forbidden: Iterable[Edge]
    tiers: Sequence[Iterable[str]] | None


def prepare(data: Dataset, **options: Unpack[ScoreOptions]) -> ScoringJob:
    """Check the arguments of :func:`dagscape.local_scores` and settle what has to be computed."""
    score = options.get("score", "bdeu")
    ess = options.get("ess", 1.0)
    if not isinstance(data, Dataset):
        raise InvalidOption(
            f"data is a {type(data).__name__}; make a Dataset of it first, with read_data() or Dataset.from_frame()"
        )
    definition = find_score(score)
    prior = find_prior(options.get("structure_prior", "uniform"))
    if not is_between(ess, 1e-9, 1e9):
        raise InvalidOption(f"ess is {ess!r}; it must be a number between 1e-9 and 1e9")
    ess = float(ess)
    limit = _parent_limit(data.n, options.get("max_parents"))
    constraints = edge_constraints(
        data.variables, limit, options.get("required", ()), options.get("forbidden", ()), options.get("tiers")
    )

    functions: dict[SetFunction, int] = {}
    joint_table, base_table = [], []
    for child, arity in enumerate(data.arities.tolist()):
        rows, row_count = _rows_of(data, child)
        joint, base = definition.terms(ChildFacts(rows=row_count, arity=arity, ess=ess))
        joint_table.append(functions.setdefault(SetFunction(rows, row_count, joint), len(functions)))
        base_table.append(functions.setdefault(SetFunction(rows, row_count, base), len(functions)))

    largest_set = sorted(data.arities.tolist(), reverse=True)[: limit + 1]
    log_states = sum(math.log(arity) for arity in largest_set)
    size_terms = _size_terms(definition, prior, data.n, limit)
    needed = _needed_states(data, constraints)
    largest = max(function.bound(log_states, needed) for function in functions)
    # A family is a difference of two values of a function, and its term for the number of parents.
    unit = Unit.for_scores_up_to(2 * largest + max(map(abs, size_terms)), data.n)
    return ScoringJob(
        data=data,
        definition=definition,
        prior=prior,
        constraints=constraints,
        ess=ess,
        max_parents=limit,
        functions=tuple(functions),
        joint_table=tuple(joint_table),
        base_table=tuple(base_table),
        needed_states=needed,
        unit=unit,
        guard_bits=unit.guard_bits(largest),
    )


def _parent_limit(n: int, max_parents: int | None) -> int:
    if n > 2**15:
        raise InvalidData(f"the data have {n} variables; local scores can be computed for up to {2**15}")
    if max_parents is None:
        return n - 1
    if not is_whole(max_parents, at_least=0):
        raise InvalidOption(f"max_parents is {max_parents!r}; it must be a whole number, 0 or more")
    return min(int(max_parents), n - 1)


def _needed_states(data: Dataset, constraints: EdgeConstraints) -> int:
    """The joint states of the largest family that every network has: one variable, with its required parents."""
    arities = data.arities.tolist()
    needed: list[int] = [
        math.prod(arities[member] for member in (child, *parents)) for child, parents in enumerate(constraints.required)
    ]
    most = max(needed)
    if most > _MOST_NEEDED_STATES:
        raise InvalidOption(
            f"{data.variables[needed.index(most)]!r} and its required parents have {most:,} joint states; "
            f"the limit is {_MOST_NEEDED_STATES:,}: require fewer parents"
        )
    return most


def _rows_of(data: Dataset, child: int) -> tuple[bytes | None, int]:
    if data.interventions is None:
        return None, data.m
    observed = ~data.interventions[:, child]
    return observed.tobytes(), int(data.weights[observed].sum())


def _size_terms(definition: ScoreDefinition, prior: StructurePrior, n: int, max_parents: int) -> list[float]:
    cost = definition.size_cost or (lambda n, parents: 0.0)
    return [prior.log_weight(n, parents) - cost(n, parents) for parents in range(max_parents + 1)]
