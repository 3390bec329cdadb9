"""Measures of association of two discrete variables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats.contingency import association

from dagscape.networks.discrete.association import cramers_v, level_order, odds_ratio, risk_difference, tau_b
from oracles import association as oracle

tables = st.tuples(st.integers(2, 5), st.integers(2, 5), st.integers(0, 10**6)).map(
    lambda drawn: np.random.default_rng(drawn[2]).integers(0, 6, drawn[:2]).astype(float)
)


@settings(max_examples=80)
@given(tables)
def test_sizes_and_signs_are_those_of_the_definitions(counts):
    if not counts.sum():
        return
    joint = counts / counts.sum()
    assert cramers_v(joint) == pytest.approx(oracle.cramers_v(joint), abs=1e-12)
    constant = (counts.sum(axis=1) > 0).sum() < 2 or (counts.sum(axis=0) > 0).sum() < 2
    if constant:
        assert tau_b(joint) is None or tau_b(joint) == pytest.approx(0, abs=1e-12)
        return
    assert tau_b(joint) == pytest.approx(oracle.pairs_of_draws(joint), abs=1e-12)
    rows = [(i, j) for (i, j), n in np.ndenumerate(counts) for _ in range(int(n))]
    assert tau_b(joint) == pytest.approx(stats.kendalltau(*zip(*rows, strict=True)).statistic, abs=1e-9)


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 4))
def test_cramers_v_is_that_of_scipy(seed, rows, columns):
    counts = np.random.default_rng(seed).integers(1, 40, (rows, columns))
    assert cramers_v(counts / counts.sum()) == pytest.approx(association(counts, correction=False), abs=1e-9)


@given(st.integers(0, 10**6))
def test_two_by_two_tables_by_hand(seed):
    a, b, c, d = np.random.default_rng(seed).integers(1, 50, 4).tolist()
    joint = np.array([[a, b], [c, d]]) / (a + b + c + d)
    assert risk_difference(joint) == pytest.approx(d / (c + d) - b / (a + b))
    assert odds_ratio(joint) == pytest.approx(a * d / (b * c))
    # With two levels each, the three agree.
    phi = (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    assert tau_b(joint) == pytest.approx(phi, abs=1e-12)
    assert cramers_v(joint) == pytest.approx(abs(phi), abs=1e-12)
    assert np.sign(risk_difference(joint)) == np.sign(round(phi, 12))


def test_turning_an_axis_turns_the_sign():
    joint = np.array([[0.3, 0.1, 0.0], [0.05, 0.2, 0.35]])
    assert tau_b(joint[::-1]) == pytest.approx(-tau_b(joint))
    assert tau_b(joint.T) == pytest.approx(tau_b(joint))
    assert cramers_v(joint[::-1]) == pytest.approx(cramers_v(joint))


def test_tables_with_empty_levels():
    assert risk_difference(np.array([[0.0, 0.0], [0.5, 0.5]])) is None
    assert odds_ratio(np.array([[0.5, 0.0], [0.25, 0.25]])) is None
    assert odds_ratio(np.array([[0.0, 0.5], [0.25, 0.25]])) is None
    assert tau_b(np.array([[0.0, 0.0], [0.5, 0.5]])) is None
    assert tau_b(np.zeros((2, 2))) is None
    assert cramers_v(np.array([[0.0, 0.0], [0.5, 0.5]])) == 0
    # A level that never occurs changes nothing.
    assert cramers_v(np.array([[0.5, 0, 0], [0, 0, 0.5], [0, 0, 0]])) == pytest.approx(1)


@pytest.mark.parametrize(
    ("levels", "kind", "declared", "order"),
    [
        (["1", "2", "10"], "integer", False, (0, 1, 2)),
        (["10", "9", "8"], "integer", False, (2, 1, 0)),
        (["1.5", "0.5", "?"], "number", False, (1, 0)),
        (["True", "False"], "boolean", False, (1, 0)),
        (["1", "2", "(missing)"], "integer", False, None),
        (["low", "middle", "high"], "text", False, None),
        (["low", "middle", "high"], "text", True, (0, 1, 2)),
        (["low", "middle", "high", "?"], "text", True, (0, 1, 2)),
        (["(-inf,2.5]", "(2.5,7]", "(7,inf)"], "text", False, (0, 1, 2)),
        (["(-inf,2.5]", "(7,inf)", "(2.5,7]"], "text", False, None),
        (["(-inf,-1e-05]", "(-1e-05,1e+20]", "(1e+20,inf)", "?"], "text", False, (0, 1, 2)),
        (["female", "male"], "text", False, (0, 1)),
        (["yes", "no"], "text", False, (1, 0)),
        (["no", "yes"], "text", False, (0, 1)),
        (["Yes", "No", "?"], "text", False, (1, 0)),
        (["positive", "negative"], "text", False, (1, 0)),
        (["yes", "no"], "text", True, (0, 1)),
        (["1", "a", "2"], "mixed", False, None),
        (["only"], "text", False, None),
    ],
)
def test_the_order_of_levels(levels, kind, declared, order):
    assert level_order(levels, kind, declared=declared) == order
