"""The modes of a landscape of networks, and how different they are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from dagscape.graphs.comparison import HasDag
from dagscape.graphs.cpdag import Cpdag
from dagscape.graphs.dag import Dag
from dagscape.graphs.diversity import class_counts, distances, least_distances, mean_distances
from dagscape.graphs.lists import CpdagList, DagList
from dagscape.results import Result, array_field, check_lengths, decoded_field

if TYPE_CHECKING:
    import pandas as pd

Truth = Dag | Cpdag | HasDag


class RankedNetworks(Protocol):
    """Another list of networks to compare with, such as that of :func:`dagscape.k_best`."""

    @property
    def networks(self) -> DagList:
        """The networks, best first."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """Their scores."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Modes(Result):
    """The best networks that come from mode orderings, best first.

    Attributes
    ----------
    delta : int
        δ: an ordering is a mode if it is the best of all within this Kendall distance.
    networks : sequence of Dag
        The networks, all different.
    scores : array of float
        Their scores: natural logs.
    orders : tuple of tuple of str
        Of each network the lexicographically smallest of its mode orderings, by the numbers of the variables.
    distinct : str
        ``"network"``, or ``"class"`` where only the first network of each equivalence class was kept.
    complete : bool
        Whether these are proved to be the best: all that were asked for, or all that there are.
    exhausted : bool
        Whether there are no other modes.
    stopped : str
        Why the search ended early: ``"memory"``, ``"time"``, or nothing.
    bound : float
        No other mode has a higher score than this; minus infinity where there is none.
    expanded, generated, failed, merged : int
        Prefixes of orderings that were continued, made, dropped because a window was not the best, and dropped
        because another had the same future.
    """

    kind: ClassVar[str] = "modes"

    delta: int
    distinct: str
    networks: DagList
    scores: NDArray[np.float64] = array_field()
    orders: tuple[tuple[str, ...], ...] = decoded_field(lambda orders: tuple(map(tuple, orders)))
    complete: bool = decoded_field(bool)
    exhausted: bool = decoded_field(bool)
    stopped: str = decoded_field(str)
    bound: float = decoded_field(float)
    expanded: int = decoded_field(int)
    generated: int = decoded_field(int)
    failed: int = decoded_field(int)
    merged: int = decoded_field(int)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def cpdags(self) -> CpdagList:
        """The equivalence classes of the networks."""
        return self.networks.cpdags()

    @property
    def classes(self) -> int:
        """The number of different equivalence classes."""
        return int(class_counts(self.cpdags)[-1]) if len(self) else 0

    @property
    def diversity(self) -> NDArray[np.float64]:
        """The average structural Hamming distance between two of the first networks: of one, of two, and so on."""
        return mean_distances(self.cpdags)

    def oracle_accuracy(self, truth: Truth) -> NDArray[np.int64]:
        """The least structural Hamming distance to a known structure among the first networks: one, two, and so on."""
        return least_distances(self.cpdags, truth)

    def compare(self, other: RankedNetworks, truth: Truth | None = None) -> pd.DataFrame:
        """The modes beside another list of networks, for every length up to the shorter of the two.

        Parameters
        ----------
        other : BestNetworks or Modes
            The other list, of the same scores: usually that of :func:`dagscape.k_best`.
        truth : Dag, Cpdag or Network, optional
            The known structure, for the oracle accuracy.

        Returns
        -------
        DataFrame
            For each length the score of the last network, the average distance within the list (``diversity``), the
            number of classes and the least distance to the truth, of the modes and of the other list (``other_``).
        """
        import pandas as pd

        length = min(len(self), len(other.scores))
        columns: dict[str, Any] = {"length": np.arange(1, length + 1)}
        for prefix, listed in (("", self), ("other_", other)):
            found = listed.networks[:length].cpdags()
            columns[f"{prefix}score"] = listed.scores[:length]
            columns[f"{prefix}diversity"] = mean_distances(found)
            columns[f"{prefix}classes"] = class_counts(found)
            if truth is not None:
                columns[f"{prefix}distance"] = least_distances(found, truth)
        return pd.DataFrame(columns)

    def plot(self, path: str | os.PathLike[str], other: RankedNetworks, truth: Truth | None = None) -> None:
        """Draw :meth:`compare` as curves over the length of the list; the file's ending says the format."""
        from dagscape.graphs.drawing.curves import draw_curves

        frame = self.compare(other, truth)
        panels = {"average distance within the list": "diversity", "different classes": "classes"}
        if truth is not None:
            panels["least distance to the known structure"] = "distance"
        curves = {
            title: {f"modes, δ = {self.delta}": frame[column], "the k best": frame[f"other_{column}"]}
            for title, column in panels.items()
        }
        draw_curves(path, frame["length"], curves, "networks")

    def to_frame(self) -> pd.DataFrame:
        """One mode in a row: score, how many times less probable than the best, edges, distances and ordering."""
        import pandas as pd

        seen = class_counts(self.cpdags) if len(self) else np.zeros(0, dtype=np.int64)
        best = self.scores[0] if len(self) else 0.0
        return pd.DataFrame(
            {
                "rank": np.arange(1, len(self) + 1),
                "score": self.scores,
                "times_less": np.exp(np.minimum(best - self.scores, 709.0)),
                "edges": np.bitwise_count(self.networks.parents).sum(axis=1, dtype=np.int64),
                "distance_to_best": distances(self.cpdags, self.networks[0]) if len(self) else seen,
                "classes": seen,
                "order": list(self.orders),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as a JSON document; a network is the list of its edges (parent, child)."""
        return super(Modes, self).to_dict() | {"networks": self.networks.to_edges()}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Modes:
        """Rebuild a result from :meth:`to_dict`'s document."""
        networks = DagList.from_edges(document["variables"], document["networks"])
        check_lengths(document, ("networks", "scores", "orders"))
        return super(Modes, cls).from_dict({**document, "networks": networks})

    def __repr__(self) -> str:
        best = f", best {self.scores[0]:.4f}" if len(self) else ""
        end = ", no others" if self.exhausted else "" if self.complete else f", stopped for {self.stopped}"
        networks = "1 network" if len(self) == 1 else f"{len(self)} networks"
        classes = "1 class" if self.classes == 1 else f"{self.classes} classes"
        return f"Modes({networks} of {classes}, delta {self.delta}{best}{end})"
