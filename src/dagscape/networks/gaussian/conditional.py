"""Conditional Gaussian networks: discrete variables with tables, and measured ones with regressions in each state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_unicode
from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.tables.row_order import row_order
from dagscape.data.tables.table import listing
from dagscape.data.tables.value_types import ValueType
from dagscape.data.values import as_mixed
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.checks import (
    check_keys,
    check_variables,
    checked_cpt,
    checked_levels,
    checked_structure,
    checked_types,
)
from dagscape.networks.expectation_maximisation import EMOptions, FitMissing, IncompleteFit, uses_em
from dagscape.networks.gaussian.base import MeasuredNetwork
from dagscape.networks.gaussian.fitting import Method, fit_regressions, fit_tables
from dagscape.networks.gaussian.incomplete_fitting import fit_incomplete
from dagscape.networks.gaussian.priors import RegressionPrior
from dagscape.networks.gaussian.regression import Regression, checked_regression
from dagscape.networks.gaussian.rows import rows_to_fit
from dagscape.networks.gaussian.sampling import sampled_values
from dagscape.networks.writing import CONDITIONAL_GAUSSIAN


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConditionalGaussianNetwork(MeasuredNetwork):
    """An immutable Bayesian network of discrete and measured variables.

    Discrete variables have discrete parents only. Given the discrete variables, the measured ones are jointly normal:
    each has a regression on its measured parents in every state of its discrete ones.

    Two networks are equal if their graphs, levels, probabilities, coefficients and standard deviations are.

    Parameters
    ----------
    dag : Dag
        The structure.
    levels : mapping of str to sequence of str
        The levels of each discrete variable, in the order of their codes; all other variables are measured.
    cpts : mapping of str to array-like
        The conditional probability table of each discrete variable, as in :class:`Network`.
    regressions : mapping of str to Regression
        The regression of each measured variable: an axis for each discrete parent, and the coefficients of measured
        parents, both in the order of ``dag.parents(variable)``.
    name : str
        The name of the network.
    types : mapping of str to str
        The own type of each discrete variable's values, as in :class:`Network`.
    incomplete_fit : IncompleteFit or None
        How it was fitted, if that was to incomplete rows; files do not keep it.

    Examples
    --------
    >>> from dagscape.graphs.dag import Dag
    >>> dag = Dag(["sex", "height", "weight"], [("sex", "height"), ("sex", "weight"), ("height", "weight")])
    >>> people = ConditionalGaussianNetwork(
    ...     dag,
    ...     {"sex": ["f", "m"]},
    ...     {"sex": [0.5, 0.5]},
    ...     {
    ...         "height": Regression([165.0, 178.0], [], [6.5, 7.0]),
    ...         "weight": Regression([-80.0, -90.0], [[0.88], [0.97]], [8.0, 9.0]),
    ...     },
    ... )
    >>> people
    ConditionalGaussianNetwork(3 variables, 2 of them measured, 3 edges, 11 free parameters)
    >>> people.query("weight", {"height": 172})
    NormalMixture(weight: mean 74.2893, sd 8.97547, 2 components)
    >>> people.query("sex", {"height": 180, "weight": 85}).round(3).to_dict()
    {'f': 0.059, 'm': 0.941}
    """

    kind: ClassVar[str] = CONDITIONAL_GAUSSIAN

    dag: Dag
    levels: Mapping[str, tuple[str, ...]]
    cpts: Mapping[str, NDArray[np.float64]]
    regressions: Mapping[str, Regression]
    name: str = ""
    types: Mapping[str, ValueType] = field(default_factory=dict, kw_only=True)
    incomplete_fit: IncompleteFit | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dag", checked_structure(self.dag))
        check_variables(self.variables)
        check_unicode([self.name], "the name of the network")
        if unknown := [name for name in self.levels if name not in self.variables]:
            raise InvalidData(f"the network has levels for {listing(unknown)}, which its graph lacks")
        discrete = tuple(name for name in self.variables if name in self.levels)
        measured = tuple(name for name in self.variables if name not in self.levels)
        check_keys(discrete, self.cpts, "probabilities")
        check_keys(measured, self.regressions, "regression")
        levels = {name: checked_levels(name, self.levels[name]) for name in discrete}
        cpts, regressions = {}, {}
        for name, mask in zip(self.variables, self.dag.parent_masks, strict=True):
            parents = [self.variables[parent] for parent in bits(mask)]
            above = {parent: levels[parent] for parent in parents if parent in levels}
            if name in levels:
                check_parents(name, parents, levels)
                cpts[name] = checked_cpt(name, levels[name], above, self.cpts[name])
                continue
            shape = [len(strings) for strings in above.values()]
            count = len(parents) - len(above)
            regressions[name] = checked_regression(name, self.regressions[name], shape, count, root=not mask)
        types = checked_types(levels, self.types)
        for field_name, value in (("levels", levels), ("cpts", cpts), ("regressions", regressions), ("types", types)):
            object.__setattr__(self, field_name, MappingProxyType(value))

    @classmethod
    def fit(
        cls,
        dag: Dag,
        data: Any,
        method: Method = "posterior-mean",
        *,
        ess: float = 1.0,
        alpha_mu: float = 1.0,
        alpha_w: float | Literal["n+2"] = "n+2",
        nu: float | Literal["means"] = "means",
        scale: Literal["standardize", "none"] = "standardize",
        name: str = "",
        missing: FitMissing = "error",
        **options: Unpack[EMOptions],
    ) -> Self:
        """Fit the tables and regressions of a network with a given structure to data.

        Rows in which a variable was set do not count for its own parameters.

        Parameters
        ----------
        dag : Dag
            The structure, in which discrete variables have discrete parents only.
        data : MixedData, NumericData, Dataset, data frame, str or path
            Data with the same variables, in any order. The network gets all levels, including unobserved ones. Files
            and frames are read as mixed data, which tell measured columns from discrete ones.
        method : {"posterior-mean", "ml"}
            Expectations: of probabilities under the prior of the score ``bdeu``, of coefficients and variances under
            that of ``bge``. Or maximum likelihood: shares of the rows, and least squares in each state, as in
            :meth:`GaussianNetwork.fit`. Where a state has no rows, the first gives the expectations of the prior, which
            all rows decide; the second needs at least two rows more than measured parents in every state.
        ess : float
            The equivalent sample size of the prior of the tables.
        alpha_mu, alpha_w, nu, scale
            The prior of the regressions, as in :func:`dagscape.local_scores` with ``score="bge"``; *n* is the number of
            measured variables.
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
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sex": list("ffffmmmm"), "height": [1.62, 1.7, 1.66, 1.58, 1.8, 1.74, 1.77, 1.88]})
        >>> dag = Dag(["sex", "height"], [("sex", "height")])
        >>> found = ConditionalGaussianNetwork.fit(dag, MixedData.from_frame(frame), "ml")
        >>> found.regressions["height"].intercept.round(4).tolist(), found.regressions["height"].sd.round(4).tolist()
        ([1.64, 1.7975], [0.0516, 0.0602])
        """
        dag, em = checked_structure(dag), uses_em(missing, options)
        data = as_mixed(data, missing="keep" if em else "error")
        rows = rows_to_fit(dag.variables, data, incomplete=em)
        levels = {variable: data.levels[variable] for variable in dag.variables if variable in data.levels}
        for variable in levels:
            check_parents(variable, dag.parents(variable), levels)
        prior, record = RegressionPrior(alpha_mu, alpha_w, nu, scale), None
        if em:
            cpts, regressions, record = fit_incomplete(dag, rows, levels, method, ess, prior, options)
        else:
            cpts = fit_tables(dag, rows, levels, method, ess)
            regressions = fit_regressions(dag, rows, levels, method, prior)
        types = {variable: data.types[variable] for variable in levels}
        return cls(dag, levels, cpts, regressions, name, types=types, incomplete_fit=record)

    def sample(self, rows: int, seed: int | np.random.Generator | None = None) -> MixedData:
        """Draw independent rows.

        Parameters
        ----------
        rows : int
            The number of rows, at least 1.
        seed : int, numpy.random.Generator or None
            The same integer always gives the same data.

        Returns
        -------
        MixedData
            The rows, sorted; all levels of the network are declared.

        Examples
        --------
        >>> dag = Dag(["sex", "height"], [("sex", "height")])
        >>> height = Regression([165.0, 178.0], [], [6.5, 7.0])
        >>> people = ConditionalGaussianNetwork(dag, {"sex": ["f", "m"]}, {"sex": [0.5, 0.5]}, {"height": height})
        >>> people.sample(1000, seed=1)
        MixedData(2 variables, 1 of them measured, 1,000 rows)
        """
        values = sampled_values(self, rows, seed)
        return MixedData(self.variables, values[row_order(values, None)], dict(self.levels), types=dict(self.types))

    def _with(self, dag: Dag, cpts: Mapping[str, Any], regressions: Mapping[str, Regression]) -> Self:
        return type(self)(dag, self.levels, cpts, regressions, self.name, types=self.types)

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies cannot be pickled.
        parts = (self.dag, dict(self.levels), dict(self.cpts), dict(self.regressions), self.name, dict(self.types))
        return _restored, (type(self), *parts, self.incomplete_fit)


def check_parents(name: str, parents: Any, levels: Mapping[str, Any]) -> None:
    """Refuse a measured parent of a discrete variable."""
    measured = [parent for parent in parents if parent not in levels]
    if measured:
        raise InvalidData(
            f"{name!r} is discrete and has a measured parent, {measured[0]!r}: in a conditional Gaussian network, "
            "discrete variables have discrete parents only; reverse the edge, or learn the structure under a score "
            "that keeps to this, such as 'cg'"
        )


def _restored(kind: type[ConditionalGaussianNetwork], *parts: Any) -> ConditionalGaussianNetwork:
    *most, types, incomplete_fit = parts
    return kind(*most, types=types, incomplete_fit=incomplete_fit)
