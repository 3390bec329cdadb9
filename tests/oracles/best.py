"""The best networks by listing all networks, and by sorting all candidates of every set by the documented order.

Networks are tuples of sets of parents, scores are exact integers, and the best comes first.
"""

from __future__ import annotations

import itertools
from functools import cache

from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from oracles.graphs import all_dags


def possible_families(scores):
    """For each child the scores of its possible families, by set of parents."""
    families = []
    for child in range(scores.n):
        others = [v for v in range(scores.n) if v != child]
        sets = (s for size in range(scores.max_parents + 1) for s in itertools.combinations(others, size))
        listed = {sum(1 << p for p in parents): scores.family_exact(child, parents) for parents in sets}
        families.append({mask: score for mask, score in listed.items() if score != IMPOSSIBLE})
    return families


@cache
def pattern(parents):
    """Skeleton and v-structures: the same for equivalent DAGs and for no others."""
    n = len(parents)
    edges = {(u, v) for v in range(n) for u in range(n) if parents[v] >> u & 1}
    skeleton = frozenset(frozenset(edge) for edge in edges)
    v_structures = frozenset(
        (a, child, b)
        for child in range(n)
        for a, b in itertools.combinations(range(n), 2)
        if {(a, child), (b, child)} <= edges and frozenset((a, b)) not in skeleton
    )
    return skeleton, v_structures


def every_dag(scores):
    """All networks that are possible, as (score, parents); equal scores in no particular order."""
    families = possible_families(scores)
    found = [
        (sum(listed[above] for listed, above in zip(families, dag.parent_masks, strict=True)), dag.parent_masks)
        for dag in all_dags(scores.n)
        if all(above in listed for listed, above in zip(families, dag.parent_masks, strict=True))
    ]
    return sorted(found, reverse=True)


def every_class(scores):
    """All classes that are possible, as (score, members)."""
    members = {}
    for score, parents in every_dag(scores):
        members.setdefault(pattern(parents), []).append((score, parents))
    for listed in members.values():
        assert len({score for score, _ in listed}) == 1, "equivalent networks differ in score"
    found = [(listed[0][0], frozenset(parents for _, parents in listed)) for listed in members.values()]
    return sorted(found, key=lambda entry: -entry[0])


def ranked(scores, space):
    """All networks, or one of each class, as (score, parents), in the order that ``k_best`` states."""
    families = [
        sorted((-score, mask.bit_count(), mask) for mask, score in listed.items())
        for listed in possible_families(scores)
    ]

    @cache
    def networks(within):
        if within == 0:
            return [(0, (0,) * scores.n)]
        candidates = []
        for sink in (v for v in range(scores.n) if within >> v & 1):
            rest = within & ~(1 << sink)
            above = [(-cost, mask) for cost, _, mask in families[sink] if mask & ~rest == 0]
            for (i, (score, network)), (j, (more, mask)) in itertools.product(
                enumerate(networks(rest)), enumerate(above)
            ):
                grown = (*network[:sink], mask, *network[sink + 1 :])
                candidates.append((-(score + more), sink, i, j, grown))
        found = {}
        for cost, _, _, _, network in sorted(candidates):
            found.setdefault(network if space == "dags" else pattern(network), (-cost, network))
        return list(found.values())

    return networks((1 << scores.n) - 1)


def scores_of_sets(families, *, forwards):
    """The score of the best network on every set, or of the best families of all that follow it; None if there is none.

    Scores are relative to the best family of each child.
    """
    n = len(families)
    everything = (1 << n) - 1

    @cache
    def best_family(child, within):
        fitting = [score for mask, score in families[child].items() if mask & ~within == 0]
        return max(fitting) - max(families[child].values()) if fitting else None

    values = {0 if forwards else everything: 0}
    for within in sorted(range(1 << n), key=int.bit_count, reverse=not forwards):
        for child in range(n):
            if within >> child & 1 != forwards:
                continue
            neighbour = within ^ 1 << child
            parents = neighbour if forwards else within
            family, rest = best_family(child, parents), values.get(neighbour)
            if family is not None and rest is not None:
                values[within] = max(values.get(within, family + rest), family + rest)
    return [values.get(within) for within in range(1 << n)]
