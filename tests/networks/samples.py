"""Networks for the tests."""

from __future__ import annotations

from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.network import Network


def random_tables(dag: Dag, arities, generator, zeros: float = 0.3) -> Network:
    """Random tables with some zeros."""
    levels = {
        name: tuple(f"{name}{k}" for k in range(arity)) for name, arity in zip(dag.variables, arities, strict=True)
    }
    cpts = {}
    for name in dag.variables:
        table = generator.gamma(0.5, size=[len(levels[other]) for other in (*dag.parents(name), name)]) + 1e-6
        table[generator.random(table.shape) < zeros] = 0
        table[..., 0] += table.sum(axis=-1) == 0
        cpts[name] = table / table.sum(axis=-1, keepdims=True)
    return Network(dag, levels, cpts)
