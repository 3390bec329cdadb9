"""Every score equals its textbook formula."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.local_scores import ORACLES, bdeu_in_high_precision
from scores.strategies import DISCRETE_SCORES, dataset, tables


def families(n):
    for child in range(n):
        others = [v for v in range(n) if v != child]
        for size in range(n):
            yield from ((child, parents) for parents in itertools.combinations(others, size))


def test_every_score_has_an_oracle():
    assert set(DISCRETE_SCORES) == set(ORACLES)


@pytest.mark.slow
@pytest.mark.parametrize("score", DISCRETE_SCORES)
@given(table=tables(), ess=st.sampled_from([0.01, 1.0, 7.5, 1000.0]))
@settings(max_examples=60, deadline=None)
def test_matches_the_formula(score, table, ess):
    arities, rows = table
    scores = ds.local_scores(dataset(arities, rows), score=score, ess=ess, threads=1)
    for child, parents in families(len(arities)):
        expected = ORACLES[score](rows, arities, child, parents, ess)
        assert scores.family(child, parents) == pytest.approx(expected, rel=1e-9, abs=1e-8)


@given(table=tables(max_rows=15))
@settings(max_examples=40, deadline=None)
def test_bdeu_matches_50_digits(table):
    arities, rows = table
    scores = ds.local_scores(dataset(arities, rows), threads=1)
    for child, parents in families(len(arities)):
        expected = bdeu_in_high_precision(rows, arities, child, parents)
        assert abs(scores.family(child, parents) - expected) < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("score", DISCRETE_SCORES)
def test_larger_table_and_a_limit(score):
    rng = np.random.default_rng(5)
    arities = [2, 3, 4, 12, 2, 300]
    rows = [tuple(int(rng.integers(arity)) for arity in arities) for _ in range(700)]
    scores = ds.local_scores(dataset(arities, rows), score=score, max_parents=2, threads=2)
    for child, parents in families(6):
        if len(parents) > 2:
            continue
        expected = ORACLES[score](rows, arities, child, parents, 1.0)
        found = scores.family(child, parents)
        if math.isinf(found):
            assert expected < -1e6
        else:
            assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("score", DISCRETE_SCORES)
@given(table=tables(max_variables=3, max_rows=12), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_rows_in_which_an_experiment_set_the_child_are_excluded(score, table, seed):
    arities, rows = table
    marks = np.random.default_rng(seed).random((len(rows), len(arities))) < 0.3
    scores = ds.local_scores(dataset(arities, rows, interventions=marks), score=score, threads=1)
    for child, parents in families(len(arities)):
        kept = [row for row, marked in zip(rows, marks, strict=True) if not marked[child]]
        if kept:
            expected = ORACLES[score](kept, arities, child, parents, 1.0)
            assert scores.family(child, parents) == pytest.approx(expected, rel=1e-9, abs=1e-8)
    assert scores.score_equivalent == (DISCRETE_SCORES[score].score_equivalent and not marks.any())


def test_a_variable_set_in_every_row_has_the_score_of_no_data():
    data = dataset([2, 2], [(0, 1), (1, 1)], interventions=np.array([[True, False], [True, False]]))
    scores = ds.local_scores(data)
    assert scores.family("v0") == 0.0
    assert scores.family("v0", ["v1"]) == -math.inf
    assert scores.family("v1") < 0
    assert ds.local_scores(data, score="aic").family("v0") == -1.0


# Levels that occur once, on purpose.
@pytest.mark.filterwarnings("ignore::dagscape.SuspiciousColumns")
def test_huge_penalties_make_families_impossible():
    # 30 variables of 50 levels: the penalty of a family with 4 parents would be 50^4 * 49 * ln(m)/2 nats.
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 50, (40, 6)).tolist()
    arities = [50] * 6
    scores = ds.local_scores(dataset(arities, rows), score="bic")
    assert scores.family(0, [1, 2, 3, 4, 5]) == -math.inf
    assert scores.family(0, [1, 2]) == pytest.approx(ORACLES["bic"](rows, arities, 0, (1, 2)), rel=1e-9)
    assert ds.local_scores(dataset(arities, rows)).family(0, [1, 2, 3, 4, 5]) > -math.inf
