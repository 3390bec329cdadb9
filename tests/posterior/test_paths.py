from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.posterior import possible_dags
from posterior.test_posterior import random_table


def paths_by_counting(scores):
    n = scores.n
    found = [(log_weight, dag.ancestor_masks()) for dag, log_weight, _ in possible_dags(scores)]
    highest = max(log_weight for log_weight, _ in found)
    total = math.fsum(math.exp(log_weight - highest) for log_weight, _ in found)
    paths = np.zeros((n, n, n))
    for log_weight, ancestors in found:
        for t in range(n):
            for p in range(n):
                for s in range(n):
                    if ancestors[t] >> p & 1 and ancestors[p] >> s & 1:
                        paths[s, p, t] += math.exp(log_weight - highest) / total
    return paths


@given(
    n=st.integers(1, 4), spread=st.sampled_from([0.0, 2.0, 60.0, 5000.0]), seed=st.integers(0, 10**9),
    drop=st.sampled_from([0.0, 0.4]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_agrees_with_every_dag(n, spread, seed, drop):
    scores = random_table(n, spread, seed, drop)
    found = ds.posterior(scores, via="all", threads=1)
    np.testing.assert_allclose(found.paths, paths_by_counting(scores), atol=1e-10)


@pytest.mark.slow
def test_agrees_with_every_dag_on_five_variables():
    scores = random_table(5, 4.0, seed=8)
    found = ds.posterior(scores, via="all")
    np.testing.assert_allclose(found.paths, paths_by_counting(scores), atol=1e-10)


def test_constraints():
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (40, 4)))
    for options in ({"required": [("X0", "X1")]}, {"max_parents": 1, "forbidden": [("X2", "X3")]}):
        scores = ds.local_scores(data, **options)
        np.testing.assert_allclose(ds.posterior(scores, via="all").paths, paths_by_counting(scores), atol=1e-10)


def test_paths_and_ancestors_are_consistent():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    found = ds.posterior(scores, via="all")
    corner, centre = "top-left-square", "middle-middle-square"
    assert found.via(corner, "Class", centre) <= found.ancestor(corner, centre) + 1e-12
    n = len(found.variables)
    for p in range(n):
        # A path through p needs both halves.
        assert np.all(found.paths[:, p, :] <= np.minimum.outer(found.ancestors[:, p], found.ancestors[p, :]) + 1e-9)
    one, two = (ds.posterior(scores, via="all", threads=threads).paths for threads in (1, 2))
    assert np.array_equal(one, two)


def test_paths_must_be_requested():
    scores = random_table(3, 1.0, seed=0)
    with pytest.raises(ds.InvalidOption, match="via='all'"):
        ds.posterior(scores).via("v0", "v1", "v2")
    with pytest.raises(ds.InvalidOption, match="no path relations"):
        ds.posterior(scores, "orders", via="all")


def test_triples_are_checked():
    scores = random_table(3, 1.0, seed=0)
    assert ds.posterior(scores, via=[("v0", "v1", "v2")]).via("v0", "v1", "v2") > 0
    assert ds.posterior(scores, via=[]).paths is None
    for wrong, message in (
        ("some", "via is 'some'; it must be 'all'"),
        (3, "via is 3"),
        ([("v0", "v1")], "via holds"),
        (["v0v1v2"], "via holds"),
        ([("v0", "v0", "v1")], "of different variables"),
        ([("v0", "v1", "v22")], "via names 'v22', which is not a variable; did you mean 'v2'"),
    ):
        with pytest.raises(ds.InvalidOption, match=message):
            ds.posterior(scores, via=wrong)
