"""Data of four variables with constraints and experiments, and their compelled edges by listing all DAGs."""

from __future__ import annotations

import numpy as np

import dagscape as ds
from oracles.directions import class_under, compelled, satisfies
from oracles.graphs import all_dags

NAMES = ["v0", "v1", "v2", "v3"]


def rows(seed=5, count=60, **options):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, size=(count, 4))
    for v in range(1, 4):
        values[:, v] = np.where(rng.random(count) < 0.5, values[:, v - 1], values[:, v])
    return ds.Dataset.from_array(values, variables=NAMES, **options)


def experiments(count=60):
    return [["", "v1", "v2;v3"][row % 3] for row in range(count)]


CASES = {
    "plain": ({}, {}, [()]),
    "tiers": ({}, {"tiers": [["v2"], ["v0", "v1", "v3"]]}, [()]),
    "required": ({}, {"required": [("v3", "v1")]}, [()]),
    "experiments": ({"interventions": experiments()}, {"forbidden": [("v0", "v3")]}, [(), (1,), (2, 3)]),
}


def expected_compelled(scores, families):
    """The average over all DAGs with a positive weight, by listing them and the members of their classes."""
    info = scores.info
    place = {name: i for i, name in enumerate(NAMES)}
    masks = {}
    for option in ("required", "forbidden"):
        masks[option] = [0] * 4
        for parent, child in getattr(info, option):
            masks[option][place[child]] |= 1 << place[parent]
    dags = [dag for dag in all_dags(4) if satisfies(dag.parent_masks, masks["required"], masks["forbidden"])]
    graphs = [dag.parent_masks for dag in dags]
    shared = compelled(graphs, [class_under(graph, families) for graph in graphs])
    logs = np.array([sum(scores.family(v, dag.parents(v)) for v in NAMES) for dag in dags])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    found = np.zeros((4, 4))
    for weight, agreed in zip(weights, shared, strict=True):
        for v in range(4):
            for u in range(4):
                found[u, v] += weight * (agreed[v] >> u & 1)
    return found
