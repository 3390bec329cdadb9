"""What lists of networks with scores have in common: their classes, how different they are, and how they are kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.graphs.comparison import HasDag
from dagscape.graphs.cpdag import Cpdag
from dagscape.graphs.dag import Dag
from dagscape.graphs.diversity import class_counts, least_distances, mean_distances
from dagscape.graphs.lists import CpdagList, DagList
from dagscape.results import Result, array_field, check_lengths

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RankedNetworks(Result):
    """Networks with their scores, best first.

    Attributes
    ----------
    networks : sequence of Dag
        The networks.
    scores : array of float
        Their scores: natural logs.
    """

    label: ClassVar[str]
    lists: ClassVar[tuple[str, ...]] = ("networks", "scores")

    networks: DagList
    scores: NDArray[np.float64] = array_field()

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

    def oracle_accuracy(self, truth: Dag | Cpdag | HasDag) -> NDArray[np.int64]:
        """The least structural Hamming distance to a known structure among the first networks: one, two, and so on."""
        return least_distances(self.cpdags, truth)

    def compare(self, other: RankedNetworks, truth: Dag | Cpdag | HasDag | None = None) -> pd.DataFrame:
        """The list beside another of the same scores, for every length up to the shorter of the two.

        Parameters
        ----------
        other : BestNetworks or Modes
            The other list.
        truth : Dag, Cpdag or Network, optional
            A known structure, for the oracle accuracy.

        Returns
        -------
        DataFrame
            For each ``length`` the ``score`` of the last network, the average distance within the list
            (``diversity``), the number of ``classes`` and the least ``distance`` to the truth; the same of the other
            list with ``other_`` before the name.
        """
        import pandas as pd

        length = min(len(self), len(other))
        columns: dict[str, Any] = {"length": np.arange(1, length + 1)}
        for prefix, listed in (("", self), ("other_", other)):
            found = listed.networks[:length].cpdags()
            columns[f"{prefix}score"] = listed.scores[:length]
            columns[f"{prefix}diversity"] = mean_distances(found)
            columns[f"{prefix}classes"] = class_counts(found)
            if truth is not None:
                columns[f"{prefix}distance"] = least_distances(found, truth)
        return pd.DataFrame(columns)

    def plot(
        self, path: str | os.PathLike[str], other: RankedNetworks, truth: Dag | Cpdag | HasDag | None = None
    ) -> None:
        """Draw :meth:`compare` as curves over the length of the list; the file's ending says the format."""
        from dagscape.graphs.drawing.curves import draw_curves

        frame = self.compare(other, truth)
        panels = {"average distance within the list": "diversity", "different classes": "classes"}
        if truth is not None:
            panels["least distance to the known structure"] = "distance"
        names = (self.label, other.label if other.label != self.label else f"other {other.label}")
        curves = {
            title: dict(zip(names, (frame[column], frame[f"other_{column}"]), strict=True))
            for title, column in panels.items()
        }
        draw_curves(path, frame["length"], curves, "networks")

    def to_dict(self) -> dict[str, Any]:
        """The result as a JSON document; a network is the list of its edges (parent, child)."""
        return super(RankedNetworks, self).to_dict() | {"networks": self.networks.to_edges()}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`'s document."""
        networks = DagList.from_edges(document["variables"], document["networks"])
        check_lengths(document, cls.lists)
        return super(RankedNetworks, cls).from_dict({**document, "networks": networks})
