"""Errors about missing cells name the columns that are responsible for them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.tables.frames import table_from_array
from dagscape.data.tables.missing_cells import responsible_columns
from dagscape.data.tables.weights import weighted
from oracles.missing_cells import responsible


@st.composite
def gap_tables(draw):
    rows, columns = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    gaps = draw(st.lists(st.lists(st.booleans(), min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    counts = draw(st.none() | st.lists(st.integers(1, 5), min_size=rows, max_size=rows))
    return np.array(gaps), counts


@given(gap_tables())
def test_the_columns_are_those_of_the_obvious_search(case):
    gaps, counts = case
    table = weighted(table_from_array(np.where(gaps, None, 1)), counts)
    found = responsible_columns(table)
    assert (found.columns, found.complete) == responsible(table.names, gaps.tolist(), counts or [1] * len(gaps))


def survey(rows=100):
    """A survey in which nearly nobody has a salary, half have no age, and few no education."""
    number = np.arange(rows)
    return pd.DataFrame(
        {
            "salary": np.where(number < 90, np.nan, 1 + number % 2),
            "age": np.where(number < 40, 1 + number % 3, np.where(number < 95, 2, np.nan)),
            "x": np.where(number % 2 == 0, np.nan, number % 4),
            "school": np.where(number >= 94, np.nan, number % 3),
            "sex": number % 2,
        }
    )


def test_if_every_row_has_a_missing_cell_the_columns_to_drop_are_named():
    frame = survey().assign(x=lambda table: table["x"].where(table["salary"].isna()))
    with pytest.raises(ds.InvalidData) as error:
        ds.Dataset.from_frame(frame, missing="drop")
    assert str(error.value) == (
        "the data frame has a missing cell in every row, so that missing='drop' would drop all of them: 'salary' is "
        "missing in 90 of 100 rows and 'x' in 55; without them, 94 rows are complete: use drop=['salary', 'x'], or "
        "missing='level'"
    )
    assert ds.Dataset.from_frame(frame, missing="drop", drop=["salary", "x"]).m == 94
    with pytest.raises(ds.InvalidData, match=r"94 rows are complete: use drop=\['salary', 'x'\]$"):
        ds.NumericData.from_frame(frame, missing="drop")
    with pytest.raises(ds.InvalidData, match=r"no row is complete: 'salary' .*use drop=\[.*\] and missing='drop'$"):
        ds.Dataset.from_frame(frame)


def test_one_column_and_one_row_have_their_own_words():
    frame = pd.DataFrame({"a": [1, 2, 1, 1], "b": [None, None, 2, 1], "c": [1, 2, None, None]})
    with pytest.raises(
        ds.InvalidData, match=r"'b' is missing in 2 of 4 rows; without it, 2 rows are complete: use drop=\['b'\]"
    ):
        ds.Dataset.from_frame(frame, missing="drop")
    frame = pd.DataFrame({"a": [1, 2, None], "b": [None, 1, 2], "c": [2, None, 1]})
    with pytest.raises(ds.InvalidData, match=r"'a' is missing in 1 of 3 rows; without it, 1 row is complete: use drop"):
        ds.Dataset.from_frame(frame, missing="drop")
    frame = pd.DataFrame({"a": [None, 2, None], "b": [1, None, None]})
    with pytest.raises(ds.InvalidData, match=r"without it, 1 row is complete: use drop=\['a'\]"):
        ds.Dataset.from_frame(frame, missing="drop", keep_constant=True)


def test_the_error_about_missing_cells_counts_rows_and_names_columns():
    with pytest.raises(ds.InvalidData) as error:
        ds.Dataset.from_frame(pd.DataFrame({"a": [1, None, 2, None], "b": [1, None, 2, 2]}))
    assert str(error.value) == (
        "the data frame has 3 missing cells, the first in column 'a' at row 1 (counted from 0), in 2 of 4 rows "
        "('a' in 2, 'b' in 1): use missing='level' to make them a level of their own, or missing='drop' to leave out "
        "their rows"
    )
    many = pd.DataFrame({f"x{i}": [None, 1, 2] for i in range(7)})
    with pytest.raises(ds.InvalidData, match=r"\('x0' in 1, 'x1' in 1, 'x2' in 1, 'x3' in 1, and 3 more columns\)"):
        ds.Dataset.from_frame(many)


def test_rows_count_as_often_as_their_weights_say():
    frame = pd.DataFrame({"a": [1, None, 2, None], "b": [None, 1, None, 2], "n": [5, 20, 7, 10]})
    with pytest.raises(ds.InvalidData, match="'a' is missing in 30 of 42 rows; without it, 30 rows are complete"):
        ds.Dataset.from_frame(frame, weights="n", missing="drop")
    with pytest.raises(ds.InvalidData, match=r"in 42 of 42 rows \('a' in 30, 'b' in 12\)"):
        ds.Dataset.from_frame(frame, weights="n")
    data = ds.Dataset.from_frame(frame.assign(b=[1, 2, 1, 2]), weights="n", missing="drop")
    # The column b is constant in the rows that are left.
    assert (data.m, data.dropped, dict(data.missing)) == (12, 30, {"a": 30})
    assert ds.Dataset.from_frame(frame, weights="n", missing="level").describe().columns[0].missing == 30


def test_a_table_of_gaps_only_has_no_proposal():
    with pytest.raises(
        ds.InvalidData, match=r"all of them: fill in cells, or leave out columns with drop, or missing="
    ):
        ds.Dataset.from_frame(pd.DataFrame({"a": [None], "b": [None]}), missing="drop", keep_constant=True)
