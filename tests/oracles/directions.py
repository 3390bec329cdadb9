"""Compelled edges by their definition: list all DAGs, group them into classes, and intersect the members.

Two DAGs are equivalent under experiments if, for each set of targets, the graphs that are left when the edges into the
targets are removed have the same skeleton and the same v-structures.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import dagscape as ds

Masks = tuple[int, ...]


def essence(parents: Sequence[int]) -> tuple[frozenset[frozenset[int]], frozenset[tuple[int, int, int]]]:
    """The skeleton and the v-structures of a graph, from its edges one by one."""
    n = len(parents)
    arrows = {(u, v) for v in range(n) for u in range(n) if parents[v] >> u & 1}
    skeleton = frozenset(frozenset(edge) for edge in arrows)
    colliders = frozenset(
        (a, v, b)
        for a, v in arrows
        for b, other in arrows
        if other == v and a < b and frozenset((a, b)) not in skeleton
    )
    return skeleton, colliders


def cut(parents: Sequence[int], targets: Iterable[int]) -> Masks:
    """The graph without the edges into the targets."""
    set_variables = frozenset(targets)
    return tuple(0 if v in set_variables else above for v, above in enumerate(parents))


def class_under(parents: Sequence[int], experiments: Sequence[Iterable[int]]) -> Hashable:
    """What equivalent DAGs share: the essence of each graph that an experiment leaves."""
    return tuple(essence(cut(parents, targets)) for targets in experiments or [()])


def satisfies(parents: Sequence[int], required: Sequence[int], forbidden: Sequence[int]) -> bool:
    return all(must & ~above == 0 for must, above in zip(required, parents, strict=True)) and all(
        above & never == 0 for above, never in zip(parents, forbidden, strict=True)
    )


def compelled(graphs: Sequence[Masks], keys: Sequence[Hashable]) -> list[Masks]:
    """The edges that all graphs with the same key have, for each graph."""
    shared: dict[Hashable, Masks] = {}
    for graph, key in zip(graphs, keys, strict=True):
        found = shared.get(key, graph)
        shared[key] = tuple(a & b for a, b in zip(found, graph, strict=True))
    return [shared[key] for key in keys]


def score_keys(dags: Sequence[ds.Dag], scores: ds.LocalScores) -> list[int]:
    """The score of each DAG, in millionths of a nat."""
    families = {
        (v, mask): scores.family(v, dags[0].names(mask))
        for dag in dags
        for v, mask in zip(dag.variables, dag.parent_masks, strict=True)
    }
    totals = [sum(families[v, mask] for v, mask in zip(dag.variables, dag.parent_masks, strict=True)) for dag in dags]
    return [round(1e6 * total) for total in totals]
