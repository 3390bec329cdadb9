r"""Expected moments of incomplete rows with measured variables, their likelihood, and draws of their holes.

In a given state of the discrete variables, each measured variable that was not set has an equation,

.. math:: x_i = a_i + \sum_j b_{ij} x_j + s_i z_i,

with independent standard normal errors *z*. With the observed values entered, these are equations for the hidden ones,
*h*: :math:`z = (L h - c)/s`, where *L* depends on the state alone and *c* on the row. Hence, with the QR decomposition
:math:`L/s = Q R` and :math:`y = c/s`,

.. math::

    h \mid x \sim N(R^{-1} Q^T y,\ (R^T R)^{-1}), \qquad
    \ln p(x) = -\frac{|y - Q Q^T y|^2}{2} - \sum_i \ln s_i - \sum_j \ln |R_{jj}| - \frac{|x|}{2} \ln 2π.

Discrete holes are enumerated: each *configuration* of them has the probability that the tables give it times the
density of the observed numbers in it [lauritzen1995]_. A family of a measured variable needs, for each state of its
discrete parents, the expected number of rows, and the expected sums and products of its members: those of the means of
*h*, plus its covariance matrix. A family of a discrete variable needs expected counts.

*Cost.* For each set of holes and each state of the discrete parents of measured variables that its rows may be in, one
QR decomposition; for each row, its configurations, of which there may be :data:`MOST_CONFIGURATIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import TooLarge, argument
from dagscape.core.masks import bits
from dagscape.core.wording import plural
from dagscape.networks.discrete.families import parent_states, table_entries
from dagscape.networks.gaussian.model import Floats, Integers, LinearModel
from dagscape.networks.gaussian.rows import Rows

_LOG_ROOT = 0.5 * math.log(2 * math.pi)

# The most configurations of the discrete holes of a row.
MOST_CONFIGURATIONS = 4096

# Numbers of a block of rows with their configurations.
_BLOCK = 2**20


class Moments(NamedTuple):
    """Expected sums over rows of a measured variable and its measured parents, for each state of its discrete parents.

    The members are the parents in the order of their numbers, then the variable.

    Attributes
    ----------
    rows : array, states
        The expected number of rows.
    sums : array, states × members
        The expected sums.
    products : array, states × members × members
        The expected sums of products.
    """

    rows: Floats
    sums: Floats
    products: Floats


class ExpectedMoments(NamedTuple):
    """What a network says about incomplete rows.

    Attributes
    ----------
    counts : dict of int to array
        For each discrete variable, the expected counts of its table, without rows in which it was set; if it was set in
        every row and has no parents, how often each level was chosen.
    moments : dict of int to Moments
        For each measured variable, likewise.
    log_likelihood : float
        The logarithm of the probability and density of all observed cells.
    """

    counts: dict[int, Floats]
    moments: dict[int, Moments]
    log_likelihood: float


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Rows with holes in the same places, in which the same variables were set; all sets are lists of variables."""

    rows: NDArray[np.intp]
    hidden_levels: list[int]
    hidden: list[int]
    # The discrete and the measured variables that were not set.
    tables: list[int]
    equations: list[int]
    configurations: Integers


class IncompleteMeasured:
    """Expected moments of some rows under networks of the same structure.

    Parameters
    ----------
    parents : sequence of int
        The parents of each variable, as a set.
    arities : sequence of int
        The number of levels of each variable; 1 for a measured one.
    measured : int
        The measured variables, as a set.
    rows : Rows
        The rows, NaN where a cell is missing.
    names : sequence of str
        The names of the variables, for messages.
    """

    def __init__(
        self, parents: Sequence[int], arities: Sequence[int], measured: int, rows: Rows, names: Sequence[str]
    ) -> None:
        """Group the rows by their holes."""
        self.parents, self.arities, self.rows = list(parents), list(arities), rows
        self.measured = list(bits(measured))
        self._is_measured = measured
        self._codes, self._values = rows.codes, rows.values
        # Discrete variables that were set in every row and have no parents: their tables say how often each level was
        # chosen, and are part of neither likelihood nor prior.
        self.only_chosen = [
            v
            for v, mask in enumerate(self.parents)
            if not (mask or measured >> v & 1 or rows.chosen is None) and rows.chosen[:, v].all()
        ]
        # The discrete variables whose state decides about the equations.
        self._deciding = sorted({d for v in self.measured for d in bits(self.parents[v] & ~measured)})
        self._patterns = [self._pattern(*found, names) for found in rows.patterns()]

    @property
    def incomplete(self) -> int:
        """The number of rows with holes."""
        return int(np.isnan(self._values).any(axis=1).sum())

    def expected(self, model: LinearModel) -> ExpectedMoments:
        """Return the expected moments, the expected counts and the likelihood under a network."""
        counts = {v: np.zeros(self._size(v)) for v in range(len(self.parents)) if not self._is_measured >> v & 1}
        moments = {v: self._no_moments(v) for v in self.measured}
        for v in self.only_chosen:
            shown = ~np.isnan(self._values[:, v])
            counts[v] += np.bincount(self._codes[shown, v], minlength=counts[v].size)
        logs = []
        for pattern, rows in self._blocks():
            found = self._solved(model, pattern, rows)
            logs.append(math.fsum(found.logs.tolist()))
            for v in pattern.tables:
                scope = [*bits(self.parents[v]), v]
                cells = parent_states(found.codes, scope, self.arities)
                counts[v] += np.bincount(cells, weights=found.shares, minlength=counts[v].size)
            if pattern.equations:
                self._add_moments(moments, pattern, found)
        shaped = {v: count.reshape(model.tables.cpts[v].shape) for v, count in counts.items()}
        return ExpectedMoments(shaped, moments, math.fsum(logs))

    def complete_family(self, variable: int) -> Moments | Floats:
        """Return the moments or the counts of the rows that are complete in a family."""
        scope = [*bits(self.parents[variable]), variable]
        kept = ~np.isnan(self._values[:, scope]).any(axis=1)
        if self.rows.chosen is not None and variable not in self.only_chosen:
            kept &= ~self.rows.chosen[:, variable]
        codes, values = self._codes[kept], self._values[kept]
        if not self._is_measured >> variable & 1:
            shape = [self.arities[v] for v in scope]
            cells = parent_states(codes, scope, self.arities)
            return np.bincount(cells, minlength=math.prod(shape)).astype(np.float64).reshape(shape)
        found = self._no_moments(variable)
        states = parent_states(codes, [v for v in scope if not self._is_measured >> v & 1], self.arities)
        own = values[:, [v for v in scope if self._is_measured >> v & 1]]
        np.add.at(found.rows, states, 1.0)
        np.add.at(found.sums, states, own)
        np.add.at(found.products, states, own[:, :, np.newaxis] * own[:, np.newaxis])
        return found

    def totals(self, model: LinearModel) -> list[tuple[NDArray[np.bool_], Moments]]:
        """Return the moments of all measured variables, for each set of variables that were set in some rows.

        There must be no discrete variables.
        """
        found: dict[bytes, tuple[NDArray[np.bool_], Moments]] = {}
        n = len(self.measured)
        for pattern, rows in self._blocks():
            marks = np.array([v not in pattern.equations for v in self.measured], dtype=np.bool_)
            nothing = Moments(np.zeros(()), np.zeros(n), np.zeros((n, n)))
            _, own = found.setdefault(marks.tobytes(), (marks, nothing))
            for _, part in self._by_state(pattern, self._solved(model, pattern, rows)):
                own.rows[...] += part.rows
                own.sums[...] += part.sums
                own.products[...] += part.products
        return list(found.values())

    def draw(self, model: LinearModel, rng: np.random.Generator) -> Floats:
        """Return the rows with a draw of their holes, given what each row shows: independent and exact."""
        values = self._values.copy()
        for pattern, rows in self._blocks():
            found = self._solved(model, pattern, rows)
            configurations = len(pattern.configurations)
            cumulative = np.cumsum(found.shares.reshape(len(rows), configurations), axis=1)
            threshold = rng.random(len(rows))[:, np.newaxis] * cumulative[:, -1:]
            chosen = np.minimum((cumulative <= threshold).sum(axis=1), configurations - 1)
            flat = np.arange(len(rows)) * configurations + chosen
            values[rows[:, np.newaxis], pattern.hidden_levels] = found.codes[flat][:, pattern.hidden_levels]
            if pattern.hidden:
                normal = rng.standard_normal((len(rows), len(pattern.hidden)))
                own = found.roots[found.states[flat]]
                drawn = found.means[flat] + np.linalg.solve(own, normal[..., np.newaxis])[..., 0]
                values[rows[:, np.newaxis], pattern.hidden] = drawn
        return values

    def _size(self, variable: int) -> int:
        return math.prod(self.arities[u] for u in (*bits(self.parents[variable]), variable))

    def _no_moments(self, variable: int) -> Moments:
        states = math.prod(self.arities[d] for d in bits(self.parents[variable] & ~self._is_measured))
        members = (self.parents[variable] & self._is_measured).bit_count() + 1
        return Moments(np.zeros(states), np.zeros((states, members)), np.zeros((states, members, members)))

    def _pattern(self, known: int, chosen: int, rows: NDArray[np.intp], names: Sequence[str]) -> _Pattern:
        every = range(len(self.parents))
        hidden_levels = [v for v in every if not (known | self._is_measured) >> v & 1]
        shape = [self.arities[v] for v in hidden_levels]
        if math.prod(shape) > MOST_CONFIGURATIONS:
            listed = ", ".join(repr(names[v]) for v in hidden_levels[:4])
            more = ", …" if len(hidden_levels) > 4 else ""
            raise TooLarge(
                f"a row lacks {plural(len(hidden_levels), 'discrete variable')} ({listed}{more}) with "
                f"{math.prod(shape):,} joint states; with measured variables, the limit is {MOST_CONFIGURATIONS:,}: "
                f"leave out such rows, or columns with many missing cells ({argument('drop')})"
            )
        grid = np.indices(shape).reshape(len(shape), math.prod(shape)).T.astype(np.int64)
        return _Pattern(
            rows=rows,
            hidden_levels=hidden_levels,
            hidden=[v for v in self.measured if not known >> v & 1],
            tables=[v for v in every if not (chosen | self._is_measured) >> v & 1],
            equations=[v for v in self.measured if not chosen >> v & 1],
            configurations=grid,
        )

    def _blocks(self) -> Iterator[tuple[_Pattern, NDArray[np.intp]]]:
        """Iterate over the patterns, a block of rows at a time."""
        for pattern in self._patterns:
            width = len(pattern.configurations) * (len(self.parents) + len(self.measured) * (1 + len(pattern.hidden)))
            block = max(1, _BLOCK // width)
            for start in range(0, len(pattern.rows), block):
                yield pattern, pattern.rows[start : start + block]

    def _solved(self, model: LinearModel, pattern: _Pattern, rows: NDArray[np.intp]) -> _Solved:
        """Return the rows of a pattern in each configuration of their discrete holes."""
        configurations = len(pattern.configurations)
        codes = np.repeat(self._codes[rows], configurations, axis=0)
        codes[:, pattern.hidden_levels] = np.tile(pattern.configurations, (len(rows), 1))
        values = np.repeat(self._values[rows], configurations, axis=0)
        logs = np.zeros(len(codes))
        with np.errstate(divide="ignore"):
            for v in pattern.tables:
                parents = list(bits(self.parents[v]))
                logs += np.log(table_entries(model.tables.cpts[v], codes, parents, v, self.arities))
        deciding = parent_states(codes, self._deciding, self.arities)
        _, first, states = np.unique(deciding, return_index=True, return_inverse=True)
        states = states.ravel()
        system = _System.of(model, pattern, self.measured, codes[first])
        means, densities = system.solve(values, states)
        logs += densities
        by_row = logs.reshape(len(rows), configurations)
        top = by_row.max(axis=1, keepdims=True)
        shares = np.exp(by_row - top)
        totals = shares.sum(axis=1, keepdims=True)
        return _Solved(
            codes=codes,
            values=values,
            states=states,
            shares=(shares / totals).ravel(),
            means=means,
            roots=system.roots,
            logs=(top + np.log(totals))[:, 0],
        )

    def _add_moments(self, moments: dict[int, Moments], pattern: _Pattern, found: _Solved) -> None:
        """Add the moments of some rows to those of the variables that were not set in them."""
        place = {v: number for number, v in enumerate(self.measured)}
        for codes, own in self._by_state(pattern, found):
            for v in pattern.equations:
                discrete = list(bits(self.parents[v] & ~self._is_measured))
                cell = int(parent_states(codes[np.newaxis], discrete, self.arities)[0])
                members = [*(place[u] for u in bits(self.parents[v] & self._is_measured)), place[v]]
                moments[v].rows[cell] += own.rows
                moments[v].sums[cell] += own.sums[members]
                moments[v].products[cell] += own.products[np.ix_(members, members)]

    def _by_state(self, pattern: _Pattern, found: _Solved) -> Iterator[tuple[Integers, Moments]]:
        """Iterate over the states of the deciding variables: codes in that state, and the moments of all variables."""
        values = found.values[:, self.measured]
        hidden = [self.measured.index(v) for v in pattern.hidden]
        values[:, hidden] = found.means
        order = np.argsort(found.states, kind="stable")
        starts = np.searchsorted(found.states[order], np.arange(len(found.roots) + 1))
        for state, (begin, end) in enumerate(pairwise(starts.tolist())):
            own = order[begin:end]
            shares = found.shares[own]
            weighed = values[own] * shares[:, np.newaxis]
            products = values[own].T @ weighed
            rows = shares.sum()
            if hidden:
                inverse = np.linalg.inv(found.roots[state])
                products[np.ix_(hidden, hidden)] += rows * (inverse @ inverse.T)
            yield found.codes[own[0]], Moments(rows, weighed.sum(axis=0), products)


class _Solved(NamedTuple):
    """Rows in each configuration of their discrete holes: rows times configurations, one after the other.

    Attributes
    ----------
    codes, values : array
        The rows with their discrete holes filled in.
    states : array of int
        The state of the deciding variables, as a number of the roots.
    shares : array
        The probability of each configuration given what the row shows; they sum to 1 in each row.
    means : array, rows and configurations × hidden
        The expected values of the measured holes.
    roots : array, states × hidden × hidden
        R: the inverse of the covariance matrix of the measured holes is R^T R.
    logs : array, rows
        The logarithm of the probability and density of what each row shows.
    """

    codes: Integers
    values: Floats
    states: Integers
    shares: Floats
    means: Floats
    roots: Floats
    logs: Floats


@dataclass(frozen=True, slots=True)
class _System:
    """The equations of a pattern, for each state of the deciding variables."""

    pattern: _Pattern
    intercepts: Floats  # states × equations
    coefficients: Floats  # states × equations × all variables
    sds: Floats  # states × equations
    orthogonal: Floats  # states × equations × hidden
    roots: Floats  # states × hidden × hidden

    @classmethod
    def of(cls, model: LinearModel, pattern: _Pattern, measured: Sequence[int], codes: Integers) -> _System:
        """Return the equations; ``codes`` has one row for each state."""
        states, n = len(codes), len(model.parents)
        intercepts, sds = np.zeros((2, states, len(pattern.equations)))
        coefficients = np.zeros((states, len(pattern.equations), n))
        for number, v in enumerate(pattern.equations):
            terms = model.terms(v, {d: codes[:, d] for d in model.discrete_parents(v)})
            intercepts[:, number], sds[:, number] = terms.intercept, terms.sd
            coefficients[:, number, model.measured_parents(v)] = terms.coefficients
        left = -coefficients[:, :, pattern.hidden]
        place = {v: number for number, v in enumerate(pattern.equations)}
        for column, v in enumerate(pattern.hidden):
            left[:, place[v], column] += 1.0
        orthogonal, roots = np.linalg.qr(left / sds[:, :, np.newaxis])
        known = [v for v in measured if v not in pattern.hidden]
        kept = np.zeros_like(coefficients)
        kept[:, :, known] = coefficients[:, :, known]
        return cls(pattern, intercepts, kept, sds, orthogonal, roots)

    def solve(self, values: Floats, states: Integers) -> tuple[Floats, Floats]:
        """Return the means of the measured holes, and the log-density of the observed numbers, of each row."""
        known = [v for v in self.pattern.equations if v not in self.pattern.hidden]
        filled = np.where(np.isnan(values), 0.0, values)
        if len(self.roots) == 1:
            right = self.intercepts + filled @ self.coefficients[0].T
        else:
            right = self.intercepts[states] + np.einsum("fen,fn->fe", self.coefficients[states], filled)
        place = {v: number for number, v in enumerate(self.pattern.equations)}
        right[:, [place[v] for v in known]] -= filled[:, known]
        right /= self.sds[states]
        if len(self.roots) == 1:
            along = right @ self.orthogonal[0]
            left = right - along @ self.orthogonal[0].T
            means = np.linalg.solve(self.roots[0], along.T).T
        else:
            along = np.einsum("feh,fe->fh", self.orthogonal[states], right)
            left = right - np.einsum("feh,fh->fe", self.orthogonal[states], along)
            means = np.linalg.solve(self.roots[states], along[..., np.newaxis])[..., 0]
        sizes = np.log(self.sds).sum(axis=1)
        sizes += np.log(np.abs(np.diagonal(self.roots, axis1=1, axis2=2))).sum(axis=1)
        return means, -0.5 * (left * left).sum(axis=1) - sizes[states] - len(known) * _LOG_ROOT
