r"""The penalised node-average likelihood of incomplete tables [balov2013]_, [bodewes2021]_.

A family is fitted to the rows that are complete for it, and its log-likelihood is divided by their number:

.. math:: local\_score(i, G) = \frac{1}{m_{iG}} \ell(i \mid G; \text{rows complete for } \{i\} ∪ G) - λ_m k_{iG},
          \qquad λ_m = \frac{m^{-α}}{n}

:math:`m_{iG}` is the number of these rows, *m* that of all rows, *n* the number of variables and :math:`k_{iG}` the
number of parameters. So no row with a missing cell is lost to families without that cell, and averages make families
comparable that are fitted to different rows. It is the log-likelihood of one row: a structure prior is weighed against
one row, too.

The maximised log-likelihood is that of a table, of a linear regression with an intercept and the variance RSS/m, or of
such a regression in each joint state of the discrete parents; there are :math:`(r_i - 1) q_G`, *p* + 2, and
:math:`q_Δ (p + 2)` parameters. As under the conditional Gaussian BIC (``bic_cg.py``), no measured variable is a parent
of a discrete one.

If cells are missing completely at random, the best network is in the right class, for ever more rows, if
:math:`λ_m → 0` and :math:`\sqrt m λ_m → ∞` [bodewes2021]_. The penalty of BIC, ln m/(2 m), is too small: two families
on different rows differ by noise of the order of :math:`1 / \sqrt m`, and it lets them win by that. Every α between 0
and 1/2 will do. One of the authors compared 0.10, 0.25 and 0.40 with this λ in the experiments that he published; the
default of the parameter ``exponent``, α = 0.25, is in the middle.

This is no likelihood of the table. A difference of scores says nothing of probability, so there is no posterior. And a
→ b is fitted to other rows than b, so that equivalent networks score differently.

A family without complete rows is impossible. Averages over few rows are large by chance, so with parents, a table with
fewer than 5 :math:`k_{iG}` complete rows is impossible, unless all these parents are required; and so is a regression
with fewer than 5 (p + 1) complete rows in a joint state that has some, or with measured variables that are constant or
linearly dependent in it. Rows in which an experiment set the child are left out, and do not count in *m*. A variable
that was observed in none of the others (of a measured one: in fewer than two) is not scored: all its families are worth
0.

Terms of tables are sums of integers, so that no order of rows or columns changes a score. Sums of squares are exact
integers, too; what is left of a regression is computed in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.data.mixed.mixed import MixedData
from dagscape.scores.arithmetic.decimals import context, decimal_of, log_of_pi
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.arithmetic.logarithms import binary_log_ceiling, natural_log
from dagscape.scores.arithmetic.rounding import EPSILON, SHORT_ULPS
from dagscape.scores.arithmetic.scatter import MOST_ROWS, IntegerColumns
from dagscape.scores.definitions.conditional_functions import DISCRETE_RULE, edges_into_discrete
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.family_values import FamilyValues
from dagscape.scores.definitions.parameter import Parameter
from dagscape.scores.definitions.set_functions import ScoreFacts

EXPONENT = Parameter("exponent", 0.25, "α of the price m^-α / n of a parameter", 0.01, 0.49, compared=(0.1, 0.25, 0.4))

# With parents, a table needs so many complete rows for each parameter, and a regression for each coefficient.
_ROWS_PER_PARAMETER = 5
# Columns are taken as linearly dependent if their correlations have a lower eigenvalue.
_LEAST_EIGENVALUE = 1e-8
# Columns are constant in rows if their standard deviation is less than this, relative to their range in all rows.
_LEAST_DEVIATION = 2.0**-40
# A family is impossible if its penalty alone is more than so many times the log of the number of rows, plus 1000.
_PENALTY_ROOM = 16.0
_PENALTY_FLOOR = 1e3
# Tables of so many joint states for each row are arrays; larger ones list the states that occur.
_STATES_PER_ROW = 8
# Visits of a row that a set takes besides those of its rows, and those of a regression.
_VISITS_PER_SET = 20_000.0
_VISITS_PER_PAIR = 30.0

_Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Fit:
    """The rows to which families of some variables are fitted.

    Attributes
    ----------
    rows : array of bool
        Which rows of the table these are.
    price : float
        What a parameter costs.
    """

    rows: NDArray[np.bool_]
    price: float


class NodeAverages(FamilyValues):
    """The set functions of the penalised node-average likelihood."""

    def __init__(self, data: MixedData, facts: ScoreFacts) -> None:
        """Bring the table into the form in which it is counted."""
        if data.m > MOST_ROWS:
            raise InvalidData(f"the data have {data.m:,} rows; the node-average likelihood takes up to {MOST_ROWS:,}")
        self.n, self.max_size = data.n, facts.max_size
        self._names, self._required = data.variables, facts.required
        self._is_discrete = np.asarray(data.is_discrete)
        self._levels = [int(count) for count in data.level_counts]
        self._fits, self._fit_of = self._fitted(data, facts)
        self._store(data)
        self._integers = IntegerColumns.of(np.where(self._present, self._numbers, self._centres()))
        # Multiples of N ln N are integers; sums of them over all rows, of families and parents, fit into 64 bits.
        largest = 2 * data.m * natural_log(max(data.m, 2))
        self._term_bits = 62 - binary_log_ceiling(max(largest, 1.0))
        self._terms = np.zeros(data.m + 1, dtype=np.int64)
        for count in range(2, data.m + 1):
            self._terms[count] = round(math.ldexp(count * natural_log(count), self._term_bits))
        self._unscored = [self._is_unobserved(child) for child in range(data.n)]
        self._most_penalty = _PENALTY_ROOM * natural_log(max(data.m, 2)) + _PENALTY_FLOOR
        self.bound = self._bound()
        self._number_functions()

    def _fitted(self, data: MixedData, facts: ScoreFacts) -> tuple[list[_Fit], list[int]]:
        """Return the different sets of rows that families are fitted to, and the number of that of each child."""
        fits: list[_Fit] = []
        numbers: dict[bytes, int] = {}
        found = []
        for child in range(data.n):
            rows = facts.fitted_rows(data.interventions, data.m, child)
            if rows.tobytes() not in numbers:
                numbers[rows.tobytes()] = len(fits)
                price = penalty_per_parameter(
                    int(np.count_nonzero(rows)), data.n, float(facts.parameters[EXPONENT.name])
                )
                fits.append(_Fit(rows, price))
            found.append(numbers[rows.tobytes()])
        return fits, found

    def _store(self, data: MixedData) -> None:
        """Store the cells, with equal rows merged if all variables are discrete."""
        values = data.values
        self._weights = np.ones(data.m, dtype=np.int64)
        if self._is_discrete.all():
            marked = np.column_stack([np.where(np.isnan(values), -1.0, values), *(fit.rows for fit in self._fits)])
            _, first, self._weights = np.unique(marked, axis=0, return_index=True, return_counts=True)
            values = values[first]
            self._fits = [_Fit(fit.rows[first], fit.price) for fit in self._fits]
        self._present = ~np.isnan(values)
        self._numbers = values
        # The codes of measured variables are not used.
        usable = np.where(self._present & self._is_discrete, values, 0.0)
        self._codes = np.ascontiguousarray(usable.astype(np.int64).T)
        # By variable, so that the rows of a family are found column by column.
        self._there = np.ascontiguousarray(self._present.T)

    def _centres(self) -> NDArray[np.float64]:
        """Return what stands for missing cells in columns of integers: a number between the others of its column."""
        lowest = np.where(self._present, self._numbers, np.inf).min(axis=0)
        return np.where(np.isfinite(lowest), lowest, 0.0)

    def _bound(self) -> float:
        """Return a bound on the absolute values of families."""
        likelihood = natural_log(max(int(self._weights.sum()), 2))
        for column in np.flatnonzero(~self._is_discrete).tolist():
            unit = self._integers.exponents[column] * natural_log(2)
            # Standard deviations are between 2^52 and 2^52 times the least one, in units of the integers.
            extremes = [unit + 53 * natural_log(2), unit + natural_log(self._least_variance) / 2 - 20.0]
            likelihood = max(likelihood, 2.0 + max(map(abs, extremes)))
        needed = [
            self._fits[self._fit_of[child]].price * self._parameters(child, parents)
            for child, parents in enumerate(self._required)
        ]
        return likelihood + max(self._most_penalty, *needed)

    @property
    def _least_variance(self) -> float:
        """The variance, in units of the integers, below which a column counts as constant."""
        return (2.0**52 * _LEAST_DEVIATION) ** 2

    def _parameters(self, child: int, parents: Sequence[int] | frozenset[int]) -> int:
        states = math.prod(self._levels[u] for u in parents if self._is_discrete[u])
        if self._is_discrete[child]:
            return (self._levels[child] - 1) * states
        return states * (2 + sum(not self._is_discrete[u] for u in parents))

    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""
        # A term of each cell is rounded, of families and parents, and there are no more cells than rows.
        tables = math.ldexp(1.0, -self._term_bits) + math.ldexp(0.5, -unit.bits)
        penalty = SHORT_ULPS * EPSILON * (self.bound + self._most_penalty)
        regressions = 0.0
        if not self._is_discrete.all():
            # What rounding does to a pivot, relative to the least one.
            regressions = 8 * self.max_size**2 * EPSILON / _LEAST_EIGENVALUE
        return self.n * (tables + penalty + regressions)

    def data_bytes(self) -> int:
        """Return how many bytes the data take in the form in which they are counted."""
        return self._numbers.size * 40 + self._terms.nbytes

    def visits(self, size: int) -> float:
        """Return the work on a set of so many members in visits of a row."""
        rows = len(self._weights)
        per_row = size * 2.0 if self._is_discrete.all() else size * 2.0 + _VISITS_PER_PAIR * size
        return _VISITS_PER_SET * (1 + size) + rows * per_row

    def member_values(self, members: Sequence[int], unit: Unit) -> list[int]:
        """Return, in units, the score of each member of a set with all others as its parents, or ``IMPOSSIBLE``."""
        complete = self._there[list(members)].all(axis=0)
        values = [IMPOSSIBLE] * len(members)
        for number in {self._fit_of[member] for member in members}:
            rows = np.flatnonzero(complete & self._fits[number].rows)
            own = [place for place, member in enumerate(members) if self._fit_of[member] == number]
            for place, value in self._fitted_values(members, own, rows, unit):
                values[place] = self._penalised(members, place, value, unit)
        return values

    def _fitted_values(
        self, members: Sequence[int], children: Sequence[int], rows: _Rows, unit: Unit
    ) -> Iterator[tuple[int, int]]:
        """Yield the places of children of a set, and their average log-likelihoods in units; not impossible ones."""
        discrete = [place for place, member in enumerate(members) if self._is_discrete[member]]
        measured = [place for place in range(len(members)) if place not in discrete]
        unscored = [place for place in children if self._unscored[members[place]]]
        yield from ((place, 0) for place in unscored)
        wanted = [place for place in children if place not in unscored and place in (measured or discrete)]
        if len(rows) == 0 or not wanted:
            return
        if measured:
            yield from self._regressions(members, discrete, measured, wanted, rows, unit)
        else:
            yield from self._tables(members, wanted, rows, unit)

    def _is_unobserved(self, child: int) -> bool:
        """Whether a variable was observed in too few of its rows to be scored."""
        rows = self._fits[self._fit_of[child]].rows & self._there[child]
        return int(self._weights[rows].sum()) < (1 if self._is_discrete[child] else 2)

    def _penalised(self, members: Sequence[int], place: int, value: int, unit: Unit) -> int:
        """Return a value minus the penalty of the parameters of a family."""
        child = members[place]
        if self._unscored[child]:
            return 0
        parents = [member for member in members if member != child]
        penalty = self._fits[self._fit_of[child]].price * self._parameters(child, parents)
        if penalty > self._most_penalty and not self._required[child].issuperset(parents):
            return IMPOSSIBLE
        return value - unit.to_int(penalty)

    def _tables(
        self, members: Sequence[int], children: Sequence[int], rows: _Rows, unit: Unit
    ) -> Iterator[tuple[int, int]]:
        """Yield the average log-likelihoods of discrete children given all others."""
        weights = self._weights[rows]
        total = int(weights.sum())
        of_family = self._entropy_term(self._states(members, rows), weights)
        for place in children:
            parents = [member for other, member in enumerate(members) if other != place]
            needed = _ROWS_PER_PARAMETER * self._parameters(members[place], parents)
            if total < needed and not self._required[members[place]].issuperset(parents):
                continue
            difference = of_family - self._entropy_term(self._states(parents, rows), weights)
            average = Fraction(difference, total) * Fraction(2) ** (unit.bits - self._term_bits)
            yield place, round(average)

    def _states(self, members: Sequence[int], rows: _Rows) -> NDArray[np.int64]:
        """Return a number for the joint state of some discrete variables in each of some rows; less than 2^62."""
        states, count = np.zeros(len(rows), dtype=np.int64), 1
        for member in members:
            if count * self._levels[member] >= 2**62:
                _, states = np.unique(states, return_inverse=True)
                count = len(rows)
            states = states * self._levels[member] + self._codes[member][rows]
            count *= self._levels[member]
        if count > _STATES_PER_ROW * max(len(rows), 1):
            _, states = np.unique(states, return_inverse=True)
        return states

    def _entropy_term(self, states: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
        """Return the sum of N ln N over joint states, as an integer."""
        counts = np.bincount(states, weights=weights).astype(np.int64)
        return int(self._terms[counts].sum())

    def _regressions(
        self,
        members: Sequence[int],
        discrete: Sequence[int],
        measured: Sequence[int],
        children: Sequence[int],
        rows: _Rows,
        unit: Unit,
    ) -> Iterator[tuple[int, int]]:
        """Yield the average log-likelihoods of measured children given all others."""
        needed = _ROWS_PER_PARAMETER * len(measured) if len(members) > 1 else 2
        columns = [members[place] for place in measured]
        wanted = [measured.index(place) for place in children]
        logs: list[NDArray[np.float64]] = []
        states = self._states([members[place] for place in discrete], rows)
        cells = [rows[states == state] for state in np.unique(states)]
        for cell in cells:
            variances = self._log_variances(columns, cell) if len(cell) >= needed else None
            if variances is None:
                return
            logs.append(len(cell) * variances)
        for place, column in zip(children, wanted, strict=True):
            average = math.fsum(log[column] for log in logs) / len(rows)
            yield place, unit.to_int(-(natural_log(2) + float(log_of_pi()) + 1 + average) / 2)

    def _log_variances(self, columns: Sequence[int], rows: _Rows) -> NDArray[np.float64] | None:
        """Return the log of the variance of each column that a regression on the others leaves; None if none does."""
        chosen = self._integers.only(columns)
        sums = IntegerColumns(
            chosen.integers[rows], chosen.exponents, chosen.centres, chosen.scales, chosen.exact
        ).sums()
        diagonal = np.array([float(sums.scatter[i, i]) for i in range(len(columns))])
        # The sums are those of squares times the number of rows.
        if (diagonal < self._least_variance * sums.rows**2).any():
            return None
        roots = np.sqrt(diagonal)
        correlations = sums.scatter.astype(np.float64) / np.outer(roots, roots)
        if np.linalg.eigvalsh(correlations)[0] < _LEAST_EIGENVALUE:
            return None
        left = 1 / np.diag(np.linalg.inv(correlations))
        own = [
            natural_log(int(sums.scatter[i, i])) - 2 * natural_log(sums.rows) + 2 * chosen.exponents[i] * natural_log(2)
            for i in range(len(columns))
        ]
        return np.array([log + natural_log(float(share)) for log, share in zip(own, left, strict=True)])


def penalty_per_parameter(rows: int, variables: int, exponent: float) -> float:
    """Return what a parameter costs, the same number on every platform.

    >>> penalty_per_parameter(10_000, 5, 0.25)
    0.02
    """
    with localcontext(context()):
        return float(Decimal(max(rows, 1)) ** -decimal_of(Fraction(exponent)) / variables)


PNAL = ScoreDefinition(
    name="pnal",
    title="penalised node-average likelihood",
    citation="bodewes2021",
    score_equivalent=False,
    functions=NodeAverages,
    data_type=MixedData,
    parameters=(EXPONENT,),
    is_evidence=False,
    ruled_out=edges_into_discrete,
    rule=DISCRETE_RULE,
    takes_missing=True,
    why_no_posterior="is the average log-likelihood of a row, not a probability of the data",
)
