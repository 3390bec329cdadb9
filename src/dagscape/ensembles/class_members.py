"""The size and the members of an equivalence class.

All members have the same adjacencies and v-structures, so that no observation tells them apart. Their number comes in
polynomial time [wienobst2021]_, however large it is; members themselves are listed one by one, up to a limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidData
from dagscape.core.version import __version__
from dagscape.core.wording import plural, visible
from dagscape.drawing.display import Drawn
from dagscape.ensembles.listed_networks import decoded_networks, packed_networks
from dagscape.graphs.comparison import HasDag, as_class
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.lists import DagList
from dagscape.results.base import Provenance, Result, check_known, inherited_warnings
from dagscape.results.decoding import Between, decode

if TYPE_CHECKING:
    import pandas as pd

LIMIT = Whole(0, 10**6)
DEFAULT_LIMIT = 10

Size = Annotated[int, Between(1)]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ClassMembers(Drawn, Result):
    """An equivalence class: its size, its edges, and its first members.

    Attributes
    ----------
    size : int
        The number of DAGs in the class.
    directed : tuple of (str, str)
        The edges that have the same direction in all members, (parent, child).
    undirected : tuple of (str, str)
        The edges whose direction differs between members.
    networks : sequence of Dag
        The first members, in the order of :meth:`dagscape.Cpdag.members`.
    """

    kind: ClassVar[str] = "class-members"

    size: Size
    directed: tuple[tuple[str, str], ...]
    undirected: tuple[tuple[str, str], ...]
    networks: DagList

    @property
    def complete(self) -> bool:
        """Whether all members are listed."""
        return len(self.networks) == self.size

    @property
    def cpdag(self) -> Cpdag:
        """The class."""
        return Cpdag.from_edges(self.variables, self.directed, self.undirected)

    @property
    def drawable(self) -> Cpdag:
        """What a drawing shows: the class."""
        return self.cpdag

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each edge of each listed member: the number of the member, parent and child."""
        import pandas as pd

        rows = [(number, *edge) for number, dag in enumerate(self.networks, start=1) for edge in dag.edges]
        return pd.DataFrame(rows, columns=["member", "from", "to"])

    def _document(self) -> dict[str, Any]:
        return super(ClassMembers, self)._document() | {"networks": packed_networks(self.networks)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`."""
        names = decode(tuple[str, ...], document.get("variables"), "variables")
        networks = decoded_networks(names, document.get("networks"))
        return super(ClassMembers, cls).from_dict({**document, "networks": networks})

    def _check(self) -> None:
        super(ClassMembers, self)._check()
        for name in ("directed", "undirected"):
            check_known(name, itertools.chain.from_iterable(getattr(self, name)), self.variables)
        if len(self.networks) > self.size:
            raise InvalidData(f"there are {len(self.networks):,} members of a class of {self.size:,}")
        if len(self.networks) and set(self.networks.cpdags()) != {self.cpdag}:
            raise InvalidData("networks are not members of the class")

    def __repr__(self) -> str:
        size = str(self.size) if self.size < 10**12 else f"about 10^{len(str(self.size)) - 1}"
        edges = f"{len(self.directed)} directed and {plural(len(self.undirected), 'undirected edge')}"
        return visible(f"ClassMembers({size} {'DAG' if self.size == 1 else 'DAGs'}, {edges})")


def class_members(graph: Dag | Cpdag | HasDag, limit: int = DEFAULT_LIMIT) -> ClassMembers:
    """Return the size of an equivalence class, and its first members.

    Parameters
    ----------
    graph : Dag, Cpdag or Network
        A member of the class, or the class.
    limit : int
        The most members to list; 0 for the size alone.

    Returns
    -------
    ClassMembers

    Examples
    --------
    >>> import dagscape as ds
    >>> found = ds.class_members(ds.load_network("asia"), limit=2)
    >>> found
    ClassMembers(6 DAGs, 5 directed and 3 undirected edges)
    >>> [dag.parents("smoke") for dag in found.networks]
    [(), ('bronc',)]
    """
    LIMIT.check(limit, "limit")
    found = as_class(graph)
    dags = list(itertools.islice(found.members(), int(limit)))
    return ClassMembers(
        variables=found.variables,
        provenance=Provenance(__version__, "class_members", {"limit": int(limit)}),
        warnings=inherited_warnings(graph),
        size=found.size(),
        directed=found.directed_edges,
        undirected=found.undirected_edges,
        networks=DagList.from_dags(dags) if dags else DagList.from_edges(found.variables, []),
    )
