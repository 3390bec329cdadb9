"""The base of ranked lists of networks: their diversity and comparison."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, function, type_of
from dagscape.drawing.curves import draw_curves
from dagscape.ensembles.diversity import class_counts, graphs_at, least_distances, mean_distances
from dagscape.ensembles.listed_networks import ListedNetworks
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.directions import LimitedClass, MemberLimits
from dagscape.results.base import check_same_scores
from dagscape.scores.equivalence import members_fit_alike

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RankedNetworks(ListedNetworks):
    """Networks with their scores, best first.

    Attributes
    ----------
    networks : sequence of Dag
        The networks.
    scores : array of float
        Their scores: natural logs.
    """

    label: ClassVar[str]

    @property
    def drawable(self) -> Dag | LimitedClass:
        """What a drawing shows: the class of the first network, or the network if scores tell members apart."""
        if not len(self):
            raise InvalidOption("there are no networks to draw")
        first = self.networks[0]
        if not self._ranks_classes and not members_fit_alike(self.score_info):
            return first
        return LimitedClass.of(first, MemberLimits.of_scores(self.variables, self.score_info))

    @property
    def _ranks_classes(self) -> bool:
        """Whether an entry stands for its whole equivalence class."""
        return False

    @property
    def diversity(self) -> NDArray[np.float64]:
        """The average structural Hamming distance, at the ``level`` of the list, of two networks in each prefix."""
        return mean_distances(graphs_at(self.networks, self.level))

    def oracle_accuracy(self, truth: Dag | Cpdag | HasDag, level: str | None = None) -> NDArray[np.int64]:
        """Return the least structural Hamming distance to a known structure in each prefix of the list.

        Parameters
        ----------
        truth : Dag, Cpdag or Network
            The known structure.
        level : {"classes", "dags"}, optional
            What to compare, as in :func:`dagscape.compare`. Default: ``self.level``.
        """
        level = self.level if level is None else level
        return least_distances(graphs_at(self.networks, level), truth, level)

    def compare(self, other: RankedNetworks, truth: Dag | Cpdag | HasDag | None = None) -> pd.DataFrame:
        """Return a comparison with another list of the same scores, for every length up to that of the shorter list.

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
            (``diversity``), the number of ``classes`` and the least ``distance`` to the truth; the columns of the other
            list have the prefix ``other_``. Distances are at the ``level`` of this list.
        """
        import pandas as pd

        if not isinstance(other, RankedNetworks):
            raise InvalidOption(
                f"is {type_of(other)}; it must be a list of networks, the result of {function('k_best')} or "
                f"{function('modes')}",
                option="other",
            )
        check_same_scores(self, other)
        length = min(len(self), len(other))
        columns: dict[str, Any] = {"length": np.arange(1, length + 1)}
        for prefix, listed in (("", self), ("other_", other)):
            networks = listed.networks[:length]
            found = graphs_at(networks, self.level)
            columns[f"{prefix}score"] = listed.scores[:length]
            columns[f"{prefix}diversity"] = mean_distances(found)
            columns[f"{prefix}classes"] = class_counts(networks.cpdags())
            if truth is not None:
                columns[f"{prefix}distance"] = least_distances(found, truth, self.level)
        return pd.DataFrame(columns)

    def plot(
        self,
        path: str | os.PathLike[str],
        other: RankedNetworks | None = None,
        truth: Dag | Cpdag | HasDag | None = None,
    ) -> None:
        """Draw the diversity of the list, and its distance to a known structure, as curves over its length.

        Parameters
        ----------
        path : path
            The file to write; its suffix is the format: ``.svg``, ``.png`` or ``.pdf``.
        other, truth
            As in :meth:`compare`.
        """
        if not len(self):
            raise InvalidOption("there are no networks to draw")
        frame = self.compare(self if other is None else other, truth)
        panels = {"average distance within the list": "diversity", "different classes": "classes"}
        if truth is not None:
            panels["least distance to the known structure"] = "distance"
        curves = {title: {self.label: frame[column]} for title, column in panels.items()}
        if other is not None:
            label = other.label if other.label != self.label else f"other {other.label}"
            for title, column in panels.items():
                curves[title][label] = frame[f"other_{column}"]
        draw_curves(path, frame["length"], curves, "networks")

    def _check(self) -> None:
        super(RankedNetworks, self)._check()
        if (np.diff(self.scores) > 0).any():
            raise InvalidData("scores is not a list of numbers in descending order")


def times_less(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many times less probable each network is than the first; infinity above 10^308."""
    with np.errstate(over="ignore"):
        times: NDArray[np.float64] = np.exp(scores[:1] - scores)
    return times
