"""Hartemink's method: merges against the definition, and what does not matter for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.data.discrete.information_merging import Levels, merged_intervals
from oracles.discretize import hartemink_groups


def boundaries(groups):
    return [[part[-1] for part in parts[:-1]] for parts in groups]


@st.composite
def tables(draw):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 14))
    counts = [draw(st.integers(1, 5)) for _ in range(n)]
    codes = [draw(st.lists(st.integers(0, count - 1), min_size=m, max_size=m)) for count in counts]
    # The last levels of some columns are no intervals, such as that of missing cells; some columns have none.
    intervals = [draw(st.sampled_from([0, count - 1, count])) for count in counts]
    wanted = [draw(st.integers(1, 3)) for _ in counts]
    return codes, counts, intervals, wanted


@given(tables())
def test_merges_are_those_of_the_definition(table):
    codes, counts, intervals, wanted = table
    columns = [
        Levels(np.array(column), *numbers) for column, *numbers in zip(codes, counts, intervals, wanted, strict=True)
    ]
    assert merged_intervals(columns) == boundaries(hartemink_groups(codes, intervals, wanted))


@given(tables(), st.data())
def test_weights_are_repeated_rows(table, data):
    codes, counts, intervals, wanted = table
    rows = len(codes[0])
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows)))
    columns = [
        Levels(np.array(column), *numbers) for column, *numbers in zip(codes, counts, intervals, wanted, strict=True)
    ]
    repeated = [np.repeat(column, weights).tolist() for column in codes]
    expected = boundaries(hartemink_groups(repeated, intervals, wanted))
    assert merged_intervals(columns, weights=weights) == expected


@pytest.mark.parametrize("weights", [None, np.arange(50) % 4])
def test_rows_are_counted_in_parts(monkeypatch, weights):
    rng = np.random.default_rng(0)
    columns = [Levels(rng.integers(0, 6, 50), 6, 6, 2) for _ in range(3)]
    whole = merged_intervals(columns, weights=weights)
    monkeypatch.setattr("dagscape.data.discrete.information_merging._CELLS_AT_ONCE", 20)
    assert merged_intervals(columns, weights=weights) == whole
