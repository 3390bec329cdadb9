"""Weights of orders in sums over orders, against all orders and all DAGs."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.priors import posterior_of, weighted_dags

NAMES = tuple("abcd")
CODES = np.random.default_rng(2).integers(0, 2, (30, 4))
CODES[:, 3] &= CODES[:, 0]
DATA = ds.Dataset.from_codes(CODES, dict.fromkeys(NAMES, "01"))
SCORES = {most: ds.local_scores(DATA, max_parents=most) for most in (1, 2, 3)}


def weight(seed, impossible=0.1):
    @cache
    def q(variable, before):
        rng = np.random.default_rng([seed, ord(variable), *map(ord, before)])
        return -math.inf if before and rng.random() < impossible else float(rng.normal(0, 2))

    return q


def of_pairs(matrix):
    return lambda variable, before: sum(matrix[NAMES.index(u), NAMES.index(variable)] for u in before)


@pytest.mark.parametrize("most", SCORES)
@pytest.mark.parametrize("seed", [0, 1])
def test_any_function(seed, most):
    scores, q = SCORES[most], weight(seed)
    post = ds.posterior(scores, "orders", order_weights=q, ancestors=True)
    total, edges, ancestors = posterior_of(weighted_dags(scores), "orders", NAMES, q)
    bare, prior_edges, _ = posterior_of(weighted_dags(scores, data=False), "orders", NAMES, q)
    assert post.log_total == pytest.approx(total, abs=1e-9)
    assert post.log_prior_total == pytest.approx(bare, abs=1e-9)
    assert np.abs(post.edges - edges).max() < 1e-11
    assert np.abs(post.ancestors - ancestors).max() < 1e-11
    alone = ds.posterior(scores, "orders", order_weights=q, prior=True)
    assert np.abs(alone.edges - prior_edges).max() < 1e-11
    assert post.provenance.parameters["order_weights"].startswith("q (sha ")


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6), scale=st.sampled_from([0.0, 0.5, 5.0, 400.0]), forbidden=st.sampled_from([0.0, 0.15])
)
def test_pairs(seed, scale, forbidden):
    rng = np.random.default_rng(seed)
    matrix = np.where(rng.random((4, 4)) < forbidden, -math.inf, scale * rng.normal(size=(4, 4)))
    np.fill_diagonal(matrix, 0.0)
    possible = [
        all(matrix[u, v] != -math.inf for u, v in itertools.combinations(order, 2))
        for order in itertools.permutations(range(4))
    ]
    if not any(possible):
        with pytest.raises(ds.InvalidData, match="there is nothing to sum"):
            ds.posterior(SCORES[3], "orders", order_weights=matrix)
        return
    post = ds.posterior(SCORES[3], "orders", order_weights=matrix)
    total, edges, _ = posterior_of(weighted_dags(SCORES[3]), "orders", NAMES, of_pairs(matrix))
    assert post.log_total == pytest.approx(total, abs=1e-8)
    assert np.abs(post.edges - edges).max() < 1e-9
    frame = pd.DataFrame(matrix, NAMES, NAMES)
    listed = {(u, v): frame.loc[u, v] for u, v in itertools.permutations(NAMES, 2)}
    for same in (frame, listed):
        assert np.array_equal(ds.posterior(SCORES[3], "orders", order_weights=same).edges, post.edges)


def test_equal_weights_are_the_usual_sum():
    usual = ds.posterior(SCORES[3], "orders")
    weighted = ds.posterior(SCORES[3], "orders", order_weights=np.zeros((4, 4)))
    assert np.array_equal(usual.edges, weighted.edges)
    shifted = ds.posterior(SCORES[3], "orders", order_weights=lambda variable, before: 2.0)
    assert shifted.log_total == pytest.approx(usual.log_total + 8)
    assert shifted.log_evidence == pytest.approx(usual.log_evidence)


def test_one_order_alone():
    """With a single possible order, the sum is a product over variables."""
    matrix = np.where(np.tri(4, k=-1, dtype=bool), -math.inf, 0.0)
    post = ds.posterior(SCORES[3], "orders", order_weights=matrix, ancestors=True)
    total = 0.0
    for child in range(4):
        above = itertools.chain.from_iterable(itertools.combinations(range(child), k) for k in range(child + 1))
        total += np.logaddexp.reduce([SCORES[3].family(child, parents) for parents in above])
    assert post.log_total == pytest.approx(total)
    assert np.abs(np.tril(post.edges)).max() == 0


def test_more_variables_than_a_tile():
    """Few parents usually make a sum by tiles; orders with weights are summed densely."""
    data = ds.Dataset.from_codes(np.random.default_rng(5).integers(0, 2, (60, 9)), dict.fromkeys("abcdefghi", "01"))
    scores = ds.local_scores(data, max_parents=2)
    usual = ds.posterior(scores, "orders")
    same = ds.posterior(scores, "orders", order_weights=np.zeros((9, 9)))
    assert np.abs(usual.edges - same.edges).max() < 1e-9
    ramp = np.add.outer(-np.arange(9.0), np.arange(9.0))
    one = ds.posterior(scores, "orders", order_weights=ramp, threads=1)
    assert np.array_equal(one.edges, ds.posterior(scores, "orders", order_weights=ramp, threads=2).edges)
    names = data.variables
    called = ds.posterior(
        scores, "orders", order_weights=lambda v, before: sum(names.index(v) - names.index(u) for u in before)
    )
    assert np.abs(one.edges - called.edges).max() < 1e-9


def test_features():
    q = weight(4)
    found = ds.feature_probability(SCORES[3], required=[("a", "d")], over="orders", order_weights=q)
    post = ds.posterior(SCORES[3], "orders", order_weights=q)
    assert found == pytest.approx(post.edge("a", "d"), abs=1e-11)


def test_checkpoints_tell_weights_apart(tmp_path):
    for seed in (1, 2):
        saved = ds.posterior(SCORES[3], "orders", order_weights=weight(seed), checkpoint=tmp_path, checkpoint_seconds=0)
        assert np.array_equal(saved.edges, ds.posterior(SCORES[3], "orders", order_weights=weight(seed)).edges)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "dags"}, "order_weights are for sums over orders on a processor: use over='orders'"),
        ({"backend": "cuda"}, "use backend='cpu'"),
        ({"order_weights": "late"}, "order_weights is 'late'; it must be"),
        ({"order_weights": np.zeros((3, 3))}, r"must have 4 rows \(earlier variables\) and 4 columns"),
        ({"order_weights": {("a", "b"): math.nan}}, "'a' before 'b' the log weight nan"),
        ({"order_weights": {("a", "b"): math.inf}}, "'a' before 'b' the log weight inf"),
        ({"order_weights": {("a", "z"): 1.0}}, "order_weights names 'z'"),
        ({"order_weights": lambda v, before: 2e4}, r"'a' after \[\] the log weight 20000"),
        ({"order_weights": lambda v, before: "x"}, "which is not a number"),
    ],
)
def test_wrong_weights_are_refused(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.posterior(SCORES[3], **{"over": "orders", "order_weights": np.zeros((4, 4)), **options})


def test_large_jobs_are_refused_before_they_start():
    codes = np.random.default_rng(1).integers(0, 2, (9, 17))
    scores = ds.local_scores(ds.Dataset.from_codes(codes, {f"x{i}": "01" for i in range(17)}), max_parents=1)
    with pytest.raises(ds.InvalidOption, match="would be called for 1,114,112 sets; with more than 16"):
        ds.posterior(scores, "orders", order_weights=lambda v, before: 0.0)
    with pytest.raises(ds.TooLarge, match="sums over orders of 17 variables with weights need"):
        ds.posterior(scores, "orders", order_weights=np.zeros((17, 17)), max_memory="20MiB")
