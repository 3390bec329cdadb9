"""The best networks of mode orderings [chen2019]_.

The score of an ordering is the sum of the best families with all parents before the child, and the ordering represents
the network of those families. It is a δ-mode if no ordering within Kendall distance δ precedes it: has a higher score,
or the same score and is lexicographically smaller. So modes are peaks of the landscape; good orderings close to a
better one are not modes. ``native/include/dagscape/best/modes.hpp`` describes the search and proves it complete. Unlike
the search of the paper, it merges orderings with the same future, and its bound is exact if 2^n numbers fit in memory.

Notation: the paper minimises costs, and M is the number of networks; here scores are maximised, and it is k.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from dagscape.core import kernels
from dagscape.core.caveats import Caveats
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import Whole, check_count
from dagscape.core.errors import InvalidData, InvalidOption, StoppedEarly, argument
from dagscape.core.masks import mask_of
from dagscape.core.progress import Progress, ProgressListener, ProgressOption, kernel_callback, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import Budget, memory_limit, thread_count
from dagscape.core.wording import plural
from dagscape.data.values import Frame
from dagscape.graphs.lists import DagList
from dagscape.modes.bounds import (
    BOUNDS,
    GROUPINGS,
    Groups,
    check_groups,
    equal_groups,
    named_groups,
    tightest_groups,
)
from dagscape.modes.requirements import (
    check_bound,
    exact_bound_fits,
    largest_group,
    modes_requirements,
    room_for_lists,
)
from dagscape.modes.result import Modes
from dagscape.posterior.evidence import BEST, scores_of
from dagscape.results.base import provenance_of
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.parent_states import sparse_families
from dagscape.scores.posteriors import meaningless_shares
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores
from dagscape.scores.tables.family_arrays import kernel_families

DISTINCT = {"network": "no two modes are the same network", "class": "no two modes are in the same equivalence class"}

DELTA = Whole(0, kernels.MOST_DELTA)

_REASONS = {kernels.ModeOutcome.OUT_OF_ROOM: "memory", kernels.ModeOutcome.OUT_OF_TIME: "time"}


def modes(
    scores: EnumerableScores | ScoredData | Frame,
    k: int = 10,
    delta: int = 3,
    *,
    distinct: str = "network",
    bound: str = "auto",
    groups: int | Sequence[Collection[str]] | None = None,
    grouping: str = "dependence",
    seed: Seed = 0,
    merge: bool = True,
    max_seconds: float | None = None,
    settings: str = BEST,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Modes:
    """Find the best networks of mode orderings: peaks of the landscape that differ from each other.

    Parameters
    ----------
    scores : EnumerableScores, Dataset, data frame or path
        Data to score, or the local scores; a pruned table is enough, since only families that are the best within some
        set matter.
    k : int
        How many networks to find; there may be fewer.
    delta : int
        δ, from 0 to 8: an ordering is a mode if it is the best of all within Kendall distance δ (the number of swaps of
        neighbours). With 0 every ordering is a mode. The larger δ, the fewer modes, and the more they differ.
    distinct : {"network", "class"}
        Whether to keep all distinct networks, or only the first of each equivalence class. Averages are over the
        members of the classes if these are known to have the same score; otherwise each network counts alone.
    bound : {"auto", "exact", "patterns", "none"}
        The bound on completions of an ordering: the best one of every set of variables (8 bytes for each of 2^n),
        pattern databases, or only the best family of each variable. It changes the time, never the result.
    groups : int or list of collections of str, optional
        For pattern databases: the number of groups, or the groups themselves. Default: two, of up to 24 variables each,
        with little dependence between them, chosen to give the tightest bound.
    grouping : {"dependence", "random"}
        How variables are divided into a given number of groups.
    seed : int, Generator or None
        The seed for random groups.
    merge : bool
        Merge orderings with the same future. False gives the search of the paper, which is slower.
    max_seconds : float, optional
        Stop after this time, with the modes proved by then and a :class:`~dagscape.StoppedEarly` warning. The
        bound is always prepared first.
    settings : {"best", "fixed"}
        With data: whether the parameters of the score and the structure prior that are not given have the highest
        evidence, and a limit on parents that suits the number of rows (``score_info.choice`` says so), or the defaults
        of :func:`dagscape.local_scores`.
    threads : int, optional
        The number of threads. Default: all processors. The result does not depend on it.
    max_memory : int or str, optional
        The limit on memory, such as ``"8GiB"``. Default: most of what is available. Where it runs out, the modes
        that are proved by then are returned.
    progress : bool or callable, optional
        True shows a bar on standard error; a callable receives a :class:`~dagscape.core.progress.Progress`.
    **options
        With data: the options of :func:`dagscape.local_scores`.

    Returns
    -------
    Modes
        The networks, their scores and orderings, whether they are proved to be the best, and how diverse they are.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.local_scores(ds.load_network("asia").sample(200, seed=1))
    >>> peaks = ds.modes(scores, k=5, delta=2)
    >>> peaks
    Modes(5 networks of 5 classes, delta 2, best -469.3597)
    >>> peaks.orders[0][:3]
    ('asia', 'smoke', 'bronc')
    >>> peaks.oracle_accuracy(ds.load_network("asia")).tolist()
    [9, 8, 6, 4, 4]
    """
    scores = scores_of(scores, settings, options, Budget.of(threads, max_memory), progress)
    _check_options(scores, k, delta, distinct, bound, groups, grouping)
    clock, rng = Clock(max_seconds), random_generator(seed)
    used_threads = thread_count(threads)
    limit = memory_limit(max_memory)
    size = SearchSize.like(scores)
    modes_requirements(size, used_threads, limit).check(limit)
    families = kernel_families(scores, size.layout)
    with listening(progress) as listener:
        partition = _partition(scores, bound, groups, grouping, rng, families, limit, used_threads)
        group_sizes = [mask.bit_count() for mask in partition]
        check_bound(size, group_sizes, used_threads, limit)
        search = kernels.ModeSearch(
            families,
            delta,
            bool(merge),
            distinct == "class",
            partition,
            used_threads,
            room_for_lists(size, group_sizes, used_threads, limit),
            kernel_callback("Preparing the bound", listener, 0, 0),
        )
        parents, orders, exact, end = _gather(search, scores.n, k, clock, listener)
    if not exact and end is kernels.ModeOutcome.NO_MORE:
        raise InvalidData("every network has an impossible family: there are no modes")
    caveats = Caveats(scores.info.warnings)
    caveats.issue(meaningless_shares(scores.info))
    if end in _REASONS:
        stop = f"the search ran out of {_REASONS[end]} after {plural(len(exact), 'mode')}, proved to be the best"
        caveats.issue(StoppedEarly(stop))
    networks = DagList(scores.variables, np.array(parents, dtype=np.uint64).reshape(len(parents), scores.n))
    if exact:
        caveats.issue(sparse_families(scores.info, scores.variables, networks[0].to_adjacency()))
    expanded, generated, failed, merged = search.counts
    return Modes(
        variables=scores.variables,
        score_info=scores.info,
        provenance=provenance_of(
            "modes",
            {
                "k": k,
                "delta": delta,
                "distinct": distinct,
                "bound": bound,
                "groups": [[scores.variables[v] for v in range(scores.n) if mask >> v & 1] for mask in partition],
                "merge": merge,
                "max_seconds": max_seconds,
                "scores": scores.info.to_dict(),
            },
            {"search": clock.seconds},
            used_threads,
            seed=recorded_seed(seed),
        ),
        warnings=caveats.kept,
        delta=delta,
        distinct=distinct,
        networks=networks,
        scores=scores.unit.to_floats(np.array(exact, dtype=np.int64)),
        orders=tuple(tuple(scores.variables[v] for v in order) for order in orders),
        complete=end not in _REASONS,
        exhausted=end is kernels.ModeOutcome.NO_MORE,
        stopped=_REASONS.get(end, ""),
        bound=scores.unit.to_float(search.bound),
        expanded=expanded,
        generated=generated,
        failed=failed,
        merged=merged,
    )


def _gather(
    search: kernels.ModeSearch,
    n: int,
    k: int,
    clock: Clock,
    listener: ProgressListener | None,
) -> tuple[list[list[int]], list[list[int]], list[int], kernels.ModeOutcome]:
    """Return the networks, orderings and scores, and how the search ended."""
    parents: list[list[int]] = []
    orders: list[list[int]] = []
    exact: list[int] = []
    row, order = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint8)

    def report(*_: int) -> None:
        if listener is not None:
            listener(Progress("Finding modes", len(exact), k))

    while len(exact) < k:
        end, score = search.next(row, order, clock.left, report)
        if end is not kernels.ModeOutcome.FOUND:
            return parents, orders, exact, end
        parents.append(row.tolist())
        orders.append(order.tolist())
        exact.append(score)
    return parents, orders, exact, kernels.ModeOutcome.FOUND


def _check_options(
    scores: EnumerableScores,
    k: int,
    delta: int,
    distinct: str,
    bound: str,
    groups: object,
    grouping: str,
) -> None:
    check_scores(scores)
    check_count(k, "k")
    DELTA.check(delta, "delta")
    for name, value, known in (
        ("distinct", distinct, DISTINCT),
        ("bound", bound, BOUNDS),
        ("grouping", grouping, GROUPINGS),
    ):
        check_choice(value, known, name)
    check_groups(groups, scores.n)
    if groups is not None and bound in ("exact", "none"):
        raise InvalidOption(
            f"is for pattern databases, but {argument('bound')} is {bound!r}: use {argument('bound', 'patterns')}",
            option="groups",
        )


def _partition(
    scores: EnumerableScores,
    bound: str,
    groups: int | Sequence[Collection[str]] | None,
    grouping: str,
    seed: Seed,
    families: kernels.Families,
    limit: int,
    threads: int,
) -> Groups:
    everything = mask_of(range(scores.n))
    if bound == "none":
        return [1 << v for v in range(scores.n)]
    if bound == "exact" or (
        bound == "auto" and groups is None and exact_bound_fits(SearchSize.like(scores), limit, threads)
    ):
        return [everything]
    if groups is None:

        def bound_of(candidate: Groups) -> int:
            return kernels.ModeSearch(families, 0, False, False, candidate, threads, limit, None).bound

        if scores.n == 1:
            return [everything]
        return tightest_groups(scores, largest_group(SearchSize.like(scores), limit, threads), bound_of)
    if isinstance(groups, Sequence):
        return named_groups(scores, groups)
    return equal_groups(scores, int(groups), grouping, seed)
