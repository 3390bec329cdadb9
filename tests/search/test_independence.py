"""G² tests against their definition and high precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.search.independence import independence_tests, pairwise_information
from oracles.independence import g2_test, mutual_information
from scores.strategies import dataset, tables


def outcome(data, first, second, given=(), rows_per_cell=1):
    tests = independence_tests(data, rows_per_cell, data.n, 1, None)
    return tests.test(first, second, np.array(given, dtype=np.uint16))


@given(tables(max_variables=5, max_rows=60), st.randoms())
def test_statistics_match_the_definition(table, random):
    arities, rows = table
    members = list(range(len(arities)))
    random.shuffle(members)
    if len(members) < 2:
        return
    first, second, *given = members
    found = outcome(dataset(arities, rows), first, second, given)
    assert (found is None) == (math.prod(arities) > len(rows))
    if found is not None:
        expected = g2_test(rows, first, second, given)
        assert found[0] == pytest.approx(expected[0], abs=1e-8)
        assert found[1] == expected[1]
        # With one degree of freedom and a statistic of 0, ln p changes with the square root of its rounding error.
        assert found[2] == pytest.approx(expected[2], rel=1e-9, abs=1e-5)


@pytest.mark.parametrize(("freedom", "copies"), [(1, 10), (1, 2000), (9, 700), (100, 300)])
def test_p_values_do_not_underflow(freedom, copies):
    levels = math.isqrt(freedom) + 1
    rows = [(level, level) for level in range(levels)] * copies
    statistic, found, log_p = outcome(dataset([levels, levels], rows), 0, 1)
    expected = g2_test(rows, 0, 1, ())
    assert found == freedom
    assert statistic == pytest.approx(expected[0], rel=1e-12)
    assert log_p == pytest.approx(expected[2], rel=1e-11)


def test_symmetric_tests_tie_exactly():
    data = ds.load_dataset("tic-tac-toe")
    corners = [
        data.variables.index(f"{row}-{column}-square") for row in ("top", "bottom") for column in ("left", "right")
    ]
    label, centre = data.variables.index("Class"), data.variables.index("middle-middle-square")
    assert len({outcome(data, label, corner, [centre]) for corner in corners}) == 1


def test_few_rows_are_not_tested():
    data = dataset([2, 5], [(i % 2, i % 5) for i in range(50)])
    assert outcome(data, 0, 1, rows_per_cell=5) is not None
    assert outcome(data, 0, 1, rows_per_cell=6) is None


def test_pairwise_information_is_the_mutual_information():
    data = ds.load_dataset("iris")
    rows = [tuple(row) for row in np.repeat(data.codes, data.weights, axis=0).tolist()]
    found = pairwise_information(data, 2, None)
    expected = np.array(
        [[0.0 if i == j else mutual_information(rows, i, j) for j in range(data.n)] for i in range(data.n)]
    )
    assert np.array_equal(found, found.T)
    assert found / found.max() == pytest.approx(expected / expected.max(), abs=1e-9)
