"""Modes of the landscape of networks, and their diversity."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural, visible
from dagscape.ensembles.averaged_networks import AveragedNetworks, Probabilities
from dagscape.ensembles.diversity import class_counts, distances, graphs_at
from dagscape.ensembles.edge_probabilities import MATRICES
from dagscape.ensembles.ranked_networks import times_less
from dagscape.graphs.comparison import LEVELS, HasDag
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.results.base import check_length
from dagscape.results.decoding import Between, Count, OneOf
from dagscape.scores.equivalence import class_stands_for_members

if TYPE_CHECKING:
    import pandas as pd


Distance = Annotated[int, Between(0, 2**62)]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Modes(AveragedNetworks):
    """The best networks of mode orderings, best first.

    Attributes
    ----------
    delta : int
        δ: a mode is the best ordering within this Kendall distance.
    networks : sequence of Dag
        The networks, all distinct.
    scores : array of float
        Their scores: natural logs.
    orders : tuple of tuple of str
        The lexicographically smallest mode ordering of each network, by the indices of the variables.
    distinct : str
        ``"network"``, or ``"class"`` if only the first network of each equivalence class was kept.
    complete : bool
        Whether these are proved to be the best modes: as many as requested, or all modes.
    exhausted : bool
        Whether there are no other modes.
    stopped : str
        Why the search ended early: ``"memory"``, ``"time"``, or an empty string.
    bound : float
        No other mode has a higher score than this; minus infinity if there are no others.
    expanded, generated, failed, merged : int
        Counts of prefixes of orderings: expanded, generated, dropped because a window was not the best, and merged
        with another of the same future.
    distance_to_truth : tuple of int or None
        The structural Hamming distance of each network to a known structure; None unless :meth:`with_truth` was used.
    truth_level : str or None
        Whether these distances are between ``"classes"`` or ``"dags"``.
    """

    kind: ClassVar[str] = "modes"
    derived: ClassVar[tuple[str, ...]] = (
        "level",
        "distance_to_best",
        "diversity",
        "shared_adjacencies",
        "absent_adjacencies",
    )

    label: ClassVar[str] = "modes"
    lists: ClassVar[tuple[str, ...]] = ("networks", "scores", "orders")

    delta: Count
    distinct: Annotated[str, OneOf(("network", "class"))]
    orders: tuple[tuple[str, ...], ...]
    complete: bool
    exhausted: bool
    stopped: str
    bound: float
    expanded: Count
    generated: Count
    failed: Count
    merged: Count
    distance_to_truth: tuple[Distance, ...] | None = None
    truth_level: Annotated[str, OneOf(LEVELS)] | None = None
    _averages: dict[tuple[str, str], Probabilities] = field(default_factory=dict, init=False)

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """The number of DAGs that each entry represents: the size of its class, or 1.

        An entry represents its class if ``distinct`` is ``"class"`` and all members are known to have the same score.
        """
        if not self._ranks_classes:
            return (1,) * len(self)
        return tuple(cpdag.size() for cpdag in self.cpdags)

    @property
    def distance_to_best(self) -> tuple[int, ...]:
        """The structural Hamming distance of each network to the first, at the ``level`` of the list."""
        graphs = graphs_at(self.networks, self.level)
        return tuple(distances(graphs, self.networks[0], self.level).tolist()) if len(self) else ()

    def with_truth(self, truth: Dag | Cpdag | HasDag, level: str | None = None) -> Modes:
        """Return the same modes with their distances to a known structure, as ``distance_to_truth``.

        Parameters
        ----------
        truth : Dag, Cpdag or Network
            The known structure.
        level : {"classes", "dags"}, optional
            What to compare, as in :func:`dagscape.compare`. Default: ``self.level``.
        """
        level = self.level if level is None else level
        found = tuple(distances(graphs_at(self.networks, level), truth, level).tolist())
        return replace(self, distance_to_truth=found, truth_level=level)

    @property
    def _ranks_classes(self) -> bool:
        # Where members of a class differ in score, the score of one says nothing about the others.
        return self.distinct == "class" and class_stands_for_members(self.score_info)

    def _check(self) -> None:
        super(Modes, self)._check()
        check_length("distance_to_truth", self.distance_to_truth, "networks", len(self))
        if (self.distance_to_truth is None) != (self.truth_level is None):
            raise InvalidData("distance_to_truth and truth_level must be given together")
        every = sorted(self.variables)
        for order in set(self.orders):
            if sorted(order) != every:
                raise InvalidData(f"orders has {order!r:.60}, which is not an ordering of the variables")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document, with averages over the modes, if there are any."""
        averages = {feature: getattr(self, feature).tolist() if len(self) else None for feature in MATRICES}
        return super(Modes, self).to_dict() | averages

    def to_frame(self) -> pd.DataFrame:
        """Return one mode per row: score, how many times less probable than the best, edges, distances, ordering."""
        import pandas as pd

        seen = class_counts(self.cpdags) if len(self) else np.zeros(0, dtype=np.int64)
        return pd.DataFrame(
            {
                "rank": np.arange(1, len(self) + 1),
                "score": self.scores,
                "times_less": times_less(self.scores),
                "edges": self.networks.edge_counts(),
                "distance_to_best": np.array(self.distance_to_best, dtype=np.int64),
                **({} if self.distance_to_truth is None else {"distance_to_truth": self.distance_to_truth}),
                "classes": seen,
                "order": list(self.orders),
            }
        )

    def __repr__(self) -> str:
        best = f", best {self.scores[0]:.4f}" if len(self) else ""
        end = ", no others" if self.exhausted else "" if self.complete else f", stopped for {self.stopped}"
        networks = plural(len(self), "network")
        classes = plural(self.classes, "class", "classes")
        return visible(f"Modes({networks} of {classes}, delta {self.delta}{best}{end})")
