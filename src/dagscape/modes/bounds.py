"""Bounds for the search: the division of the variables into groups for pattern databases [yuan2012]_.

The bound forbids cycles within a group and allows them between groups. The larger the groups, and the more dependence
is within them, the tighter the bound. The dependence of one variable on another is the gain in score when it is the
only parent: for the scores of data, about their mutual information.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.core.masks import mask_of
from dagscape.core.randomness import Seed, random_generator
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.enumerable_scores import EnumerableScores

BOUNDS = {
    "auto": "exact if it fits in memory, else patterns",
    "exact": "the best completion of every set (8 bytes for each of 2^n)",
    "patterns": "pattern databases",
    "none": "the best family of each variable",
}
GROUPINGS = {"dependence": "dependent variables together", "random": "at random"}

Groups = list[int]


def dependences(scores: EnumerableScores) -> NDArray[np.float64]:
    """Return the symmetric matrix ``[u, v]`` of how much u and v add to each other's score."""
    n = scores.n
    gains = np.zeros((n, n))
    if scores.max_parents < 1:
        return gains
    for child in range(n):
        alone = scores.family_exact(child)
        others = np.array([[parent] for parent in range(n) if parent != child], dtype=np.int64)
        exact = scores.exact_scores(child, others)
        known = (exact != IMPOSSIBLE) & (alone != IMPOSSIBLE)
        gain = scores.unit.to_floats(np.where(known, exact - alone, 0))
        gains[others[:, 0], child] = np.maximum(gain, 0.0)
    return gains + gains.T


def tightest_groups(
    scores: EnumerableScores, largest: int, bound_of: Callable[[Groups], int], candidates_per_size: int = 2
) -> Groups:
    """Return two groups of at most ``largest`` variables with the lowest bound on the best network.

    For each size, the divisions with the least dependence between the groups are tried.

    Parameters
    ----------
    scores : EnumerableScores
        The scores.
    largest : int
        The largest number of variables in a group.
    bound_of : callable
        Returns the bound of a list of groups on all networks, in units.
    candidates_per_size : int
        How many divisions to try for each size.
    """
    n = scores.n
    if n > 2 * largest:
        return equal_groups(scores, -(-n // largest), "dependence", None)
    gains = dependences(scores)
    found: dict[int, int] = {}
    for size in range(max(n - largest, 1), n // 2 + 1):
        for rest in _loosest_parts(gains, size)[:candidates_per_size]:
            found[rest] = bound_of([mask_of(range(n)) & ~rest, rest])
    best = min(found, key=lambda rest: (found[rest], rest))
    return [mask_of(range(n)) & ~best, best]


def _loosest_parts(gains: NDArray[np.float64], size: int) -> list[int]:
    """Return sets of ``size`` variables with little dependence on the others, least dependent first.

    Each set grows from one variable by adding the one that leaves the least dependence on the others; then variables
    are swapped while that helps.
    """
    n = len(gains)
    found: dict[int, float] = {}
    for first in range(n):
        inside = np.zeros(n, dtype=np.int64)
        inside[first] = 1
        while inside.sum() < size:
            between = gains.sum(axis=1) - 2 * gains[:, inside == 1].sum(axis=1)
            inside[int(np.argmin(np.where(inside == 0, between, np.inf)))] = 1
        _improve(gains, inside, 2)
        found[mask_of(np.flatnonzero(inside).tolist())] = float(gains[np.ix_(inside == 0, inside == 1)].sum())
    return sorted(found, key=lambda part: (found[part], part))


def equal_groups(scores: EnumerableScores, count: int, grouping: str, seed: Seed) -> Groups:
    """Return ``count`` groups of about the same size.

    By dependence: each variable, most dependent first, joins the group that it depends on most and that is not full;
    then variables of two groups are swapped while that increases the dependence within groups.
    """
    n = scores.n
    sizes = [n // count + (i < n % count) for i in range(count)]
    if grouping == "random":
        order = random_generator(seed).permutation(n)
        return [mask_of(order[sum(sizes[:i]) : sum(sizes[: i + 1])].tolist()) for i in range(count)]
    gains = dependences(scores)
    group_of = np.full(n, -1)
    room = list(sizes)
    for v in np.argsort(-gains.sum(axis=0), kind="stable"):
        free = [g for g in range(count) if room[g]]
        best = max(free, key=lambda g: (gains[v, group_of == g].sum(), room[g], -g))
        group_of[v] = best
        room[best] -= 1
    _improve(gains, group_of, count)
    return [mask_of(np.flatnonzero(group_of == g).tolist()) for g in range(count)]


def _improve(gains: NDArray[np.float64], group_of: NDArray[np.int64], count: int) -> None:
    """Swap variables between groups, best pair first, until no swap helps."""
    while True:
        to_group = np.stack([gains[:, group_of == g].sum(axis=1) for g in range(count)], axis=1)
        own = to_group[np.arange(len(gains)), group_of]
        # The gains of u in v's group and of v in u's, minus the dependence between them, which stays between groups.
        gain = to_group[:, group_of] - own[:, None]
        both = np.where(group_of[:, None] != group_of[None, :], gain + gain.T - 2 * gains, -np.inf)
        u, v = np.unravel_index(int(np.argmax(both)), both.shape)
        if not both[u, v] > 1e-9:
            return
        group_of[u], group_of[v] = group_of[v], group_of[u]


def named_groups(scores: EnumerableScores, groups: Sequence[Collection[str]]) -> Groups:
    """Return the groups given by the user; every variable must be in one."""
    number = {name: i for i, name in enumerate(scores.variables)}
    seen: set[str] = set()
    masks = []
    for group in groups:
        if isinstance(group, str) or not isinstance(group, Iterable) or not (names := list(group)):
            raise InvalidOption(f"holds {group!r}; each group must be a collection of variables", option="groups")
        for name in names:
            if not isinstance(name, str) or name not in number:
                raise InvalidOption(
                    f"names {name!r}, which is not a variable{did_you_mean(name, number)}", option="groups"
                )
            if name in seen:
                raise InvalidOption(f"names {name!r} twice", option="groups")
            seen.add(name)
        masks.append(mask_of(number[name] for name in names))
    if len(seen) < scores.n:
        missing = next(name for name in scores.variables if name not in seen)
        raise InvalidOption(f"leaves out {missing!r}: every variable must be in a group", option="groups")
    return masks


def check_groups(groups: object, n: int) -> None:
    """Check that groups are a valid number or a list."""
    if groups is None or (isinstance(groups, Sequence) and not isinstance(groups, str)):
        return
    Whole(1, n, said=f"an integer from 1 to {n}, or a list of groups").check(groups, "groups")
