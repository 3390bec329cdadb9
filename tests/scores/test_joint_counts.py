"""Local scores from the counts of all joint states of binary variables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from oracles.graphs import all_dags
from oracles.local_scores import from_joint

NAMES = [f"v{i}" for i in range(20)]


def random_counts(seed: int, n: int, rows: float = 500.0) -> np.ndarray:
    """Real counts of an arbitrary distribution with a few impossible states."""
    rng = np.random.default_rng(seed)
    counts = rng.gamma(0.4, size=2**n)
    counts[rng.random(2**n) < 0.1] = 0
    counts[rng.integers(2**n)] += 0.5
    return counts * (rows / counts.sum())


def binary_data(seed: int, n: int, rows: int) -> tuple[ds.Dataset, np.ndarray]:
    """Random binary data, and the counts of its joint states."""
    rng = np.random.default_rng(seed)
    codes = (rng.random((rows, n)) < rng.random(n)).astype(int)
    codes[:, -1] ^= codes[:, 0] & (rng.random(rows) < 0.7)
    counts = np.bincount(codes @ (1 << np.arange(n)), minlength=2**n)
    return ds.Dataset.from_codes(codes, dict.fromkeys(NAMES[:n], "01")), counts


def families(n: int):
    for child in range(n):
        others = [v for v in range(n) if v != child]
        for size in range(n):
            for parents in itertools.combinations(others, size):
                yield child, parents


@pytest.mark.parametrize("score", ["bic", "aic"])
@pytest.mark.parametrize(("n", "max_parents"), [(1, None), (2, None), (5, None), (6, 2), (7, 0), (9, 4)])
def test_counts_of_data_have_the_scores_of_the_data(score, n, max_parents):
    data, counts = binary_data(n, n, 300)
    expected = ds.local_scores(data, score, max_parents=max_parents)
    found = ds.scores_from_joint(data.variables, counts, score, max_parents)
    assert found.max_parents == expected.max_parents
    assert found.family_count == expected.family_count
    tolerance = found.rounding + expected.rounding
    assert tolerance < 1e-8
    for child in range(n):
        for sets in expected.family_sets(child):
            own = found.unit.to_floats(found.exact_scores(child, sets))
            assert own == pytest.approx(expected.unit.to_floats(expected.exact_scores(child, sets)), abs=tolerance)


@pytest.mark.parametrize("score", ["bic", "aic"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_real_counts_have_the_scores_of_the_formula(n, score):
    counts = random_counts(n, n)
    scores = ds.scores_from_joint(NAMES[:n], counts, score)
    price = math.log(math.fsum(counts)) / 2 if score == "bic" else 1.0
    assert scores.rounding < 1e-10
    for child, parents in families(n):
        expected = from_joint(counts, child, parents, price)
        # A family's error is less than that of a network, and the float is rounded once more.
        assert abs(scores.family(child, parents) - expected) <= scores.rounding + 1e-13 * abs(expected)


@pytest.mark.slow
@given(
    n=st.integers(1, 4),
    data=st.data(),
    scale=st.sampled_from([1.0, 0.01, 1e-6, 1e3, 1e7]),
)
@settings(max_examples=60, deadline=None)
def test_any_counts_are_scored_within_the_stated_rounding(n, data, scale):
    counts = np.array(data.draw(st.lists(st.floats(0, 20), min_size=2**n, max_size=2**n))) * scale
    if counts.sum() < 1e-3:
        counts[0] += 1e-3
    scores = ds.scores_from_joint(NAMES[:n], counts, rows=200)
    price = math.log(200) / 2
    for child, parents in families(n):
        expected = from_joint(counts, child, parents, price)
        assert abs(scores.family(child, parents) - expected) <= scores.rounding + 1e-13 * abs(expected)


def test_equivalent_networks_have_identical_scores():
    scores = ds.scores_from_joint([f"v{i}" for i in range(4)], random_counts(5, 4))
    assert scores.score_equivalent
    exact: dict[ds.Cpdag, int] = {}
    for dag in all_dags(4):
        assert exact.setdefault(dag.to_cpdag(), scores.network_exact(dag)) == scores.network_exact(dag)
    assert len(set(exact.values())) == len(exact) == 185


def test_the_order_of_the_variables_changes_no_score():
    n = 5
    counts = random_counts(6, n)
    scores = ds.scores_from_joint(NAMES[:n], counts)
    order = [3, 0, 4, 2, 1]
    turned = counts.reshape((2,) * n).transpose([n - 1 - v for v in reversed(order)]).ravel()
    other = ds.scores_from_joint([NAMES[v] for v in order], turned)
    assert other.unit == scores.unit
    assert other.rounding == scores.rounding
    for child, parents in families(n):
        names = [NAMES[parent] for parent in parents]
        assert other.family_exact(NAMES[child], names) == scores.family_exact(NAMES[child], names)


@pytest.mark.parametrize("max_parents", [None, 3])
def test_any_number_of_threads_gives_the_same_scores(max_parents):
    counts = random_counts(7, 11)
    one, many = (ds.scores_from_joint(NAMES[:11], counts, max_parents=max_parents, threads=t) for t in (1, 7))
    assert np.array_equal(one.tables[0], many.tables[0])


def test_a_limit_on_parents_changes_values_by_rounding_only():
    counts = random_counts(8, 6)
    free, limited = ds.scores_from_joint(NAMES[:6], counts), ds.scores_from_joint(NAMES[:6], counts, max_parents=2)
    assert limited.max_parents == 2
    assert len(limited.tables[0]) == 42
    for child, parents in families(6):
        if len(parents) <= 2:
            assert limited.family(child, parents) == pytest.approx(free.family(child, parents), abs=1e-10)


def test_exact_methods_run_on_them():
    n = 4
    counts = random_counts(9, n)
    scores = ds.scores_from_joint([f"v{i}" for i in range(n)], counts)
    ranked = sorted((scores.network_exact(dag) for dag in all_dags(n)), reverse=True)
    assert scores.network_exact(ds.optimal_network(scores).network) == ranked[0]
    best = ds.k_best(scores, k=5)
    assert [scores.network_exact(dag) for dag in best.networks] == sorted(set(ranked), reverse=True)[:5]
    assert scores.network_exact(ds.learn(scores, "order", seed=1).network) == ranked[0]
    weights = np.exp([scores.network(dag) - best.scores[0] for dag in all_dags(n)])
    edges = sum(w * dag.to_adjacency() for w, dag in zip(weights, all_dags(n), strict=True)) / weights.sum()
    assert ds.posterior(scores).edges == pytest.approx(edges, abs=1e-9)


def test_constraints_hold():
    counts = random_counts(10, 4)
    scores = ds.scores_from_joint(
        NAMES[:4], counts, required=[("v0", "v3")], forbidden=[("v1", "v2")], tiers=[["v2"], ["v0"]]
    )
    assert not scores.score_equivalent
    assert scores.info.required == (("v0", "v3"),)
    assert set(scores.info.forbidden) == {("v1", "v2"), ("v0", "v2")}
    for child, parents in families(4):
        possible = (child != 3 or 0 in parents) and not (child == 2 and {0, 1} & set(parents))
        assert (scores.family_exact(child, parents) != IMPOSSIBLE) == possible
    for network in ds.k_best(scores, k=10, space="dags").networks:
        assert network.has_edge("v0", "v3")
        assert not network.has_edge("v1", "v2")
    free = ds.scores_from_joint(NAMES[:4], counts)
    assert scores.without_constraints().score_equivalent
    assert scores.without_constraints().family_exact(3, [1]) == free.family_exact(3, [1])


def test_what_they_were_computed_from_is_recorded():
    scores = ds.scores_from_joint(["a", "b"], [1.5, 2.25, 3.0, 4.0])
    assert scores.variables == ("a", "b")
    info = scores.info
    assert (info.score, info.ess, info.rows, info.level_counts) == ("bic", None, 11, (2, 2))
    assert (info.max_parents, info.structure_prior, info.data) == (1, "uniform", None)
    assert scores.provenance.method == "scores_from_joint"
    assert scores.complete is True
    # The sum, 10.75, is in the penalty, not the integer.
    assert scores.family("a") == pytest.approx(from_joint([1.5, 2.25, 3, 4], 0, [], math.log(10.75) / 2), abs=1e-12)
    given = ds.scores_from_joint(["a", "b"], [1.5, 2.25, 3.0, 4.0], rows=40)
    assert given.info.rows == 40
    assert given.family("a") == pytest.approx(from_joint([1.5, 2.25, 3, 4], 0, [], math.log(40) / 2), abs=1e-12)


def test_they_are_saved_and_read(tmp_path):
    scores = ds.scores_from_joint(NAMES[:5], random_counts(11, 5), max_parents=3)
    for name in ("scores.npz", "scores.jkl"):
        ds.write_scores(scores, tmp_path / name)
        read = ds.read_scores(tmp_path / name)
        assert read.family("v1", ["v0", "v4"]) == pytest.approx(scores.family("v1", ["v0", "v4"]), abs=1e-9)
    read = ds.read_scores(tmp_path / "scores.npz")
    assert read.info == scores.info
    assert read.rounding == scores.rounding


def test_symmetric_variables_tie():
    """The families of two variables with exchangeable counts have equal scores, and the tie is exact."""
    counts = random_counts(12, 3)
    exchanged = counts.reshape(2, 2, 2).transpose(0, 2, 1).ravel()
    scores = ds.scores_from_joint(["a", "b", "c"], (counts + exchanged) / 2)
    assert scores.family_exact("a", ["c"]) == scores.family_exact("b", ["c"])
    assert scores.family_exact("a", ["b", "c"]) == scores.family_exact("b", ["a", "c"])


@pytest.mark.parametrize(
    ("variables", "counts", "options", "error", "message"),
    [
        (["a", "b"], [1, 2, 3], {}, ds.InvalidData, "there are 3 counts, but 2 binary variables have 4 joint states"),
        (["a", "b"], [1, 2], {}, ds.InvalidData, "there are 2 counts, but 2 binary variables have 4 joint states"),
        (["a"], [], {}, ds.InvalidData, "the counts are|there are 0 counts, but 1 binary variable"),
        (["a"], [[1, 2]], {}, ds.InvalidData, "they must be a vector of numbers"),
        (["a"], [[1], [2, 3]], {}, ds.InvalidData, "they must be a vector of numbers"),
        (["a"], ["1", "2"], {}, ds.InvalidData, "they must be a vector of numbers"),
        (["a"], [True, False], {}, ds.InvalidData, "they must be a vector of numbers"),
        (["a"], [1, 2j], {}, ds.InvalidData, "they must be a vector of numbers"),
        (["a"], None, {}, ds.InvalidData, "the counts are None; they must be a vector of numbers"),
        (
            ["a"],
            [3, -1e-9],
            {},
            ds.InvalidData,
            r"counts\[1\] is -1e-09; a count must be a number from 0 to 4294967296",
        ),
        (["a"], [float("nan"), 1], {}, ds.InvalidData, r"counts\[0\] is nan; a count must be a number from 0"),
        (["a"], [1, float("inf")], {}, ds.InvalidData, r"counts\[1\] is inf"),
        (["a"], [1, 1e300], {}, ds.InvalidData, r"counts\[1\] is 1e\+300"),
        (["a"], [0, 0], {}, ds.InvalidData, "the counts are all 0; their sum must be between 0.001 and 4294967296"),
        (["a"], [4e9, 4e9], {}, ds.InvalidData, r"the counts sum to 8e\+09"),
        (["a"], [1e-5, 0], {}, ds.InvalidData, "the counts sum to 1e-05"),
        (["a", "a"], [1, 2, 3, 4], {}, ds.InvalidData, "two variables are called 'a'"),
        ([1], [1, 2], {}, ds.InvalidData, "the name 1 of a variable is not a string"),
        ([], [1], {}, ds.InvalidData, "there are no variables"),
        ("ab", [1, 2, 3, 4], {}, ds.InvalidOption, "variables is 'ab'; it must be a sequence of names"),
        (3, [1, 2], {}, ds.InvalidOption, "variables is 3; it must be a sequence of names"),
        ([*NAMES, "v20"], [1.0], {}, ds.InvalidData, "there are 21 variables; .* for up to 20"),
        (["a"], [1, 2], {"score": "bdeu"}, ds.InvalidOption, "score is 'bdeu'; it must be one of 'bic', 'aic'"),
        (["a"], [1, 2], {"rows": 0}, ds.InvalidOption, "rows is 0; it must be a number from 1 to 2"),
        (["a"], [1, 2], {"rows": "3"}, ds.InvalidOption, "rows is '3'; it must be a number from 1 to 2"),
        (["a"], [1, 2], {"max_parents": -1}, ds.InvalidOption, "max_parents is -1"),
        (["a", "b"], [1, 2, 3, 4], {"required": [("a", "c")]}, ds.InvalidOption, "required names 'c'"),
        (["a"], [1, 2], {"max_memory": "1B"}, ds.TooLarge, "the scores from counts of 1 variable need"),
    ],
)
def test_wrong_input_is_refused_in_one_sentence(variables, counts, options, error, message):
    with pytest.raises(error, match=message) as caught:
        ds.scores_from_joint(variables, counts, **options)
    assert "\n" not in str(caught.value)


def test_progress_is_reported():
    seen = []
    ds.scores_from_joint(NAMES[:6], random_counts(13, 6), progress=seen.append)
    assert seen[-1] == ds.Progress("Scoring sets of variables", 64, 64)
