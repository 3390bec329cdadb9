"""Posteriors averaged over settings, by listing all DAGs under each setting: in floats, one by one."""

from __future__ import annotations

import math

import numpy as np

from oracles.graphs import all_dags
from oracles.local_scores import bdeu


def log_prior(name: str, n: int, parents: int) -> float:
    """The log weight of a family with so many parents, not normalised."""
    if name == "per-size":
        return -math.log(math.comb(n - 1, parents))
    return -float(name.partition(":")[2] or 0) * parents


def averaged(rows, arities, sizes, priors, most=None):
    """Return the log evidence of every (ess, prior), and the average of edges, ancestors and compelled edges.

    With ``most``, over DAGs in which no variable has more parents.
    """
    n = len(arities)
    dags = [dag for dag in all_dags(n) if most is None or max(len(dag.parents(v)) for v in dag.variables) <= most]
    names = dags[0].variables
    logs, weights = [], []
    for ess in sizes:
        for prior in priors:
            families = {}

            def family(child, parents, ess=ess, families=families):
                if (child, parents) not in families:
                    families[child, parents] = bdeu(rows, arities, child, parents, ess)
                return families[child, parents]

            numbers = [[tuple(names.index(p) for p in dag.parents(v)) for v in names] for dag in dags]
            terms = np.array([sum(log_prior(prior, n, len(p)) for p in parents) for parents in numbers])
            likelihood = np.array([sum(family(v, p) for v, p in enumerate(parents)) for parents in numbers])
            total = np.logaddexp.reduce(terms + likelihood)
            logs.append(float(total - np.logaddexp.reduce(terms)))
            weights.append(np.exp(terms + likelihood - total))
    shares = np.exp(np.array(logs) - np.logaddexp.reduce(logs))
    mixed = shares @ np.array(weights)
    edges, ancestors, compelled = np.zeros((3, n, n))
    for dag, weight in zip(dags, mixed.tolist(), strict=True):
        for u, v in dag.edges:
            edges[names.index(u), names.index(v)] += weight
        for u, v in dag.to_cpdag().directed_edges:
            compelled[names.index(u), names.index(v)] += weight
        for v in names:
            for u in dag.ancestors(v):
                ancestors[names.index(u), names.index(v)] += weight
    return logs, edges, ancestors, compelled
