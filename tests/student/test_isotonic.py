"""Isotonic regression of an item's probabilities against the max-min formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.student.model.isotonic import isotonic
from oracles.isotonic import isotonic_by_formula


def falls(table: np.ndarray) -> bool:
    """Whether a probability is smaller than one of a subset of the skills."""
    size = len(table)
    return any(s & t == s and table[t] < table[s] for s in range(size) for t in range(size))


@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 10**6))
def test_it_is_the_formula(skills, tables, seed):
    rng = np.random.default_rng(seed)
    # Few different shares, so that there are ties.
    shares = rng.integers(0, 6, (tables, 1 << skills)) / 5
    weights = rng.choice([0.1, 1.0, 30.0], (tables, 1 << skills))
    found = isotonic(shares, weights)
    expected = [isotonic_by_formula(*rows) for rows in zip(shares.tolist(), weights.tolist(), strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("skills", [4, 5])
def test_many_skills_meet_the_conditions_of_the_maximum(skills):
    """No probability falls; no upper set gains; and shifting a block of equal probabilities gains nothing."""
    rng = np.random.default_rng(skills)
    shares, weights = rng.random((6, 1 << skills)), rng.gamma(0.3, size=(6, 1 << skills))
    for y, w, x in zip(shares, weights, isotonic(shares, weights), strict=True):
        assert not falls(x)
        for value in np.unique(x):
            block = x == value
            assert (w * (y - x))[block].sum() == pytest.approx(0, abs=1e-9)
        # Moving towards any other isotonic table is no improvement: the projection on a cone.
        for _ in range(50):
            other = isotonic(rng.random((1, 1 << skills)), np.ones((1, 1 << skills)))[0]
            assert (w * (y - x) * (other - x)).sum() <= 1e-9


def test_what_does_not_fall_stays_as_it_is():
    shares = np.array([[0.1, 0.4, 0.4, 0.9], [0.9, 0.1, 0.1, 0.0]])
    found = isotonic(shares, np.ones((2, 4)))
    assert found[0].tolist() == shares[0].tolist()
    assert found[1] == pytest.approx([0.275] * 4)


def test_states_without_students_take_what_is_allowed():
    shares = np.array([[0.6, 0.1, 0.7, 0.2]])
    weights = np.array([[10.0, 0.0, 10.0, 0.0]])
    # Nobody has the first skill: its states may not be below the others.
    assert isotonic(shares, weights)[0] == pytest.approx([0.6, 0.6, 0.7, 0.7], abs=1e-9)


def test_rounding_errors_do_not_let_it_fall():
    rng = np.random.default_rng(0)
    for _ in range(200):
        weights = 10.0 ** rng.uniform(-300, 3, (1, 8))
        assert not falls(isotonic(rng.random((1, 8)).round(1), weights)[0])
