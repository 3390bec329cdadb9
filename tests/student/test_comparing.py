"""The area under the ROC curve, and paired t-tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from dagscape.student.model.comparing import area_under_curve, paired_t_test, t_tail


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.sampled_from([2, 5, 1000]))
def test_areas_are_those_of_scikit_learn(seed, size, levels):
    rng = np.random.default_rng(seed)
    predicted = rng.integers(0, levels, size) / levels
    correct = rng.random(size) < 0.5
    correct[:2] = True, False
    assert area_under_curve(predicted, correct) == pytest.approx(roc_auc_score(correct, predicted), abs=1e-12)


def test_areas_of_the_best_and_the_worst_predictions():
    correct = np.array([True, False, True, False])
    assert area_under_curve(correct.astype(float), correct) == 1.0
    assert area_under_curve(1.0 - correct, correct) == 0.0
    assert area_under_curve(np.full(4, 0.3), correct) == 0.5


@pytest.mark.parametrize("answer", [True, False])
def test_there_is_no_area_without_both_answers(answer):
    assert math.isnan(area_under_curve(np.array([0.2, 0.7]), np.array([answer, answer])))


# Critical values of Student's distribution for two-sided tests, from printed tables.
@pytest.mark.parametrize(
    ("freedom", "tail", "t"),
    [
        (1, 0.05, 12.706205), (1, 0.01, 63.656741), (2, 0.05, 4.302653), (2, 0.001, 31.599055), (3, 0.05, 3.182446),
        (4, 0.01, 4.604095), (5, 0.1, 2.015048), (9, 0.05, 2.262157), (9, 0.001, 4.780913), (10, 0.5, 0.699812),
        (19, 0.01, 2.860935), (30, 0.05, 2.042272), (99, 0.05, 1.984217), (120, 0.01, 2.617421),
    ],
)  # fmt: skip
def test_tails_are_those_of_printed_tables(freedom, tail, t):
    assert t_tail(t, freedom) == pytest.approx(tail, rel=2e-6)
    assert t_tail(-t, freedom) == t_tail(t, freedom)


def test_tails_at_the_ends():
    assert t_tail(0.0, 4) == 1.0
    assert t_tail(0.0, 9) == 1.0
    assert t_tail(math.inf, 9) == 0.0
    assert 0 <= t_tail(1e9, 9) < 1e-12


def test_a_paired_test():
    # Ten differences with mean 1.58 and standard deviation 1.229995: Student's own data on two drugs, t = 4.0621.
    first = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    second = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    assert paired_t_test(first, second) == pytest.approx(0.002833, abs=5e-7)
    assert paired_t_test(second, first) == paired_t_test(first, second)


def test_pairs_without_spread():
    same = np.array([0.7, 0.8])
    assert paired_t_test(same, same) == 1.0
    assert paired_t_test(same, same - 0.5) == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(paired_t_test(same[:1], same[1:]))
