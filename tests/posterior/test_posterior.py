from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import Job
from oracles import posterior as oracle
from oracles.graphs import all_dags


def random_table(n, spread, seed, drop=0.0):
    rng = random.Random(seed)
    names = [f"v{i}" for i in range(n)]
    families = {}
    for child in names:
        others = [v for v in names if v != child]
        listed = {
            tuple(v for i, v in enumerate(others) if mask >> i & 1): -spread * rng.random()
            for mask in range(1 << (n - 1))
        }
        families[child] = {p: s for p, s in listed.items() if not p or rng.random() >= drop}
    return ds.FamilyTable(families, complete=True)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
@given(
    n=st.integers(1, 4), spread=st.sampled_from([0.0, 1.0, 50.0, 3000.0, 1e6]), seed=st.integers(0, 10**9),
    drop=st.sampled_from([0.0, 0.4]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_agrees_with_every_structure(over, n, spread, seed, drop):
    scores = random_table(n, spread, seed, drop)
    found = ds.posterior(scores, over, threads=1)
    log_total, edges, ancestors = oracle.posterior(scores, over)
    assert found.log_total == pytest.approx(log_total, rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)
    if over == "dags":
        np.testing.assert_allclose(found.ancestors, ancestors, atol=1e-10)
    assert found.error < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1.0, 40.0, 5000.0])
def test_agrees_with_every_dag_on_five_variables(spread):
    scores = random_table(5, spread, seed=3)
    found = ds.posterior(scores)
    log_total, edges, ancestors = oracle.posterior(scores, "dags")
    assert found.log_total == pytest.approx(log_total, rel=1e-12)
    np.testing.assert_allclose(found.edges, edges, atol=1e-10)
    np.testing.assert_allclose(found.ancestors, ancestors, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
def test_limits_priors_and_constraints(over):
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (40, 4)))
    for options in (
        {"max_parents": 1},
        {"max_parents": 2, "structure_prior": "per-size"},
        {"structure_prior": "edge-penalty:1.5"},
        {"required": [("X0", "X1"), ("X2", "X1")]},
        {"forbidden": [("X0", "X1")], "tiers": [["X3"], ["X1", "X2"]]},
        {"score": "mdl"},
        {"score": "k2", "required": [("X3", "X0")]},
    ):
        scores = ds.local_scores(data, **options)
        found = ds.posterior(scores, over)
        log_total, edges, ancestors = oracle.posterior(scores, over)
        assert found.log_total == pytest.approx(log_total, rel=1e-12)
        np.testing.assert_allclose(found.edges, edges, atol=1e-10)
        if over == "dags":
            np.testing.assert_allclose(found.ancestors, ancestors, atol=1e-10)


def test_tic_tac_toe():
    """The expected values are those of an independent program."""
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    post = ds.posterior(scores)
    assert post.log_total == pytest.approx(-9418.289139836, abs=1e-8)
    corner, side, centre = "top-left-square", "top-middle-square", "middle-middle-square"
    printed = {
        ("Class", centre): 1.0000,
        (corner, centre): 0.5000,
        (corner, "Class"): 0.4955,
        (side, "Class"): 0.2464,
    }
    for pair, value in printed.items():
        assert post.edge(*pair) == pytest.approx(value, abs=5e-5)
    assert post.ancestor(corner, centre) == pytest.approx(0.7500, abs=5e-5)
    assert post.ancestor(side, centre) == pytest.approx(0.7637, abs=5e-5)
    assert ds.posterior(scores, "orders").edge(corner, "Class") == pytest.approx(0.4819, abs=5e-5)
    # The number of labelled DAGs on ten nodes.
    assert post.log_prior_total == pytest.approx(math.log(4175098976430598143), abs=1e-9)
    assert post.log_evidence == post.log_total - post.log_prior_total


def test_symmetries_of_the_board():
    post = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")))
    board = np.arange(9).reshape(3, 3)
    for flipped in (board, board.T):
        for turns in range(4):
            image = [*np.rot90(flipped, turns).ravel().tolist(), 9]
            np.testing.assert_allclose(post.edges[np.ix_(image, image)], post.edges, atol=1e-10)
            np.testing.assert_allclose(post.ancestors[np.ix_(image, image)], post.ancestors, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "total"), [("votes", -4610.444408260), ("zoo", -619.501642174)])
def test_published_totals(name, total):
    scores = ds.local_scores(ds.load_dataset(name))
    assert ds.posterior(scores).log_total == pytest.approx(total, abs=1e-7)


@pytest.mark.parametrize("over", ["dags", "orders"])
def test_threads_do_not_change_a_bit(over):
    data = ds.Dataset.from_array(np.random.default_rng(5).integers(0, 2, (100, 11)))
    scores = ds.local_scores(data)
    results = [ds.posterior(scores, over, threads=threads) for threads in (1, 2, 3)]
    for other in results[1:]:
        assert np.array_equal(other.edges, results[0].edges)
        assert other.log_total == results[0].log_total
        if over == "dags":
            assert np.array_equal(other.ancestors, results[0].ancestors)


def test_number_of_dags():
    table = random_table(4, 0.0, seed=0)
    assert ds.posterior(table).log_total == pytest.approx(math.log(len(all_dags(4))), rel=1e-14)
    pairs = sum(oracle.orders_of(parents) for _, _, parents in oracle.possible_dags(table))
    assert ds.posterior(table, "orders").log_prior_total == pytest.approx(math.log(pairs), rel=1e-14)


def test_missing_families_raise_a_warning():
    table = ds.FamilyTable({"a": {(): -1.0}, "b": {(): -1.0, ("a",): -0.5}})
    with pytest.warns(ds.IncompleteScores, match="may be missing"):
        ds.posterior(table)


def test_wrong_arguments():
    scores = random_table(3, 1.0, seed=0)
    with pytest.raises(ds.InvalidOption, match="over is 'trees'"):
        ds.posterior(scores, "trees")
    with pytest.raises(ds.TooLarge, match="sums over dags of 3 variables need"):
        ds.posterior(scores, max_memory=10)
    post = ds.posterior(scores)
    with pytest.raises(ds.InvalidOption, match="did you mean"):
        post.edge("v0", "vv1")
    with pytest.raises(ds.InvalidOption, match="ancestors=True"):
        ds.posterior(scores, "orders").ancestor("v0", "v1")


def test_a_cycle_of_forced_parents_is_refused():
    table = ds.FamilyTable({"a": {("b",): -1.0}, "b": {("a",): -1.0}}, complete=True)
    for over in ("dags", "orders"):
        with pytest.raises(ds.InvalidData, match="nothing to sum"):
            ds.posterior(table, over)


def test_frame_and_json(tmp_path):
    post = ds.posterior(random_table(3, 2.0, seed=1))
    frame = post.to_frame()
    assert len(frame) == 6
    assert list(frame.columns) == ["source", "target", "edge", "ancestor", "adjacent"]
    assert frame["edge"].is_monotonic_decreasing
    post.save(tmp_path / "post.json")
    back = ds.load_result(tmp_path / "post.json")
    np.testing.assert_array_equal(back.edges, post.edges)
    np.testing.assert_array_equal(back.ancestors, post.ancestors)
    assert back.log_evidence == post.log_evidence
    assert "over dags" in repr(post)


@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.parametrize("prior", ["uniform", "per-size", "edge-penalty:0.7"])
@pytest.mark.parametrize("max_parents", [None, 1, 2])
def test_totals_without_data_agree_with_the_sum(over, prior, max_parents):
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (20, 6)))
    scores = ds.local_scores(data, structure_prior=prior, max_parents=max_parents)
    found = ds.posterior(scores, over).log_prior_total
    backend = BACKENDS[over, "cpu"]
    weights = backend.weights(scores, 1, 2**30, prior_only=True)
    relative = backend.run(weights, Job(scores.unit.bits, 1)).log_total
    assert found == pytest.approx(relative + scores.unit.to_float(weights.offset), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.parametrize("max_parents", [None, 3])
def test_plans_have_a_step_for_the_sum(over, max_parents):
    data = ds.load_dataset("tic-tac-toe")
    planned = ds.plan(data, "posterior", over=over, max_parents=max_parents)
    assert [step.name for step in planned.steps] == ["local scores", f"sum over {over}"]
    assert planned.steps[1].memory > 8 * 2**10
    assert 0 < planned.steps[1].seconds < 60
    with pytest.raises(ds.InvalidOption, match="task is 'x'"):
        ds.plan(data, "x")


@pytest.mark.slow
def test_plans_of_impossible_jobs():
    data = ds.Dataset.from_array(np.zeros((2, 60), dtype=int), keep_constant=True)
    planned = ds.plan(data, "posterior")
    assert not planned.steps[1].fits
    assert planned.steps[1].seconds > 1e12


def test_prior_probabilities():
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (20, 4)))
    scores = ds.local_scores(data)
    found = ds.posterior(scores, prior=True)
    dags = [dag.to_adjacency() for dag in all_dags(4)]
    np.testing.assert_allclose(found.edges, np.mean(dags, axis=0), atol=1e-12)
    assert found.log_total == found.log_prior_total == pytest.approx(math.log(543))
    assert found.log_evidence == 0.0
    # The dissertation: "the prior of an ancestor relation is 0.45 for n = 11 with the uniform structure prior".
    eleven = ds.local_scores(ds.Dataset.from_array(np.zeros((1, 11), dtype=int), keep_constant=True), max_parents=10)
    assert ds.posterior(eleven, prior=True).ancestors[0, 1] == pytest.approx(0.45, abs=0.005)
    penalised = ds.local_scores(data, structure_prior="edge-penalty:2")
    assert ds.posterior(penalised, prior=True).edges[0, 1] < found.edges[0, 1]


def test_arrays_are_not_scores():
    with pytest.raises(ds.InvalidOption, match="compute local scores first"):
        ds.posterior(np.zeros(3))
