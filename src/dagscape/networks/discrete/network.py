"""Bayesian networks: a DAG with a conditional probability table for each variable."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_unicode
from dagscape.core.masks import bits
from dagscape.core.randomness import Seed
from dagscape.core.references import loaded
from dagscape.core.wording import plural
from dagscape.data.tables.value_types import ValueType
from dagscape.data.values import as_dataset
from dagscape.drawing.display import NOTEBOOK_SVG
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.checks import (
    check_keys,
    check_variables,
    checked_cpt,
    checked_levels,
    checked_structure,
    checked_types,
)
from dagscape.networks.discrete.fitting import FitPrior, fit_cpts
from dagscape.networks.discrete.incomplete_fitting import fit_incomplete_cpts
from dagscape.networks.discrete.likelihood import log_likelihood
from dagscape.networks.discrete.mutilation import check_apart, mutilated_tables
from dagscape.networks.discrete.queries import (
    level_index,
    log_probability,
    most_probable,
    most_probable_levels,
    predict,
    query,
)
from dagscape.networks.discrete.sampling import sample
from dagscape.networks.discrete.tables import labelled_cpt
from dagscape.networks.expectation_maximisation import EMOptions, FitMissing, IncompleteFit, uses_em
from dagscape.networks.imputing import ImputedParameters, impute_levels
from dagscape.networks.writing import save_network

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.data.discrete.discretizing import Discretizer
    from dagscape.networks.discrete.evidence import Evidence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Network:
    """An immutable Bayesian network of discrete variables.

    Two networks are equal if their graphs, levels and probabilities are; name, types and discretizer are not compared.

    Parameters
    ----------
    dag : Dag
        The structure.
    levels : mapping of str to sequence of str
        The levels of each variable, in the order of their codes.
    cpts : mapping of str to array-like
        The conditional probability table of each variable: one axis for each parent, in the order of
        ``dag.parents(variable)``, then one for the variable itself. Every row along the last axis must sum to 1 within
        1e-6; the numbers are not rescaled.
    name : str
        The name of the network.
    types : mapping of str to str
        The own type of each variable's values, ``"text"``, ``"integer"``, ``"number"``, ``"boolean"`` or ``"mixed"``,
        as in :attr:`Dataset.types`. Default: that of the levels in a text file.
    discretizer : Discretizer or None
        What cut the numbers of the data that the network was fitted to; predictions and queries use it to cut new
        numbers.
    incomplete_fit : IncompleteFit or None
        How it was fitted, if that was to incomplete rows; files do not keep it.

    Examples
    --------
    >>> from dagscape.graphs.dag import Dag
    >>> dag = Dag.from_edges(["rain", "street"], [("rain", "street")])
    >>> levels = {"rain": ["no", "yes"], "street": ["dry", "wet"]}
    >>> network = Network(dag, levels, {"rain": [0.8, 0.2], "street": [[0.9, 0.1], [0.0, 1.0]]})
    >>> network
    Network(2 variables, 1 edge, 3 free parameters)
    >>> network.cpts["street"][1].tolist()
    [0.0, 1.0]
    >>> network.sample(100, seed=0).m
    100
    """

    dag: Dag
    levels: Mapping[str, tuple[str, ...]]
    cpts: Mapping[str, NDArray[np.float64]]
    name: str = ""
    types: Mapping[str, ValueType] = field(default_factory=dict, kw_only=True)
    discretizer: Discretizer | None = field(default=None, kw_only=True)
    incomplete_fit: IncompleteFit | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dag", checked_structure(self.dag))
        check_variables(self.variables)
        check_unicode([self.name], "the name of the network")
        check_keys(self.variables, self.levels, "levels")
        check_keys(self.variables, self.cpts, "probabilities")
        levels = {name: checked_levels(name, self.levels[name]) for name in self.variables}
        cpts = {}
        for name, mask in zip(self.variables, self.dag.parent_masks, strict=True):
            parents = {self.variables[parent]: levels[self.variables[parent]] for parent in bits(mask)}
            cpts[name] = checked_cpt(name, levels[name], parents, self.cpts[name])
        object.__setattr__(self, "levels", MappingProxyType(levels))
        object.__setattr__(self, "cpts", MappingProxyType(cpts))
        object.__setattr__(self, "types", MappingProxyType(checked_types(levels, self.types)))

    @classmethod
    def fit(
        cls,
        dag: Dag,
        data: Any,
        ess: float = 1.0,
        prior: FitPrior = "bdeu",
        name: str = "",
        *,
        missing: FitMissing = "error",
        **options: Unpack[EMOptions],
    ) -> Self:
        """Fit the probabilities of a network with a given structure to data.

        The probabilities are the posterior expectations under a Dirichlet prior. Rows in which a variable was set do
        not count for its own table.

        Parameters
        ----------
        dag : Dag
            The structure.
        data : Dataset, data frame, str or path
            Data with the same variables, in any order. The network gets all their levels, including unobserved ones,
            their types, and the discretizer that cut their numbers.
        ess : float
            The equivalent sample size of the prior ``"bdeu"``; other priors ignore it.
        prior : {"bdeu", "k2", "none"}
            The pseudocount of each cell: ess / (number of cells of the table), 1, or 0. The last is maximum likelihood,
            with equal probabilities where a state of the parents has no rows.
        name : str
            The name of the network.
        missing : {"error", "em"}
            Refuse missing cells, or use all observed ones, by EM: with ``prior="none"`` the likelihood of the observed
            cells is largest; else the tables are those that complete rows with the expected counts would have. Files
            and frames are then read with ``missing="keep"``. :attr:`incomplete_fit` says how it went.
        **options
            With ``missing="em"``: ``starts`` (default: 1), ``seed`` (0), ``tolerance`` (0.001 nats),
            ``max_iterations`` (1000) and ``max_seconds`` (no limit), as in
            :class:`~dagscape.networks.expectation_maximisation.EMOptions`.

        Examples
        --------
        >>> from dagscape.data.discrete.dataset import Dataset
        >>> from dagscape.graphs.dag import Dag
        >>> data = Dataset.from_array([[0, 0], [1, 1], [1, 1], [1, 0]], ["rain", "wet"])
        >>> dag = Dag.from_edges(["rain", "wet"], [("rain", "wet")])
        >>> Network.fit(dag, data, prior="none").cpts["wet"].round(2).tolist()
        [[1.0, 0.0], [0.33, 0.67]]
        >>> Network.fit(dag, data, ess=4).cpts["wet"].round(2).tolist()
        [[0.67, 0.33], [0.4, 0.6]]
        >>> Network.fit(dag, data, prior="k2").cpts["rain"].round(2).tolist()
        [0.33, 0.67]
        >>> rows = [[0, 0], [1, 1], [1, None], [None, 0], [1, 0], [1, 1], [1, 1]]
        >>> holes = Dataset.from_array(rows, ["rain", "wet"], missing="keep")
        >>> found = Network.fit(dag, holes, prior="none", missing="em", tolerance=1e-9)
        >>> found.cpts["rain"].round(3).tolist(), round(found.incomplete_fit.log_likelihood, 3)
        ([0.204, 0.796], -5.801)
        """
        dag, em = checked_structure(dag), uses_em(missing, options)
        data = as_dataset(data, missing="keep" if em else "error")
        record = None
        if em:
            cpts, record = fit_incomplete_cpts(dag, data, ess, prior, options)
        else:
            cpts = fit_cpts(dag, data, ess, prior)
        levels = {variable: data.levels[variable] for variable in dag.variables}
        types = {variable: data.types[variable] for variable in dag.variables}
        return cls(dag, levels, cpts, name, types=types, discretizer=data.discretizer, incomplete_fit=record)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.dag.variables

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.dag.n

    @property
    def parameter_count(self) -> int:
        """The number of free parameters: for each state of the parents, one less than the number of levels.

        Examples
        --------
        >>> from dagscape.networks.bundled import load_network
        >>> load_network("asia").parameter_count
        18
        """
        return sum(cpt.size - cpt.size // cpt.shape[-1] for cpt in self.cpts.values())

    def sample(self, rows: int, seed: int | np.random.Generator | None = None) -> Dataset:
        """Draw independent rows.

        Parameters
        ----------
        rows : int
            The number of rows, at least 1.
        seed : int, numpy.random.Generator or None
            The same integer always gives the same data.

        Returns
        -------
        Dataset
            The rows, sorted and with equal rows merged; all levels of the network are declared.

        Examples
        --------
        >>> from dagscape.networks.bundled import load_network
        >>> data = load_network("earthquake").sample(1000, seed=1)
        >>> data.m, data.variables[:2], data.levels["Alarm"]
        (1000, ('Burglary', 'Earthquake'), ('True', 'False'))
        """
        return sample(self, rows, seed)

    def log_likelihood(self, data: Any) -> float:
        """Return the natural logarithm of the probability of data.

        Parameters
        ----------
        data : Dataset, data frame or path
            Data with the same variables; variables and levels are matched by name, in any order. A value that was set
            by an intervention contributes a factor of 1.

        Returns
        -------
        float
            The sum over the rows; minus infinity if a row is impossible.

        Examples
        --------
        >>> from dagscape.data.discrete.dataset import Dataset
        >>> from dagscape.graphs.dag import Dag
        >>> network = Network(Dag.from_edges(["coin"]), {"coin": ["heads", "tails"]}, {"coin": [0.5, 0.5]})
        >>> data = Dataset.from_array([["tails"], ["heads"], ["tails"]], ["coin"])
        >>> round(float(np.exp(network.log_likelihood(data))), 6)
        0.125
        """
        return log_likelihood(self, data)

    def cpt_frame(self, variable: str) -> pd.DataFrame:
        """Return the conditional probability table of a variable as a labelled data frame.

        Parameters
        ----------
        variable : str
            The variable.

        Returns
        -------
        DataFrame
            One row per state of the parents, with an index level for each parent, and one column per level of the
            variable. Levels have the type of their column, as in :meth:`query`. Without parents, there is one row.

        Examples
        --------
        >>> from dagscape.networks.bundled import load_network
        >>> frame = load_network("sprinkler").cpt_frame("WetGrass")
        >>> frame.index.names, frame.columns.name
        (FrozenList(['Sprinkler', 'Rain']), 'WetGrass')
        >>> frame.loc[(True, False), True].item()
        0.9
        """
        parents = self.dag.parents(variable)
        return labelled_cpt(
            level_index(self, variable), [level_index(self, parent) for parent in parents], self.cpts[variable]
        )

    def query(
        self,
        target: str | Sequence[str],
        evidence: Evidence | None = None,
        *,
        do: Mapping[str, Any] | None = None,
        max_memory: int | str | None = None,
    ) -> pd.Series[float]:
        """Return the probability of each level of a variable, or of several jointly, given evidence.

        The answer is exact, by variable elimination (:mod:`dagscape.networks.discrete.elimination`).

        Parameters
        ----------
        target : str or list of str
            The variable, or several, none of which may be in the evidence.
        evidence : mapping of str to value, or pandas.Series, optional
            Observed values by variable, as text or in their own type: ``1`` and ``"1"`` are the same. A number in a
            column that ``discretizer`` cuts stands for its interval. None and NaN are not observed. A Series, such as
            ``frame.iloc[0]``, is treated as a row in :meth:`predict`: the target and entries that the network lacks are
            ignored.
        do : mapping of str to value, optional
            The variables that are set, and to what, as in :meth:`do`.
        max_memory : int or str, optional
            The memory limit, such as ``"8GiB"``. Default: most of the available memory.

        Returns
        -------
        Series
            The probabilities, which sum to 1, labelled with the levels in their own type; for a list of variables,
            with a MultiIndex.

        Examples
        --------
        >>> from dagscape.networks.bundled import load_network
        >>> asia = load_network("asia")
        >>> asia.query("lung", {"xray": "yes", "smoke": "yes"}).round(4).to_dict()
        {'yes': 0.646, 'no': 0.354}
        >>> print(asia.query(["lung", "bronc"], {"dysp": "yes"}).round(4))
        lung  bronc
        yes   yes      0.0650
              no       0.0377
        no    yes      0.7689
              no       0.1283
        Name: probability, dtype: float64
        """
        if do is None:
            return query(self, target, evidence, max_memory)
        check_apart(do, evidence, [target] if isinstance(target, str) else target)
        return query(self.do(do), target, evidence, max_memory)

    def do(self, values: Mapping[str, Any]) -> Self:
        """Return the network in which some variables were set: they have these levels, and no parents.

        Parameters
        ----------
        values : mapping of str to value
            The level of each variable that is set, as text or in its own type; a number in a column that
            ``discretizer`` cuts stands for its interval.

        Examples
        --------
        >>> from dagscape.networks.bundled import load_network
        >>> asia = load_network("asia")
        >>> float(asia.query("lung", {"smoke": "yes"})["yes"]), float(asia.query("smoke", do={"lung": "yes"})["yes"])
        (0.1, 0.5)
        """
        dag, cpts = mutilated_tables(self, values)
        return dataclasses.replace(self, dag=dag, cpts=cpts, incomplete_fit=None)

    def log_probability(self, evidence: Evidence, *, max_memory: int | str | None = None) -> float:
        """Return the natural logarithm of the probability of evidence; minus infinity if it is impossible.

        Parameters
        ----------
        evidence, max_memory
            As in :meth:`query`.

        Examples
        --------
        >>> from dagscape.networks.bundled import load_network
        >>> round(float(np.exp(load_network("asia").log_probability({"xray": "yes"}))), 4)
        0.1103
        """
        return log_probability(self, evidence, max_memory)

    def most_probable(self, evidence: Evidence | None = None, *, max_memory: int | str | None = None) -> pd.Series[Any]:
        """Return the most probable explanation: the values of all variables that are most probable together.

        They maximise the joint probability, exactly, by variable elimination
        (:mod:`dagscape.networks.discrete.explaining`), and may differ from the most probable value of each variable
        alone. Of several explanations, the one with the earlier level of the first variable in which they differ is
        returned. Its probability is that of :meth:`log_probability`.

        Parameters
        ----------
        evidence, max_memory
            As in :meth:`query`.

        Returns
        -------
        Series
            The level of each variable, in its own type; observed variables have the observed one.

        Examples
        --------
        >>> from dagscape.networks.bundled import load_network
        >>> asia = load_network("asia")
        >>> found = asia.most_probable({"xray": "yes"})
        >>> found[["smoke", "lung", "bronc", "dysp"]].tolist()
        ['yes', 'yes', 'yes', 'yes']
        >>> round(float(np.exp(asia.log_probability(found) - asia.log_probability({"xray": "yes"}))), 4)
        0.2351
        """
        return most_probable_levels(self, evidence, max_memory)

    def predict(self, rows: Any, target: str, *, max_memory: int | str | None = None) -> pd.DataFrame:
        """Return the probability of each level of a variable in each row, given what the row shows of the others.

        Parameters
        ----------
        rows : Dataset, data frame or path
            The rows. Columns that are absent and cells that are missing (None, NaN, ``""``, ``"?"``) are not observed,
            and are summed out; if the network has a level ``?``, that of missing cells in its data, a missing cell has
            that level. The target's own column and columns that the network lacks are ignored. Numbers are cut by
            ``discretizer``. A value that was set by an intervention says nothing about its causes.
        target : str
            The variable to predict.
        max_memory : int or str, optional
            The memory limit, such as ``"8GiB"``. Default: most of the available memory.

        Returns
        -------
        DataFrame
            A column for each level of the target, in its own type. One row for each row of a file or a frame, with its
            index; for a Dataset, which keeps no order, one for each distinct row, in the order of
            ``rows.to_frame(expand=False)``. Only what is relevant to the target is used, given all that the row shows.
            If that has probability 0, all levels are equally probable, as in :meth:`BestNetworks.predict`.

        Examples
        --------
        >>> import pandas as pd
        >>> from dagscape.networks.bundled import load_network
        >>> rows = pd.DataFrame({"smoke": ["yes", "no", None], "xray": ["yes", "yes", "no"]})
        >>> print(load_network("asia").predict(rows, "lung").round(4))
        lung     yes      no
        0     0.6460  0.3540
        1     0.1423  0.8577
        2     0.0012  0.9988
        """
        return predict(self, rows, target, max_memory)

    def classify(self, rows: Any, target: str, *, max_memory: int | str | None = None) -> pd.Series[Any]:
        """Return the most probable level of a variable in each row; the first of several.

        Parameters
        ----------
        rows, target, max_memory
            As in :meth:`predict`.

        Returns
        -------
        Series
            The levels, in the variable's own type, so that they compare equal to its column.

        Examples
        --------
        >>> import pandas as pd
        >>> from dagscape.networks.bundled import load_network
        >>> rows = pd.DataFrame({"smoke": ["yes", "no"], "xray": ["yes", "yes"]})
        >>> load_network("asia").classify(rows, "lung").tolist()
        ['yes', 'no']
        """
        return most_probable(self.predict(rows, target, max_memory=max_memory))

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
        rows : Dataset, data frame or path
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
        >>> from dagscape.networks.bundled import load_network
        >>> rows = pd.DataFrame({"smoke": ["yes", None, "no"], "lung": ["no", "no", None]})
        >>> first, second = load_network("asia").impute(rows, 2, parameters="fixed")
        >>> first[["smoke", "lung"]].isna().any().any().item(), first["smoke"][0], len(first.columns)
        (False, 'yes', 8)
        """
        return impute_levels(self, rows, copies, parameters, ess, seed)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file, as :func:`dagscape.write_network` does.

        Parameters
        ----------
        path : path
            The file: ``.json``, ``.bif``, ``.xmlbif`` or ``.xdsl``; ``.gz`` at the end compresses it.

        Examples
        --------
        >>> import tempfile
        >>> import dagscape as ds
        >>> asia = ds.load_network("asia")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     asia.save(f"{folder}/asia.json")
        ...     ds.read_network(f"{folder}/asia.json") == asia
        True
        """
        save_network(self, path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return (
            self.dag == other.dag
            and self.levels == other.levels
            and all(np.array_equal(self.cpts[name], other.cpts[name]) for name in self.variables)
        )

    def __hash__(self) -> int:
        levels = tuple(self.levels[name] for name in self.variables)
        return hash((self.dag, levels, tuple(self.cpts[name].tobytes() for name in self.variables)))

    def __repr__(self) -> str:
        title = f"{self.name!r}: " if self.name else ""
        size = f"{plural(self.n, 'variable')}, {plural(self.dag.edge_count, 'edge')}"
        return f"Network({title}{size}, {plural(self.parameter_count, 'free parameter')})"

    def _repr_svg_(self) -> str | None:
        picture: str | None = loaded(NOTEBOOK_SVG)(self)
        return picture

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies cannot be pickled.
        return _restored, (
            type(self),
            self.dag,
            dict(self.levels),
            dict(self.cpts),
            self.name,
            dict(self.types),
            self.discretizer,
            self.incomplete_fit,
        )


def _restored(
    kind: type[Network],
    dag: Dag,
    levels: dict[str, tuple[str, ...]],
    cpts: dict[str, NDArray[np.float64]],
    name: str,
    types: dict[str, ValueType],
    discretizer: Discretizer | None,
    incomplete_fit: IncompleteFit | None,
) -> Network:
    return kind(dag, levels, cpts, name, types=types, discretizer=discretizer, incomplete_fit=incomplete_fit)
