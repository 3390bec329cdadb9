"""Expected counts, likelihood and draws of incomplete rows, and EM for tables."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
import dagscape.networks.discrete.bucket_tree as bucket_tree
import dagscape.networks.discrete.incomplete as incomplete
from dagscape.core.clock import Clock
from dagscape.networks.discrete.bucket_tree import BucketTree
from dagscape.networks.discrete.elimination import LOGARITHMS, Factor
from dagscape.networks.discrete.incomplete import IncompleteCounter, IncompleteRows
from dagscape.networks.discrete.incomplete_fitting import IncompleteFitter
from dagscape.networks.expectation_maximisation import Step, maximised
from oracles.incomplete_rows import completions, expected_counts, row_probability


@st.composite
def problems(draw, most=5):
    """A random network, and rows with holes, some of them from experiments."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m = draw(st.integers(1, most)), draw(st.integers(1, 12))
    arities = rng.integers(1, 4, n).tolist()
    order = rng.permutation(n).tolist()
    above = {v: sorted(u for u in order[:place] if rng.random() < 0.6) for place, v in enumerate(order)}
    parents = [above[v] for v in range(n)]
    cpts = [rng.dirichlet(np.ones(arities[v]), [arities[u] for u in parents[v]]) for v in range(n)]
    codes = np.stack([rng.integers(0, arity, m) for arity in arities], axis=1)
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.1, 0.5, 0.9]))] = -1
    chosen = (rng.random(codes.shape) < 0.2) & (codes >= 0) if draw(st.booleans()) else None
    return parents, cpts, arities, codes, rng.integers(1, 4, m), chosen


def counter_of(parents, arities, codes, weights, chosen):
    masks = [sum(1 << u for u in own) for own in parents]
    return IncompleteCounter(masks, arities, IncompleteRows(codes, weights, chosen))


@given(problems(), st.sampled_from([1, 8, 2**12]))
def test_expected_counts_are_those_of_all_completions(problem, small_tree):
    parents, cpts, arities, codes, weights, chosen = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incomplete, "_SMALL_TREE", small_tree)
        counter = counter_of(parents, arities, codes, weights, chosen)
    found = counter.expected(cpts)
    counts, log_likelihood = expected_counts(parents, cpts, arities, codes, weights, chosen)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-9)
    assert weights @ counter.row_logs(cpts) == pytest.approx(log_likelihood, abs=1e-9)
    for v, count in enumerate(found.counts):
        if parents[v] or chosen is None or not chosen[:, v].all():
            np.testing.assert_allclose(count, counts[v], atol=1e-9)
        else:
            # Set in every row: the counts say how often each level was chosen.
            assert count.tolist() == np.bincount(codes[:, v], weights, arities[v]).tolist()


@given(problems(), st.randoms(use_true_random=False))
def test_rows_may_come_in_any_order(problem, random):
    parents, cpts, arities, codes, weights, chosen = problem
    order = random.sample(range(len(codes)), len(codes))
    first = counter_of(parents, arities, codes, weights, chosen).expected(cpts)
    marks = None if chosen is None else chosen[order]
    second = counter_of(parents, arities, codes[order], weights[order], marks).expected(cpts)
    assert first.log_likelihood == pytest.approx(second.log_likelihood, abs=1e-9)
    for a, b in zip(first.counts, second.counts, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)


def test_probabilities_may_underflow():
    n = 600
    parents = [0, *(1 for _ in range(n - 1))]
    cpts = [np.array([0.5, 0.5]), *(np.array([[0.999, 0.001], [0.998, 0.002]]) for _ in range(n - 1))]
    codes = np.ones((1, n), dtype=np.int64)
    codes[0, 0] = -1
    found = IncompleteCounter(parents, [2] * n, IncompleteRows(codes, np.array([1]))).expected(cpts)
    expected = math.log(0.5) + (n - 1) * math.log(0.001) + math.log1p(2.0 ** (n - 1))
    assert found.log_likelihood == pytest.approx(expected)
    assert found.counts[0].tolist() == pytest.approx([2.0 ** (1 - n), 1.0])


@settings(max_examples=40)
@given(problems())
def test_logarithms_find_the_same(problem):
    parents, cpts, arities, codes, weights, chosen = problem
    counter = counter_of(parents, arities, codes, weights, chosen)
    plain, drawn = counter.expected(cpts), counter.draw(cpts, np.random.default_rng(0))
    with pytest.MonkeyPatch.context() as patch, np.errstate(divide="ignore"):
        patch.setattr(bucket_tree, "without_underflow", lambda compute: compute(LOGARITHMS))
        logarithms = counter.expected(cpts)
        np.testing.assert_array_equal(counter.draw(cpts, np.random.default_rng(0)), drawn)
    assert logarithms.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-9)
    for a, b in zip(logarithms.counts, plain.counts, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)


def naive_bayes(n, small):
    """A binary class, and features that agree with it but for a small probability."""
    table = np.array([[1 - small, small], [small, 1 - small]])
    return [0, *[1] * n], [np.array([0.5, 0.5]), *[table] * n]


@pytest.mark.parametrize(("n", "small"), [(120, 0.001), (400, 0.1)])
def test_unlikely_values_that_are_shown_do_not_underflow(n, small):
    parents, cpts = naive_bayes(n, small)
    rows = np.ones((4, n + 1), dtype=np.int64)
    # The class of the second row is missing, and a feature of the others.
    rows[[0, 2, 3], 0], rows[1, 0], rows[2, 3], rows[3, 5] = 0, -1, -1, -1
    counter = IncompleteCounter(parents, [2] * (n + 1), IncompleteRows(rows, np.ones(4, dtype=np.int64)))
    unlikely, likely = n * math.log(small), n * math.log1p(-small)
    expected = [unlikely, likely, unlikely - math.log(small), unlikely - math.log(small)]
    assert counter.row_logs(cpts) == pytest.approx([math.log(0.5) + log for log in expected])
    counts = counter.expected(cpts).counts
    assert counts[0] == pytest.approx([3.0, 1.0])
    assert counts[3] == pytest.approx(np.array([[1 - small, 2 + small], [0.0, 1.0]]))


@pytest.mark.parametrize(("for_first", "for_second"), [(50, 60), (330, 660), (661, 660)])
def test_a_state_that_is_far_behind_may_win(for_first, for_second):
    n, small = for_first + for_second, 0.05
    parents, cpts = naive_bayes(n, small)
    row = np.array([[-1, *[0] * for_first, *[1] * for_second]])
    counter = IncompleteCounter(parents, [2] * (n + 1), IncompleteRows(row, np.array([1])))
    odds = (for_second - for_first) * (math.log1p(-small) - math.log(small))
    first = math.log(0.5) + for_first * math.log1p(-small) + for_second * math.log(small)
    found = counter.expected(cpts)
    assert found.log_likelihood == pytest.approx(np.logaddexp(first, first + odds))
    assert found.counts[0] == pytest.approx(np.exp([-np.logaddexp(0, odds), -np.logaddexp(0, -odds)]))
    if abs(odds) > 20:
        assert counter.draw(cpts, np.random.default_rng(0))[0, 0] == 1


def test_em_sees_a_row_that_contradicts_many_others():
    rng = np.random.default_rng(0)
    classes = rng.integers(2, size=60)
    features = np.where(rng.random((60, 320)) < 0.97, classes[:, np.newaxis], 1 - classes[:, np.newaxis])
    classes[0] = 1 - classes[0]
    codes = np.column_stack([classes, features])
    holes = np.zeros(codes.shape, dtype=bool)
    holes[5:15, 0] = holes[0, 7] = True
    names = ["c", *(f"f{i}" for i in range(320))]
    data = ds.Dataset.from_codes(codes, {name: ["0", "1"] for name in names}, holes=holes)
    dag = ds.Dag.from_edges(names, [("c", name) for name in names[1:]])
    found = ds.Network.fit(dag, data, missing="em").incomplete_fit
    assert found.converged
    assert found.iterations > 0
    assert (np.diff(found.objectives) >= 0).all()


def test_impossible_rows_have_no_beliefs():
    # Two trees, of which one is impossible.
    tree = BucketTree.of([0b01, 0b10], [2, 2])
    never = np.array([[0.5, 0.5], [0.0, 0.0]])
    collected = tree.collect([Factor(0b01, np.full((2, 2), 0.5)), Factor(0b10, never)], 2)
    assert collected.log_probabilities.tolist() == [0.0, -math.inf]
    for belief in collected.beliefs():
        assert belief.tolist() == [[0.5, 0.5], [0.0, 0.0]]


def test_draws_have_the_distribution_of_the_holes():
    rng = np.random.default_rng(5)
    parents, arities = [[], [0], [0, 1], [2]], [2, 3, 2, 2]
    cpts = [rng.dirichlet(np.ones(arities[v]), [arities[u] for u in parents[v]]) for v in range(4)]
    row, copies = [-1, -1, 1, -1], 20_000
    counter = counter_of(parents, arities, np.array([row] * copies), np.ones(copies, dtype=np.int64), None)
    seen = Counter(map(tuple, counter.draw(cpts, rng).tolist()))
    every = {full: row_probability(parents, cpts, full, [False] * 4) for full in completions(row, arities)}
    total = sum(every.values())
    assert set(seen) <= set(every)
    statistic = sum((seen[full] - copies * p / total) ** 2 / (copies * p / total) for full, p in every.items())
    assert statistic < 35  # 11 degrees of freedom: p = 2.5e-4


def test_impossible_levels_are_never_drawn():
    counter = counter_of([[], [0]], [2, 2], np.array([[-1, -1]] * 500), np.ones(500, dtype=np.int64), None)
    drawn = counter.draw([np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]])], np.random.default_rng(1))
    assert drawn.tolist() == [[0, 1]] * 500


def test_trees_that_are_too_large_are_refused():
    n = 14
    parents = [list(range(v)) for v in range(n)]
    with pytest.raises(ds.TooLarge, match="the tables of exact inference"):
        IncompleteCounter(
            [sum(1 << u for u in own) for own in parents],
            [4] * n,
            IncompleteRows(np.full((1, n), -1), np.array([1])),
            "1MB",
        )


def incomplete_data(seed, n=4, m=40, share=0.3):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (m, n)).astype(object)
    rows[:, 1] = np.where(rng.random(m) < 0.8, rows[:, 0], rows[:, 1])
    rows[:, -1] = np.where(rng.random(m) < 0.7, rows[:, 1], rows[:, -1])
    rows[rng.random(rows.shape) < share] = None
    rows[0], rows[1] = 0, 1
    names = [f"X{i}" for i in range(n)]
    return ds.Dataset.from_array(rows, names, missing="keep"), names


def chain_of(names):
    return ds.Dag.from_edges(names, list(pairwise(names)))


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(["none", "bdeu", "k2"]), st.sampled_from([0.1, 0.4, 0.7]))
def test_the_objective_never_falls(seed, prior, share):
    data, names = incomplete_data(seed, share=share)
    fitter = IncompleteFitter(chain_of(names), data, 2.0, prior)
    rng = np.random.default_rng(seed)
    tables = [rng.dirichlet(np.ones(2), table.shape[:-1]) for table in fitter.complete_families()]
    objectives = []
    for _ in range(15):
        step = fitter._step(tables)
        objectives.append(step.objective)
        tables = step.parameters
    assert (np.diff(objectives) >= -1e-9).all()


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["none", "bdeu", "k2"]))
def test_em_ends_where_the_objective_is_flat(seed, prior):
    data, names = incomplete_data(seed)
    network = ds.Network.fit(chain_of(names), data, 3.0, prior, missing="em", tolerance=1e-10)
    rows = IncompleteRows.of(names, data)
    pseudo = {"none": lambda size: 0.0, "bdeu": lambda size: 3.0 / size, "k2": lambda size: 1.0}[prior]

    def objective(tables):
        _, found = expected_counts([[], [0], [1], [2]], tables, [2] * 4, rows.codes, rows.weights)
        return found + sum(pseudo(t.size) * np.log(t).sum() for t in tables if pseudo(t.size))

    tables = [network.cpts[name] for name in names]
    top = objective(tables)
    assert network.incomplete_fit.objectives[-1] == pytest.approx(top, abs=1e-8)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        near = [0.99 * t + 0.01 * rng.dirichlet(np.ones(2), t.shape[:-1]) for t in tables]
        assert objective(near) < top + 1e-6


def test_complete_rows_are_fitted_as_without_em():
    data = ds.load_network("asia").sample(300, seed=1)
    dag = ds.load_network("asia").dag
    for prior in ("none", "bdeu", "k2"):
        plain = ds.Network.fit(dag, data, prior=prior)
        em = ds.Network.fit(dag, data, prior=prior, missing="em")
        for name in dag.variables:
            np.testing.assert_allclose(em.cpts[name], plain.cpts[name], atol=1e-12)
        assert em.incomplete_fit.incomplete_rows == 0
        if prior == "none":
            assert em.incomplete_fit.log_likelihood == pytest.approx(plain.log_likelihood(data))


def test_rows_of_experiments_do_not_count_for_what_was_set():
    rows = [["a", "x"], ["b", "y"], ["a", None], ["b", "x"], [None, "y"], ["a", "x"]]
    set_in = [0, 0, 1, 0, 2, 1]
    data = ds.Dataset.from_array(rows, ["u", "v"], missing="keep", interventions=set_in)
    dag = ds.Dag.from_edges(["u", "v"], [("u", "v")])
    network = ds.Network.fit(dag, data, missing="em", tolerance=1e-12)
    own = IncompleteRows.of(["u", "v"], data)
    tables = [network.cpts["u"], network.cpts["v"]]
    counts, _ = expected_counts([[], [0]], tables, [2, 2], own.codes, own.weights, own.chosen)
    for table, count in zip(tables, counts, strict=True):
        weights = count + 1.0 / count.size
        np.testing.assert_allclose(table, weights / weights.sum(axis=-1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("prior", ["bdeu", "k2", "none"])
def test_a_variable_that_was_always_set_does_not_end_em(prior):
    rng = np.random.default_rng(0)
    x = (rng.random(60) < 0.9).astype(int)
    y = np.where(rng.random(60) < 0.8, x, 1 - x)
    z = np.where(rng.random(60) < 0.8, y, 1 - y)
    holes, marks = np.zeros((2, 60, 3), dtype=bool)
    holes[:2, 1] = marks[:, 0] = True
    levels = {name: ["0", "1"] for name in "xyz"}
    codes = np.stack([x, y, z], axis=1)
    data = ds.Dataset.from_codes(codes, levels, holes=holes, interventions=marks)
    dag = ds.Dag.from_edges(["x", "y", "z"], [("x", "y"), ("y", "z")])
    found = ds.Network.fit(dag, data, prior=prior, missing="em", tolerance=1e-13)
    assert found.incomplete_fit.iterations > 0
    assert found.incomplete_fit.converged
    assert (np.diff(found.incomplete_fit.objectives) >= 0).all()
    # As with complete rows, its table says how often each level was chosen.
    whole = ds.Dataset.from_codes(codes, levels, interventions=marks)
    np.testing.assert_allclose(found.cpts["x"], ds.Network.fit(dag, whole, prior=prior).cpts["x"])
    # Of rows that do not say what was chosen, nothing is counted.
    holes[:5, 0] = True
    lacking = ds.Dataset.from_codes(codes, levels, holes=holes, interventions=marks)
    expected = np.bincount(x[5:], minlength=2) + {"bdeu": 0.5, "k2": 1.0, "none": 0.0}[prior]
    found_lacking = ds.Network.fit(dag, lacking, prior=prior, missing="em")
    np.testing.assert_allclose(found_lacking.cpts["x"], expected / expected.sum())
    own = IncompleteRows.of(["x", "y", "z"], data)
    counts, _ = expected_counts([[], [0], [1]], list(found.cpts.values()), [2] * 3, own.codes, own.weights, own.chosen)
    pseudo = {"bdeu": 0.25, "k2": 1.0, "none": 0.0}[prior]
    for name, count in zip("yz", counts[1:], strict=True):
        weights = count + pseudo
        np.testing.assert_allclose(found.cpts[name], weights / weights.sum(axis=-1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize(
    ("objectives", "kept", "converged"),
    [
        ([-5.0, -4.0, -4.0 - 1e-10], [-5.0, -4.0], True),
        ([-5.0, -4.0, -4.1], [-5.0, -4.0], False),
        ([-5.0, -4.0, -math.inf], [-5.0, -4.0], False),
        ([-5.0, math.nan], [-5.0], False),
        ([-math.inf, -math.inf], [-math.inf], False),
        ([-math.inf, -5.0, -4.0, -4.0], [-math.inf, -5.0, -4.0, -4.0], True),
    ],
)
def test_only_rounding_may_lower_the_objective(objectives, kept, converged):
    def step(number):
        return Step(objectives[number], objectives[number], number + 1)

    ended = maximised(step, [0], 0, {}, Clock())
    assert list(ended.fit.objectives) == kept
    assert ended.fit.converged == converged
    assert ended.parameters == len(kept) - 1


def test_more_starts_are_at_least_as_good_and_recorded():
    data, names = incomplete_data(3, share=0.6)
    dag = chain_of(names)
    one = ds.Network.fit(dag, data, prior="none", missing="em").incomplete_fit
    many = ds.Network.fit(dag, data, prior="none", missing="em", starts=4, seed=7).incomplete_fit
    assert len(many.ends) == 4
    assert many.objectives[-1] == max(many.ends) >= one.objectives[-1] == many.ends[0]
    assert many.converged
    assert many.iterations == len(many.objectives) - 1


def test_frames_and_files_are_read_with_their_holes(tmp_path):
    frame = pd.DataFrame({"rain": ["no", "yes", "yes", None, "no"], "wet": ["no", "yes", None, "no", "no"]})
    dag = ds.Dag.from_edges(["rain", "wet"], [("rain", "wet")])
    found = ds.Network.fit(dag, frame, missing="em")
    frame.to_csv(tmp_path / "rain.csv", index=False)
    assert ds.Network.fit(dag, tmp_path / "rain.csv", missing="em") == found
    assert found.incomplete_fit.incomplete_rows == 2
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    assert copy.incomplete_fit == found.incomplete_fit
    assert found.do({"wet": "yes"}).incomplete_fit is None


def test_time_ends_em():
    data, names = incomplete_data(3)
    with pytest.warns(ds.StoppedEarly, match="EM reached max_seconds: the parameters are the best found by then"):
        found = ds.Network.fit(chain_of(names), data, missing="em", max_seconds=1e-9, tolerance=0, starts=5)
    assert not found.incomplete_fit.converged
    assert len(found.incomplete_fit.ends) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "drop"}, "missing is 'drop'; it must be one of 'error', 'em'"),
        ({"missing": "em", "starts": 0}, "starts is 0; it must be an integer of at least 1"),
        ({"missing": "em", "tolerance": -1.0}, "tolerance is -1.0; it must be a number of at least 0"),
        ({"missing": "em", "max_seconds": 0}, "max_seconds is 0; it must be a number above 0"),
        ({"starts": 2}, "starts is for missing='em'"),
        ({"missing": "em", "start": 2}, "there is no option 'start'; did you mean 'starts'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    data, names = incomplete_data(3)
    with pytest.raises(ds.InvalidOption, match=message):
        ds.Network.fit(chain_of(names), data, **options)
