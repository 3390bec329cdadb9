"""The k best networks or equivalence classes, or all within a Bayes factor of the best [chen2014]_.

The search is lazy, as described in ``native/include/dagscape/best/k_best.hpp``: it does not compute the k best networks
on each of 2^n sets of variables, but only the few that are needed. Ties are exact, and none is lost: by the symmetry of
its board, sixteen classes of tic-tac-toe share the best score, of which the program of [chen2014]_ finds some.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.best.enumeration import WITHOUT_FAMILIES, BestEnumeration, check_any_found, checked_space
from dagscape.best.result import BestNetworks
from dagscape.core.caveats import Caveats, issue
from dagscape.core.constraints import check_count
from dagscape.core.errors import InvalidOption, StoppedEarly, TooLarge, argument
from dagscape.core.progress import ProgressListener, ProgressOption, listening
from dagscape.core.resources import Budget, thread_count
from dagscape.data.values import Frame
from dagscape.graphs.class_size import class_sizes
from dagscape.graphs.dag import Dag
from dagscape.graphs.lists import DagList
from dagscape.posterior.evidence import BEST, scores_of
from dagscape.results.base import provenance_of
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.posteriors import meaningless_shares
from dagscape.scores.tables.enumerable_scores import EnumerableScores, incomplete_scores

DEFAULT_K = 10

# If the number of networks is not known in advance, they are found in batches that grow up to this size.
_LARGEST_BATCH = 4096


def k_best(
    scores: EnumerableScores | ScoredData | Frame,
    k: int | None = None,
    space: str | None = None,
    within: float | None = None,
    *,
    settings: str = BEST,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> BestNetworks:
    """Find the k best networks or equivalence classes, or all within a Bayes factor of the best.

    Ties are broken as follows. First comes the network with the smaller *sink*, its last variable (variables are
    numbered as in the scores); then the one whose remainder without the sink comes earlier among networks on those
    variables; then the one whose sink has fewer parents, or a set of parents that is smaller as a binary number. In a
    list of classes, the first member by this rule represents its class.

    Parameters
    ----------
    scores : EnumerableScores, Dataset, data frame or path
        The local scores, or data to score. To rank classes, scores must be score-equivalent: no K2, no constraints on
        edges or tiers, no interventions.
    k : int, optional
        How many to find. Default: 10, or all with ``within``. Fewer are returned only if there are no more.
    space : {"classes", "dags"}, optional
        What to rank. Default: classes, or DAGs if the scores are known to tell the members of a class apart, as with
        tiers; the result says which (``space``).
    within : float, optional
        A Bayes factor: find *all* networks that are at most this many times less probable than the best, up to rounding
        (and at most ``k`` of them, if given). A factor of 1 finds exact ties with the best.
    settings : {"best", "fixed"}
        With data: whether the parameters of the score and the structure prior that are not given have the highest
        evidence, and a limit on parents that suits the number of rows (``score_info.choice`` says so), or the defaults
        of :func:`dagscape.local_scores`.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads.
    **options
        With data: the options of :func:`dagscape.local_scores`.

    Returns
    -------
    BestNetworks
        The networks with their scores, and averages over them. If memory runs out, the result has those found by
        then; ``complete`` is false, and a :class:`~dagscape.StoppedEarly` warning is issued.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    >>> best = ds.k_best(scores, k=100)
    >>> best
    BestNetworks(100 classes of 662 DAGs, best -9423.0683, ratio 1005, ends in a tie)
    >>> best.ties[:4]
    (16, 8, 48, 16)
    >>> round(best.coverage(ds.posterior(scores).log_total), 4)
    0.9971
    >>> len(ds.k_best(scores, within=20))
    24
    """
    _check_numbers(k, within)
    if k is None and within is None:
        k = DEFAULT_K
    start = time.perf_counter()
    used_threads = thread_count(threads)
    scores = scores_of(scores, settings, options, Budget.of(threads, max_memory), progress)
    space = checked_space(scores, space)
    with listening(progress) as listener:
        search = BestEnumeration(scores, space, used_threads, max_memory, listener)
        caveats = Caveats(scores.info.warnings)
        caveats.issue(incomplete_scores(scores, WITHOUT_FAMILIES), meaningless_shares(scores.info))
        parents, exact, following = gather(search, k, _allowance(scores, within), listener)
    check_any_found(search)
    # If there was no memory for the next network, the requested ones may still all be there.
    complete = not search.out_of_room or following is not None or len(exact) == k
    caveats.issue(None if complete else StoppedEarly(search.why_stopped()))
    dags = DagList(scores.variables, parents)
    caveats.issue(sparse_families(scores.info, scores.variables, dags[0].to_adjacency()))
    return BestNetworks(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "k_best",
            {"k": k, "space": space, "within": within, "scores": scores.info.to_dict()},
            {"search": time.perf_counter() - start},
            used_threads,
        ),
        warnings=caveats.kept,
        space=space,
        networks=dags,
        scores=scores.unit.to_floats(exact),
        class_sizes=_sizes(dags) if space == "classes" else (1,) * len(exact),
        ties=_run_lengths(exact),
        ends_in_tie=_ends_in_tie(search, exact, following),
        exhausted=following is None and not search.out_of_room,
        complete=complete,
        stored=search.stored,
    )


def iter_best(
    scores: EnumerableScores | ScoredData | Frame,
    space: str | None = None,
    *,
    settings: str = BEST,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Iterator[Dag]:
    """Iterate over the best networks, best first.

    Parameters
    ----------
    scores, space, settings, threads, max_memory, progress, **options
        As in :func:`k_best`, which has the same order.

    Yields
    ------
    Dag
        The next best network, or a member of the next best class; ``scores.network`` gives its score.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    >>> for rank, network in enumerate(ds.iter_best(scores), start=1):
    ...     if not network.has_edge("Class", "top-left-square"):
    ...         break
    >>> rank, round(scores.network(network), 4)
    (3, -9423.0683)
    """
    scores = scores_of(scores, settings, options, Budget.of(threads, max_memory), progress)
    space = checked_space(scores, space)
    with listening(progress) as listener:
        search = BestEnumeration(scores, space, thread_count(threads), max_memory, listener)
        issue(incomplete_scores(scores, WITHOUT_FAMILIES))
    return _stream(scores, search)


def _stream(scores: EnumerableScores, search: BestEnumeration) -> Iterator[Dag]:
    batch = 1
    while True:
        parents, exact = search.next(batch)
        yield from DagList(scores.variables, parents)
        if search.out_of_room:
            raise TooLarge(search.why_stopped())
        if len(exact) < batch:
            return
        batch = min(2 * batch, _LARGEST_BATCH)


def _sizes(dags: DagList) -> tuple[int, ...]:
    """Return the sizes of the classes of networks; CPDAGs are made in batches, since all of them take much memory."""
    batches = (dags[at : at + _LARGEST_BATCH] for at in range(0, len(dags), _LARGEST_BATCH))
    return tuple(itertools.chain.from_iterable(class_sizes(batch.cpdags().undirected) for batch in batches))


def _run_lengths(exact: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the lengths of runs of equal numbers."""
    ends = np.append(np.flatnonzero(np.diff(exact)) + 1, len(exact))
    return tuple(np.diff(ends, prepend=0).tolist())


def _ends_in_tie(search: BestEnumeration, exact: NDArray[np.int64], following: int | None) -> bool | None:
    """Whether the network after the last one has the same score; None if there was no memory to find it."""
    if following is None:
        return None if search.out_of_room else False
    return following == int(exact[-1])


def _check_numbers(k: int | None, within: float | None) -> None:
    if k is not None:
        check_count(k, "k")
    is_number = isinstance(within, int | float | np.integer | np.floating) and not isinstance(within, bool)
    if within is not None and not (is_number and 1 <= within < math.inf):
        raise InvalidOption(f"is {within!r}; it must be a Bayes factor, a number of at least 1", option="within")


def _allowance(scores: EnumerableScores, within: float | None) -> int | None:
    """Return how many units of score below the best are within a Bayes factor, up to rounding."""
    return None if within is None else math.floor(math.ldexp(math.log(within), scores.unit.bits))


def _rounding(best: int, n: int) -> int:
    """Return by how many units two scores may be off: each family by one, and the scores as floats by their precision.

    A score that misses a Bayes factor by no more than this is within it; only a factor of 1 means exact ties.
    """
    return n + 1 + (abs(best) >> 51)


def gather(
    search: BestEnumeration, k: int | None, allowance: int | None, listener: ProgressListener | None
) -> tuple[NDArray[np.uint64], NDArray[np.int64], int | None]:
    """Return the requested networks, their scores, and the score of the next one; None if there is none."""
    networks: list[NDArray[np.uint64]] = []
    scores: list[NDArray[np.int64]] = []
    # The number within a factor is not known in advance, and finding one too many can be costly.
    batch = _LARGEST_BATCH if allowance is None else 2
    following: int | None = None
    while True:
        before = search.found
        wanted = batch if k is None else min(batch, k + 1 - before)
        parents, exact = search.next(wanted, listener, 0 if k is None else k + 1)
        enough = len(exact) if k is None else min(k - before, len(exact))
        if allowance is not None and len(exact):
            # Scores decrease, so those within the allowance come first.
            best = int(scores[0][0] if scores else exact[0])
            most = allowance + _rounding(best, parents.shape[1]) if allowance else 0
            enough = min(enough, len(exact) - int(np.searchsorted(exact[::-1], best - most)))
        networks.append(parents[:enough])
        scores.append(exact[:enough])
        if enough < len(exact):
            following = int(exact[enough])
        if following is not None or len(exact) < wanted or search.out_of_room:
            return *_joined(search, networks, scores), following
        batch = min(2 * batch, _LARGEST_BATCH)


def _joined(
    search: BestEnumeration, networks: list[NDArray[np.uint64]], scores: list[NDArray[np.int64]]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return batches as one list. The search is not needed any more, and leaves its memory to the list."""
    search.release()
    try:
        return np.concatenate(networks), np.concatenate(scores)
    except MemoryError as error:
        raise TooLarge(
            f"there is no memory for a list of {sum(map(len, scores)):,} networks: set a lower {argument('k')} or "
            f"{argument('max_memory')}"
        ) from error
