r"""The direction of prerequisites that the data leave open.

All members of a class fit equally well, and those of a class of skills say different things about what must be learned
first. If skill *i* is a prerequisite of skill *j*, few students master *j* without *i*: :math:`P(S_j = 0 | S_i = 0)` is
close to 1. The rule of [chen2016]_, section 6.3.3, prefers :math:`i → j` if

.. math:: ratio = \frac{P(S_j = 0 | S_i = 0)}{P(S_i = 0 | S_j = 0)} = \frac{P(S_j = 0)}{P(S_i = 0)}

is at least 1: the skill that more students master comes first. The reversible edges are directed one by one, those with
the largest :math:`ratio^* = \max(ratio, 1 / ratio)` first, and each may force others.

The paper lists the class and removes the members that contradict an edge. A complete graph of K skills has K! members,
so this module directs the edges of the CPDAG itself and applies Meek's rules [meek1995]_ after each: they direct what
all remaining members agree on, and an edge that they leave open has remaining members of either direction. The result
is the same. Required and forbidden edges are known before any ratio, and are directed first.

*Zero probabilities.* If nobody lacks skill *i* but some lack *j*, the ratio is infinite, for :math:`i → j`; a ratio
above 1e300 counts as infinite. If nobody lacks either, or just as many lack one as the other, the ratio is 1. Such an
edge is directed after all others, from the earlier variable to the later one. Edges with the same :math:`ratio^*` are
directed in the order of the variables.

*All edges together.* The paper calls this order of decisions ad hoc, because a wrong one spreads, and leaves a measure
of the whole graph for later work. Here is one: the number of prerequisites that a student is expected to lack although
the skill is mastered,

.. math:: V(G) = \sum_{i → j} P(S_i = 0, S_j = 1).

It is 0 if the assumption of the rule holds for all edges of *G*, and the share of students who break none of them is at
least :math:`1 - V(G)`. As :math:`P(S_i = 0, S_j = 1) = P(S_i = 0) - P(S_i = 0, S_j = 0)`, and the last term is the same
in both directions,

.. math:: V(G) = \sum_{i → j} P(S_i = 0) + const = - \sum_j |pa(j)| \, P(S_j = 0) + const,

where the constants are those of the class. For a single edge, the smaller V is the rule above. ``rule="global"``
finds the member of the class with the least V, by depth-first search: edges are directed in the order of the rule, the
preferred direction first, so that the first member is the one of the rule. A branch ends when the arrows so far, with
the better direction of every open edge, cannot be better than the best member. Usually, the first member is the best,
and the bound proves it at once: it is reached wherever directing all edges from the easier to the harder skill makes no
new v-structure.

Notation: the paper's :math:`P(S_k = 0)` is ``not_mastered[k]``, its *DE* are the edges in the order of their
:math:`ratio^*`, and its *EC*, the members that remain, is a :class:`~dagscape.graphs.orientation.PartlyDirected`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.errors import InvalidData, InvalidOption, argument
from dagscape.core.masks import bits
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.orientation import PartlyDirected
from dagscape.results.decoding import Between, NotNegative
from dagscape.scores.constraints import EdgeConstraints

Reason = Literal["ratio", "other edges", "constraints", "global"]
OrientationRule = Literal["ratio", "global"]

# Probabilities are sums of many terms, and may exceed their range by rounding errors.
_SLACK = 1e-6

# Members whose measures differ by less are equally good: rounding errors do not decide.
_SAME = 1e-12

# Documents hold no larger numbers except infinity.
_LARGEST_RATIO = 1e300


@dataclass(frozen=True, slots=True)
class Orientation:
    """How a reversible edge was directed.

    Attributes
    ----------
    source, target : str
        The edge leads from the source, the prerequisite, to the target.
    ratio : float
        P(target is not mastered) / P(source is not mastered). If it is less than 1, the edge would have been directed
        the other way by its own ratio. It may be 0 or infinite.
    ratio_star : float
        The ratio or its inverse, whichever is larger: how clear the ratio is. It may be infinite.
    reason : {"ratio", "other edges", "constraints", "global"}
        What decided: the ratio of the edge itself, edges that were directed before, required and forbidden edges, or
        the measure of all edges together.
    """

    source: str
    target: str
    ratio: NotNegative
    ratio_star: Annotated[float, Between(1)]
    reason: Reason

    @property
    def forced(self) -> bool:
        """Whether something other than the ratio of the edge decided."""
        return self.reason != "ratio"


def orient(
    cpdag: Cpdag,
    not_mastered: ArrayLike,
    constraints: EdgeConstraints | None = None,
    rule: OrientationRule = "ratio",
) -> tuple[Dag, tuple[Orientation, ...]]:
    """Choose the member of a class of skills that agrees best with what prerequisites mean.

    Parameters
    ----------
    cpdag : Cpdag
        The class.
    not_mastered : array of float
        For each skill, the probability that a student has not mastered it.
    constraints : EdgeConstraints, optional
        Required and forbidden edges, which the member must respect. Default: none.
    rule : {"ratio", "global"}
        Direct edges one by one, the clearest ratio first; or all together, so that the expected number of prerequisites
        that students lack for skills that they have mastered is the least.

    Returns
    -------
    Dag, tuple of Orientation
        The member, and its reversible edges in the order in which they were considered.

    Examples
    --------
    >>> import dagscape as ds
    >>> chain = ds.Dag.from_edges(["add", "multiply", "count"], [("add", "multiply"), ("count", "add")])
    >>> dag, reversible = orient(chain.to_cpdag(), [0.4, 0.6, 0.2])
    >>> dag.topological_order()
    ('count', 'add', 'multiply')
    >>> [(edge.source, edge.target, round(edge.ratio, 6), edge.reason) for edge in reversible]
    [('count', 'add', 2.0, 'ratio'), ('add', 'multiply', 1.5, 'other edges')]
    """
    lacking = _checked_probabilities(not_mastered, cpdag.n)
    graph = PartlyDirected(cpdag.directed, cpdag.undirected)
    if constraints is not None:
        _impose(graph, constraints, cpdag.variables)
    left_open = tuple(graph.lines)
    edges = [(a, b) for a, near in enumerate(cpdag.undirected) for b in bits(near) if a < b]
    # Sorting is stable, so ties keep the order of the variables.
    edges.sort(key=lambda edge: -_ratio_star(lacking, *edge))
    reasons: dict[tuple[int, int], Reason] = {}
    for a, b in edges:
        reasons[a, b] = "constraints" if not left_open[a] >> b & 1 else "global" if rule == "global" else "other edges"
    if rule == "global":
        graph = _least_violated(graph, lacking, edges)
    else:
        for a, b in edges:
            if graph.lines[a] >> b & 1:
                reasons[a, b] = "ratio"
                _direct(graph, *_preferred(lacking, a, b))
    found = []
    for a, b in edges:
        source, target = (a, b) if graph.arrows[b] >> a & 1 else (b, a)
        ratio = ratio_of(lacking[target], lacking[source])
        names = cpdag.variables[source], cpdag.variables[target]
        found.append(Orientation(*names, ratio, _ratio_star(lacking, a, b), reasons[a, b]))
    return Dag(cpdag.variables, tuple(graph.arrows)), tuple(found)


def _least_violated(
    start: PartlyDirected, lacking: Sequence[float], edges: Sequence[tuple[int, int]]
) -> PartlyDirected:
    """Return the member with the least expected number of violated prerequisites; of equal ones the first."""

    def bound(graph: PartlyDirected) -> float:
        """Return Σ P(source is not mastered) with the better direction of every open edge: V up to a constant."""
        return sum(
            min(lacking[a], lacking[b]) if graph.lines[a] >> b & 1 else lacking[a if graph.arrows[b] >> a & 1 else b]
            for a, b in edges
        )

    best, least = start, math.inf
    waiting = [start]
    while waiting:
        graph = waiting.pop()
        if (at_least := bound(graph)) > least - _SAME:
            continue
        edge = next(((a, b) for a, b in edges if graph.lines[a] >> b & 1), None)
        if edge is None:
            best, least = graph, at_least
            continue
        source, target = _preferred(lacking, *edge)
        # The last one is taken up first.
        for parent, child in ((target, source), (source, target)):
            branch = PartlyDirected(graph.arrows, graph.lines)
            _direct(branch, parent, child)
            waiting.append(branch)
    return best


def _preferred(lacking: Sequence[float], a: int, b: int) -> tuple[int, int]:
    """Return the direction that the ratio of an edge prefers, as source and target."""
    return (a, b) if lacking[b] >= lacking[a] else (b, a)


def ratio_of(lacking_target: float, lacking_source: float) -> float:
    """Return P(target is not mastered) / P(source is not mastered); 1 if both are zero, and infinite if one is."""
    if lacking_target == lacking_source:
        return 1.0
    if lacking_source == 0 or (ratio := lacking_target / lacking_source) > _LARGEST_RATIO:
        return math.inf
    return ratio


def _ratio_star(lacking: Sequence[float], a: int, b: int) -> float:
    """Return the ratio of the direction that it prefers."""
    return ratio_of(max(lacking[a], lacking[b]), min(lacking[a], lacking[b]))


def _direct(graph: PartlyDirected, source: int, target: int) -> None:
    """Direct an edge, and all that follow from it."""
    graph.direct(source, target)
    graph.close((1 << len(graph.arrows)) - 1)


def _impose(graph: PartlyDirected, constraints: EdgeConstraints, variables: Sequence[str]) -> None:
    """Direct the edges that are required, or forbidden in the other direction, and all that follow from them.

    Some members meet all constraints so far if none of them is the reverse of a directed edge [meek1995]_.
    """
    for child, (must, must_not) in enumerate(zip(constraints.required, constraints.forbidden, strict=True)):
        for parent in sorted(must):
            if graph.lines[child] >> parent & 1:
                _direct(graph, parent, child)
            if not graph.arrows[child] >> parent & 1:
                raise _contradiction(variables, parent, child, "has")
        for parent in sorted(must_not):
            if graph.lines[child] >> parent & 1:
                _direct(graph, child, parent)
            if graph.arrows[child] >> parent & 1:
                raise _contradiction(variables, parent, child, "lacks")


def _contradiction(variables: Sequence[str], parent: int, child: int, verb: str) -> InvalidOption:
    edge = f"{variables[parent]!r} -> {variables[child]!r}"
    return InvalidOption(
        f"no member of the class that meets the other constraints {verb} the edge {edge}: change "
        f"{argument('required')}, {argument('forbidden')} or {argument('tiers')}"
    )


def _checked_probabilities(given: ArrayLike, n: int) -> list[float]:
    """Return probabilities, without the rounding errors that leave their range."""
    probabilities: NDArray[np.float64] = np.asarray(given, dtype=np.float64)
    if probabilities.shape != (n,):
        raise InvalidData(f"there are {n} skills, but the probabilities have the shape {probabilities.shape}")
    wrong = np.flatnonzero(~((probabilities >= -_SLACK) & (probabilities <= 1 + _SLACK)))
    if len(wrong):
        raise InvalidData(f"not_mastered[{wrong[0]}] is {probabilities[wrong[0]]:g}; it must be a probability")
    clipped: list[float] = np.clip(probabilities, 0.0, 1.0).tolist()
    return clipped
