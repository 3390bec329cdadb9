"""Averages over ranked lists of networks, weighted by posterior probability, and predictions from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption, type_of
from dagscape.ensembles import averaging
from dagscape.ensembles.edge_probabilities import EdgeProbabilities
from dagscape.ensembles.prediction import log_predictive_rows, predict_rows
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.graphs.dag import Dag
from dagscape.graphs.directions import MemberLimits
from dagscape.networks.discrete.fitting import FitPrior
from dagscape.networks.discrete.queries import check_one_target, most_probable
from dagscape.results.base import pair_frame

if TYPE_CHECKING:
    import pandas as pd

Probabilities = NDArray[np.float64]


class AveragedNetworks(EdgeProbabilities, RankedNetworks):
    """A ranked list over which features can be averaged.

    An entry that stands for its class (``_ranks_classes``) is averaged over its members, of which there are
    ``class_sizes``. Averages are kept in ``_averages``.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # A field or a property of each list.
        @property
        def class_sizes(self) -> tuple[int, ...]:
            """The number of DAGs that each entry represents."""

        @property
        def _averages(self) -> dict[tuple[str, str], Probabilities]: ...

    @property
    def edges(self) -> Probabilities:
        """``[u, v]`` is the probability of u → v, averaged over all DAGs that the list represents."""
        return self.edge_probabilities()

    @property
    def ancestors(self) -> Probabilities:
        """``[s, t]`` is the probability of a directed path from s to t, averaged in the same way."""
        return self.ancestor_probabilities()

    @property
    def compelled(self) -> Probabilities:
        """``[u, v]`` is the probability that u → v holds in every member of the class, averaged in the same way."""
        return self.compelled_probabilities()

    def edge(self, parent: str, child: str) -> float:
        """Return the probability of parent → child, averaged over all DAGs that the list represents."""
        return float(self.edges[self._number(parent), self._number(child)])

    def ancestor(self, source: str, target: str) -> float:
        """Return the probability of a directed path from source to target, averaged in the same way."""
        return float(self.ancestors[self._number(source), self._number(target)])

    def weights(self, weights: str = "dags") -> NDArray[np.float64]:
        """Return the probability of each entry within the list; they sum to 1.

        Parameters
        ----------
        weights : {"dags", "classes"}
            Whether a class counts for each of its DAGs, or once.
        """
        if not len(self):
            raise InvalidOption("there are no networks to average over")
        logs = averaging.log_weights(self.scores, self.class_sizes, weights)
        shares: NDArray[np.float64] = np.exp(logs - logs.max())
        return shares / math.fsum(shares)

    def edge_probabilities(self, weights: str = "dags") -> Probabilities:
        """Return the probability of every edge, averaged over the list; ``weights`` as in :meth:`weights`."""
        return self._average("edges", weights, partial(averaging.edge_average, classes=self._ranks_classes))

    def ancestor_probabilities(self, weights: str = "dags") -> Probabilities:
        """Return the probability of a directed path between every two variables, averaged over the list."""
        return self._average("ancestors", weights, partial(averaging.ancestor_average, classes=self._ranks_classes))

    def compelled_probabilities(self, weights: str = "dags") -> Probabilities:
        """Return the probability that an edge holds in every member of the class, averaged over the list.

        Members that violate constraints on edges, or that experiments tell apart, do not count
        (:class:`~dagscape.graphs.directions.MemberLimits`).
        """
        limits = MemberLimits.of_scores(self.variables, self.score_info)
        return self._average("compelled", weights, partial(averaging.compelled_average, limits=limits))

    def blanket_probabilities(self, weights: str = "dags") -> Probabilities:
        """Return the probability ``[u, v]`` that u is in the Markov blanket of v, averaged over the list."""
        return self._average("blankets", weights, averaging.blanket_average)

    def v_structure_probabilities(self, weights: str = "dags") -> dict[tuple[str, str, str], float]:
        """Return the probability of every v-structure (a, child, b) in the list, most probable first."""
        return averaging.v_structure_average(self.networks, self.weights(weights))

    def average(self, function: Callable[[Dag], Any], weights: str = "dags", *, invariant: bool = False) -> Any:
        """Return the average of a function of a DAG.

        Parameters
        ----------
        function : callable
            Takes a :class:`~dagscape.Dag`; returns a number, a bool or an array.
        weights : {"dags", "classes"}
            Whether a class counts for each of its DAGs, or once. Members of a class always count alike.
        invariant : bool
            Whether the function has the same value for all members of a class; it is then called for one of them only.
            Otherwise it is called for every member of every class.

        Examples
        --------
        >>> import dagscape as ds
        >>> best = ds.k_best(ds.local_scores(ds.load_dataset("tic-tac-toe")), k=100)
        >>> round(best.average(lambda dag: dag.has_edge("top-left-square", "Class")), 4)
        0.4964
        >>> round(best.average(lambda dag: dag.edge_count, invariant=True), 2)
        15.09
        """
        if not callable(function):
            raise InvalidOption(
                f"is {type_of(function)}, not a function of a DAG: averages of edges and other features are "
                "edge_probabilities(), ancestor_probabilities(), blanket_probabilities() and "
                "v_structure_probabilities(), or feature_averages()",
                option="function",
            )
        members = self._ranks_classes and not invariant
        return averaging.function_average(self.networks, self.weights(weights), function, members=members)

    def log_predictive(
        self,
        train: Any,
        rows: Any,
        *,
        weights: str = "dags",
        ess: float | None = None,
        prior: FitPrior | None = None,
    ) -> NDArray[np.float64]:
        """Return the log-probability of new rows given the data of the scores, averaged over the networks.

        Parameters
        ----------
        train : Dataset or data frame
            The data that the scores were computed from.
        rows : Dataset, data frame or path
            New rows of the same variables.
        weights : {"dags", "classes"}
            Whether a class counts for each of its DAGs, or once.
        ess, prior
            How tables are fitted, as in :meth:`dagscape.Network.fit`. Default: as the scores assume.

        Returns
        -------
        array of float
            One number for each row of a data frame, in its order; for a Dataset, which keeps no order, one for each
            distinct row, in the order of ``rows.to_frame(expand=False)``.
        """
        logs = averaging.log_weights(self.scores, self.class_sizes, weights)
        return log_predictive_rows(
            self.networks, self.score_info, logs, train, rows, ess, prior, classes=self._ranks_classes
        )

    def predict(
        self,
        train: Any,
        rows: Any,
        target: str,
        *,
        weights: str = "dags",
        ess: float | None = None,
        prior: FitPrior | None = None,
    ) -> pd.DataFrame:
        """Return the probability of each level of a variable given the others, averaged over the networks.

        The average is that of the joint probability of the target and the rest of the row: networks that explain what
        the row shows better have more weight.

        Parameters
        ----------
        train, weights, ess, prior
            As in :meth:`log_predictive`.
        rows : Dataset, data frame or path
            New rows. They may lack columns, and cells may be missing: what is not observed is summed out, exactly. See
            :meth:`dagscape.Network.predict` for what else they may be.
        target : str
            The variable to predict.

        Returns
        -------
        DataFrame
            A column for each level of the target, in its own type. One row for each row of a data frame, with its
            index; for a Dataset, one for each distinct row, in the order of ``rows.to_frame(expand=False)``. If what
            a row shows has probability 0 in every network, all levels are equally probable.
        """
        check_one_target(target)
        self._number(target)
        logs = averaging.log_weights(self.scores, self.class_sizes, weights)
        return predict_rows(
            self.networks, self.score_info, logs, train, rows, target, ess, prior, classes=self._ranks_classes
        )

    def classify(
        self,
        train: Any,
        rows: Any,
        target: str,
        *,
        weights: str = "dags",
        ess: float | None = None,
        prior: FitPrior | None = None,
    ) -> pd.Series[Any]:
        """Return the most probable level of a variable in each row, in its own type; the first of several.

        Parameters
        ----------
        train, rows, target, weights, ess, prior
            As in :meth:`predict`.
        """
        return most_probable(self.predict(train, rows, target, weights=weights, ess=ess, prior=prior))

    def edge_frame(self) -> pd.DataFrame:
        """Return the averages of edges and ancestor relations, one ordered pair of variables per row.

        The column ``compelled`` has the probability that the edge holds in every member of its class.
        """
        matrices = {"edge": self.edges, "ancestor": self.ancestors, "compelled": self.compelled}
        return pair_frame(self.variables, matrices)

    def _average(self, feature: str, weights: str, compute: Callable[..., Probabilities]) -> Probabilities:
        """Return an average, from the cache if it was computed before."""
        key = feature, weights
        if key not in self._averages:
            # Rounded shares may sum to a little more than 1.
            found = np.clip(compute(self.networks, self.weights(weights)), 0.0, 1.0)
            found.flags.writeable = False
            self._averages[key] = found
        return self._averages[key]
