"""A list of the best networks or classes, and averages over it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, argument, function
from dagscape.core.wording import plural
from dagscape.ensembles import averaging
from dagscape.ensembles.edge_probabilities import FEATURES, EdgeProbabilities, feature_frame, refuse_narrow_feature
from dagscape.ensembles.prediction import log_predictive_rows, predict_rows
from dagscape.ensembles.ranked_networks import RankedNetworks, times_less
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.fitting import FitPrior
from dagscape.networks.discrete.queries import check_one_target, most_probable
from dagscape.results.base import ScoredResult, check_same_scores, pair_frame
from dagscape.results.decoding import Between, Count, Finite, OneOf

if TYPE_CHECKING:
    import pandas as pd

# More DAGs in a class than any number of variables that can be searched has; their number is still a float.
ClassSize = Annotated[int, Between(1, 10**300)]

Probabilities = NDArray[np.float64]

# math.exp overflows a little above this.
_LARGEST_LOG = 709.0

# How far a total may be below the list, in nats, because of its own error.
_TOTAL_SLACK = 1e-6


class HasLogTotal(Protocol):
    """A posterior over DAGs."""

    @property
    def log_total(self) -> float:
        """Ln of the total weight of all DAGs."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BestNetworks(EdgeProbabilities, RankedNetworks):
    """The best networks, or the best equivalence classes with one member of each, best first.

    Attributes
    ----------
    networks : sequence of Dag
        The networks; for classes, one member of each.
    scores : array of float
        Their scores: natural logs.
    space : str
        ``"classes"`` or ``"dags"``: what was ranked.
    class_sizes : tuple of int
        The number of DAGs that each entry represents: the size of its class, or 1 in a list of DAGs.
    ties : tuple of int
        How many entries share the best score, the next score, and so on. Scores are compared as exact integers.
    ends_in_tie : bool or None
        Whether the next network, after the end of the list, has the same score as the last one; None if there
        was no memory left to find it.
    exhausted : bool
        Whether there are no other networks at all.
    complete : bool
        Whether the list has everything requested, or everything there is; false if memory ran out.
    stored : int
        The number of networks that the search kept, on all sets of variables.
    log_total : float or None
        The natural log of the total weight of all DAGs, if it is known (:meth:`with_total`).
    """

    kind: ClassVar[str] = "k-best"

    label: ClassVar[str] = "the k best"
    lists: ClassVar[tuple[str, ...]] = ("networks", "scores", "class_sizes")

    space: Annotated[str, OneOf(("classes", "dags"))]
    class_sizes: tuple[ClassSize, ...]
    ties: tuple[Count, ...]
    ends_in_tie: bool | None
    exhausted: bool
    complete: bool
    stored: Count
    log_total: Finite | None = None
    _averages: dict[tuple[str, str], Probabilities] = field(default_factory=dict, init=False)

    @property
    def edges(self) -> Probabilities:
        """``[u, v]`` is the probability of u → v, averaged over all DAGs that the list represents."""
        return self.edge_probabilities()

    @property
    def ancestors(self) -> Probabilities:
        """``[s, t]`` is the probability of a directed path from s to t, averaged in the same way."""
        return self.ancestor_probabilities()

    def edge(self, parent: str, child: str) -> float:
        """Return the probability of parent → child, averaged over all DAGs that the list represents."""
        return float(self.edges[self._number(parent), self._number(child)])

    def ancestor(self, source: str, target: str) -> float:
        """Return the probability of a directed path from source to target, averaged in the same way."""
        return float(self.ancestors[self._number(source), self._number(target)])

    @property
    def log_ratio(self) -> float:
        """Ln λ: the best score minus the last one in the list."""
        return float(self.scores[0] - self.scores[-1])

    @property
    def ratio(self) -> float:
        """λ: how many times more probable the best network is than the last one; infinite beyond 10^308."""
        return math.exp(self.log_ratio) if self.log_ratio < _LARGEST_LOG else math.inf

    @property
    def dag_count(self) -> int:
        """The number of DAGs that the list represents."""
        return sum(self.class_sizes)

    def coverage(self, total: float | HasLogTotal) -> float:
        """Return Δ: the share of the posterior probability that the list covers.

        Parameters
        ----------
        total : Posterior or float
            The result of :func:`dagscape.posterior` over DAGs for the same scores, or its ``log_total``. That of other
            scores is refused, unless neither tells where it comes from, as with ``.jkl`` files.
        """
        log_total = getattr(total, "log_total", total)
        if getattr(total, "over", "dags") != "dags":
            raise InvalidOption(
                f"is a posterior over orders, not over DAGs: use {function('posterior')}", option="total"
            )
        if getattr(total, "prior", False):
            raise InvalidOption(
                f"is a posterior without data ({argument('prior', True)}), so it says nothing about the list: use "
                f"{function('posterior')} with the data",
                option="total",
            )
        if isinstance(total, ScoredResult):
            check_same_scores(self, total)
        if not isinstance(log_total, int | float | np.number) or not math.isfinite(log_total):
            raise InvalidOption(f"is {total!r}; it must be a posterior over DAGs, or its log_total", option="total")
        covered = averaging.log_sum(averaging.log_weights(self.scores, self.class_sizes, "dags"))
        if covered > log_total + _TOTAL_SLACK:
            raise InvalidOption(
                f"the log weight of the list ({covered:.6f}) exceeds that of all networks ({log_total:.6f}): "
                "the total is for other scores, or over orders"
            )
        return min(1.0, math.exp(covered - log_total))

    def with_total(self, total: float | HasLogTotal) -> BestNetworks:
        """Return the same list with the total weight of all DAGs, so that it shows the share that it covers.

        Parameters
        ----------
        total : Posterior or float
            As in :meth:`coverage`.

        Examples
        --------
        >>> import dagscape as ds
        >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
        >>> ds.k_best(scores, k=100).with_total(ds.posterior(scores))
        BestNetworks(100 classes of 662 DAGs, best -9423.0683, ratio 1005, covers 99.71%, ends in a tie)
        """
        self.coverage(total)
        log_total: Any = getattr(total, "log_total", total)
        return replace(self, log_total=float(log_total))

    def weights(self, weights: str = "dags") -> NDArray[np.float64]:
        """Return the probability of each entry within the list; they sum to 1.

        Parameters
        ----------
        weights : {"dags", "classes"}
            Whether a class counts for each of its DAGs, or once.
        """
        logs = averaging.log_weights(self.scores, self.class_sizes, weights)
        shares: NDArray[np.float64] = np.exp(logs - logs.max())
        return shares / math.fsum(shares)

    def edge_probabilities(self, weights: str = "dags") -> Probabilities:
        """Return the probability of every edge, averaged over the list; ``weights`` as in :meth:`weights`."""
        return self._average("edges", weights, partial(averaging.edge_average, classes=self._ranks_classes))

    def ancestor_probabilities(self, weights: str = "dags") -> Probabilities:
        """Return the probability of a directed path between every two variables, averaged over the list."""
        return self._average("ancestors", weights, partial(averaging.ancestor_average, classes=self._ranks_classes))

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
        rows : Dataset or data frame
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
        return log_predictive_rows(self, logs, train, rows, ess, prior, classes=self._ranks_classes)

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
        rows : Dataset or data frame
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
        return predict_rows(self, logs, train, rows, target, ess, prior, classes=self._ranks_classes)

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

    def agreement(self, level: str | None = None) -> pd.DataFrame:
        """Return what the networks agree on, and where they differ, as in :meth:`RankedNetworks.agreement`.

        The extra column ``probability`` is that of an edge in either direction; the most probable pairs come first.
        """
        frame = super(BestNetworks, self).agreement(level)
        number = {name: i for i, name in enumerate(self.variables)}
        adjacencies = self.adjacencies
        pairs = zip(frame["source"], frame["target"], strict=True)
        frame.insert(3, "probability", [adjacencies[number[u], number[v]] for u, v in pairs])
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def edge_frame(self) -> pd.DataFrame:
        """Return the averages of edges and ancestor relations, one ordered pair of variables per row."""
        return pair_frame(self.variables, {"edge": self.edges, "ancestor": self.ancestors})

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document, with averages over the list, and the share that it covers if known."""
        averages = {feature: getattr(self, feature).tolist() for feature in FEATURES}
        coverage = None if self.log_total is None else self.coverage(self.log_total)
        return super(BestNetworks, self).to_dict() | averages | {"coverage": coverage}

    def to_frame(self, *, wide: bool = False, feature: str = "edges") -> pd.DataFrame:
        """Return the list as a data frame, or averages over it.

        Parameters
        ----------
        wide : bool
            False: one network or class per row, with its score, how many times less probable it is than the best, and
            its share of the list. True: averages over the list as one matrix, labelled with the variables.
        feature : {"edges", "adjacencies", "ancestors"}
            The matrix of a wide frame; only for those.
        """
        if wide:
            return feature_frame(self, feature)
        refuse_narrow_feature(feature)
        import pandas as pd

        return pd.DataFrame(
            {
                "rank": np.arange(1, len(self) + 1),
                "score": self.scores,
                "times_less": times_less(self.scores),
                "share": self.weights(),
                "dags": pd.Series(self.class_sizes, dtype=None if max(self.class_sizes) < 2**63 else object),
                "edges": self.networks.edge_counts(),
            }
        )

    def _check(self) -> None:
        super(BestNetworks, self)._check()
        if not len(self):
            raise InvalidData("networks is empty; it must have at least one network")
        if not self._ranks_classes and set(self.class_sizes) != {1}:
            raise InvalidData("class_sizes must be 1 in a list of DAGs")
        if sum(self.ties) != len(self):
            raise InvalidData(f"ties sums to {sum(self.ties):,}; it must be {len(self):,}, the number of networks")
        if self.log_total is not None:
            try:
                self.coverage(self.log_total)
            except InvalidOption as error:
                raise InvalidData(str(error)) from error

    @property
    def _agreement_level(self) -> str:
        return "classes" if self._ranks_classes else "dags"

    @property
    def _ranks_classes(self) -> bool:
        return self.space == "classes"

    def _average(self, feature: str, weights: str, compute: Callable[..., Probabilities]) -> Probabilities:
        """Return an average, from the cache if it was computed before."""
        key = feature, weights
        if key not in self._averages:
            # Rounded shares may sum to a little more than 1.
            found = np.clip(compute(self.networks, self.weights(weights)), 0.0, 1.0)
            found.flags.writeable = False
            self._averages[key] = found
        return self._averages[key]

    def __repr__(self) -> str:
        entries = plural(len(self), "class", "classes") if self._ranks_classes else plural(len(self), "DAG")
        stands_for = f" of {plural(self.dag_count, 'DAG')}" if self._ranks_classes else ""
        tie = ", ends in a tie" if self.ends_in_tie else "" if self.complete else ", stopped for memory"
        ratio = f"{self.ratio:.4g}" if self.ratio < math.inf else f"e^{self.log_ratio:.4g}"
        share = "" if self.log_total is None else f", covers {self.coverage(self.log_total):.2%}"
        return f"BestNetworks({entries}{stands_for}, best {self.scores[0]:.4f}, ratio {ratio}{share}{tie})"
