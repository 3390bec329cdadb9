"""The base of ranked lists of networks: their diversity and comparison."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, function, type_of
from dagscape.core.wording import plural
from dagscape.drawing.curves import draw_curves
from dagscape.drawing.cut_lines import cut_lines
from dagscape.drawing.legend import warnings_of
from dagscape.ensembles.agreement import set_counts
from dagscape.ensembles.diversity import class_counts, graphs_at, least_distances, mean_distances
from dagscape.ensembles.listed_networks import ListedNetworks
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.directions import LimitedClass, MemberLimits
from dagscape.results.base import check_same_scores
from dagscape.scores.equivalence import members_fit_alike

if TYPE_CHECKING:
    import pandas as pd

# The adjacencies that a legend names as not shared.
_PAIRS_NAMED = 4


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
    def shared_adjacencies(self) -> tuple[tuple[str, str], ...]:
        """The pairs of variables that every network joins, in whatever direction.

        Examples
        --------
        >>> import dagscape as ds
        >>> best = ds.k_best(ds.local_scores(ds.load_dataset("iris")), k=3)
        >>> len(best.shared_adjacencies), best.absent_adjacencies
        (2, 4)
        """
        names = self.variables
        if not len(self):
            return ()
        return tuple((names[u], names[v]) for u, v in np.argwhere(np.triu(self._joined == len(self), 1)).tolist())

    @property
    def absent_adjacencies(self) -> int:
        """The number of pairs of variables that no network joins."""
        return int(np.triu(self._joined == 0, 1).sum())

    @property
    def _joined(self) -> NDArray[np.int64]:
        """``[u, v]`` is the number of networks that join u and v."""
        there = set_counts(self.networks.parents)
        return there + there.T

    @property
    def legend_remarks(self) -> tuple[str, ...]:
        """What the legend of a drawing of the first network says of the others."""
        if len(self) < 2:
            return ()
        drawn = {pair for pair in combinations(self.variables, 2) if self._joins(*pair)}
        lacking = sorted(drawn.difference(self.shared_adjacencies), key=lambda pair: [*map(self._number, pair)])
        what = plural(len(self), "class", "classes") if self._ranks_classes else plural(len(self), "network")
        said = f"{len(drawn) - len(lacking):,} of these {plural(len(drawn), 'adjacency', 'adjacencies')}"
        shown = ", ".join(f"{u} – {v}" for u, v in lacking[:_PAIRS_NAMED])
        more = f" and {len(lacking) - _PAIRS_NAMED:,} more" if len(lacking) > _PAIRS_NAMED else ""
        return (f"all {what} of the list have {said}" + (f"; not {shown}{more}" if lacking else ""),)

    def _joins(self, u: str, v: str) -> bool:
        first = self.networks[0]
        return first.has_edge(u, v) or first.has_edge(v, u)

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
        draw_curves(path, frame["length"], curves, "networks", remarks=[*cut_lines(self), *warnings_of(self)])

    def _check(self) -> None:
        super(RankedNetworks, self)._check()
        if (np.diff(self.scores) > 0).any():
            raise InvalidData("scores is not a list of numbers in descending order")


def times_less(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many times less probable each network is than the first; infinity above 10^308."""
    with np.errstate(over="ignore"):
        times: NDArray[np.float64] = np.exp(scores[:1] - scores)
    return times
