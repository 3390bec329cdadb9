"""Fisher's z tests against least squares, and what they say of columns that depend on each other linearly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dagscape.search.fisher_z import FisherZ
from dagscape.search.max_min import INDEPENDENT, NOT_TESTED
from oracles.measured_tests import fisher_z

# A level at which nothing is independent: associations are minus the logs of all p-values.
ALL = 1 - 1e-9


def linear(n, m, seed):
    """Columns of a linear network of normal variables, with odd units."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(n, n)), 1) * (rng.random((n, n)) < 0.5)
    values = np.zeros((m, n))
    for j in range(n):
        values[:, j] = values @ weights[:, j] + rng.normal(size=m)
    return values * np.exp(rng.normal(size=n) * 8) + 1e4 * rng.normal(size=n)


def association(tests, first, second, given=()):
    return float(tests.associations(first, np.array([second]), np.array([given], dtype=np.intp))[0, 0])


@pytest.mark.parametrize(("n", "m"), [(6, 12), (6, 300)])
def test_p_values_are_those_of_least_squares(n, m):
    values = linear(n, m, 1) / 1e4
    tests = FisherZ(values, ALL)
    for first in range(n):
        for size in range(n - 1):
            sets = np.array([*itertools.combinations([v for v in range(n) if v != first], size)], dtype=np.intp)
            for given in sets:
                others = np.array([v for v in range(n) if v != first and v not in given])
                found = tests.associations(first, others, given[np.newaxis])[0]
                expected = [fisher_z(values, first, other, given.tolist()) for other in others.tolist()]
                assert np.exp(-found) == pytest.approx(expected, rel=1e-6)


def test_many_sets_and_candidates_give_the_bits_of_one_at_a_time():
    tests = FisherZ(linear(8, 50, 2), 0.3)
    sets = np.array([*itertools.combinations(range(2, 5), 2)])
    together = tests.associations(0, np.array([1, 5, 6, 7]), sets)
    apart = [[association(tests, 0, other, given) for other in (1, 5, 6, 7)] for given in sets]
    assert together.tolist() == apart
    assert {value == INDEPENDENT for value in together.ravel()} == {True, False}


def test_a_test_with_too_few_rows_is_not_made():
    tests = FisherZ(linear(6, 6, 3), ALL)
    sizes = [association(tests, 0, 1, range(2, 2 + size)) for size in range(5)]
    assert [value == NOT_TESTED for value in sizes] == [False, False, False, True, True]


def test_what_a_set_determines_is_independent():
    rng = np.random.default_rng(4)
    x, y, z = rng.normal(size=(3, 100))
    tests = FisherZ(np.column_stack([x, y, z, x + y, x + y + z, 2 * x - 1, np.full(100, 0.1)]), ALL)
    assert association(tests, 3, 4, (0, 1)) == INDEPENDENT
    assert association(tests, 4, 3, (0, 1)) == INDEPENDENT
    # A copy determines a column, and a constant is independent of all.
    assert association(tests, 0, 4, (5,)) == INDEPENDENT
    assert association(tests, 6, 0) == association(tests, 0, 6, (1,)) == INDEPENDENT
    # A member that others determine adds nothing, not even a degree of freedom.
    assert association(tests, 2, 4, (0, 5, 6)) == pytest.approx(association(tests, 2, 4, (0,)), rel=1e-12)
    # Copies are as dependent as can be, which is a number.
    assert association(tests, 0, 5) == pytest.approx((math.sqrt(97) * math.atanh(1 - 1e-12)) ** 2 / 2, rel=0.01)


def test_p_values_of_independent_columns_are_uniform():
    rng = np.random.default_rng(5)
    p_values = []
    for _ in range(300):
        z, w = rng.normal(size=(2, 30))
        x, y = (z - w + rng.normal(size=30) for _ in range(2))
        p_values.append(math.exp(-association(FisherZ(np.column_stack([x, y, z, w]), ALL), 0, 1, (2, 3))))
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_rows_and_columns_in_any_order_give_the_same_bits():
    values, rng = linear(7, 200, 6), np.random.default_rng(6)
    tests = FisherZ(values, 0.5)
    order = rng.permutation(7)
    place = np.argsort(order)
    shuffled = FisherZ(rng.permutation(values)[:, order], 0.5)
    sets = np.array([*itertools.combinations((4, 2, 6, 5), 3)])
    found = tests.associations(1, np.array([0, 3]), sets)
    assert found.tolist() == shuffled.associations(place[1], place[[0, 3]], place[sets]).tolist()
