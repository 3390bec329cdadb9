r"""Fitting the regressions of measured variables to data, given the structure.

*Maximum likelihood* is least squares, with an intercept, in each state of the discrete parents: with *m* rows, *p*
measured parents and the residual sum of squares *RSS*, the standard deviation is :math:`\sqrt{RSS / (m - p - 1)}`, as
in bnlearn [scutari2010]_. A coefficient has the standard error of least squares, with m - p - 1 degrees of freedom.

*Posterior means* are those under the prior of the score BGe [geiger2002]_, [kuipers2014]_. Given the rows of a state,
the covariance matrix of the variables :math:`Y = P ∪ v` has an inverse Wishart distribution with
:math:`δ = α_w - n + m + |Y|` degrees of freedom and the matrix :math:`R_{YY}`, where, with the scatter matrix *S* about
the means :math:`\bar x` of these rows,

.. math:: R = T + S + \frac{m\,α_μ}{m + α_μ} (\bar x - ν)(\bar x - ν)^T

and given it, their means have the covariance matrix divided by :math:`α_μ + m`, about
:math:`ν' = (α_μ ν + m \bar x)/(α_μ + m)`. Hence, for the regression of *v* on *P*,

.. math::

    σ^2 \sim \text{Inv-Gamma}(δ/2,\ r/2), \qquad r = R_{vv} - R_{vP} R_{PP}^{-1} R_{Pv}

    β \mid σ^2 \sim N(R_{PP}^{-1} R_{Pv},\ σ^2 R_{PP}^{-1}), \qquad
    α \mid β, σ^2 \sim N(ν'_v - β^T ν'_P,\ σ^2/(α_μ + m))

so that :math:`E[β] = R_{PP}^{-1} R_{Pv}`, :math:`E[α] = ν'_v - E[β]^T ν'_P` and :math:`E[σ^2] = r/(δ - 2)`. A
coefficient has a Student distribution with δ degrees of freedom; its scale, the standard error, is the square root of
:math:`(r/δ) (R_{PP}^{-1})_{jj}`, and of :math:`(r/δ)(1/(α_μ + m) + ν'^T_P R_{PP}^{-1} ν'_P)` for the intercept. One
Cholesky factor of :math:`R_{YY}`, with *v* last, has it all. Without rows, this is the prior. If columns are nearly
dependent and the prior is so weak that earlier columns leave less than :math:`10^{-10}` of an entry of the diagonal,
rounding would spoil the result, and the columns are refused.

T and ν come from all rows, never from a state; n counts measured variables. Rows in which *v* was set do not count.

*Notation*: α, β, σ are ``intercept``, ``coefficients`` and ``sd``. Columns are standardised before anything is
computed, and the results are converted back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, argument
from dagscape.core.masks import bits
from dagscape.core.wording import plural
from dagscape.data.tables.table import listing
from dagscape.networks.discrete.families import MAX_PARENTS, check_available_memory, parent_states
from dagscape.networks.discrete.fitting import FamilyFitter, FitPrior
from dagscape.networks.gaussian.priors import Columns, RegressionPrior
from dagscape.networks.gaussian.regression import Regression

if TYPE_CHECKING:
    from dagscape.graphs.dag import Dag
    from dagscape.networks.gaussian.rows import Rows

Floats = NDArray[np.float64]
Levels = Mapping[str, tuple[str, ...]]
Method = Literal["posterior-mean", "ml"]

METHODS: tuple[Method, ...] = ("posterior-mean", "ml")

# Parents whose smallest singular value, relative to the largest, is lower are linearly dependent, as in R's lm().
_LEAST_SINGULAR = 1e-7
# What is left of a variable by rounding alone, relative to its sum of squares.
_LEAST_RESIDUAL = 1e-20
# The least share of a diagonal entry of R that earlier columns may leave: below, results have fewer than six digits.
_LEAST_SHARE = 1e-10
_BYTES_PER_NUMBER = 24


class _Fitted(NamedTuple):
    """A regression in one state, in standardised columns; the intercept is at the means of the columns."""

    intercept: float
    coefficients: Floats
    variance: float
    # The square of the scale, and the inverse matrix that it goes with: of the coefficients, and of the intercept.
    scale: float
    inverse: Floats
    centre: Floats
    of_centre: float
    freedom: float


def fit_tables(dag: Dag, rows: Rows, levels: Levels, method: Method, ess: float) -> dict[str, Floats]:
    """Return the tables of the discrete variables: expectations under a Dirichlet prior, or shares of the rows."""
    check_choice(method, METHODS, "method")
    weights = np.ones(len(rows.values), dtype=np.int64)
    prior: FitPrior = "none" if method == "ml" else "bdeu"
    fitter = FamilyFitter.of_codes(_arities(dag, levels), rows.codes, weights, rows.free, ess, prior)
    found = {}
    for v, (name, parents) in enumerate(zip(dag.variables, dag.parent_masks, strict=True)):
        if name in levels:
            _check_size(name, fitter.shape(v, parents), parents)
            found[name] = fitter.fit(v, parents)
    return found


def fit_regressions(
    dag: Dag, rows: Rows, levels: Levels, method: Method, prior: RegressionPrior
) -> dict[str, Regression]:
    """Return the regressions of the measured variables."""
    check_choice(method, METHODS, "method")
    measured = [v for v, name in enumerate(dag.variables) if name not in levels]
    prior = prior.checked(len(measured))
    if not measured:
        return {}
    names = tuple(dag.variables[v] for v in measured)
    columns = Columns.of(rows.values[:, measured], names)
    places = {v: place for place, v in enumerate(measured)}
    fitter = _Fitter(dag, rows, _arities(dag, levels), columns, places, prior, method)
    return {dag.variables[v]: fitter.fit(v) for v in measured}


@dataclass(frozen=True, slots=True, eq=False)
class _Fitter:
    """Fits one measured variable after the other; ``places`` are those of measured variables among the columns."""

    dag: Dag
    rows: Rows
    arities: list[int]
    columns: Columns
    places: dict[int, int]
    prior: RegressionPrior
    method: Method

    def fit(self, variable: int) -> Regression:
        """Return the regression of a variable, in each state of its discrete parents."""
        parents = list(bits(self.dag.parent_masks[variable]))
        discrete = [parent for parent in parents if parent not in self.places]
        own = [self.places[parent] for parent in parents if parent in self.places]
        shape = tuple(self.arities[parent] for parent in discrete)
        _check_size(self.dag.variables[variable], (*shape, 3 + 2 * len(own)), self.dag.parent_masks[variable])
        states = parent_states(self.rows.codes, discrete, self.arities)
        free = np.ones(len(states), dtype=np.bool_) if self.rows.free is None else self.rows.free[:, variable]
        found = _Arrays.of(math.prod(shape), len(own))
        order = np.flatnonzero(free)[np.argsort(states[free], kind="stable")]
        starts = np.searchsorted(states[order], np.arange(math.prod(shape) + 1))
        fit: Callable[[Floats, int, list[int]], _Fitted] = self._posterior
        if self.method == "ml":
            fit = self._least_squares
        for state in range(math.prod(shape)):
            values = self.columns.values[order[starts[state] : starts[state + 1]]]
            found.put(state, fit(values, self.places[variable], own), self.columns, self.places[variable], own)
        return found.regression(shape)

    def _posterior(self, values: Floats, child: int, parents: list[int]) -> _Fitted:
        m, n, members = len(values), len(self.places), [*parents, child]
        alpha = self.prior.alpha_mu
        nu = self.prior.means(self.columns.means, self.columns.sds)[members]
        own = values[:, members]
        mean = own.mean(axis=0) if m else nu
        apart = own - mean
        matrix = np.diag(self.prior.diagonal(n, self.columns.sds)[members]) + apart.T @ apart
        with np.errstate(over="ignore", invalid="ignore"):
            matrix += m * alpha / (m + alpha) * np.outer(mean - nu, mean - nu)
        centre = (alpha * nu + m * mean) / (alpha + m)
        root = self._root(matrix, members)
        inverse_root = np.linalg.inv(root[:-1, :-1])
        coefficients = inverse_root.T @ root[-1, :-1]
        left, freedom = float(root[-1, -1]) ** 2, self.prior.freedom(n) + m + len(members)
        return _Fitted(
            intercept=float(centre[-1] - coefficients @ centre[:-1]),
            coefficients=coefficients,
            variance=left / (freedom - 2),
            scale=left / freedom,
            inverse=inverse_root.T @ inverse_root,
            centre=centre[:-1],
            of_centre=1 / (alpha + m),
            freedom=freedom,
        )

    def _root(self, matrix: Floats, members: list[int]) -> Floats:
        """Return the Cholesky factor of R; refuse columns that are so dependent that it has few digits."""
        diagonal = np.diag(matrix)
        if not (np.isfinite(matrix).all() and diagonal.all()):
            names = listing([self._name(member) for member in members])
            raise InvalidData(
                f"the prior of {names} is too far from the data for double precision: use {self.prior.remedy}"
            )
        root = np.zeros_like(matrix)
        with suppress(np.linalg.LinAlgError):
            root[:] = np.linalg.cholesky(matrix)
        if (np.diag(root) ** 2 > _LEAST_SHARE * diagonal).all():
            return root
        # The direction in which the columns, in units of the roots of the diagonal, hardly vary.
        sizes = np.sqrt(diagonal)
        direction = np.abs(np.linalg.eigh(matrix / sizes / sizes[:, np.newaxis])[1][:, 0])
        names = listing([self._name(member) for member, part in zip(members, direction, strict=True) if part > 1e-3])
        remedy = f"use {self.prior.remedy}, or " if self.prior.remedy else ""
        raise InvalidData(
            f"{names} are linearly dependent, and the prior is too weak to tell them apart in double precision: "
            f"{remedy}leave one of them out ({argument('drop')})"
        )

    def _least_squares(self, values: Floats, child: int, parents: list[int]) -> _Fitted:
        m, p, name = len(values), len(parents), self._name(child)
        if m < p + 2:
            discrete = any(self.dag.number(parent) not in self.places for parent in self.dag.parents(name))
            where = " in a state of its discrete parents" if discrete else ""
            raise InvalidData(
                f"{name!r} has {plural(m, 'row')}{where}; with {plural(p, 'measured parent')}, least squares needs "
                f"{p + 2}: use posterior means, which have a prior"
            )
        means = values.mean(axis=0)
        above, own = values[:, parents] - means[parents], values[:, child] - means[child]
        q, singular, turned = np.linalg.svd(above, full_matrices=False)
        if p and singular[-1] <= _LEAST_SINGULAR * singular[0]:
            raise InvalidData(
                f"the measured parents of {name!r} are linearly dependent: leave one out, or use posterior means, "
                "which have a prior"
            )
        along = q.T @ own
        left = own - q @ along
        squares = float((left * left).sum())
        if squares <= _LEAST_RESIDUAL * float((own * own).sum()):
            what = "is determined by its parents" if p else "has a single value in a state of its parents"
            raise InvalidData(f"{name!r} {what}, so that it has no variance: leave out the variable")
        inverse_root = turned.T / singular
        coefficients = inverse_root @ along
        variance = squares / (m - p - 1)
        return _Fitted(
            intercept=float(means[child] - coefficients @ means[parents]),
            coefficients=coefficients,
            variance=variance,
            scale=variance,
            inverse=inverse_root @ inverse_root.T,
            centre=means[parents],
            of_centre=1 / m,
            freedom=m - p - 1,
        )

    def _name(self, place: int) -> str:
        return next(self.dag.variables[v] for v, own in self.places.items() if own == place)


@dataclass(frozen=True, slots=True, eq=False)
class _Arrays:
    """The regressions of one variable, states × numbers, in the units of the data."""

    intercept: Floats
    coefficients: Floats
    sd: Floats
    errors: Floats
    freedom: Floats

    @classmethod
    def of(cls, states: int, parents: int) -> _Arrays:
        return cls(
            np.empty(states),
            np.empty((states, parents)),
            np.empty(states),
            np.empty((states, 1 + parents)),
            np.empty(states),
        )

    def put(self, state: int, found: _Fitted, columns: Columns, child: int, parents: list[int]) -> None:
        """Convert a regression of standardised columns to the units of the data."""
        own, above = columns.sds[child], columns.sds[parents]
        # The intercept is where all parents are 0, not at the means of their columns.
        away = columns.means[parents] / above
        zero = found.centre + away
        at_zero = found.of_centre + zero @ found.inverse @ zero
        self.intercept[state] = columns.means[child] + own * (found.intercept - found.coefficients @ away)
        self.sd[state] = own * math.sqrt(found.variance)
        self.errors[state, 0] = own * math.sqrt(found.scale * at_zero)
        self.freedom[state] = found.freedom
        # Numbers that are too large are refused when the regression is checked.
        with np.errstate(over="ignore"):
            self.coefficients[state] = found.coefficients * (own / above)
            self.errors[state, 1:] = own / above * np.sqrt(found.scale * np.diag(found.inverse))

    def regression(self, shape: tuple[int, ...]) -> Regression:
        """Return the regression, with an axis for each discrete parent."""
        return Regression(
            self.intercept.reshape(shape),
            self.coefficients.reshape(*shape, -1) if self.coefficients.size else np.zeros((*shape, 0)),
            self.sd.reshape(shape),
            self.errors.reshape(*shape, self.errors.shape[1]),
            self.freedom.reshape(shape),
        )


def _arities(dag: Dag, levels: Levels) -> list[int]:
    """Return the number of levels of each variable; 1 for a measured one."""
    return [len(levels[name]) if name in levels else 1 for name in dag.variables]


def _check_size(name: str, shape: tuple[int, ...], parents: int) -> None:
    if parents.bit_count() > MAX_PARENTS:
        raise InvalidData(f"{name!r} has {parents.bit_count()} parents; the limit is {MAX_PARENTS}")
    count = math.prod(shape)
    what = f"{count:,} parameters of {name!r}"
    check_available_memory(_BYTES_PER_NUMBER * count, what, "use a graph with fewer discrete parents")
