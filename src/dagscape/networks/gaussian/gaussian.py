"""Gaussian networks: a DAG with a linear regression of each variable on its parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_unicode
from dagscape.data.continuous.numeric import NumericData, sorted_data
from dagscape.data.tables.value_types import ValueType
from dagscape.data.values import as_mixed, as_numeric
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.checks import check_keys, check_variables, checked_structure
from dagscape.networks.expectation_maximisation import EMOptions, FitMissing, IncompleteFit, uses_em
from dagscape.networks.gaussian.base import MeasuredNetwork
from dagscape.networks.gaussian.fitting import Method, fit_regressions
from dagscape.networks.gaussian.incomplete_fitting import fit_incomplete
from dagscape.networks.gaussian.moments import covariance_of, means_of
from dagscape.networks.gaussian.priors import RegressionPrior
from dagscape.networks.gaussian.regression import Regression, checked_regression
from dagscape.networks.gaussian.rows import rows_to_fit
from dagscape.networks.gaussian.sampling import sampled_values
from dagscape.networks.writing import GAUSSIAN

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GaussianNetwork(MeasuredNetwork):
    """An immutable Bayesian network of measured variables, which are jointly normal.

    Two networks are equal if their graphs, coefficients and standard deviations are.

    Parameters
    ----------
    dag : Dag
        The structure.
    regressions : mapping of str to Regression
        The regression of each variable on its parents, with the coefficients in the order of ``dag.parents(variable)``.
    name : str
        The name of the network.
    incomplete_fit : IncompleteFit or None
        How it was fitted, if that was to incomplete rows; files do not keep it.

    Examples
    --------
    >>> from dagscape.graphs.dag import Dag
    >>> dag = Dag(["height", "weight"], [("height", "weight")])
    >>> people = GaussianNetwork(
    ...     dag, {"height": Regression(170.0, [], 10.0), "weight": Regression(-90.0, [0.95], 8.0)}
    ... )
    >>> people
    GaussianNetwork(2 variables, 1 edge, 5 free parameters)
    >>> people.query("weight", {"height": 180})
    NormalMixture(weight: mean 81, sd 8, 1 component)
    >>> people.mean.tolist(), people.covariance.round(2).tolist()
    ([170.0, 71.5], [[100.0, 95.0], [95.0, 154.25]])
    """

    kind: ClassVar[str] = GAUSSIAN

    dag: Dag
    regressions: Mapping[str, Regression]
    name: str = ""
    incomplete_fit: IncompleteFit | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dag", checked_structure(self.dag))
        check_variables(self.variables)
        check_unicode([self.name], "the name of the network")
        check_keys(self.variables, self.regressions, "regression")
        found = {}
        for variable, mask in zip(self.variables, self.dag.parent_masks, strict=True):
            given = self.regressions[variable]
            found[variable] = checked_regression(variable, given, (), mask.bit_count(), root=not mask)
        object.__setattr__(self, "regressions", MappingProxyType(found))

    @classmethod
    def fit(
        cls,
        dag: Dag,
        data: Any,
        method: Method = "posterior-mean",
        *,
        alpha_mu: float = 1.0,
        alpha_w: float | Literal["n+2"] = "n+2",
        nu: float | Literal["means"] = "means",
        scale: Literal["standardize", "none"] = "standardize",
        name: str = "",
        missing: FitMissing = "error",
        **options: Unpack[EMOptions],
    ) -> Self:
        """Fit the regressions of a network with a given structure to data.

        Rows in which a variable was set do not count for its own regression.

        Parameters
        ----------
        dag : Dag
            The structure.
        data : NumericData, MixedData, data frame, str or path
            Data with the same variables, in any order, all of them measured.
        method : {"posterior-mean", "ml"}
            The expectations of coefficients and variances under the prior of the score ``bge``, or maximum likelihood:
            least squares, with the standard deviation that has the number of rows minus that of coefficients as its
            denominator (:mod:`dagscape.networks.gaussian.fitting`).
        alpha_mu, alpha_w, nu, scale
            The prior of ``"posterior-mean"``, as in :func:`dagscape.local_scores` with ``score="bge"``.
        name : str
            The name of the network.
        missing : {"error", "em"}
            Refuse missing cells, or use all observed ones, by EM
            (:mod:`dagscape.networks.gaussian.incomplete_fitting`), where maximum likelihood has the number of rows as
            the denominator of the variance. Files and frames are then read with ``missing="keep"``.
            :attr:`incomplete_fit` says how it went.
        **options
            With ``missing="em"``: ``starts`` (default: 1), ``seed`` (0), ``tolerance`` (0.001 nats),
            ``max_iterations`` (1000) and ``max_seconds`` (no limit), as in
            :class:`~dagscape.networks.expectation_maximisation.EMOptions`.

        Examples
        --------
        >>> data = NumericData.from_array([[1, 2.1], [2, 3.9], [3, 6.2], [4, 7.8]], ["x", "y"])
        >>> dag = Dag(["x", "y"], [("x", "y")])
        >>> GaussianNetwork.fit(dag, data, "ml").regressions["y"].coefficients.round(3).tolist()
        [1.94]
        >>> GaussianNetwork.fit(dag, data).regressions["y"].coefficients.round(3).tolist()
        [1.663]
        """
        dag, em = checked_structure(dag), uses_em(missing, options)
        data = as_mixed(as_numeric(data, missing="keep" if em else "error"))
        rows = rows_to_fit(dag.variables, data, incomplete=em)
        prior = RegressionPrior(alpha_mu, alpha_w, nu, scale)
        if em:
            _, regressions, record = fit_incomplete(dag, rows, {}, method, 1.0, prior, options)
            return cls(dag, regressions, name, incomplete_fit=record)
        return cls(dag, fit_regressions(dag, rows, {}, method, prior), name)

    @property
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """No levels: all variables are measured."""
        return _NOTHING

    @property
    def cpts(self) -> Mapping[str, NDArray[np.float64]]:
        """No tables: all variables are measured."""
        return _NOTHING

    @property
    def types(self) -> Mapping[str, ValueType]:
        """No types of levels: all variables are measured."""
        return _NOTHING

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean of each variable."""
        return means_of(self)

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance matrix of the variables."""
        return covariance_of(self)

    def sample(self, rows: int, seed: int | np.random.Generator | None = None) -> NumericData:
        """Draw independent rows.

        Parameters
        ----------
        rows : int
            The number of rows, at least 1.
        seed : int, numpy.random.Generator or None
            The same integer always gives the same data.

        Returns
        -------
        NumericData
            The rows, sorted.

        Examples
        --------
        >>> network = GaussianNetwork(Dag(["x"]), {"x": Regression(2.0, [], 0.5)})
        >>> network.sample(1000, seed=1)
        NumericData(1 variable, 1,000 rows)
        """
        return sorted_data(self.variables, sampled_values(self, rows, seed), None, {}, 0, {})

    def _with(self, dag: Dag, cpts: Mapping[str, Any], regressions: Mapping[str, Regression]) -> Self:  # noqa: ARG002 (there are no tables)
        return type(self)(dag, regressions, self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies cannot be pickled.
        return _restored, (type(self), self.dag, dict(self.regressions), self.name, self.incomplete_fit)


def _restored(kind: type[GaussianNetwork], *parts: Any) -> GaussianNetwork:
    *most, incomplete_fit = parts
    return kind(*most, incomplete_fit=incomplete_fit)
