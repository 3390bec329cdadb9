"""Grow-shrink trees: the parents that greedy selection chooses from a set, for many sets [andrews2023]_.

The problem: a search over orders asks again and again for good parents of a variable among those before it. *Growing*
starts with the required parents and adds the best candidate of the set while that improves the score. *Shrinking* then
removes the worst parent while that improves the score. For many sets the choices begin alike, so each variable keeps a
tree of them. A node is a family on the way; it stores all candidates that improve its score, best first. In a set, the
next node is that of the first of them that belongs to the set. A node without such a candidate is where growing ends;
it stores where shrinking ends from there. So the families of a set that was seen before, or that agrees with one on the
way, are a walk down the tree.

A walk also says what could change it. A variable that is not in the set changes the choices only if some node of the
walk lists it before the candidate that was taken; a variable in the set only if it was taken. That is how a search
knows which walks it need not take again.

Cost: one batch of additions for each new node, and one of removals for each new end.

*Notation.* The paper's grow-shrink tree (GST) is a :class:`GrowShrinkTree`; a trace through it is a :class:`Walk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import mask_of
from dagscape.scores.tables.local_scores import LocalScores

Variables = NDArray[np.int64]
_NOBODY: Variables = np.empty(0, dtype=np.int64)


class OutOfTime(Exception):
    """The time limit is over in the middle of a computation."""


class _Node:
    """A family while it grows."""

    __slots__ = ("better", "branches", "exact", "parents", "scores", "shrunk")

    def __init__(self, parents: tuple[int, ...], exact: int) -> None:
        self.parents = parents
        self.exact = exact
        # The candidates whose addition improves the score, best first, with the scores; None if they are not known yet.
        self.better: Variables | None = None
        self.scores: NDArray[np.int64] = _NOBODY
        self.branches: dict[int, _Node] = {}
        self.shrunk: tuple[int, int] | None = None


class Walk:
    """The way down a tree that a set of variables takes.

    Attributes
    ----------
    parents : int
        The parents after shrinking, as a set.
    exact : int
        Their score, in units.
    taken : list of int
        The variables that were added.
    passed : list of arrays of int
        For each node of the way, the candidates that it prefers to the one that was taken: none is in the set.
    """

    __slots__ = ("exact", "nodes", "parents", "passed", "taken")

    def __init__(self, nodes: list[_Node], taken: list[int], passed: list[Variables]) -> None:
        self.nodes = nodes
        self.taken = taken
        self.passed = passed
        self.parents, self.exact = nodes[-1].shrunk or (0, 0)

    @property
    def preferred(self) -> Variables:
        """The variables that would change the way, if they belonged to the set."""
        return np.concatenate(self.passed)


class GrowShrinkTree:
    """The grow-shrink tree of one variable.

    Parameters
    ----------
    scores : LocalScores
        The local scores.
    child : int
        The variable.
    lots : array of int
        Decides between equally good candidates: the smaller number first.
    out_of_time : callable
        Whether the time limit is over; then the tree grows no further, and :class:`OutOfTime` is raised.

    Attributes
    ----------
    families : int
        How many nodes were grown.
    listed : int
        How many candidates its nodes store.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.family_scores(ds.load_dataset("iris"))
    >>> tree = GrowShrinkTree(scores, 4, np.arange(5), lambda: False)
    >>> walk = tree.walk(np.array([True, True, True, True, False]))
    >>> [scores.variables[v] for v in walk.taken]
    ['petal_width', 'petal_length']
    >>> walk.exact == scores.family_exact("class", ["petal_width", "petal_length"])
    True
    """

    def __init__(
        self, scores: LocalScores, child: int, lots: NDArray[np.int64], out_of_time: Callable[[], bool]
    ) -> None:
        self._scores = scores
        self._child = child
        self._lots = lots
        self._out_of_time = out_of_time
        required = tuple(sorted(scores.constraints.required[child]))
        self._root = _Node(required, scores.family_exact(child, required))
        self.families = 0
        self.listed = 0

    def forget(self) -> None:
        """Drop all nodes but the first; they are computed again when they are needed."""
        self._root = _Node(self._root.parents, self._root.exact)
        self.listed = 0

    def walk(self, within: NDArray[np.bool_]) -> Walk:
        """Return the way of a set of variables, which includes the required parents."""
        return self._go_on([self._root], [], [], within)

    def walks(self, order: Variables, first: int = 0) -> Iterator[tuple[int, Walk]]:
        """Walk with the first variables of an order, ever more of them.

        Parameters
        ----------
        order : array of int
            The order, without the child.
        first : int
            How many variables belong to the smallest set.

        Yields
        ------
        tuple of int and Walk
            The size of a set, and its walk, where that differs from the one before.
        """
        places = np.full(self._scores.n, len(order))
        places[order] = np.arange(len(order))
        walk = self.walk(places < first)
        yield first, walk
        while True:
            preferred = walk.preferred
            at = places[preferred]
            added = int(at.min(initial=len(order)))
            if added == len(order):
                return
            # The way is the same down to the first node that prefers the next variable.
            nodes = np.repeat(np.arange(len(walk.passed)), [len(passed) for passed in walk.passed])
            kept = int(nodes[np.argmin(at)])
            walk = self._go_on(walk.nodes[: kept + 1], walk.taken[:kept], walk.passed[:kept], places <= added)
            yield added + 1, walk

    def _go_on(self, nodes: list[_Node], taken: list[int], passed: list[Variables], within: NDArray[np.bool_]) -> Walk:
        """Go on from the last of some nodes."""
        node = nodes[-1]
        while True:
            better = self._grow(node) if node.better is None else node.better
            present = within[better]
            at = int(present.argmax()) if present.size else 0
            if not present.size or not present[at]:
                break
            added = int(better[at])
            passed.append(better[:at])
            taken.append(added)
            node = node.branches.get(added) or self._branch(node, added, int(node.scores[at]))
            nodes.append(node)
        passed.append(better)
        if node.shrunk is None:
            node.shrunk = self._shrink(node)
        return Walk(nodes, taken, passed)

    def _grow(self, node: _Node) -> Variables:
        if self._out_of_time():
            raise OutOfTime
        exact = self._scores.additions_exact(self._child, node.parents)
        better = np.flatnonzero(exact > node.exact)
        better = better[np.lexsort((self._lots[better], -exact[better]))] if better.size else _NOBODY
        node.better, node.scores = better, exact[better]
        self.families += 1
        self.listed += len(better) + 1
        return better

    def _branch(self, node: _Node, added: int, exact: int) -> _Node:
        branch = _Node(tuple(sorted((*node.parents, added))), exact)
        node.branches[added] = branch
        return branch

    def _shrink(self, node: _Node) -> tuple[int, int]:
        """Remove parents while that improves the score."""
        parents, exact = list(node.parents), node.exact
        while parents:
            removals = self._scores.removals_exact(self._child, parents)
            order = np.lexsort((self._lots[parents], -removals))
            best = int(order[0])
            if removals[best] <= exact:
                break
            exact = int(removals[best])
            del parents[best]
        return mask_of(parents), exact
