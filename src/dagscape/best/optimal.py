"""The optimal network: the dynamic programme over sets of variables of [silander2006]_.

M(W), the score of the best network on a set W, is the maximum over s ∈ W of M(W∖s) plus the score of the best family of
s within W∖s; tracing back from the set of all variables gives the network. The traversal of the sets is that of
``native/include/dagscape/best/best_scores.hpp``: n 2^n steps, and 8 bytes for each of 2^n sets if there are few
parents.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

from dagscape.best.enumeration import WITHOUT_FAMILIES, BestEnumeration, check_any_found, check_search, why_not_classes
from dagscape.best.k_best import gather
from dagscape.best.requirements import ROOM_FOR_TIES
from dagscape.core.caveats import Caveats
from dagscape.core.constraints import FLAG
from dagscape.core.errors import TooLarge
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.resources import Budget, thread_count
from dagscape.core.wording import plural
from dagscape.data.values import Frame
from dagscape.ensembles.diversity import class_counts
from dagscape.ensembles.one_network import OneNetwork
from dagscape.graphs.class_size import class_sizes
from dagscape.graphs.dag import Dag
from dagscape.graphs.lists import DagList
from dagscape.posterior.evidence import BEST, scores_of
from dagscape.results.base import provenance_of
from dagscape.results.decoding import Count
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.tables.enumerable_scores import EnumerableScores, incomplete_scores


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OptimalNetwork(OneNetwork):
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
    derived: ClassVar[tuple[str, ...]] = ("compelled_edges", "reversible_edges")

    tied: bool | None
    tied_dags: Count | None
    tied_classes: Count | None

    def __repr__(self) -> str:
        ties = ", tied with others" if self.tied else ""
        if self.tied_dags is not None:
            ties = f", tied DAGs: {self.tied_dags}, tied classes: {self.tied_classes}"
        size = f"{plural(self.network.n, 'variable')}, {plural(self.network.edge_count, 'edge')}"
        return f"OptimalNetwork({size}, score {self.score:.4f}{ties})"


def optimal_network(
    scores: EnumerableScores | ScoredData | Frame,
    *,
    ties: bool = False,
    settings: str = BEST,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> OptimalNetwork:
    """Find a network with the highest score, exactly.

    Parameters
    ----------
    scores : EnumerableScores, Dataset, data frame or path
        Data to score, or the local scores, with or without a limit on parents and constraints on edges. Families that
        are missing from a pruned table cannot be part of the network.
    ties : bool
        Also count the networks and equivalence classes with the same score. This lists all such classes, of which there
        can be very many.
    settings, **options
        With data: as in :func:`dagscape.k_best`.
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
    scores = scores_of(scores, settings, options, Budget.of(threads, max_memory), progress)
    check_search(scores, "dags")
    space = "dags" if why_not_classes(scores) else "classes"
    FLAG.check(ties, "ties")
    caveats = Caveats(scores.info.warnings)
    if ties:
        caveats.issue(incomplete_scores(scores, WITHOUT_FAMILIES))
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
    caveats.issue(sparse_families(scores.info, scores.variables, network.to_adjacency()))
    return OptimalNetwork(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "optimal_network",
            {"ties": ties, "scores": scores.info.to_dict()},
            {"search": time.perf_counter() - start},
            thread_count(threads),
        ),
        warnings=caveats.kept,
        network=network,
        score=scores.unit.to_float(int(exact[0])),
        tied=tied,
        tied_dags=tied_dags,
        tied_classes=tied_classes,
    )
