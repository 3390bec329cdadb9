"""How far scores are from the exact ones, at most: proved bounds, in nats.

A family's score is J(G ∪ {i}) − J'(G), two sums over cells, and a term for the number of parents. Each sum is rounded
to the unit once, after its terms were rounded to a unit 2^guard times finer; the terms themselves are a few ulps of a
long double from the truth. All of that is counted here, for the largest sets, and added up over the variables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dagscape.scores.definition import TermKind
from dagscape.scores.fixed_point import Unit

if TYPE_CHECKING:
    from dagscape.scores.scoring_job import ScoringJob, SetFunction

_EPSILON = float(np.finfo(np.float64).eps)
_LONG_EPSILON = float(np.finfo(np.longdouble).eps)

# Relative errors in epsilons of a long double, with room to spare: of N ln N, and of a sum of logarithms.
_ENTROPY_ULPS = 4
_GAMMA_ULPS = 8
# Of a penalty or of a log prior, a few operations in double.
_SHORT_ULPS = 4


def network_rounding(job: ScoringJob) -> float:
    """A bound on the error of the score of any network that a job scores, structure prior included."""
    sizes = term_rounding(job.unit, job.size_terms())
    functions = job.functions
    return sum(
        _function_rounding(job, functions[joint], job.max_size)
        + _function_rounding(job, functions[base], job.max_parents)
        + sizes
        for joint, base in zip(job.joint_table, job.base_table, strict=True)
    )


def term_rounding(unit: Unit, terms: Sequence[float]) -> float:
    """A bound on the error of numbers computed in double and then rounded to a unit; zero is exact."""
    largest = max(map(abs, terms), default=0.0)
    return math.ldexp(0.5, -unit.bits) + _SHORT_ULPS * _EPSILON * largest if largest > 0 else 0.0


def unrecorded_rounding(unit: Unit, n: int) -> float:
    """A bound for lattice scores of version 0.1.0, which did not record one and rounded every cell.

    There are no more cells than rows, and the unit says how many rows there can be: a function of m rows was given
    room for m ln 2 nats at least, twice for each of n + 1 families.
    """
    rows = math.ldexp(1 / (math.log(2) * (n + 1)), 60 - unit.bits)
    return 2 * n * (rows + 1) * math.ldexp(1.0, -unit.bits)


def _function_rounding(job: ScoringJob, function: SetFunction, size: int) -> float:
    """A bound on the error of a function over the lattice, at sets of up to ``size`` variables."""
    unit = math.ldexp(1.0, -job.unit.bits)
    largest_set = sorted(job.data.arities.tolist(), reverse=True)[:size]
    states: int = math.prod(largest_set)
    cells = min(states, _distinct_rows(job, function))
    penalty = function.term.penalty * min(states, function.max_states(job.needed_states))
    rounding = unit / 2 + (cells + 1) * math.ldexp(unit / 2, -job.guard_bits)
    return rounding + _term_errors(job, function, size) + _SHORT_ULPS * _EPSILON * penalty


def _term_errors(job: ScoringJob, function: SetFunction, size: int) -> float:
    """A bound on the errors of the terms of all cells of a set together, before they are rounded."""
    if function.term.kind == TermKind.ENTROPY:
        return _ENTROPY_ULPS * _LONG_EPSILON * function.row_count * math.log(max(function.row_count, 2))
    log_states = [math.log(arity) for arity in job.data.arities.tolist()]
    magnitude = function.bound(math.fsum(log_states), job.needed_states)
    # The parameter of a cell comes from a sum of logarithms, and moves a term by its relative error for each row.
    parameter = (size + _GAMMA_ULPS) * (1 + abs(math.log(function.term.alpha)) + math.fsum(log_states))
    return _LONG_EPSILON * (_GAMMA_ULPS * magnitude + function.row_count * (1 + parameter))


def _distinct_rows(job: ScoringJob, function: SetFunction) -> int:
    if function.rows is None:
        return len(job.data.codes)
    return int(np.frombuffer(function.rows, dtype=np.bool_).sum())
