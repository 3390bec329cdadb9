"""The optimal network: the dynamic programme over sets of variables of [silander2006]_.

M(W), the score of the best network on a set W, is the maximum over s ∈ W of M(W∖s) plus the score of the best family of
s within W∖s; tracing back from the set of all variables gives the network. The traversal of the sets is that of
``native/include/dagscape/best_scores.hpp``: n 2^n steps, and 8 bytes for each of 2^n sets if there are few parents.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dagscape.best.enumeration import WITHOUT_FAMILIES, BestEnumeration, check_any_found, check_search, why_not_classes
from dagscape.best.k_best import gather
from dagscape.best.requirements import ROOM_FOR_TIES
from dagscape.checks import is_flag
from dagscape.decoding import Count, decode
from dagscape.drawing.display import Drawn
from dagscape.ensembles.diversity import class_counts
from dagscape.errors import InvalidOption, TooLarge
from dagscape.graphs.class_size import class_sizes
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.lists import DagList
from dagscape.graphs.validation import check_graph_memory
from dagscape.methods import provenance_of
from dagscape.progress import ProgressOption, listening
from dagscape.resources import thread_count
from dagscape.results import ScoredResult
from dagscape.score_info import NamedEdge
from dagscape.scores.enumerable_scores import EnumerableScores, warn_if_incomplete
from dagscape.scores.parent_states import warn_if_sparse
from dagscape.wording import plural

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OptimalNetwork(Drawn, ScoredResult):
    """A network with the highest score.

    Attributes
    ----------
    network : Dag
        The network.
    score : float
        Its score.
    tied : bool or None
        Whether another network has exactly the same score: one of another equivalence class if the scores are
        score-equivalent, otherwise any other. None if finding out needs more than 256 MiB, or more memory than is left.
    tied_dags, tied_classes : int or None
        The number of networks and of equivalence classes with the highest score; None if not requested.
    """

    kind: ClassVar[str] = "optimal-network"

    network: Dag
    score: float
    tied: bool | None
    tied_dags: Count | None
    tied_classes: Count | None

    @property
    def dag(self) -> Dag:
        """The network, under the name that all objects with a structure share."""
        return self.network

    @property
    def drawable(self) -> Dag:
        """What a drawing shows: the network."""
        return self.network

    @property
    def cpdag(self) -> Cpdag:
        """The equivalence class of the network."""
        return self.network.to_cpdag()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document; the network is the list of its edges."""
        return super(OptimalNetwork, self).to_dict() | {"network": [list(edge) for edge in self.network.edges]}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> OptimalNetwork:
        """Rebuild a result from a document of :meth:`to_dict`."""
        names = decode(tuple[str, ...], document.get("variables"), "variables")
        check_graph_memory(len(names))
        network = Dag.from_edges(names, decode(tuple[NamedEdge, ...], document.get("network"), "network"))
        return super(OptimalNetwork, cls).from_dict({**document, "network": network})

    def to_frame(self) -> pd.DataFrame:
        """Return the edges, one per row."""
        import pandas as pd

        return pd.DataFrame(self.network.edges, columns=["source", "target"])

    def __repr__(self) -> str:
        ties = ", tied with others" if self.tied else ""
        if self.tied_dags is not None:
            ties = f", tied DAGs: {self.tied_dags}, tied classes: {self.tied_classes}"
        size = f"{plural(self.network.n, 'variable')}, {plural(self.network.edge_count, 'edge')}"
        return f"OptimalNetwork({size}, score {self.score:.4f}{ties})"


def optimal_network(
    scores: EnumerableScores,
    *,
    ties: bool = False,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
) -> OptimalNetwork:
    """Find a network with the highest score, exactly.

    Parameters
    ----------
    scores : EnumerableScores
        The local scores, with or without a limit on parents and constraints on edges. Families that are missing from a
        pruned table cannot be part of the network.
    ties : bool
        Also count the networks and equivalence classes with the same score. This lists all such classes, of which there
        can be very many.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads.

    Returns
    -------
    OptimalNetwork
        The network and its score. Ties are broken as in
        :func:`dagscape.k_best`.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    >>> best = ds.optimal_network(scores, ties=True)
    >>> round(best.score, 4), best.tied_dags, best.tied_classes
    (-9423.0683, 104, 16)
    """
    start = time.perf_counter()
    check_search(scores, "dags")
    space = "dags" if why_not_classes(scores) else "classes"
    if not is_flag(ties):
        raise InvalidOption(f"is {ties!r}; it must be True or False", option="ties")
    if ties:
        warn_if_incomplete(scores, WITHOUT_FAMILIES, stacklevel=2)
    tied_dags = tied_classes = None
    with listening(progress) as listener:
        room = None if ties else ROOM_FOR_TIES
        search = BestEnumeration(scores, space, thread_count(threads), max_memory, listener, room)
        if ties:
            parents, exact, following = gather(search, None, 0, listener)
            check_any_found(search)
            if search.out_of_room and following is None:
                raise TooLarge(search.why_stopped())
            classes = DagList(scores.variables, parents).cpdags()
            tied_classes = int(class_counts(classes)[-1])
            tied_dags = sum(class_sizes(classes.undirected)) if space == "classes" else len(exact)
            tied: bool | None = len(exact) > 1
        else:
            parents, exact = search.next(2, listener, 2)
            check_any_found(search)
            tied = None if search.out_of_room else len(exact) > 1 and bool(exact[1] == exact[0])
    network = Dag.trusted(scores.variables, tuple(map(int, parents[0])))
    warn_if_sparse(scores.info, scores.variables, network.to_adjacency(), stacklevel=2)
    return OptimalNetwork(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "optimal_network",
            {"ties": ties, "scores": scores.info.to_dict()},
            {"search": time.perf_counter() - start},
            thread_count(threads),
        ),
        network=network,
        score=scores.unit.to_float(int(exact[0])),
        tied=tied,
        tied_dags=tied_dags,
        tied_classes=tied_classes,
    )
