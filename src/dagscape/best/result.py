"""A list of the best networks or classes, and averages over it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol

import numpy as np

from dagscape.core.errors import InvalidData, InvalidOption, argument, function
from dagscape.core.wording import plural
from dagscape.ensembles import averaging
from dagscape.ensembles.averaged_networks import AveragedNetworks, Probabilities
from dagscape.ensembles.edge_probabilities import MATRICES, feature_frame, refuse_narrow_feature
from dagscape.ensembles.ranked_networks import times_less
from dagscape.results.base import ScoredResult, check_same_scores
from dagscape.results.decoding import Between, Count, Finite, OneOf

if TYPE_CHECKING:
    import pandas as pd

# More DAGs in a class than any number of variables that can be searched has; their number is still a float.
ClassSize = Annotated[int, Between(1, 10**300)]

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
class BestNetworks(AveragedNetworks):
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

    derived: ClassVar[tuple[str, ...]] = ("shared_adjacencies", "absent_adjacencies")
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

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document, with averages over the list, and the share that it covers if known."""
        averages = {feature: getattr(self, feature).tolist() for feature in MATRICES}
        coverage = None if self.log_total is None else self.coverage(self.log_total)
        return super(BestNetworks, self).to_dict() | averages | {"coverage": coverage}

    def to_frame(self, *, wide: bool = False, feature: str = "edges") -> pd.DataFrame:
        """Return the list as a data frame, or averages over it.

        Parameters
        ----------
        wide : bool
            False: one network or class per row, with its score, how many times less probable it is than the best, and
            its share of the list. True: averages over the list as one matrix, labelled with the variables.
        feature : {"edges", "adjacencies", "ancestors", "compelled"}
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

    def __repr__(self) -> str:
        entries = plural(len(self), "class", "classes") if self._ranks_classes else plural(len(self), "DAG")
        stands_for = f" of {plural(self.dag_count, 'DAG')}" if self._ranks_classes else ""
        tie = ", ends in a tie" if self.ends_in_tie else "" if self.complete else ", stopped for memory"
        ratio = f"{self.ratio:.4g}" if self.ratio < math.inf else f"e^{self.log_ratio:.4g}"
        share = "" if self.log_total is None else f", covers {self.coverage(self.log_total):.2%}"
        return f"BestNetworks({entries}{stands_for}, best {self.scores[0]:.4f}, ratio {ratio}{share}{tie})"
