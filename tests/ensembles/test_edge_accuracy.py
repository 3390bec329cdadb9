"""Probabilities of edges against a known structure, compared with the definitions."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from oracles import edge_accuracy as oracle

FEATURES = ("edges", "adjacencies", "ancestors")


def random_case(n, seed, levels=8):
    """A matrix of probabilities with ties, exact in binary, and a DAG."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, levels + 1, (n, n)) / levels
    return matrix, ds.uniform_dag(n, seed=seed)


@given(st.integers(2, 6), st.integers(0, 10**6), st.sampled_from(FEATURES), st.integers(1, 12))
def test_every_measure_is_that_of_the_definition(n, seed, feature, bins):
    matrix, dag = random_case(n, seed)
    if feature == "adjacencies":
        matrix = np.maximum(matrix, matrix.T)
    found = ds.edge_accuracy(matrix, dag, feature=feature, bins=bins)
    pairs = oracle.labelled_pairs(matrix, dag, feature)
    assert list(zip(found.true_positives, found.false_positives, strict=True)) == oracle.roc_points(pairs)
    assert found.auc == pytest.approx(oracle.area(pairs), abs=1e-12) if oracle.area(pairs) else not found.auc
    assert found.brier == pytest.approx(oracle.brier(pairs), abs=1e-12)
    assert found.log_loss == pytest.approx(oracle.log_loss(pairs), abs=1e-12)
    expected = oracle.bins(pairs, bins)
    assert list(found.bin_counts) == [count for count, _, _ in expected]
    assert list(found.bin_positives) == [true for _, true, _ in expected]
    for mean, (_, _, wanted) in zip(found.bin_means, expected, strict=True):
        assert wanted is None or mean == pytest.approx(wanted, abs=1e-12)
    gaps = [abs(mean * count - true) for count, true, mean in expected if mean is not None]
    assert found.calibration_error == pytest.approx(sum(gaps) / len(pairs), abs=1e-12)


@pytest.fixture(scope="module")
def asia():
    return ds.load_network("asia")


@pytest.fixture(scope="module")
def scores(asia):
    return ds.local_scores(asia.sample(300, seed=2))


def test_every_result_with_edges_is_taken(asia, scores):
    data = asia.sample(200, seed=1)
    results = [
        ds.posterior(scores),
        ds.posterior(scores, over="orders"),
        ds.k_best(scores, 20),
        ds.bootstrap(data, "greedy", samples=5, workers=1),
    ]
    for result in results:
        for feature in ("edges", "adjacencies"):
            found = ds.edge_accuracy(result, asia, feature=feature)
            assert found == ds.edge_accuracy(getattr(result, feature), asia, feature=feature)
            assert found.positives == asia.dag.edge_count
            assert found.auc > 0.7


def test_the_order_of_variables_does_not_matter(asia, scores):
    post = ds.posterior(scores)
    other = asia.dag.reordered(asia.variables[::-1])
    frame = post.to_frame(wide=True)
    for given_ in (post, frame, frame.iloc[::-1, ::-1]):
        assert ds.edge_accuracy(given_, other).to_frame().equals(ds.edge_accuracy(post, asia).to_frame())


def test_probabilities_within_their_error_tie():
    dag = ds.Dag.from_edges("ab", [("a", "b")])
    assert ds.edge_accuracy([[0, 0.5], [0.5 + 1e-15, 0]], dag).auc == 0.5
    assert ds.edge_accuracy([[0, 0.5], [0.5 + 1e-9, 0]], dag).auc == 0.0


def test_many_close_probabilities_do_not_tie_with_those_far_away():
    # 90 pairs, each within the error of the next, from 0.5 to 0.5 + 36e-12; the true edge is the least probable.
    n = 10
    steps = np.zeros((n, n))
    steps[~np.eye(n, dtype=bool)] = np.arange(n * (n - 1))
    dag = ds.Dag.from_edges([f"x{i}" for i in range(n)], [("x0", "x1")])
    found = ds.edge_accuracy(0.5 + steps * 0.4e-12, dag)
    assert len(found.thresholds) == 30
    assert (-np.diff(found.thresholds)).min() > 1e-12
    # It ties with two others of its group.
    assert found.auc == pytest.approx(1 / 89)


def test_the_error_of_an_adjacency_is_that_of_two_edges():
    dag = ds.Dag.from_edges("abc", [("a", "b")])
    edges = np.array([[0, 0.25, 0.25 + 0.75e-12], [0.25, 0, 0], [0.25 + 0.75e-12, 0, 0]])
    assert ds.edge_accuracy(edges + edges.T, dag, feature="adjacencies").auc == 0.75


def test_a_matrix_of_adjacencies_has_no_direction():
    dag = ds.Dag.from_edges("abc", [("c", "a"), ("b", "a")])
    edges = dag.to_adjacency().astype(float)
    with pytest.raises(ds.InvalidOption, match=r"has 0 for 'a' and 'b', but 1 for 'b' and 'a'.* give P \+ P\.T"):
        ds.edge_accuracy(edges, dag, feature="adjacencies")
    assert ds.edge_accuracy(edges + edges.T, dag, feature="adjacencies").auc == 1.0
    frame = pd.DataFrame(edges + edges.T, list("abc"), list("abc")).iloc[::-1, ::-1]
    assert ds.edge_accuracy(frame, dag, feature="adjacencies").auc == 1.0


def test_a_network_has_the_probabilities_0_and_1(asia):
    same = ds.edge_accuracy(asia, asia)
    assert (same.auc, same.average_precision, same.brier, same.log_loss) == (1.0, 1.0, 0.0, 0.0)
    wrong = ds.edge_accuracy(asia.dag.without_edge("asia", "tub"), asia)
    assert wrong.log_loss == math.inf
    assert wrong.brier == pytest.approx(1 / 56)


def test_directions_that_a_class_leaves_open_are_left_out(asia, scores):
    post, known = ds.posterior(scores), asia.dag.to_cpdag()
    found = ds.edge_accuracy(post, known)
    assert found.left_out == 2 * len(known.undirected_edges)
    assert found.pairs + found.left_out == 56
    assert found.positives == len(known.directed_edges)
    assert ds.edge_accuracy(post, known, feature="adjacencies").left_out == 0
    with pytest.raises(ds.InvalidOption, match="leaves directions open"):
        ds.edge_accuracy(post, known, feature="ancestors")


def test_curves_at_the_same_rates_can_be_averaged():
    dag = ds.Dag.from_edges("abc", [("a", "b"), ("a", "c")])
    found = ds.edge_accuracy([[0, 1, 0.5], [0, 0, 0.5], [0, 0, 0]], dag)
    assert found.false_positive_rates.tolist() == [0, 0, 0.25, 1]
    assert found.true_positive_rates.tolist() == [0, 0.5, 1, 1]
    assert found.true_positives_at([0, 0.125, 0.25, 0.7, 1]).tolist() == [0.5, 0.75, 1, 1, 1]


def test_without_true_pairs_there_is_no_curve():
    found = ds.edge_accuracy([[0, 0.5], [0.25, 0]], ds.Dag("ab"))
    assert found.auc is None
    assert found.average_precision is None
    assert found.to_frame()["true_positive_rate"].isna().all()
    alone = ds.edge_accuracy([[0.0]], ds.Dag("a"))
    assert (alone.pairs, alone.auc, alone.calibration_error) == (0, None, 0.0)


@pytest.mark.slow
def test_the_plot(asia, scores, tmp_path):
    pytest.importorskip("matplotlib")
    found = ds.edge_accuracy(ds.posterior(scores), asia)
    found.plot(tmp_path / "roc.svg")
    text = (tmp_path / "roc.svg").read_text()
    assert f"area {found.auc:.3f}" in text
    assert "false positive rate" in text
    with pytest.raises(ds.InvalidOption, match="must end in one of"):
        found.plot(tmp_path / "roc.txt")


def test_what_is_refused(asia, scores):
    post = ds.posterior(scores, over="orders")
    cases = [
        ({"found": np.zeros((3, 3))}, "has the shape"),
        ({"found": np.full((8, 8), 1.5)}, "not probabilities"),
        ({"found": pd.DataFrame(np.zeros((8, 8)), asia.variables, asia.variables[::-1])}, "the same labels"),
        ({"found": [["x"] * 8] * 8}, "not a matrix of numbers"),
        ({"found": ds.load_network("cancer")}, "does not have the variables of the known structure"),
        ({"found": scores}, "must be a result with edge probabilities"),
        ({"found": post, "feature": "ancestors"}, "only if asked for"),
        ({"found": post, "feature": "edge"}, "did you mean 'edges'"),
        ({"found": post, "bins": 0}, "bins is 0"),
        ({"found": post, "truth": "asia"}, "not a structure"),
    ]
    for options, message in cases:
        with pytest.raises(ds.InvalidOption, match=message):
            ds.edge_accuracy(**({"truth": asia} | options))


def test_rates_that_are_no_rates_and_truths_that_are_no_structures_are_refused():
    asia = ds.load_network("asia")
    found = ds.edge_accuracy(asia, asia)
    for rate in (2, -0.1, float("nan")):
        with pytest.raises(ds.InvalidOption, match="false_positive_rates holds a rate that is not from 0 to 1"):
            found.true_positives_at([rate])
    with pytest.raises(ds.InvalidOption, match=r"truth is a str, not a structure: .*Dag\.from_networkx"):
        ds.edge_accuracy(asia, "builtin:asia")
