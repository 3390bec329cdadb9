"""The base of ranked lists of networks: their classes, diversity, comparison and JSON form."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, function, type_of
from dagscape.core.resources import check_memory
from dagscape.drawing.curves import draw_curves
from dagscape.drawing.display import Drawn
from dagscape.ensembles.agreement import agreement_frame
from dagscape.ensembles.diversity import class_counts, graphs_at, least_distances, mean_distances
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.directions import LimitedClass, MemberLimits
from dagscape.graphs.lists import CpdagList, DagList
from dagscape.results.base import ScoredResult, check_length, check_same_scores
from dagscape.results.decoding import FiniteArray, decode
from dagscape.results.encoding import Packed
from dagscape.scores.equivalence import distinguishes_members, members_fit_alike

if TYPE_CHECKING:
    import pandas as pd


# The matrices of averages that a document of a list holds.
_MATRICES = 5


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RankedNetworks(Drawn, ScoredResult):
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
    scores: FiniteArray

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def cpdags(self) -> CpdagList:
        """The equivalence classes of the networks."""
        return self.networks.cpdags()

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
    def classes(self) -> int:
        """The number of different equivalence classes."""
        return int(class_counts(self.cpdags)[-1]) if len(self) else 0

    @property
    def level(self) -> str:
        """How networks are compared: ``"dags"`` if the scores distinguish members of a class, else ``"classes"``.

        Scores do if they are not score-equivalent, if rows come from experiments, or if edges are required or
        forbidden; scores of which this is not known, from a file, count as score-equivalent.
        """
        return "dags" if distinguishes_members(self.score_info) else "classes"

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

    def __iter__(self) -> Iterator[Dag]:
        return iter(self.networks)

    def __getitem__(self, index: int) -> Dag:
        return self.networks[index]

    def agreement(self, level: str | None = None) -> pd.DataFrame:
        """Return what the networks agree on, and where they differ, with one row per pair of variables.

        Edges are those of the CPDAGs, directed where all members of a class agree. In a list of single DAGs, and where
        the scores distinguish members of a class (``level`` is ``"dags"``), they are those of the DAGs. The columns
        count networks: with the edge source → target (``forward``), target → source (``backward``), an undirected edge
        of a class (``undirected``), or none (``absent``). ``adjacent`` is ``"all"``, ``"some"`` or ``"none"``. Pairs
        that most networks join come first.

        Parameters
        ----------
        level : {"classes", "dags"}, optional
            Whose edges to count: those of the CPDAGs or of the DAGs. Default: as above.
        """
        return agreement_frame(self.networks, self._agreement_level if level is None else level)

    @property
    def _agreement_level(self) -> str:
        return self.level

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

    def _document(self) -> dict[str, Any]:
        return super(RankedNetworks, self)._document() | {"networks": packed_networks(self.networks)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`'s document."""
        names = decode(tuple[str, ...], document.get("variables"), "variables")
        # Averages over the list are matrices of floats.
        check_memory(
            _MATRICES * 8 * len(names) ** 2, None, f"averages over {len(names):,} variables", "reduce the file"
        )
        networks = decoded_networks(names, document.get("networks"))
        return super(RankedNetworks, cls).from_dict({**document, "networks": networks})

    def _check(self) -> None:
        super(RankedNetworks, self)._check()
        for name in self.lists:
            check_length(name, getattr(self, name), "networks", len(self.networks))
        if self.scores.ndim != 1 or (np.diff(self.scores) > 0).any():
            raise InvalidData("scores is not a list of numbers in descending order")


def packed_networks(networks: DagList) -> Packed:
    """Return what stands for networks in a document: lists of edges in JSON, sets of parents in archives."""
    return Packed(networks.parents, networks.to_edges)


def decoded_networks(variables: Sequence[str], networks: Any) -> DagList:
    """Return the networks of a document."""
    if isinstance(networks, np.ndarray):
        return DagList.from_parents(variables, networks)
    if (
        type(networks) is not list
        or set(map(type, networks)) - {list}
        or set(map(type, itertools.chain.from_iterable(networks))) - {list}
    ):
        raise InvalidData("networks must be lists of edges, and an edge a list of its parent and its child")
    return DagList.from_edges(variables, networks)


def times_less(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many times less probable each network is than the first; infinity above 10^308."""
    with np.errstate(over="ignore"):
        times: NDArray[np.float64] = np.exp(scores[:1] - scores)
    return times
