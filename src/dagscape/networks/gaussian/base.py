"""What networks with measured variables have in common, with and without discrete variables."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption
from dagscape.core.randomness import Seed
from dagscape.core.references import loaded
from dagscape.core.wording import plural
from dagscape.data.tables.value_types import ValueType
from dagscape.drawing.display import NOTEBOOK_SVG
from dagscape.drawing.effects import SignedGraph
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.mutilation import check_apart
from dagscape.networks.discrete.queries import most_probable
from dagscape.networks.gaussian.coefficients import coefficient_frame
from dagscape.networks.gaussian.likelihood import log_likelihood
from dagscape.networks.gaussian.mutilation import mutilated
from dagscape.networks.gaussian.pictures import signed_graph
from dagscape.networks.gaussian.queries import log_density, predict_levels, predict_numbers, query
from dagscape.networks.gaussian.regression import Regression
from dagscape.networks.imputing import ImputedParameters, impute_measured
from dagscape.networks.writing import save_network

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from dagscape.networks.discrete.evidence import Evidence
    from dagscape.networks.gaussian.mixtures import NormalMixture

QUANTILES = (0.025, 0.5, 0.975)


class MeasuredNetwork(ABC):
    """A Bayesian network in which measured variables have linear regressions on their measured parents.

    The base of :class:`dagscape.GaussianNetwork` and :class:`dagscape.ConditionalGaussianNetwork`.
    """

    __slots__ = ()

    kind: ClassVar[str]

    @property
    @abstractmethod
    def dag(self) -> Dag:
        """The structure."""

    @property
    @abstractmethod
    def regressions(self) -> Mapping[str, Regression]:
        """The regression of each measured variable."""

    @property
    @abstractmethod
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """The levels of the discrete variables."""

    @property
    @abstractmethod
    def cpts(self) -> Mapping[str, NDArray[np.float64]]:
        """The tables of the discrete variables."""

    @property
    @abstractmethod
    def types(self) -> Mapping[str, ValueType]:
        """The own type of the values of the discrete variables."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the network."""

    @abstractmethod
    def _with(self, dag: Dag, cpts: Mapping[str, Any], regressions: Mapping[str, Regression]) -> Self:
        """Return a network with the same variables."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.dag.variables

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.dag.n

    @property
    def measured(self) -> tuple[str, ...]:
        """The names of the measured variables."""
        return tuple(self.regressions)

    @property
    def discrete(self) -> tuple[str, ...]:
        """The names of the discrete variables."""
        return tuple(self.levels)

    @property
    def parameter_count(self) -> int:
        """The number of free parameters.

        A regression has an intercept, a coefficient for each measured parent and a standard deviation, in each state of
        its discrete parents; a table has one less than its levels in each state.

        Examples
        --------
        >>> import dagscape as ds
        >>> dag = ds.Dag(["x", "y"], [("x", "y")])
        >>> ds.GaussianNetwork(dag, {"x": ds.Regression(0.0), "y": ds.Regression(1.0, [2.0], 0.5)}).parameter_count
        5
        """
        tables: int = sum(cpt.size - cpt.size // cpt.shape[-1] for cpt in self.cpts.values())
        return tables + sum(found.parameter_count for found in self.regressions.values())

    def log_likelihood(self, data: Any) -> float:
        """Return the natural logarithm of the density of data.

        Parameters
        ----------
        data : MixedData, NumericData, Dataset or data frame
            Complete data with the variables of the network, in any order; levels are matched by name. A value that was
            set by an intervention contributes a factor of 1.

        Returns
        -------
        float
            The sum over the rows; minus infinity if a row is impossible.

        Examples
        --------
        >>> import dagscape as ds
        >>> network = ds.GaussianNetwork(ds.Dag(["x"]), {"x": ds.Regression(2.0, [], 0.5)})
        >>> round(network.log_likelihood(ds.NumericData.from_array([[1.5], [2.5]], ["x"])), 6)
        -1.451583
        """
        return log_likelihood(self, data)

    def log_density(self, evidence: Evidence, *, max_memory: int | str | None = None) -> float:
        """Return the natural logarithm of the density of evidence.

        It is a probability as to levels, and a density as to numbers.

        Parameters
        ----------
        evidence, max_memory
            As in :meth:`query`. Variables that are not observed are summed and integrated out.

        Examples
        --------
        >>> import dagscape as ds
        >>> dag = ds.Dag(["x", "y"], [("x", "y")])
        >>> network = ds.GaussianNetwork(dag, {"x": ds.Regression(0.0), "y": ds.Regression(1.0, [2.0], 0.5)})
        >>> round(network.log_density({"y": 1.0}), 6)
        -1.642398
        """
        return log_density(self, evidence, max_memory)

    def query(
        self,
        target: str,
        evidence: Evidence | None = None,
        *,
        do: Mapping[str, Any] | None = None,
        max_memory: int | str | None = None,
    ) -> NormalMixture | pd.Series[float]:
        """Return the distribution of a variable given the values of others.

        The answer is exact (:mod:`dagscape.networks.gaussian.inference`).

        Parameters
        ----------
        target : str
            The variable; it may not be in the evidence.
        evidence : mapping of str to value, or pandas.Series, optional
            Observed values by variable: numbers, and levels as text or in their own type. None and NaN are not
            observed. A Series, such as ``frame.iloc[0]``, is treated as a row in :meth:`predict`: the target and
            entries that the network lacks are ignored.
        do : mapping of str to value, optional
            The variables that are set, and to what, as in :meth:`do`.
        max_memory : int or str, optional
            The memory limit, such as ``"8GiB"``. Default: most of the available memory.

        Returns
        -------
        NormalMixture or Series
            Of a measured variable, its distribution. Of a discrete one, the probability of each level, as in
            :meth:`Network.query`.

        Examples
        --------
        >>> import dagscape as ds
        >>> dag = ds.Dag(["x", "y"], [("x", "y")])
        >>> network = ds.GaussianNetwork(dag, {"x": ds.Regression(0.0), "y": ds.Regression(1.0, [2.0], 0.5)})
        >>> network.query("y", {"x": 3.0})
        NormalMixture(y: mean 7, sd 0.5, 1 component)
        >>> network.query("x", {"y": 7.0})
        NormalMixture(x: mean 2.82353, sd 0.242536, 1 component)
        >>> network.query("x", do={"y": 7.0})
        NormalMixture(x: mean 0, sd 1, 1 component)
        """
        network = self if do is None else self.do(do)
        check_apart(do, evidence, [target])
        return query(network, target, evidence, max_memory)

    def predict(
        self,
        rows: Any,
        target: str,
        *,
        quantiles: Sequence[float] = QUANTILES,
        max_memory: int | str | None = None,
    ) -> pd.DataFrame:
        """Predict a variable in each row, given what the row shows of the others.

        Parameters
        ----------
        rows : data frame, MixedData, NumericData or Dataset
            The rows. Columns that are absent and cells that are missing are not observed, and are summed or integrated
            out exactly. The target's own column and columns that the network lacks are ignored. A value that was set by
            an intervention says nothing about its causes.
        target : str
            The variable to predict.
        quantiles : sequence of float
            The quantiles of a measured target.
        max_memory : int or str, optional
            The memory limit, such as ``"8GiB"``. Default: most of the available memory.

        Returns
        -------
        DataFrame
            Of a measured target, the columns ``mean``, ``sd`` and one for each quantile, such as ``2.5%``. Of a
            discrete one, a column for each level with its probability, as in :meth:`Network.predict`. One row for each
            row of a data frame, with its index, or of the data, in the order of ``to_frame()``.

        Examples
        --------
        >>> import pandas as pd
        >>> import dagscape as ds
        >>> dag = ds.Dag(["x", "y"], [("x", "y")])
        >>> network = ds.GaussianNetwork(dag, {"x": ds.Regression(0.0), "y": ds.Regression(1.0, [2.0], 0.5)})
        >>> print(network.predict(pd.DataFrame({"x": [3.0, None]}), "y").round(2))
           mean    sd  2.5%  50%  97.5%
        0   7.0  0.50  6.02  7.0   7.98
        1   1.0  2.06 -3.04  1.0   5.04
        """
        if target in self.levels:
            return predict_levels(self, rows, target, max_memory)
        return predict_numbers(self, rows, target, quantiles, max_memory)

    def classify(self, rows: Any, target: str, *, max_memory: int | str | None = None) -> pd.Series[Any]:
        """Return the most probable level of a discrete variable in each row; the first of several.

        Parameters
        ----------
        rows, target, max_memory
            As in :meth:`predict`.
        """
        if target in self.regressions:
            raise InvalidOption(f"is {target!r}, which is measured: use predict()", option="target")
        return most_probable(self.predict(rows, target, max_memory=max_memory))

    def do(self, values: Mapping[str, Any]) -> Self:
        """Return the network in which some variables were set: they have these values, and no parents.

        Parameters
        ----------
        values : mapping of str to value
            The value of each variable that is set: a number, or a level.

        Examples
        --------
        >>> import dagscape as ds
        >>> dag = ds.Dag(["x", "y"], [("x", "y")])
        >>> network = ds.GaussianNetwork(dag, {"x": ds.Regression(0.0), "y": ds.Regression(1.0, [2.0], 0.5)})
        >>> network.do({"x": 3.0}).query("y").mean, network.do({"y": 3.0}).dag.edges
        (7.0, ())
        """
        return self._with(*mutilated(self, values))

    def coefficients(self) -> pd.DataFrame:
        """Return the parameters of the regressions, with what fitting says of their accuracy.

        Returns
        -------
        DataFrame
            One row for each parameter: ``variable``; ``state``, that of its discrete parents, such as
            ``"sex = f, smoker = no"``; ``term``, a measured parent, ``"(intercept)"`` or ``"(sd)"``; ``estimate``;
            ``standard_error``; ``t``, their ratio; and ``p``, the probability that a Student variable is further from 0
            than ``t``. The last three are NaN if the network was not fitted, and for standard deviations. After
            ``method="ml"`` they are those of least squares; after ``"posterior-mean"``, the scale of the posterior of
            the coefficient, and twice the posterior probability that it has the other sign.

        Examples
        --------
        >>> import dagscape as ds
        >>> data = ds.NumericData.from_array([[1, 2.1], [2, 3.9], [3, 6.2], [4, 7.8]], ["x", "y"])
        >>> network = ds.GaussianNetwork.fit(ds.Dag(["x", "y"], [("x", "y")]), data, method="ml")
        >>> print(network.coefficients().round(3).iloc[2:, [0, 2, 3, 4, 5, 6]])
          variable         term  estimate  standard_error       t      p
        2        y  (intercept)     0.150           0.248   0.605  0.607
        3        y            x     1.940           0.091  21.424  0.002
        4        y         (sd)     0.202             NaN     NaN    NaN
        """
        return coefficient_frame(self)

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the structure as a networkx ``DiGraph``; edges between measured variables have a ``coefficient``.

        It is a number or, if the child has discrete parents, an array with an axis for each of them.
        """
        graph = self.dag.to_networkx()
        for name, regression in self.regressions.items():
            above = [parent for parent in self.dag.parents(name) if parent in self.regressions]
            for place, parent in enumerate(above):
                found = regression.coefficients[..., place]
                graph.edges[parent, name]["coefficient"] = found if found.ndim else float(found)
        return graph

    def impute(
        self,
        rows: Any,
        copies: int = 5,
        *,
        parameters: ImputedParameters = "posterior",
        ess: float = 1.0,
        seed: Seed = 0,
    ) -> list[pd.DataFrame]:
        """Complete a table several times: multiple imputation, for methods that need complete rows.

        Each copy has a draw of all missing cells, given what the row shows (:mod:`dagscape.networks.imputing`).

        Parameters
        ----------
        rows : data frame, MixedData, NumericData or Dataset
            The table. Columns of the network that it lacks are added; other columns of a pandas frame stay as they are.
        copies : int
            The number of completed tables.
        parameters : {"posterior", "fixed"}
            Draw the parameters, too, from their posterior given the table, so that copies differ by all that is
            unknown; or take those of the network, as for a few new rows.
        ess : float
            The equivalent sample size of the prior of tables.
        seed : int, numpy.random.Generator or None
            The same integer always gives the same tables.

        Returns
        -------
        list of DataFrame
            With the rows and the index of a file or a frame, or the rows of data in the order of ``to_frame()``.
            Discrete columns are categoricals of their levels, in their own type; what was cut stays intervals.

        Examples
        --------
        >>> import pandas as pd
        >>> import dagscape as ds
        >>> dag = ds.Dag(["x", "y"], [("x", "y")])
        >>> network = ds.GaussianNetwork(dag, {"x": ds.Regression(0.0), "y": ds.Regression(1.0, [2.0], 0.5)})
        >>> rows = pd.DataFrame({"x": [3.0, None, 1.0], "y": [7.5, 2.0, None]})
        >>> first, second = network.impute(rows, 2, parameters="fixed")
        >>> first.isna().any().any().item(), first["x"][0].item()
        (False, 3.0)
        """
        return impute_measured(self, rows, copies, parameters, ess, seed)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a ``.json`` file, as :func:`dagscape.write_network` does; ``.gz`` compresses it.

        Parameters
        ----------
        path : path
            The file.

        Examples
        --------
        >>> import tempfile
        >>> import dagscape as ds
        >>> network = ds.GaussianNetwork(ds.Dag(["x"]), {"x": ds.Regression(2.0, [], 0.5)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     network.save(f"{folder}/x.json")
        ...     ds.read_network(f"{folder}/x.json") == network
        True
        """
        save_network(self, path)

    @property
    def drawable(self) -> SignedGraph:
        """What a drawing shows: the structure, and the standardised coefficients on its edges."""
        return signed_graph(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (
            self.dag == other.dag
            and dict(self.levels) == dict(other.levels)
            and all(np.array_equal(cpt, other.cpts[name]) for name, cpt in self.cpts.items())
            and all(found.bytes() == other.regressions[name].bytes() for name, found in self.regressions.items())
        )

    def __hash__(self) -> int:
        cpts = tuple(cpt.tobytes() for cpt in self.cpts.values())
        return hash((self.dag, tuple(self.levels.items()), cpts, *(r.bytes() for r in self.regressions.values())))

    def __repr__(self) -> str:
        title = f"{self.name!r}: " if self.name else ""
        measured = f", {len(self.regressions)} of them measured" if self.levels else ""
        size = f"{plural(self.n, 'variable')}{measured}, {plural(self.dag.edge_count, 'edge')}"
        return f"{type(self).__name__}({title}{size}, {plural(self.parameter_count, 'free parameter')})"

    def _repr_svg_(self) -> str | None:
        picture: str | None = loaded(NOTEBOOK_SVG)(self)
        return picture
