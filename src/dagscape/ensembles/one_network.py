"""Results that consist of one network and its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from dagscape.drawing.display import Drawn
from dagscape.drawing.edges import Structure
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.validation import check_graph_memory
from dagscape.results.base import ScoredResult
from dagscape.results.decoding import decode
from dagscape.results.score_info import NamedEdge

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
        """What a drawing shows: the network."""
        return self.network

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
        """Return the edges, one per row."""
        import pandas as pd

        return pd.DataFrame(self.network.edges, columns=["source", "target"])
