"""The penalised node-average likelihood against its definition, other scores, and what it must refuse."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.scores.definitions.pnal import penalty_per_parameter
from oracles.incomplete import node_average_likelihood


def parent_sets(n: int, child: int):
    others = [u for u in range(n) if u != child]
    return itertools.chain.from_iterable(itertools.combinations(others, size) for size in range(n))


def check_every_family(data, rows, levels, exponent=0.25, free=None, **options):
    names = data.variables
    scores = ds.local_scores(data, score="pnal", exponent=exponent, **options)
    demand = ds.family_scores(data, score="pnal", exponent=exponent, **options)
    assert demand.unit == scores.unit
    for child in range(len(names)):
        marks = None if free is None else free[:, child]
        for parents in parent_sets(len(names), child):
            found = scores.family(names[child], [names[u] for u in parents])
            expected = node_average_likelihood(rows, levels, child, parents, exponent, marks)
            assert found == pytest.approx(expected, abs=1e-9)
            assert demand.family_exact(child, parents) == scores.family_exact(child, parents)


def holed(values: np.ndarray, share: float, seed: int) -> np.ndarray:
    values = np.array(values, dtype=float)
    values[np.random.default_rng(seed).random(values.shape) < share] = np.nan
    return values


def discrete(rows: np.ndarray, arities, **options) -> ds.Dataset:
    names = [f"v{i}" for i in range(len(arities))]
    return ds.Dataset.from_codes(
        np.nan_to_num(rows).astype(int),
        dict(zip(names, arities, strict=True)),
        holes=np.isnan(rows),
        **options,
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 3), min_size=1, max_size=4), st.sampled_from([0.0, 0.2, 0.6]))
def test_every_discrete_family_is_the_definition(seed, arities, share):
    rng = np.random.default_rng(seed)
    rows = holed(np.stack([rng.integers(0, arity, 30) for arity in arities], axis=1), share, seed)
    rows[0] = 0
    check_every_family(discrete(rows, arities), rows.tolist(), arities, exponent=0.4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.4]))
def test_every_regression_is_the_definition(seed, share):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(60, 4)) * [1, 1e-3, 50, 1] + [0, 5, -1e4, 0]
    values[:, 3] += 2 * values[:, 0]
    rows = holed(values, share, seed + 1)
    data = ds.NumericData.from_array(rows, missing="keep")
    check_every_family(data, rows.tolist(), [0] * 4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2]))
def test_every_mixed_family_is_the_definition(seed, share):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 2, (120, 2)).astype(float)
    values = np.column_stack([cells, rng.normal(size=(120, 2)) + cells])
    rows = holed(values, share, seed)
    text = np.where(np.isnan(rows[:, :2]), None, np.where(rows[:, :2] > 0, "b", "a"))
    frame = pd.DataFrame({"p": text[:, 0], "q": text[:, 1], "x": rows[:, 2], "y": rows[:, 3]})
    check_every_family(ds.MixedData.from_frame(frame, missing="keep"), rows.tolist(), [2, 2, 0, 0])


def test_rows_of_experiments_are_left_out():
    rng = np.random.default_rng(3)
    rows = holed(rng.integers(0, 2, (80, 3)), 0.2, 1)
    marks = np.zeros((80, 3), dtype=bool)
    marks[:30, 1] = True
    rows[marks] = 1.0
    data = discrete(rows, [2, 2, 2], interventions=marks)
    check_every_family(data, rows.tolist(), [2, 2, 2], free=~marks)


def test_without_holes_it_is_a_penalised_likelihood_of_a_row():
    data = ds.load_network("asia").sample(500, seed=1)
    likelihood, average = ds.local_scores(data, score="loglik"), ds.local_scores(data, score="pnal")
    price = penalty_per_parameter(500, 8, 0.25)
    assert price == pytest.approx(500**-0.25 / 8)
    for parents in (["tub"], ["tub", "lung"], []):
        found = average.family("either", parents)
        expected = likelihood.family("either", parents) / 500 - price * 2 ** len(parents)
        assert found == pytest.approx(expected, abs=1e-9)


def test_neither_rows_nor_columns_change_a_bit():
    rng = np.random.default_rng(0)
    rows = holed(rng.integers(0, 3, (200, 4)), 0.3, 2)
    scores, turned = (ds.local_scores(discrete(table, [3] * 4), score="pnal") for table in (rows, rows[::-1]))
    names = [f"v{i}" for i in range(4)]
    other = ds.local_scores(discrete(rows, [3] * 4).select(names[::-1]), score="pnal")
    for child in range(4):
        for parents in parent_sets(4, child):
            exact = scores.family_exact(child, parents)
            assert turned.family_exact(child, parents) == exact
            assert other.family_exact(3 - child, [3 - u for u in parents]) == exact


def test_large_tables_of_states_are_counted_by_those_that_occur():
    rng = np.random.default_rng(5)
    rows = holed(rng.integers(0, 12, (60, 4)), 0.1, 3)
    check_every_family(discrete(rows, [12] * 4), rows.tolist(), [12] * 4, exponent=0.49)


def test_a_family_without_complete_rows_is_impossible():
    rows = np.array([[0, np.nan, 0], [1, np.nan, 1], [np.nan, 0, 1], [np.nan, 1, 0], [0, np.nan, 1]])
    scores = ds.local_scores(discrete(rows, [2, 2, 2]), score="pnal")
    assert scores.family("v0", ["v1"]) == -math.inf
    assert scores.family("v0") > -math.inf
    assert not ds.optimal_network(scores).network.has_edge("v1", "v0")


def test_a_few_common_rows_make_no_edge():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (1000, 2)).astype(float)
    rows[:500, 0] = rows[500:, 1] = np.nan
    for common, is_possible in ((2, False), (9, False), (10, True)):
        # Rows in which both agree.
        rows[500 - common : 500] = np.arange(common)[:, np.newaxis] % 2
        scores = ds.local_scores(discrete(rows, [2, 2]), score="pnal")
        assert (scores.family("v0", ["v1"]) > -math.inf) == is_possible
        assert ds.optimal_network(scores).network.edge_count == is_possible


def test_required_parents_need_no_more_rows():
    rows = np.array([[0, np.nan, 0], [1, np.nan, 1], [np.nan, 0, 1], [np.nan, 1, 0], [0, np.nan, 1], [1, 0, 0]])
    data = discrete(rows, [2, 2, 2])
    assert ds.local_scores(data, score="pnal").family("v0", ["v1"]) == -math.inf
    scores = ds.local_scores(data, score="pnal", required=[("v1", "v0")])
    assert scores.family("v0", ["v1"]) == pytest.approx(-penalty_per_parameter(6, 3, 0.25) * 2)
    assert ds.optimal_network(scores).network.edges == (("v1", "v0"),)


@pytest.mark.parametrize("rows", [2, 4, 5])
def test_every_state_of_discrete_parents_needs_rows(rows):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"d": [*"ab" * 30, *"c" * rows], "x": rng.normal(size=60 + rows)})
    # Numbers that are nearly equal have a large density.
    frame.loc[60:, "x"] = 0.3 + 1e-9 * np.arange(rows)
    scores = ds.local_scores(ds.MixedData.from_frame(frame), score="pnal")
    assert (scores.family("x", ["d"]) > -math.inf) == (rows >= 5)


def test_regressions_need_rows_and_independent_columns():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, 3))
    values[5:, 1] = np.nan
    values[:, 2] = 2 * values[:, 0] + 1
    scores = ds.local_scores(ds.NumericData.from_array(values, missing="keep"), score="pnal")
    # Four parameters of the line would be fitted to five rows.
    assert scores.family("X0", ["X1"]) == -math.inf
    assert scores.family("X0", ["X2"]) == -math.inf
    assert scores.family("X0") > -math.inf


def test_a_variable_that_experiments_always_set_is_not_scored():
    rng = np.random.default_rng(2)
    rows = holed(rng.integers(0, 2, (40, 3)), 0.1, 3)
    marks = np.zeros((40, 3), dtype=bool)
    marks[:, 2] = True
    scores = ds.local_scores(discrete(rows, [2, 2, 2], interventions=marks), score="pnal")
    assert scores.family("v2") == 0


@pytest.mark.parametrize("method", ["order", "greedy", "tabu", "optimal"])
def test_learners_take_it(method):
    network = ds.load_network("asia")
    frame = network.sample(3000, seed=4).to_frame().astype(object)
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.1)
    data = ds.Dataset.from_frame(frame, missing="keep")
    found = ds.learn(data, method, score="pnal")
    best = ds.optimal_network(ds.local_scores(data, score="pnal"))
    assert found.score <= best.score + 1e-12
    if method in ("order", "optimal"):
        assert found.network == best.network


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_large_samples_show_the_class(share):
    """All of asia but the weak edge from the visit, for which 20,000 rows do not pay."""
    network = ds.load_network("asia")
    frame = network.sample(20_000, seed=1).to_frame().astype(object)
    frame = frame.mask(np.random.default_rng(2).random(frame.shape) < share)
    found = ds.optimal_network(ds.local_scores(ds.Dataset.from_frame(frame, missing="keep"), score="pnal"))
    assert ds.compare(found.network, network, level="classes")["shd"] == 1
    assert not any("asia" in edge for edge in found.network.edges)


def test_the_k_best_are_dags_and_their_shares_mean_nothing():
    rows = holed(np.random.default_rng(0).integers(0, 2, (100, 3)), 0.2, 1)
    scores = ds.local_scores(discrete(rows, [2, 2, 2]), score="pnal")
    with pytest.warns(ds.NoProbabilities, match="the order of these networks counts"):
        best = ds.k_best(scores, k=5)
    assert best.space == "dags"
    assert best.warnings
    with pytest.raises(ds.InvalidOption, match="classes cannot be ranked: pnal differs between members of a class"):
        ds.k_best(scores, k=5, space="classes")
    with pytest.warns(ds.NoProbabilities):
        ds.modes(scores, k=2, delta=1)


@pytest.mark.parametrize("function", [ds.posterior, ds.sample_dags, ds.chain, ds.feature_probability])
def test_probabilities_are_refused(function):
    data = discrete(holed(np.random.default_rng(0).integers(0, 2, (100, 3)), 0.2, 1), [2, 2, 2])
    scores = ds.local_scores(data, score="pnal")
    arguments = {ds.sample_dags: (10,)}.get(function, ())
    with pytest.raises(ds.InvalidOption, match="no probabilities of networks under this score, because 'pnal' is the"):
        function(scores, *arguments)
    if function is not ds.feature_probability:
        with pytest.raises(ds.InvalidOption, match="no probabilities of networks"):
            function(data, *arguments, score="PNAL")


def test_sensitivity_weighs_no_settings_by_it():
    data = discrete(holed(np.random.default_rng(0).integers(0, 2, (100, 3)), 0.2, 1), [2, 2, 2])
    with pytest.raises(ds.InvalidOption, match="no probabilities of networks"):
        ds.sensitivity(data, score="pnal")


@pytest.mark.parametrize("method", ["ges", "eq1"])
def test_searches_over_classes_refuse_it(method):
    data = discrete(holed(np.random.default_rng(0).integers(0, 2, (100, 3)), 0.2, 1), [2, 2, 2])
    with pytest.raises(ds.InvalidOption, match="pnal differs between members of a class"):
        ds.learn(data, method, score="pnal")


def test_other_scores_still_refuse_missing_cells():
    data = discrete(np.array([[0, np.nan], [1, 1], [0, 1]]), [2, 2])
    with pytest.raises(ds.InvalidData, match="missing cells, which the score 'bdeu' cannot use"):
        ds.local_scores(data)


def test_frames_keep_their_missing_cells():
    numbers = [0.5, 1.5, None, 4.0, 2.5, 3.0, 3.5, 0.75, 2.0, 1.25, 0.25, 2.25]
    frame = pd.DataFrame({"a": numbers, "b": ["x", "y", "x", None, "y", "y", "x", "x", "y", "x", "x", "y"]})
    found = ds.local_scores(frame, score="pnal")
    kept = ds.local_scores(ds.MixedData.from_frame(frame, missing="keep"), score="pnal")
    assert found.info.rows == 12
    network = ds.Dag.from_edges(["a", "b"], [("b", "a")])
    assert found.network_exact(network) == kept.network_exact(network)
    assert found.network(network) > -math.inf
