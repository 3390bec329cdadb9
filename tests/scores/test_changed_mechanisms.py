"""Experiments that change mechanisms: the rows of each are a sample with parameters of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.gaussian import gaussian_bic
from oracles.graphs import all_dags, parent_sets
from oracles.local_scores import changed_mechanism
from scores.strategies import DISCRETE_SCORES, dataset, tables
from scores.test_formulas import families
from scores.test_gaussian_bic import data_of, dependent


def marked(rows, n, seed=0, share=0.4):
    return np.random.default_rng(seed).random((len(rows), n)) < share


@pytest.mark.parametrize("score", DISCRETE_SCORES)
@given(table=tables(max_variables=3, max_rows=12), seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.4, 1.0]))
@settings(max_examples=30, deadline=None)
def test_both_samples_are_scored_by_the_formula(score, table, seed, share):
    arities, rows = table
    marks = marked(rows, len(arities), seed, share)
    scores = ds.local_scores(dataset(arities, rows, interventions=marks), score, interventions="mechanism", threads=1)
    for child, parents in families(len(arities)):
        expected = changed_mechanism(score, rows, marks, arities, child, parents)
        assert scores.family(child, parents) == pytest.approx(expected, rel=1e-9, abs=1e-8)
    assert scores.score_equivalent == (DISCRETE_SCORES[score].score_equivalent and not marks.any())
    assert scores.info.interventions == ("mechanism" if marks.any() else "perfect")


def test_the_posterior_sums_over_all_dags():
    rng = np.random.default_rng(3)
    rows = [tuple(row) for row in rng.integers(0, 2, (40, 3)).tolist()]
    marks = marked(rows, 3)
    data = dataset([2, 2, 2], rows, interventions=marks)
    found = ds.posterior(ds.local_scores(data, interventions="mechanism"))
    dags = all_dags(3)
    scores = [
        sum(changed_mechanism("bdeu", rows, marks, [2, 2, 2], v, sorted(of)) for v, of in enumerate(parent_sets(dag)))
        for dag in dags
    ]
    weights = np.exp(np.array(scores) - max(scores))
    assert found.log_total == pytest.approx(max(scores) + math.log(weights.sum()), abs=1e-9)
    with_edge = [("v0", "v1") in dag.edges for dag in dags]
    assert found.edge("v0", "v1") == pytest.approx(weights[with_edge].sum() / weights.sum(), abs=1e-9)


def test_gaussian_regressions_of_both_samples():
    values = dependent(40, 3)
    marks = [["x0"] if i % 3 == 0 else [] for i in range(40)]
    scores = ds.local_scores(data_of(values, interventions=marks), score="bic-g", interventions="mechanism")
    disturbed = np.arange(40) % 3 == 0
    expected = gaussian_bic(values[~disturbed], 0, [1, 2]) + gaussian_bic(values[disturbed], 0, [1, 2])
    assert scores.family("x0", ["x1", "x2"]) == pytest.approx(expected, abs=1e-9)
    assert scores.family("x1", ["x0"]) == pytest.approx(gaussian_bic(values, 1, [0]), abs=1e-9)
    demand = ds.family_scores(data_of(values, interventions=marks), score="bic-g", interventions="mechanism")
    assert demand.family_exact("x0", ["x1", "x2"]) == scores.family_exact("x0", ["x1", "x2"])


def test_a_gaussian_variable_that_was_held_constant_is_refused_with_the_remedy():
    values = dependent(20, 2)
    values[:10, 0] = 1.0
    data = data_of(values, interventions=[["x0"]] * 10 + [[]] * 10)
    words = "'x0' has the same value in all rows in which 'x0' was set: use interventions='perfect', or leave it out"
    with pytest.raises(ds.InvalidData, match=words):
        ds.local_scores(data, score="bic-g", interventions="mechanism")
    assert np.isfinite(ds.local_scores(data, score="bic-g").family("x0", ["x1"]))


def test_rows_of_a_changed_mechanism_count():
    # The parent acts the other way round in the experiment: a perfect intervention ignores half of the evidence.
    rows = [(0, 0), (1, 1)] * 20 + [(0, 1), (1, 0)] * 20
    data = dataset([2, 2], rows, interventions=[[]] * 40 + [["v1"]] * 40)
    gains = {}
    for kind in ("perfect", "mechanism"):
        scores = ds.local_scores(data, interventions=kind)
        gains[kind] = scores.family("v1", ["v0"]) - scores.family("v1")
    assert gains["mechanism"] == pytest.approx(2 * gains["perfect"])
    assert ds.local_scores(dataset([2, 2], rows)).family("v1", ["v0"]) < ds.local_scores(data).family("v1")


def test_methods_take_the_option_and_results_say_it(tmp_path):
    rows = np.random.default_rng(5).integers(0, 2, (60, 4)).tolist()
    data = dataset([2] * 4, rows, interventions=marked(rows, 4, share=0.2))
    scores = ds.local_scores(data, interventions="mechanism")
    best = ds.optimal_network(scores)
    found = ds.learn(data, "order", interventions="mechanism", settings="fixed")
    assert found.score == pytest.approx(best.score)
    assert found.score_info == best.score_info
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json").score_info == best.score_info
    ds.write_scores(scores, tmp_path / "scores.npz")
    assert ds.read_scores(tmp_path / "scores.npz").info.interventions == "mechanism"
    study = ds.sensitivity(data, ess=1.0, structure_prior="uniform", max_parents=None, interventions="mechanism")
    assert study.settings[0].log_evidence == pytest.approx(ds.posterior(scores).log_evidence)
    with pytest.warns(ds.PooledExperiments):
        assert (
            ds.learn(data, "curriculum", interventions="mechanism", settings="fixed").score_info.interventions
            == "mechanism"
        )
    assert ds.plan(data, "posterior", interventions="mechanism").fits


def test_an_unknown_kind_is_refused():
    with pytest.raises(ds.InvalidOption, match="interventions is 'soft'; it must be one of 'perfect', 'mechanism'"):
        ds.local_scores(dataset([2], [(0,), (1,)]), interventions="soft")
