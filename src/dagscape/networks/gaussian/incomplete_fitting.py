r"""Fitting tables and regressions to incomplete rows, by EM (:mod:`dagscape.networks.expectation_maximisation`).

With the expected number of rows *m*, the means and the scatter matrix *S* of a family in a state of its discrete
parents (:mod:`dagscape.networks.gaussian.incomplete`), the M-step is that for complete rows
(:mod:`dagscape.networks.gaussian.fitting`, whose notation this is): posterior means, or maximum likelihood. Posterior
means maximise the likelihood times a prior with

.. math::

    -\frac{α_w - n + |Y| - 2}{2} \ln σ^2
    - \frac{T_{vv} + β^T T_{PP} β + α_μ (ν_v - α - β^T ν_P)^2}{2 σ^2}

as its logarithm, up to a constant. Maximum likelihood has *m* as the denominator of the variance, and not the degrees
of freedom m − p − 1, because otherwise the likelihood could fall. The tables are fitted as those of discrete networks.

ν and the scale of the prior come from the observed cells, and columns are standardised by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidData, argument
from dagscape.core.masks import bits, mask_of
from dagscape.core.randomness import random_generator
from dagscape.core.wording import plural
from dagscape.networks.discrete.elimination import Tables
from dagscape.networks.discrete.fitting import FIT_PRIORS, check_pseudocounts, expected_table
from dagscape.networks.expectation_maximisation import (
    EMOptions,
    Ended,
    IncompleteFit,
    Step,
    checked_options,
    maximised,
    tell_if_stopped,
)
from dagscape.networks.gaussian.fitting import METHODS, Levels, Method
from dagscape.networks.gaussian.incomplete import ExpectedMoments, IncompleteMeasured, Moments
from dagscape.networks.gaussian.model import Floats, LinearModel
from dagscape.networks.gaussian.priors import Columns, RegressionPrior
from dagscape.networks.gaussian.regression import Regression
from dagscape.networks.gaussian.rows import Rows

if TYPE_CHECKING:
    from dagscape.graphs.dag import Dag
    from dagscape.networks.gaussian.base import MeasuredNetwork

# The pseudocount, and the prior, with which the first start is fitted to complete families.
_FIRST_PSEUDOCOUNT = 1.0
_FIRST_PRIOR = RegressionPrior()
_RANDOM_SHARE = 0.5

# Below this variance, relative to that of the column, a variable counts as determined by its parents.
_LEAST_VARIANCE = 1e-10


def fit_incomplete(
    dag: Dag, rows: Rows, levels: Levels, method: Method, ess: float, prior: RegressionPrior, options: EMOptions
) -> tuple[dict[str, Floats], dict[str, Regression], IncompleteFit]:
    """Return the tables and the regressions in the units of the data, and how they were found."""
    fitter = IncompleteMeasuredFitter(dag, rows, levels, method, ess, prior)
    clock = Clock(options.get("max_seconds"))
    ended = fitter.fit(clock=clock, **options)
    tell_if_stopped(ended.fit, clock)
    cpts, regressions = fitter.in_units(ended.parameters)
    return cpts, regressions, ended.fit


class IncompleteMeasuredFitter:
    """EM for the tables and regressions of one structure.

    Parameters
    ----------
    dag : Dag
        The structure.
    rows : Rows
        The rows, NaN where a cell is missing.
    levels : mapping of str to tuple of str
        The levels of the discrete variables.
    method, ess, prior
        As in :meth:`dagscape.ConditionalGaussianNetwork.fit`.
    """

    def __init__(
        self, dag: Dag, rows: Rows, levels: Levels, method: Method, ess: float, prior: RegressionPrior
    ) -> None:
        """Standardise the columns by their observed cells."""
        check_choice(method, METHODS, "method")
        check_pseudocounts("bdeu", ess)
        self.dag, self.method, self.ess = dag, method, float(ess)
        self.variables = dag.variables
        self.measured = [v for v, name in enumerate(dag.variables) if name not in levels]
        self.prior = prior.checked(len(self.measured))
        self.arities = [len(levels[name]) if name in levels else 1 for name in dag.variables]
        values = rows.values.copy()
        self.means, self.sds = np.zeros(dag.n), np.ones(dag.n)
        for v in self.measured:
            shown = ~np.isnan(values[:, v])
            column = Columns.of(values[shown, v : v + 1], (dag.variables[v],))
            values[shown, v : v + 1] = column.values
            self.means[v], self.sds[v] = column.means[0], column.sds[0]
        # Numbers that were set have no density.
        random = ~np.isnan(values) if rows.free is None else ~np.isnan(values) & rows.free
        self._jacobian = float(random[:, self.measured].sum(axis=0) @ np.log(self.sds[self.measured]))
        self.rows = Rows(values, rows.chosen)
        self.expectation = IncompleteMeasured(
            dag.parent_masks, self.arities, mask_of(self.measured), self.rows, dag.variables
        )

    def fit(
        self, *, clock: Clock, first: LinearModel | None = None, **options: Unpack[EMOptions]
    ) -> Ended[LinearModel]:
        """Return the best parameters, in standardised columns.

        Parameters
        ----------
        clock : Clock
            The time limit, in place of ``max_seconds``.
        first : LinearModel, optional
            The parameters to begin with.
        **options
            Those of :class:`EMOptions`.
        """
        checked_options(options)
        starts = self._starts(options.get("starts", 1), options.get("seed", 0), first)
        return maximised(self._step, starts, self.expectation.incomplete, options, clock)

    def in_units(self, model: LinearModel) -> tuple[dict[str, Floats], dict[str, Regression]]:
        """Return the tables and the regressions, in the units of the data."""
        cpts, regressions = {}, {}
        for v, name in enumerate(self.variables):
            if v not in model.regressions:
                cpts[name] = model.tables.cpts[v]
                continue
            found, above = model.regressions[v], model.measured_parents(v)
            coefficients = found.coefficients * (self.sds[v] / self.sds[above])
            intercept = self.means[v] + self.sds[v] * found.intercept - coefficients @ self.means[above]
            regressions[name] = Regression(intercept, coefficients, self.sds[v] * found.sd)
        return cpts, regressions

    def _step(self, model: LinearModel) -> Step[LinearModel]:
        found = self.expectation.expected(model)
        log_likelihood = found.log_likelihood - self._jacobian
        return Step(log_likelihood + self._log_prior(model), log_likelihood, self._maximised(found))

    def _maximised(self, found: ExpectedMoments) -> LinearModel:
        """Return the parameters of the M-step."""
        pseudocount = FIT_PRIORS["none" if self.method == "ml" else "bdeu"]
        cpts = {v: expected_table(count, pseudocount(self.ess, count.size)) for v, count in found.counts.items()}
        prior = None if self.method == "ml" else self.prior
        return self._model(cpts, {v: self._regression(v, own, prior) for v, own in found.moments.items()})

    def _model(self, cpts: dict[int, Floats], regressions: dict[int, Regression]) -> LinearModel:
        of_measured = np.ones(1)
        above = [0 if v in regressions else mask for v, mask in enumerate(self.dag.parent_masks)]
        tables = Tables(above, [cpts.get(v, of_measured) for v in range(self.dag.n)])
        return LinearModel(self.dag.parent_masks, tables, regressions, self.dag.order_numbers())

    def _regression(self, variable: int, moments: Moments, prior: RegressionPrior | None) -> Regression:
        """Return the regression of a variable given its moments; without a prior, by maximum likelihood."""
        if prior is None and not moments.rows.any():
            # It was set in every row, and its equation is never used: that of its own column.
            return self._regression(variable, moments, _FIRST_PRIOR)
        own = self._prior_of(variable, prior)
        if prior is None:
            self._check_rows(variable, moments)
        matrix, centre = _posterior(moments, own)
        coefficients = self._solved(variable, matrix)
        left = matrix[:, -1, -1] - (coefficients * matrix[:, -1, :-1]).sum(axis=1)
        variance = left / (own.freedom + moments.rows)
        if not (variance > _LEAST_VARIANCE).all():
            raise self._without_variance(variable)
        intercept = centre[:, -1] - (coefficients * centre[:, :-1]).sum(axis=1)
        shape = tuple(self.arities[d] for d in bits(self.dag.parent_masks[variable] & ~mask_of(self.measured)))
        return Regression(
            intercept.reshape(shape),
            coefficients.reshape(*shape, coefficients.shape[1]),
            np.sqrt(variance).reshape(shape),
        )

    def _solved(self, variable: int, matrix: Floats) -> Floats:
        """Return the coefficients in each state; refuse parents that are linearly dependent."""
        try:
            return np.asarray(np.linalg.solve(matrix[:, :-1, :-1], matrix[:, :-1, -1:])[..., 0])
        except np.linalg.LinAlgError:
            raise self._without_variance(variable) from None

    def _without_variance(self, variable: int) -> InvalidData:
        return InvalidData(
            f"{self.variables[variable]!r} is determined by its parents, or these are linearly dependent, so that the "
            f"likelihood has no maximum: use posterior means, which have a prior, or leave one of them out "
            f"({argument('drop')})"
        )

    def _check_rows(self, variable: int, moments: Moments) -> None:
        """Refuse to maximise the likelihood where a state has too few rows."""
        parents = moments.sums.shape[1] - 1
        fewest = float(moments.rows.min())
        if fewest < parents + 2:
            where = " in a state of its discrete parents" if len(moments.rows) > 1 else ""
            raise InvalidData(
                f"{self.variables[variable]!r} has {fewest:.2g} expected rows{where}; with "
                f"{plural(parents, 'measured parent')}, maximum likelihood needs {parents + 2}: use posterior means, "
                "which have a prior"
            )

    def _prior_of(self, variable: int, prior: RegressionPrior | None) -> _OwnPrior:
        parents = self.dag.parent_masks[variable] & mask_of(self.measured)
        members = [*bits(parents), variable]
        if prior is None:
            return _OwnPrior(0.0, np.zeros(len(members)), np.zeros(len(members)), 0.0)
        places = [self.measured.index(member) for member in members]
        n, means, sds = len(self.measured), self.means[self.measured], self.sds[self.measured]
        return _OwnPrior(
            float(prior.alpha_mu),
            prior.means(means, sds)[places],
            prior.diagonal(n, sds)[places],
            prior.freedom(n) + len(members) - 2,
        )

    def _log_prior(self, model: LinearModel) -> float:
        """Return the log of the prior, up to a constant."""
        if self.method == "ml":
            return 0.0
        total = 0.0
        for v in range(self.dag.n):
            if v in self.expectation.only_chosen:
                continue
            if v not in model.regressions:
                table = model.tables.cpts[v]
                total += FIT_PRIORS["bdeu"](self.ess, table.size) * float(np.log(table).sum())
                continue
            found, own = model.regressions[v], self._prior_of(v, self.prior)
            variance = found.sd**2
            form = own.diagonal[-1] + (found.coefficients**2 * own.diagonal[:-1]).sum(axis=-1)
            apart = own.nu[-1] - found.intercept - (found.coefficients * own.nu[:-1]).sum(axis=-1)
            form = form + own.alpha_mu * apart**2
            total -= float((own.freedom * np.log(variance) / 2 + form / (2 * variance)).sum())
        return total

    def _starts(self, count: int, seed: object, first: LinearModel | None) -> Iterator[LinearModel]:
        own = self._complete_families(self.expectation) if first is None else first
        yield own
        rng = random_generator(seed)  # type: ignore[arg-type]  # checked there
        for _ in range(count - 1):
            cpts = {
                v: (1 - _RANDOM_SHARE) * table
                + _RANDOM_SHARE * rng.dirichlet(np.ones(table.shape[-1]), table.shape[:-1])
                for v, table in enumerate(own.tables.cpts)
                if v not in own.regressions
            }
            regressions = {
                v: Regression(
                    found.intercept + _RANDOM_SHARE * rng.standard_normal(found.intercept.shape),
                    found.coefficients + _RANDOM_SHARE * rng.standard_normal(found.coefficients.shape),
                    found.sd,
                )
                for v, found in own.regressions.items()
            }
            yield self._model(cpts, regressions)

    def begun(self, values: Floats) -> LinearModel:
        """Return parameters to begin with, fitted with a prior to whole rows in the units of the data."""
        standard = Rows((values - self.means) / self.sds)
        measured = mask_of(self.measured)
        return self._complete_families(
            IncompleteMeasured(self.dag.parent_masks, self.arities, measured, standard, self.variables)
        )

    def standardised(self, network: MeasuredNetwork) -> LinearModel:
        """Return the parameters of a network in standardised columns."""
        cpts, regressions = {}, {}
        for v, name in enumerate(self.variables):
            if name in network.cpts:
                cpts[v] = network.cpts[name]
                continue
            found = network.regressions[name]
            above = [self.dag.number(u) for u in self.dag.parents(name) if u in network.regressions]
            intercept = found.intercept + found.coefficients @ self.means[above] - self.means[v]
            slopes = found.coefficients * (self.sds[above] / self.sds[v])
            regressions[v] = Regression(intercept / self.sds[v], slopes, found.sd / self.sds[v])
        return self._model(cpts, regressions)

    def drawn(self, values: Floats, rng: np.random.Generator) -> LinearModel:
        """Return a draw of the parameters given complete standardised rows."""
        rows = Rows(values, self.rows.chosen)
        measured = mask_of(self.measured)
        whole = IncompleteMeasured(self.dag.parent_masks, self.arities, measured, rows, self.variables)
        cpts, regressions = {}, {}
        for v in range(self.dag.n):
            found = whole.complete_family(v)
            if isinstance(found, Moments):
                regressions[v] = self._drawn_regression(v, found, rng)
                continue
            gammas = rng.standard_gamma(found + self.ess / found.size)
            cpts[v] = expected_table(gammas, 0.0)
        return self._model(cpts, regressions)

    def _drawn_regression(self, variable: int, moments: Moments, rng: np.random.Generator) -> Regression:
        """Return a draw from the posterior of a regression, in each state."""
        own = self._prior_of(variable, self.prior)
        matrix, centre = _posterior(moments, own)
        mean = self._solved(variable, matrix)
        left = matrix[:, -1, -1] - (mean * matrix[:, -1, :-1]).sum(axis=1)
        variance = left / 2 / rng.standard_gamma((own.freedom + 2 + moments.rows) / 2)
        roots = np.linalg.cholesky(matrix[:, :-1, :-1])
        noise = np.linalg.solve(roots.transpose(0, 2, 1), rng.standard_normal((*mean.shape, 1)))[..., 0]
        slopes = mean + np.sqrt(variance)[:, np.newaxis] * noise
        error = np.sqrt(variance / (own.alpha_mu + moments.rows)) * rng.standard_normal(len(variance))
        intercept = centre[:, -1] - (slopes * centre[:, :-1]).sum(axis=1) + error
        shape = tuple(self.arities[d] for d in bits(self.dag.parent_masks[variable] & ~mask_of(self.measured)))
        return Regression(
            intercept.reshape(shape), slopes.reshape(*shape, slopes.shape[1]), np.sqrt(variance).reshape(shape)
        )

    def _complete_families(self, rows: IncompleteMeasured) -> LinearModel:
        """Return the parameters fitted, with a prior, to the rows that are complete in each family."""
        cpts, regressions = {}, {}
        for v in range(self.dag.n):
            found = rows.complete_family(v)
            if isinstance(found, Moments):
                regressions[v] = self._regression(v, found, _FIRST_PRIOR)
            else:
                cpts[v] = expected_table(found, _FIRST_PSEUDOCOUNT)
        return self._model(cpts, regressions)


def _posterior(moments: Moments, own: _OwnPrior) -> tuple[Floats, Floats]:
    """Return R and ν' of a regression, in each state."""
    rows = moments.rows[:, np.newaxis]
    means = np.divide(moments.sums, rows, out=np.broadcast_to(own.nu, moments.sums.shape).copy(), where=rows > 0)
    matrix = moments.products - rows[..., np.newaxis] * means[:, :, np.newaxis] * means[:, np.newaxis]
    apart = means - own.nu
    weight = np.divide(own.alpha_mu * rows, own.alpha_mu + rows, out=np.zeros_like(rows), where=rows > 0)
    matrix = matrix + np.diag(own.diagonal) + weight[..., np.newaxis] * apart[:, :, np.newaxis] * apart[:, np.newaxis]
    centre = (own.alpha_mu * own.nu + rows * means) / (own.alpha_mu + rows)
    return matrix, centre


@dataclass(frozen=True, slots=True)
class _OwnPrior:
    """The prior of one regression in standardised columns.

    Attributes
    ----------
    alpha_mu : float
        α_μ.
    nu, diagonal : array
        ν and the diagonal of T, of the members.
    freedom : float
        What the denominator of the variance has besides the number of rows.
    """

    alpha_mu: float
    nu: Floats
    diagonal: Floats
    freedom: float
