"""The base of all lists of networks with scores: their classes, what they agree on, and their form in files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.resources import check_memory
from dagscape.drawing.display import Drawn
from dagscape.ensembles.agreement import agreement_frame
from dagscape.ensembles.diversity import class_counts
from dagscape.graphs.dag import Dag
from dagscape.graphs.lists import CpdagList, DagList
from dagscape.results.base import ScoredResult, check_length
from dagscape.results.decoding import FiniteArray, decode
from dagscape.results.encoding import Packed
from dagscape.scores.equivalence import distinguishes_members

if TYPE_CHECKING:
    import pandas as pd

# The matrices of averages that a document of a list holds.
_MATRICES = 5


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListedNetworks(Drawn, ScoredResult):
    """Networks with their scores.

    Attributes
    ----------
    networks : sequence of Dag
        The networks.
    scores : array of float
        Their scores: natural logs.
    """

    lists: ClassVar[tuple[str, ...]] = ("networks", "scores")

    networks: DagList
    scores: FiniteArray

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Dag]:
        return iter(self.networks)

    def __getitem__(self, index: int) -> Dag:
        return self.networks[index]

    @property
    def cpdags(self) -> CpdagList:
        """The equivalence classes of the networks."""
        return self.networks.cpdags()

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

    def _document(self) -> dict[str, Any]:
        return super(ListedNetworks, self)._document() | {"networks": packed_networks(self.networks)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`'s document."""
        names = decode(tuple[str, ...], document.get("variables"), "variables")
        # Averages over the list are matrices of floats.
        check_memory(
            _MATRICES * 8 * len(names) ** 2, None, f"averages over {len(names):,} variables", "reduce the file"
        )
        networks = decoded_networks(names, document.get("networks"))
        return super(ListedNetworks, cls).from_dict({**document, "networks": networks})

    def _check(self) -> None:
        super(ListedNetworks, self)._check()
        for name in self.lists:
            check_length(name, getattr(self, name), "networks", len(self.networks))
        if self.scores.ndim != 1:
            raise InvalidData("scores is not a list of numbers")


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
