"""Ancestor relations in sums over orders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import Job
from dagscape.posterior.weights import dense_weights, order_weights
from oracles import posterior as oracle
from oracles.high_precision import order_ancestors as in_50_digits
from oracles.high_precision import rounded_log_weights
from oracles.order_ancestors import order_ancestors
from posterior.test_posterior import random_table
from task_inputs import dependent_data


@pytest.mark.slow
@given(
    n=st.integers(1, 4), spread=st.sampled_from([0.0, 1.0, 50.0, 3000.0]), seed=st.integers(0, 10**9),
    drop=st.sampled_from([0.0, 0.4]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_agrees_with_every_order_and_every_dag(n, spread, seed, drop):
    scores = random_table(n, spread, seed, drop)
    found = ds.posterior(scores, "orders", ancestors=True, threads=1)
    _, edges, ancestors = oracle.posterior(scores, "orders")
    np.testing.assert_allclose(found.ancestors, ancestors, atol=1e-10)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)
    assert found.error < 1e-10


def test_the_sum_over_pairs_of_sets_agrees_with_every_dag():
    scores = random_table(4, 4.0, 5)
    np.testing.assert_allclose(order_ancestors(scores), oracle.posterior(scores, "orders")[2], atol=1e-12)


@pytest.mark.parametrize(("n", "max_parents"), [(6, None), (7, 2)])
def test_agrees_with_the_sum_over_pairs_of_sets(n, max_parents):
    scores = ds.local_scores(dependent_data(n, 60), max_parents=max_parents)
    found = ds.posterior(scores, "orders", ancestors=True)
    np.testing.assert_allclose(found.ancestors, order_ancestors(scores), atol=1e-10)
    assert np.all(found.ancestors >= found.edges - found.error)
    assert not found.ancestors.diagonal().any()


def test_few_parents_of_many_variables_have_the_same_relations_in_both_layouts():
    scores = ds.local_scores(dependent_data(10, 60), max_parents=2)
    tiled = order_weights(scores, 10, False, 1, 2**40)
    assert tiled.max_parents == 2
    job = Job(scores.unit.bits, 1, wanted="ancestors")
    found = [BACKENDS["orders", "cpu"].run(weights, job) for weights in (tiled, tiled.dense())]
    assert np.array_equal(found[0].ancestors, found[1].ancestors)
    np.testing.assert_allclose(found[0].edges, found[1].edges, atol=1e-9)


def test_weights_of_few_parents_become_those_of_all_sets():
    scores = ds.local_scores(dependent_data(11, 60), max_parents=3, forbidden=[("X1", "X2")])
    tiled = order_weights(scores, 11, False, 1, 2**40)
    assert tiled.max_parents == 3
    assert np.array_equal(tiled.dense().values, dense_weights(scores, 11, False).values)
    assert tiled.dense().dense() is not None


@pytest.mark.slow
@pytest.mark.parametrize("spread", [2.0, 60.0, 2000.0])
def test_the_error_is_a_bound(spread):
    scores = random_table(6, spread, 7)
    found = ds.posterior(scores, "orders", ancestors=True)
    exact = in_50_digits(rounded_log_weights(scores))
    error = max(float(abs(a - b)) for row, others in zip(found.ancestors, exact, strict=True)
                for a, b in zip(row, others, strict=True))  # fmt: skip
    assert error <= found.error < 1e-11


def test_threads_and_the_sum_without_ancestors_have_the_same_bits():
    scores = ds.local_scores(dependent_data(9, 100))
    plain = ds.posterior(scores, "orders")
    assert plain.ancestors is None
    found = [ds.posterior(scores, "orders", ancestors=True, threads=threads) for threads in (1, 2, 3)]
    for each in found:
        assert np.array_equal(each.edges, plain.edges)
        assert np.array_equal(each.ancestors, found[0].ancestors)
        assert each.log_total == plain.log_total


def test_wide_scores_and_impossible_variables():
    wide = ds.posterior(random_table(4, 1e6, 3, 0.4), "orders", ancestors=True)
    np.testing.assert_allclose(wide.ancestors, oracle.posterior(random_table(4, 1e6, 3, 0.4), "orders")[2], atol=1e-10)
    tree = ds.FamilyTable({"a": {(): 0.0}, "b": {("a",): 0.0}, "c": {("b",): 0.0}}, complete=True)
    found = ds.posterior(tree, "orders", ancestors=True)
    assert found.ancestors.tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]


def test_progress_reaches_its_total():
    seen = []
    scores = ds.local_scores(dependent_data(12, 50))
    ds.posterior(scores, "orders", ancestors=True, progress=seen.append)
    done = [report.done for report in seen if report.task == "Summing over orders"]
    assert done == sorted(done)
    assert done[-1] == next(report.total for report in seen if report.task == "Summing over orders")


def test_the_prior_alone_is_symmetric():
    scores = ds.local_scores(dependent_data(6, 40))
    found = ds.posterior(scores, "orders", ancestors=True, prior=True)
    outside = found.ancestors[~np.eye(6, dtype=bool)]
    assert np.ptp(outside) < 1e-12
    assert outside[0] > found.edges[0, 1]


def test_what_is_refused():
    scores = ds.local_scores(dependent_data(5, 40))
    with pytest.raises(ds.InvalidOption, match="ancestors is 'yes'"):
        ds.posterior(scores, "orders", ancestors="yes")
    with pytest.raises(ds.InvalidOption, match="only if asked for: use ancestors=True"):
        ds.posterior(scores, "orders").ancestor("X0", "X1")
    assert not BACKENDS["orders", "cuda"].ancestors_asked
    with pytest.raises(ds.InvalidOption, match="no ancestor relations: use backend='cpu'"):
        ds.posterior(scores, "orders", ancestors=True, backend="cuda")
    with pytest.raises(ds.TooLarge, match="need"):
        ds.posterior(
            ds.local_scores(dependent_data(16, 40), max_parents=1), "orders", ancestors=True, max_memory="30MiB"
        )


def test_sums_over_dags_have_them_anyway():
    scores = ds.local_scores(dependent_data(5, 40))
    assert ds.posterior(scores, ancestors=True) == ds.posterior(scores)
