"""Logarithms of tail probabilities against 40 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from dagscape.search.tails import log_chi_square_tails, log_normal_tails


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 47, 500])
def test_tails_of_chi_square_have_all_digits_however_small_they_are(freedom):
    statistics = np.array([1e-9, 0.3, 1.0, 20.0, 300.0, 1290.0, 1330.0, 1400.0, 2500.0, 1e5, 1e9])
    with mpmath.workdps(40):
        half = mpmath.mpf(freedom) / 2
        exact = [mpmath.log(mpmath.gammainc(half, mpmath.mpf(x) / 2, regularized=True)) for x in statistics.tolist()]
    found = log_chi_square_tails(statistics, np.full(len(statistics), float(freedom)))
    # A p-value near 1 has a log near 0.
    assert found == pytest.approx([float(value) for value in exact], rel=1e-12, abs=1e-15)


def test_tails_of_the_normal_distribution_have_all_digits():
    values = np.array([0.0, 1e-9, 0.5, 2.0, 10.0, 38.0, 40.0, 1000.0])
    with mpmath.workdps(40):
        exact = [float(mpmath.log(mpmath.erfc(x / mpmath.sqrt(2)))) for x in values.tolist()]
    assert log_normal_tails(values) == pytest.approx(exact, rel=1e-13, abs=1e-15)


def test_a_negative_statistic_is_no_evidence():
    assert log_chi_square_tails(np.array([-3.0, 0.0]), np.array([1.0, 5.0])).tolist() == [0, 0]
