"""Networks for the tests."""

from __future__ import annotations

import numpy as np

from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.network import Network
from dagscape.networks.gaussian.conditional import ConditionalGaussianNetwork
from dagscape.networks.gaussian.gaussian import GaussianNetwork
from dagscape.networks.gaussian.regression import Regression


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


def random_conditional(seed: int, discrete: int = 3, measured: int = 3, density: float = 0.6):
    """A random network of discrete and measured variables, with a few nearly deterministic errors."""
    rng = np.random.default_rng(seed)
    kinds = rng.permutation([True] * discrete + [False] * measured)
    names = [f"{'d' if kind else 'x'}{place}" for place, kind in enumerate(kinds)]
    parents = {
        name: [other for other in names[:place] if rng.random() < density and (other[0] == "d" or name[0] == "x")]
        for place, name in enumerate(names)
    }
    order = rng.permutation(len(names))
    dag = Dag.from_parents({names[place]: parents[names[place]] for place in order})
    levels = {name: tuple("abc"[: rng.integers(1, 4)]) for name in names if name[0] == "d"}
    cpts, regressions = {}, {}
    for name in names:
        above = dag.parents(name)
        shape = [len(levels[parent]) for parent in above if parent in levels]
        if name in levels:
            table = rng.gamma(0.7, size=[*shape, len(levels[name])]) + 1e-9
            cpts[name] = table / table.sum(axis=-1, keepdims=True)
            continue
        count = sum(parent not in levels for parent in above)
        sd = np.exp(rng.normal(-1, 1.5, shape))
        regressions[name] = Regression(rng.normal(0, 2, shape), rng.normal(0, 1, [*shape, count]), sd)
    if not levels:
        return GaussianNetwork(dag, regressions)
    return ConditionalGaussianNetwork(dag, levels, cpts, regressions)
