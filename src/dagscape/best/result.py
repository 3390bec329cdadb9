"""A list of the best networks or classes, and what can be asked of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.best import averaging
from dagscape.errors import InvalidOption
from dagscape.graphs.dag import Dag
from dagscape.graphs.fitting import FitPrior
from dagscape.graphs.prediction import log_predictive, predict
from dagscape.graphs.ranked_networks import RankedNetworks
from dagscape.results import decoded_field

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.data.dataset import Dataset

Probabilities = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BestNetworks(RankedNetworks):
    """The best networks, or the best equivalence classes with one member of each, best first.

    Attributes
    ----------
    networks : sequence of Dag
        The networks; of each class one member.
    scores : array of float
        Their scores: natural logs.
    space : str
        ``"classes"`` or ``"dags"``: what was ranked.
    class_sizes : tuple of int
        The number of DAGs that each entry stands for: the size of its class, or 1 in a list of DAGs.
    ties : tuple of int
        How many entries share the best score, how many the next, and so on. Scores are compared as exact integers.
    ends_in_tie : bool
        Whether the next network, which is not in the list, has the same score as the last one in it.
    exhausted : bool
        Whether there are no other networks at all.
    stored : int
        How many networks the search kept, on all sets of variables.
    """

    kind: ClassVar[str] = "k-best"

    label: ClassVar[str] = "the k best"
    lists: ClassVar[tuple[str, ...]] = ("networks", "scores", "class_sizes")

    space: str = decoded_field(str)
    class_sizes: tuple[int, ...] = decoded_field(tuple)
    ties: tuple[int, ...] = decoded_field(tuple)
    ends_in_tie: bool = decoded_field(bool)
    exhausted: bool = decoded_field(bool)
    stored: int = decoded_field(int)
    _averages: dict[str, Any] = field(default_factory=dict, init=False)

    @property
    def edges(self) -> Probabilities:
        """``[u, v]`` is the probability of u → v, averaged over all DAGs that the list stands for."""
        return self.edge_probabilities()

    @property
    def ancestors(self) -> Probabilities:
        """``[s, t]`` is the probability of a directed path from s to t, averaged likewise."""
        return self.ancestor_probabilities()

    def edge(self, parent: str, child: str) -> float:
        """The probability of parent → child, averaged over all DAGs that the list stands for."""
        return float(self.edges[self._number(parent), self._number(child)])

    def ancestor(self, source: str, target: str) -> float:
        """The probability of a directed path from source to target, averaged likewise."""
        return float(self.ancestors[self._number(source), self._number(target)])

    @property
    def ratio(self) -> float:
        """λ: how many times more probable the best network is than the last one in the list."""
        return math.exp(min(float(self.scores[0] - self.scores[-1]), 709.0))

    @property
    def dag_count(self) -> int:
        """The number of DAGs that the list stands for."""
        return sum(self.class_sizes)

    def coverage(self, log_total: float) -> float:
        """Δ: the share of the posterior probability of all DAGs that the DAGs of the list have.

        Parameters
        ----------
        log_total : float
            ``log_total`` of :func:`dagscape.posterior` over DAGs, for the same scores.
        """
        covered = averaging.log_sum(averaging.log_weights(self.scores, self.class_sizes, "dags"))
        if covered > log_total + 1e-6:
            raise InvalidOption(
                f"the networks of the list weigh more ({covered:.6f}) than all networks together ({log_total:.6f}): "
                "log_total is of other scores, or of a sum over orders"
            )
        return min(1.0, math.exp(covered - log_total))

    def weights(self, weights: str = "dags") -> NDArray[np.float64]:
        """The probability of each entry among those of the list; they sum to 1.

        Parameters
        ----------
        weights : {"dags", "classes"}
            Whether a class counts for each of its DAGs, or once.
        """
        logs = averaging.log_weights(self.scores, self.class_sizes, weights)
        return np.exp(logs - averaging.log_sum(logs))

    def edge_probabilities(self, weights: str = "dags") -> Probabilities:
        """The probability of every edge, averaged over the list; ``weights`` as in :meth:`weights`."""
        return self._average("edges", weights, averaging.edge_average)

    def ancestor_probabilities(self, weights: str = "dags") -> Probabilities:
        """The probability of a directed path between every two variables, averaged over the list."""
        return self._average("ancestors", weights, averaging.ancestor_average)

    def blanket_probabilities(self, weights: str = "dags") -> Probabilities:
        """``[u, v]`` is the probability that u is in the Markov blanket of v, averaged over the list."""
        return self._average("blankets", weights, averaging.blanket_average)

    def v_structure_probabilities(self, weights: str = "dags") -> dict[tuple[str, str, str], float]:
        """The probability of every v-structure (a, child, b) in the list, most probable first."""
        return averaging.v_structure_average(self.networks, self.weights(weights))

    def average(self, function: Callable[[Dag], Any], weights: str = "dags", *, invariant: bool = False) -> Any:
        """The average of any function of a DAG.

        Parameters
        ----------
        function : callable
            Takes a :class:`~dagscape.Dag`; returns a number, a truth value or an array.
        weights : {"dags", "classes"}
            Whether a class counts for each of its DAGs, or once. Members of a class always count alike.
        invariant : bool
            Whether the function is the same for all members of a class: it is then called for one of them only.
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
        members = self._classes and not invariant
        return averaging.function_average(self.networks, self.weights(weights), function, members=members)

    def log_predictive(
        self, train: Dataset, rows: Dataset, *, weights: str = "dags", ess: float = 1.0, prior: FitPrior = "bdeu"
    ) -> NDArray[np.float64]:
        """The log-probability of new rows, given the data that the scores come from, averaged over the networks.

        Parameters
        ----------
        train : Dataset
            The data that the scores were computed from.
        rows : Dataset
            New rows of the same variables.
        weights : {"dags", "classes"}
            Whether a class counts for each of its DAGs, or once.
        ess, prior
            How tables are fitted, as in :meth:`dagscape.Network.fit`.

        Returns
        -------
        array of float
            One number for each distinct row, in the order of ``rows.to_frame(expand=False)``.
        """
        logs = averaging.log_weights(self.scores, self.class_sizes, weights)
        return log_predictive(self.variables, self.networks.parents, logs, train, rows, ess, prior)

    def predict(
        self,
        train: Dataset,
        rows: Dataset,
        target: str,
        *,
        weights: str = "dags",
        ess: float = 1.0,
        prior: FitPrior = "bdeu",
    ) -> pd.DataFrame:
        """The probability of each level of one variable given all others, averaged over the networks.

        Parameters
        ----------
        train, rows, weights, ess, prior
            As in :meth:`log_predictive`; the rows need not have the target.
        target : str
            The variable to predict.

        Returns
        -------
        DataFrame
            One distinct row of ``rows`` in a row, in the order of ``rows.to_frame(expand=False)``; a column for each
            level of the target.
        """
        import pandas as pd

        logs = averaging.log_weights(self.scores, self.class_sizes, weights)
        found = predict(self.variables, self.networks.parents, logs, train, rows, target, ess, prior)
        return pd.DataFrame(found, columns=pd.Index(train.levels[target], name=target))

    def agreement(self) -> pd.DataFrame:
        """What the networks agree on, and where they differ: one pair of variables in a row.

        In a list of classes, edges are those of the CPDAGs: directed where all members of the class agree. The columns
        count networks: ``forward`` has the edge source → target, ``backward`` target → source, ``undirected`` (of a
        class) either, ``absent`` none. ``adjacent`` is ``"all"``, ``"some"`` or ``"none"``; ``probability`` is
        that of an edge in either direction.
        """
        import pandas as pd

        kinds = averaging.edge_kinds(self.networks, classes=self._classes)
        edges = self.edges
        rows = []
        for u, v in itertools.combinations(range(len(self.variables)), 2):
            forward, backward, undirected = kinds.get((u, v), (0, 0, 0))
            if backward > forward:
                u, v, forward, backward = v, u, backward, forward
            there = forward + backward + undirected
            adjacent = "all" if there == len(self) else "some" if there else "none"
            rows.append(
                (
                    self.variables[u],
                    self.variables[v],
                    adjacent,
                    float(edges[u, v] + edges[v, u]),
                    forward,
                    backward,
                    undirected,
                    len(self) - there,
                )
            )
        columns = ["source", "target", "adjacent", "probability", "forward", "backward", "undirected", "absent"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def to_frame(self) -> pd.DataFrame:
        """One network or class in a row: score, how many times less probable than the best, share of the list."""
        import pandas as pd

        return pd.DataFrame(
            {
                "rank": np.arange(1, len(self) + 1),
                "score": self.scores,
                "times_less": np.exp(np.minimum(self.scores[0] - self.scores, 709.0)),
                "share": self.weights(),
                "dags": pd.Series(self.class_sizes, dtype=object),
                "edges": np.bitwise_count(self.networks.parents).sum(axis=1, dtype=np.int64),
            }
        )

    @property
    def _classes(self) -> bool:
        return self.space == "classes"

    def _average(self, feature: str, weights: str, compute: Callable[..., Probabilities]) -> Probabilities:
        """An average that is computed once."""
        key = f"{feature} {weights}"
        if key not in self._averages:
            found = compute(self.networks, self.weights(weights), classes=self._classes)
            found.flags.writeable = False
            self._averages[key] = found
        average: Probabilities = self._averages[key]
        return average

    def __repr__(self) -> str:
        what = "class" if self._classes else "DAG"
        what += "" if len(self) == 1 else "es" if self._classes else "s"
        stands_for = f" of {self.dag_count:,} DAGs" if self._classes else ""
        tie = ", ends in a tie" if self.ends_in_tie else ""
        return f"BestNetworks({len(self):,} {what}{stands_for}, best {self.scores[0]:.4f}, ratio {self.ratio:.4g}{tie})"
