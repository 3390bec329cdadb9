"""The families among which a Markov chain chooses.

Where all families can be scored and stored, all are listed but those that hardly ever occur. A family P may be dropped
if one of its subsets Q weighs far more: Q in place of P keeps any graph acyclic. If each dropped family is assigned to
its heaviest subset, which is never dropped itself, the posterior probability of all networks with a dropped family is
at most the sum, over the variables, of the largest total ratio of the weights of the families assigned to one subset.
Families are dropped as long as this bound stays below :data:`MOST_LOST`. (Dropping what scores no better than a subset,
as a search for the optimum does, would bias sums.)

The *core* of a list has what blocks of variables choose from, by the same rule with a bound of :data:`CORE_LOST` for
each variable; a block is skipped while a member has a family outside the core.

Otherwise a list has the families of up to three of some candidate parents, the most promising ones of each variable,
and all other families remain reachable (:mod:`dagscape.sampling.informed_steps`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.lattice import set_count
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.small_families import SetLayer, set_layers

# The largest posterior mass of what is left out of the lists, and the largest conditional mass outside a core.
MOST_LOST = 1e-4
CORE_LOST = 0.05
# Gaps of weights, in nats, among which the thresholds are chosen.
_GAPS = np.arange(2.0, 61.0)

# Bytes of a listed family, with its place in a table, for a few parents; and of a family while its list is made.
LISTED_BYTES = 120
WORK_BYTES = 200

# Candidate lists: so many candidates, with families of so many of them.
_CANDIDATES = 20
_CANDIDATE_PARENTS = 3

Parents = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChildList:
    """The families of one variable: the core first, each part heaviest first.

    Attributes
    ----------
    sizes : array of int
        The number of parents of each family.
    parents : array of int
        The parents of all families, one after the other.
    scores : array of int
        Their scores, in units.
    core : int
        The number of families of the core.
    lost : float
        The bound on the posterior mass of what is not listed.
    """

    sizes: NDArray[np.int64]
    parents: NDArray[np.uint16]
    scores: NDArray[np.int64]
    core: int
    lost: float


@dataclass(frozen=True)
class ChainLists:
    """The lists of all variables.

    Attributes
    ----------
    children : tuple of ChildList
        The lists.
    unit : Unit
        The unit of their scores.
    complete : bool
        Whether families that are not listed are negligible, up to :attr:`lost`; otherwise other steps reach them.
    """

    children: tuple[ChildList, ...]
    unit: Unit
    complete: bool

    @property
    def lost(self) -> float:
        """The bound on the posterior mass of what chains cannot reach."""
        return math.fsum(child.lost for child in self.children) if self.complete else 0.0

    @property
    def listed(self) -> int:
        """The number of families."""
        return sum(len(child.scores) for child in self.children)

    @property
    def core(self) -> int:
        """The number of families of the cores."""
        return sum(child.core for child in self.children)

    @cached_property
    def kernel(self) -> kernels.ChainFamilies:
        """The lists as the kernel takes them; chains share them."""
        counts = [len(child.scores) for child in self.children]
        sizes = np.concatenate([child.sizes for child in self.children])
        return kernels.ChainFamilies(
            first=np.cumsum([0, *counts], dtype=np.int64),
            core=np.array([child.core for child in self.children], dtype=np.int64),
            scores=np.concatenate([child.scores for child in self.children]),
            parent_first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            parents=np.concatenate([child.parents for child in self.children]),
            unit_bits=self.unit.bits,
        )

    def families(self, child: int) -> list[tuple[Parents, int]]:
        """Return the parents and scores of the families of a variable, in the order of the list."""
        listed = self.children[child]
        ends = np.cumsum(listed.sizes).tolist()
        starts = [0, *ends[:-1]]
        parents = listed.parents.tolist()
        return [
            (tuple(parents[start:end]), score)
            for start, end, score in zip(starts, ends, listed.scores.tolist(), strict=True)
        ]


def complete_lists(scores: EnumerableScores) -> ChainLists:
    """List all families of the scores but those that hardly ever occur."""
    layers = set_layers(scores.n - 1, min(scores.max_parents, scores.n - 1))
    tolerance = MOST_LOST / scores.n
    children = []
    for child in range(scores.n):
        shifted = [SetLayer(sets + (sets >= child), without) for sets, without in layers]
        children.append(_pruned(scores, child, shifted, tolerance))
    return ChainLists(tuple(children), scores.unit, complete=True)


def complete_memory(n: int, max_parents: int) -> int:
    """Return how many bytes complete lists need at most."""
    per_child = set_count(n - 1, max_parents)
    return LISTED_BYTES * n * per_child + WORK_BYTES * per_child


def candidate_lists(scores: LocalScores, network: Dag) -> ChainLists:
    """List families of some candidate parents of each variable: those of a good network, and the best of all others."""
    most = min(scores.max_parents, _CANDIDATE_PARENTS)
    children = []
    for child in range(scores.n):
        candidates = np.array(_candidates(scores, network, child), dtype=np.int64)
        layers = [
            SetLayer(candidates[sets].reshape(len(sets), -1), without)
            for sets, without in set_layers(len(candidates), min(most, len(candidates)))
        ]
        listed = _pruned(scores, child, layers, MOST_LOST)
        children.append(_with_family(scores, child, listed, tuple(bits(network.parent_masks[child]))))
    return ChainLists(tuple(children), scores.unit, complete=False)


def _candidates(scores: LocalScores, network: Dag, child: int) -> list[int]:
    """Return candidate parents of a variable: its neighbours in a network, then those that add most."""
    own = network.parent_masks[child]
    near = [v for v in range(scores.n) if own >> v & 1 or network.parent_masks[v] >> child & 1]
    parents = tuple(bits(own))
    found = [v for v in near if v not in scores.constraints.forbidden[child]]
    found += [v for v in scores.constraints.required[child] if v not in found]
    for start in ((), parents[: max(scores.max_parents - 1, 0)]):
        exact = scores.additions_exact(child, start)
        order = np.argsort(-exact, kind="stable")
        wanted = len(found) + max(_CANDIDATES - len(found), 0) // 2 + 1
        for v in order.tolist():
            if len(found) >= wanted or exact[v] == IMPOSSIBLE:
                break
            if v not in found:
                found.append(v)
    return sorted(found)


def _with_family(scores: LocalScores, child: int, listed: ChildList, parents: Parents) -> ChildList:
    """Add a family to the core of a list, unless it is there."""
    ends = np.cumsum(listed.sizes)
    for place in np.flatnonzero(listed.sizes == len(parents)).tolist():
        if tuple(listed.parents[ends[place] - len(parents) : ends[place]].tolist()) == parents:
            return listed
    score = scores.family_exact(child, parents)
    place = int(np.searchsorted(-listed.scores[: listed.core], -score, side="right"))
    at = int(ends[place - 1]) if place else 0
    return ChildList(
        np.insert(listed.sizes, place, len(parents)),
        np.insert(listed.parents, at, np.array(parents, dtype=np.uint16)),
        np.insert(listed.scores, place, score),
        listed.core + 1,
        listed.lost,
    )


def _pruned(scores: LocalScores, child: int, layers: Iterable[SetLayer], tolerance: float) -> ChildList:
    """Return the families of all given sets, without those that hardly ever occur."""
    sizes, parents, exact, best, heaviest = _with_heaviest_subsets(scores, child, layers)
    possible = exact != IMPOSSIBLE
    if not possible.any():
        raise InvalidData(f"{scores.variables[child]!r} has no possible family")
    gaps, comparable = np.full(len(exact), -1.0), possible & (best != IMPOSSIBLE)
    gaps[comparable] = scores.unit.to_floats(best[comparable] - exact[comparable])
    lost, threshold = _threshold(gaps, heaviest, tolerance)
    _, core_threshold = _threshold(gaps, heaviest, CORE_LOST)
    outside = gaps >= core_threshold
    kept = np.flatnonzero(possible & (gaps < threshold))
    order = kept[np.lexsort((np.arange(len(kept)), -exact[kept], outside[kept]))]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    chosen = sizes[order]
    # The places of the parents of the chosen families, one after the other.
    places = np.repeat(starts[order] - np.concatenate([[0], np.cumsum(chosen)[:-1]]), chosen) + np.arange(chosen.sum())
    core = int((~outside[kept]).sum())
    return ChildList(chosen, parents[places].astype(np.uint16), exact[order], core, lost)


def _with_heaviest_subsets(
    scores: LocalScores, child: int, layers: Iterable[SetLayer]
) -> tuple[NDArray[np.int64], ...]:
    """Return the sizes, parents and scores of all sets, and the score and place of the heaviest proper subset of each."""
    sizes, parents, all_exact, all_best, all_heaviest = [], [], [], [], []
    best, heaviest = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    start = 0
    for sets, without in layers:
        exact = scores.exact_scores(child, sets)
        below, place = np.full(len(sets), IMPOSSIBLE), np.full(len(sets), -1)
        for smaller in without:
            better = best[smaller] > below
            below = np.where(better, best[smaller], below)
            place = np.where(better, heaviest[smaller], place)
        own = exact >= below
        best, heaviest = np.where(own, exact, below), np.where(own, np.arange(start, start + len(sets)), place)
        sizes.append(np.full(len(sets), sets.shape[1]))
        parents.append(sets.ravel())
        all_exact.append(exact)
        all_best.append(below)
        all_heaviest.append(place)
        start += len(sets)
    return tuple(map(np.concatenate, (sizes, parents, all_exact, all_best, all_heaviest)))


def _threshold(gaps: NDArray[np.float64], heaviest: NDArray[np.int64], tolerance: float) -> tuple[float, float]:
    """Return the bound on what is lost, and the smallest gap from which families may be dropped."""
    # The families are assigned to the same subsets for all thresholds.
    low, high = 0, len(_GAPS)
    bound = 0.0
    while low < high:
        middle = (low + high) // 2
        lost = _lost(gaps, heaviest, _GAPS[middle])
        if lost <= tolerance:
            high, bound = middle, lost
        else:
            low = middle + 1
    return (bound, float(_GAPS[high])) if high < len(_GAPS) else (0.0, math.inf)


def _lost(gaps: NDArray[np.float64], heaviest: NDArray[np.int64], threshold: float) -> float:
    dropped = np.flatnonzero(gaps >= threshold)
    if not len(dropped):
        return 0.0
    return float(np.bincount(heaviest[dropped], weights=np.exp(-gaps[dropped])).max())
