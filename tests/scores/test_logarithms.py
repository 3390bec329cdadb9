"""Logarithms of the kernels, and the units that follow from them, against 50 digits."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.arithmetic.logarithms import binary_log_ceiling, natural_log


def nearest(number):
    with mpmath.workdps(50):
        return float(mpmath.log(number))


@given(st.integers(1, 2**63) | st.floats(1e-300, 1e300))
def test_logarithms_are_nearly_the_nearest_floats(number):
    # Next to 1, the absolute error of 2^-77 is what remains.
    assert natural_log(number) == pytest.approx(nearest(number), rel=2.0**-52, abs=2.0**-77)


@pytest.mark.parametrize(("n", "parents"), [(5, 2), (1000, 7), (1000, 500), (32768, 9), (32767, 16384)])
def test_logarithms_of_numbers_of_parent_sets(n, parents):
    assert natural_log(math.comb(n, parents)) == pytest.approx(nearest(math.comb(n, parents)), rel=2.0**-52)


def test_the_logarithm_of_one_is_exactly_zero():
    assert natural_log(1) == natural_log(1.0) == 0.0


@given(st.floats(1e-300, 1e300))
def test_ceilings_of_binary_logarithms(number):
    ceiling = binary_log_ceiling(number)
    assert math.ldexp(1.0, ceiling - 1) < number <= math.ldexp(1.0, ceiling)


@given(st.floats(1.0, 1e300), st.integers(1, 40_000))
def test_sums_of_scores_fit_their_unit(largest, n):
    unit = Unit.for_scores_up_to(largest, n)
    assert math.ldexp(largest, unit.bits) * (n + 1) <= 2.0**61
