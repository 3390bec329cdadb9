"""Networks sampled from the posterior, and what they say about structure, each number with its Monte Carlo error."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.core.estimates import ArrayEstimate, Estimate, Probability
from dagscape.core.wording import plural
from dagscape.drawing.edges import ProbableEdges
from dagscape.ensembles.averaging import as_number
from dagscape.ensembles.chain_diagnostics import ChainDiagnostics
from dagscape.ensembles.edge_probabilities import EdgeProbabilities, feature_frame, refuse_narrow_feature
from dagscape.ensembles.listed_networks import ListedNetworks
from dagscape.ensembles.monte_carlo import FEWEST_DRAWS, effective_size
from dagscape.ensembles.sample_averages import Draws, Indices, MeansAndErrors, number_means
from dagscape.ensembles.sample_features import (
    INCLUDED,
    all_step_shares,
    blankets_of,
    class_labels,
    compelled_given_edges,
    feature_shares,
    sets_with_shares,
    share_frame,
    shares_beyond,
    v_structure_shares,
)
from dagscape.ensembles.sample_prediction import PredictingSamples
from dagscape.ensembles.sample_traces import TracedSamples
from dagscape.graphs.dag import Dag
from dagscape.graphs.directions import MemberLimits
from dagscape.results.base import check_known, check_shape, pair_frame
from dagscape.results.decoding import Between, Count, NotNegative, OneOf, Probabilities

if TYPE_CHECKING:
    import pandas as pd

Matrix = NDArray[np.float64]

# The features that documents have, and their errors.
_FEATURES = {
    "edges": "edge_errors",
    "ancestors": "ancestor_errors",
    "adjacencies": "adjacency_errors",
    "compelled": "compelled_errors",
}


# The columns of a frame of pairs.
_PAIR_COLUMNS = {"edge": "edges", "ancestor": "ancestors", "adjacent": "adjacencies", "compelled": "compelled"}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SampledNetworks(PredictingSamples, TracedSamples, EdgeProbabilities, ListedNetworks):
    """Networks drawn from the posterior: independent samples, or Markov chains.

    All counts alike in averages, which estimate posterior probabilities. Each has its Monte Carlo error: one standard
    error, by the rules of :mod:`dagscape.ensembles.monte_carlo`. That of what no sample has is not 0.

    Attributes
    ----------
    networks : sequence of Dag
        The networks in the order in which they were drawn, chain after chain.
    scores : array of float
        Their scores: natural logs.
    over : str
        What was sampled from. ``"dags"``: each DAG has the weight of its prior. ``"orders"``: each DAG counts once for
        each order of the variables that is consistent with it.
    method : str
        ``"exact"``: independent samples. ``"chain"``: Markov chains.
    chains : int
        The number of chains, which have equally many draws; 1 if samples are independent.
    error : float
        The numerical error of the sampling probabilities. For chains, the posterior mass of what they cannot reach.
    edge_means : array, chains × n × n, or None
        The averages of edges over all steps of each chain, not only those whose networks were kept.
    edge_batches : array, chains × batches × n × n, or None
        Their batch means.
    diagnostics : ChainDiagnostics or None
        Whether the chains converged.
    drawn_cells : int
        The number of missing cells that chains drew along with the networks; 0 if the table was complete.

    Examples
    --------
    >>> import dagscape as ds
    >>> from dagscape.graphs.lists import DagList
    >>> from dagscape.results.base import Provenance
    >>> there, absent = ds.Dag.from_edges("ab", [("a", "b")]), ds.Dag("ab")
    >>> draws = ds.SampledNetworks(
    ...     ("a", "b"), Provenance("1", "example"), DagList.from_dags([there] * 75 + [absent] * 25), np.zeros(100),
    ...     over="dags", method="exact",
    ... )
    >>> draws.edge("a", "b")
    Probability(0.75, error=0.044)
    >>> draws.edge("b", "a")
    Probability(0.0, error=0.0099)
    >>> draws.average(lambda dag: dag.edge_count)
    Estimate(0.75, error=0.044)
    >>> draws.parents("b")
    {('a',): Probability(0.75, error=0.044), (): Probability(0.25, error=0.044)}
    """

    kind: ClassVar[str] = "sampled-networks"

    over: Annotated[str, OneOf(("dags", "orders"))]
    method: Annotated[str, OneOf(("exact", "chain"))]
    chains: Annotated[int, Between(1)] = 1
    error: NotNegative = 0.0
    edge_means: Probabilities | None = None
    edge_batches: Probabilities | None = None
    diagnostics: ChainDiagnostics | None = None
    drawn_cells: Count = 0
    _averages: dict[str, Any] = field(default_factory=dict, init=False)

    @property
    def edges(self) -> Matrix:
        """``[u, v]`` is the probability of u → v: over all steps of chains if these are known, else over networks."""
        return self._feature("edges")[0]

    @property
    def edge_errors(self) -> Matrix:
        """The Monte Carlo errors of :attr:`edges`."""
        return self._feature("edges")[1]

    @property
    def ancestors(self) -> Matrix:
        """``[s, t]`` is the probability of a directed path from s to t."""
        return self._feature("ancestors")[0]

    @property
    def ancestor_errors(self) -> Matrix:
        """The Monte Carlo errors of :attr:`ancestors`."""
        return self._feature("ancestors")[1]

    @property
    def adjacencies(self) -> Matrix:
        """``[u, v]`` is the probability of an edge between u and v. Symmetric."""
        return self._feature("adjacencies")[0]

    @property
    def adjacency_errors(self) -> Matrix:
        """The Monte Carlo errors of :attr:`adjacencies`."""
        return self._feature("adjacencies")[1]

    @property
    def compelled(self) -> Matrix:
        """``[u, v]`` is the probability that all members of the equivalence class have u → v.

        Members that violate constraints on edges, or that experiments tell apart, do not count
        (:class:`~dagscape.graphs.directions.MemberLimits`).
        """
        return self._feature("compelled")[0]

    @property
    def compelled_errors(self) -> Matrix:
        """The Monte Carlo errors of :attr:`compelled`."""
        return self._feature("compelled")[1]

    @property
    def blankets(self) -> Matrix:
        """``[u, v]`` is the probability that u is in the Markov blanket of v. Symmetric."""
        return self._feature("blankets")[0]

    @property
    def blanket_errors(self) -> Matrix:
        """The Monte Carlo errors of :attr:`blankets`."""
        return self._feature("blankets")[1]

    def edge(self, parent: str, child: str) -> Probability:
        """Return the probability of parent → child, with its error."""
        return self._entry("edges", parent, child)

    def ancestor(self, source: str, target: str) -> Probability:
        """Return the probability of a directed path from source to target, with its error."""
        return self._entry("ancestors", source, target)

    def adjacent(self, first: str, second: str) -> Probability:
        """Return the probability of an edge between two variables, in either direction, with its error."""
        return self._entry("adjacencies", first, second)

    def adjacency(self, first: str, second: str) -> Probability:
        """Return the same as :meth:`adjacent`, under the name that other results have for it."""
        return self.adjacent(first, second)

    def direction(self, parent: str, child: str) -> Probability:
        """Return the probability that all members of the equivalence class have parent → child, with its error."""
        return self._entry("compelled", parent, child)

    def in_blanket(self, variable: str, of: str) -> Probability:
        """Return the probability that one variable is in the Markov blanket of another, with its error."""
        return self._entry("blankets", variable, of)

    def blanket_probabilities(self) -> Matrix:
        """Return :attr:`blankets`, under the name that other lists of networks have for it."""
        return self.blankets

    def average(self, function: Callable[[Dag], Any]) -> Any:
        """Return the average of a function of a DAG, with its error.

        Parameters
        ----------
        function : callable
            Takes a :class:`~dagscape.Dag`; returns a number, a bool or an array. It is called once for each different
            network.

        Returns
        -------
        Probability, Estimate or ArrayEstimate
            The average of bools is a :class:`~dagscape.Probability`, that of other numbers an
            :class:`~dagscape.Estimate`: floats with an ``error``. That of arrays of equal shape is an
            :class:`~dagscape.ArrayEstimate`, with the arrays ``value`` and ``error``. Numbers that are 0 or 1 in all
            networks have the error of a probability.
        """
        if not callable(function):
            raise InvalidOption(f"is {type_of(function)}, not a function of a DAG", option="function")
        first, places = self._distinct
        found = [function(self.networks[index]) for index in first.tolist()]
        values = [as_number(value) for value in found]
        if len({np.shape(value) for value in values}) > 1:
            raise InvalidOption("the function returned arrays of different shapes, which cannot be averaged")
        means, errors = number_means(values, places, self._sampling)
        if means.ndim:
            return ArrayEstimate(means, errors)
        kind = Probability if all(isinstance(value, bool | np.bool_) for value in found) else Estimate
        return kind(float(means), float(errors))

    def via(self, source: str, middle: str, target: str) -> Probability:
        """Return the probability of a directed path from source to target through a third variable."""
        s, p, t = map(self._number, (source, middle, target))
        if len({s, p, t}) < 3:
            raise InvalidOption("a path leads from one variable through a second to a third; they must differ")
        found: Probability = self.average(
            lambda dag: source in dag.ancestors(middle) and middle in dag.ancestors(target)
        )
        return found

    def d_separated(
        self, x: str | Collection[str], y: str | Collection[str], given: Collection[str] = ()
    ) -> Probability:
        """Return the probability that two variables, or sets of them, are d-separated by a third set.

        Parameters
        ----------
        x, y, given
            As in :meth:`dagscape.Dag.d_separated`.
        """
        found: Probability = self.average(lambda dag: dag.d_separated(x, y, given))
        return found

    def parents(self, variable: str) -> dict[tuple[str, ...], Probability]:
        """Return the probability of each set of parents of a variable that some network has, most probable first."""
        first, places = self._distinct
        sets = self.networks.parents[first, self._number(variable)]
        return sets_with_shares(self.variables, sets, places, self._sampling)

    def markov_blankets(self, variable: str) -> dict[tuple[str, ...], Probability]:
        """Return the probability of each Markov blanket of a variable that some network has, most probable first."""
        first, places = self._distinct
        sets = blankets_of(self.networks.parents[first], self._number(variable))
        return sets_with_shares(self.variables, sets, places, self._sampling)

    def v_structure_probabilities(self) -> dict[tuple[str, str, str], Probability]:
        """Return the probability of every v-structure (a, child, b) that some network has, most probable first."""
        first, places = self._distinct
        return v_structure_shares(self.variables, self.networks.parents[first], places, self._sampling)

    def class_shares(self) -> pd.DataFrame:
        """Return the equivalence classes in the sample as a data frame, most frequent first.

        Returns
        -------
        DataFrame
            One class per row: its ``share`` of the samples, the ``error`` of the share, the ``cumulative`` share, the
            number of ``samples``, the best ``score`` among them, and the ``network`` that has it, a
            :class:`~dagscape.Dag` that represents the class.
        """
        labels = class_labels(self.networks, *self._distinct)
        return share_frame(self.networks, self.scores, labels, self._sampling)

    def network_shares(self) -> pd.DataFrame:
        """Return the different networks in the sample as a data frame, most frequent first.

        Returns
        -------
        DataFrame
            As from :meth:`class_shares`, with one network per row.
        """
        return share_frame(self.networks, self.scores, self._distinct[1], self._sampling)

    @property
    def best(self) -> Dag:
        """The network with the best score; the first of several."""
        return self.networks[int(self.scores.argmax())]

    @property
    def best_score(self) -> float:
        """The score of :attr:`best`."""
        return float(self.scores.max())

    @property
    def drawable(self) -> ProbableEdges:
        """What a drawing shows: the edges that are probable enough."""
        return ProbableEdges(self.variables, self.edges, self.compelled)

    def to_frame(self, *, wide: bool = False, feature: str = "edges") -> pd.DataFrame:
        """Return the probabilities as a data frame.

        Parameters
        ----------
        wide : bool
            False: one row per ordered pair of variables, with the columns ``edge``, ``ancestor``, ``adjacent`` and
            ``compelled``, each followed by its error (``edge_error``, …); the most probable edges come first. True: one
            matrix, labelled with the variables.
        feature : {"edges", "adjacencies", "ancestors", "compelled"}
            The matrix of a wide frame; only for those.
        """
        if wide:
            return feature_frame(self, feature)
        refuse_narrow_feature(feature)
        matrices: dict[str, Matrix] = {}
        for name, feature in _PAIR_COLUMNS.items():
            matrices[name], matrices[f"{name}_error"] = self._feature(feature)
        return pair_frame(self.variables, matrices)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document, with probabilities and errors of edges and other features."""
        matrices = {name: getattr(self, name).tolist() for name in (*_FEATURES, *_FEATURES.values())}
        return super(SampledNetworks, self).to_dict() | matrices

    def _check(self) -> None:
        super(SampledNetworks, self)._check()
        n, count = len(self.variables), len(self)
        if not count or count % self.chains:
            raise InvalidData(f"there are {plural(count, 'network')}; {plural(self.chains, 'chain')} must share them")
        if self.method == "exact" and self.chains > 1:
            raise InvalidData(f"chains is {self.chains}; it must be 1 if samples are independent")
        check_shape("edge_means", self.edge_means, (self.chains, n, n))
        if self.edge_batches is not None:
            batches = self.edge_batches.shape[1] if self.edge_batches.ndim > 1 else 0
            check_shape("edge_batches", self.edge_batches, (self.chains, max(batches, 1), n, n))
            if self.edge_means is None:
                raise InvalidData("edge_batches are given without edge_means")
        if self.diagnostics is not None and self.diagnostics.disagreement_edge is not None:
            check_known("diagnostics", self.diagnostics.disagreement_edge, self.variables)

    @property
    def _distinct(self) -> tuple[Indices, Indices]:
        """Where each different network occurs first, and the place of every network among these."""
        if "distinct" not in self._averages:
            self._averages["distinct"] = self.networks.distinct()
        found: tuple[Indices, Indices] = self._averages["distinct"]
        return found

    @property
    def _sampling(self) -> Draws:
        """How the networks were drawn, as far as errors depend on it."""
        if "sampling" not in self._averages:
            size = float(len(self) if self.method == "exact" else self.chains)
            if self.diagnostics is not None:
                size = min(max(self.diagnostics.ess_score, 1.0), float(len(self)))
            elif self.method == "chain" and self.draws >= FEWEST_DRAWS:
                size = float(effective_size(self.scores.reshape(self.chains, self.draws)))
            self._averages["sampling"] = Draws(self.chains, self.draws, self.method == "exact", size)
        found: Draws = self._averages["sampling"]
        return found

    def _feature(self, feature: str) -> MeansAndErrors:
        """Return the probabilities of a feature and their errors, from the cache if they were computed before."""
        if feature not in self._averages:
            found = self._compute(feature)
            for matrix in found:
                matrix.flags.writeable = False
            self._averages[feature] = found
        kept: MeansAndErrors = self._averages[feature]
        return kept

    def _compute(self, feature: str) -> MeansAndErrors:
        """Compute the probabilities of a feature and their errors: from those of all steps, where these say more."""
        first, places = self._distinct
        graphs, sampling = self.networks.parents[first], self._sampling
        limits = MemberLimits.of_scores(self.variables, self.score_info)
        shares = partial(feature_shares, feature, graphs, places, sampling, limits)
        if self.edge_means is None:
            return shares()
        if feature == "compelled":
            return compelled_given_edges(graphs, places, sampling, self._feature("edges"), limits)
        if feature in INCLUDED:
            return shares_beyond(feature, graphs, places, sampling, self._feature(INCLUDED[feature]))
        return all_step_shares(feature, self.edge_means, self.edge_batches, shares, sampling)

    def _entry(self, feature: str, row: str, column: str) -> Probability:
        place = self._number(row), self._number(column)
        means, errors = self._feature(feature)
        return Probability(float(means[place]), float(errors[place]))

    def __repr__(self) -> str:
        probable = int((self.edges > 0.5).sum())
        drawn = f"{plural(self.chains, 'chain')} of {plural(self.draws, 'DAG')}"
        if self.method == "exact":
            drawn = f"{plural(len(self), 'independent DAG')}"
        trust = "" if self.diagnostics is None or self.diagnostics.converged else ", not converged"
        return (
            f"SampledNetworks({drawn} over {self.over}, {plural(len(self.variables), 'variable')}, "
            f"{plural(probable, 'edge')} above 0.5{trust})"
        )
