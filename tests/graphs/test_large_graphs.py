"""Graphs of 100 and 1000 variables: unions of small ones, whose classes and distances are known."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import dagscape as ds
from dagscape.ensembles.class_shares import ancestor_shares, edge_shares
from oracles.graphs import all_dags, disjoint_union

SIZES = [100, 1000]


def parts_and_union(n, seed):
    """DAGs on five variables, their union with the variables shuffled, and their places in it."""
    rng = random.Random(seed)
    dags = rng.choices(all_dags(5), k=n // 5)
    places = rng.sample(range(n), n)
    return dags, disjoint_union(dags, places), np.array(places).reshape(-1, 5)


@pytest.mark.parametrize("n", SIZES)
def test_classes(n):
    dags, union, places = parts_and_union(n, seed=n)
    cpdag = union.to_cpdag()
    assert cpdag.size() == math.prod(dag.to_cpdag().size() for dag in dags)
    assert union in cpdag
    member = cpdag.to_dag()
    assert member in cpdag
    assert ds.equivalent(member, union)
    shares = ((edge_shares, np.zeros((n, n))), (ancestor_shares, np.zeros((n, n))))
    for function, expected in shares:
        for dag, at in zip(dags, places, strict=True):
            part = dag.to_cpdag()
            expected[np.ix_(at, at)] = function(part.directed, part.undirected)
        np.testing.assert_array_equal(function(cpdag.directed, cpdag.undirected), expected)


@pytest.mark.parametrize("n", SIZES)
def test_cpdags_are_checked_and_reordered(n):
    _, union, _ = parts_and_union(n, seed=n + 1)
    cpdag = union.to_cpdag()
    assert ds.Cpdag(cpdag.variables, cpdag.directed, cpdag.undirected) == cpdag
    turned = cpdag.reordered(cpdag.variables[::-1])
    assert turned == union.reordered(union.variables[::-1]).to_cpdag()
    # An edge on which members disagree cannot be directed.
    u = next(v for v in range(n) if cpdag.undirected[v])
    v = cpdag.undirected[u].bit_length() - 1
    directed, undirected = list(cpdag.directed), list(cpdag.undirected)
    directed[v] |= 1 << u
    undirected[u] ^= 1 << v
    undirected[v] ^= 1 << u
    with pytest.raises(ds.InvalidData, match="not the CPDAG of any DAG"):
        ds.Cpdag(cpdag.variables, directed, undirected)


@pytest.mark.parametrize("n", SIZES)
def test_comparison_adds_up(n):
    first, union, places = parts_and_union(n, seed=n + 2)
    second = random.Random(n).choices(all_dags(5), k=n // 5)
    other = disjoint_union(second, places.ravel().tolist())
    result = ds.compare(union, other)
    parts = [ds.compare(a, b) for a, b in zip(first, second, strict=True)]
    for measure in ("shd", "a_plus", "a_minus", "vs_plus", "vs_minus"):
        assert result[measure] == sum(part[measure] for part in parts)
    shuffled = other.reordered(random.Random(1).sample(other.variables, n))
    assert dict(ds.compare(union, shuffled)) == dict(result)


@pytest.mark.parametrize("n", SIZES)
def test_random_dags(n):
    dag = ds.random_dag(n, 2.0, max_parents=4, seed=1)
    assert dag == ds.random_dag(n, 2.0, max_parents=4, seed=1)
    assert max(mask.bit_count() for mask in dag.parent_masks) <= 4
    assert 1.5 * n < dag.edge_count < 2.5 * n
    assert dag.to_cpdag().size() >= 1
