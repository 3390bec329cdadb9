"""Results that consist of one network and its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from dagscape.drawing.display import Drawn
from dagscape.drawing.edges import Structure
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.directions import LimitedClass, MemberLimits
from dagscape.graphs.validation import check_graph_memory
from dagscape.results.base import ScoredResult
from dagscape.results.decoding import decode
from dagscape.results.score_info import NamedEdge
from dagscape.scores.equivalence import members_fit_alike

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OneNetwork(Drawn, ScoredResult):
    """Base class of results that are one network.

    Attributes
    ----------
    network : Dag
        The network.
    score : float
        Its score.
    """

    network: Dag
    score: float

    @property
    def dag(self) -> Dag:
        """The network, under the name that all objects with a structure share."""
        return self.network

    @property
    def drawable(self) -> Structure:
        """What a drawing shows: the class of the network, as :attr:`directions` has it."""
        return self.directions

    @property
    def directions(self) -> LimitedClass:
        """The edges of the network, directed where all members of its class have them, within constraints.

        The network is one member of a class that fits the data alike; the others have some edges reversed. Members
        that violate constraints on edges, or that experiments tell apart, do not count. If the scores tell members
        apart, all edges are directed.
        """
        if not self._one_of_many:
            return LimitedClass(self.variables, self.network.parent_masks, (0,) * len(self.variables))
        return LimitedClass.of(self.network, MemberLimits.of_scores(self.variables, self.score_info))

    @property
    def compelled_edges(self) -> tuple[NamedEdge, ...]:
        """The edges (parent, child) that all members of the class have; all edges if the scores tell members apart."""
        return self.directions.compelled_edges

    @property
    def reversible_edges(self) -> tuple[NamedEdge, ...]:
        """The other edges of the network, the earlier variable first: members of its class have either direction."""
        return self.directions.reversible_edges

    @property
    def _one_of_many(self) -> bool:
        """Whether the network stands for its class."""
        return members_fit_alike(self.score_info)

    @property
    def cpdag(self) -> Cpdag:
        """The equivalence class of the network."""
        return self.network.to_cpdag()

    def _document(self) -> dict[str, Any]:
        return super(OneNetwork, self)._document() | {"network": self.network.edges}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`."""
        names = decode(tuple[str, ...], document.get("variables"), "variables")
        check_graph_memory(len(names))
        network = Dag.from_edges(names, decode(tuple[NamedEdge, ...], document.get("network"), "network"))
        return super(OneNetwork, cls).from_dict({**document, "network": network})

    def to_frame(self) -> pd.DataFrame:
        """Return the edges, one per row; ``compelled`` tells whether all members of the class have them."""
        import pandas as pd

        frame = pd.DataFrame(self.network.edges, columns=["source", "target"])
        directed = set(self.directions.compelled_edges)
        return frame.assign(compelled=[edge in directed for edge in self.network.edges])
