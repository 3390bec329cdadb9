"""Columns of the same name."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.tables.duplicate_names import distinct_names


@given(st.lists(st.sampled_from(["a", "a.2", "a.3", "a.2.2", "b"]), min_size=1, max_size=9))
def test_renamed_columns_never_collide(names):
    found = distinct_names(names, "t", "rename")
    assert list(found.values()) == list(range(len(names)))
    for name in set(names):
        assert found[name] == names.index(name)
    assert all(new == old or new.rpartition(".")[0] == old for new, old in zip(found, names, strict=True))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,a,c,a\n1,x,2,u,5\n2,y,1,v,6\n1,y,2,v,5\n")
    return path


FRAME = pd.DataFrame([[1, "x", 2], [2, "y", 1]], columns=["a", "b", "a"])


def test_a_duplicated_name_may_be_left_out(table):
    for options in ({"drop": ["a"]}, {"columns": ["b", "c"]}):
        assert ds.read_data(table, **options).variables == ("b", "c")
    assert ds.Dataset.from_frame(FRAME, drop=["a"]).variables == ("b",)
    assert ds.Dataset.from_frame(pa.table([[1, 2], ["x", "y"], [2, 1]], ["a", "b", "a"]), drop=["a"]).variables == (
        "b",
    )
    assert ds.NumericData.from_frame(FRAME.assign(c=[1, 2]), columns=["c"]).variables == ("c",)


def test_duplicates_may_be_renamed(table):
    data = ds.read_data(table, duplicate_names="rename")
    assert data.variables == ("a", "b", "a.2", "c", "a.3")
    assert data.levels["a.3"] == ("5", "6")
    assert ds.read_data(table, duplicate_names="rename", drop=["a", "a.3"]).variables == ("b", "a.2", "c")
    assert ds.Dataset.from_frame(FRAME, duplicate_names="rename").variables == ("a", "b", "a.2")
    numbers = ds.NumericData.from_frame(FRAME, duplicate_names="rename", drop=["b"])
    assert numbers.to_frame().to_numpy().tolist() == [[1, 2], [2, 1]]
    assert ds.read_data(table, kind="numeric", duplicate_names="rename", columns=["a.2", "a.3"]).values.tolist() == [
        [1, 6],
        [2, 5],
        [2, 5],
    ]


def test_a_duplicated_name_that_is_used_is_an_error(table, tmp_path):
    message = (
        r"has more than one column called 'a': names must differ; tell the columns apart with "
        r"duplicate_names='rename', or leave all of them out with drop=\['a'\]$"
    )
    for options in ({}, {"columns": ["a", "b"]}, {"drop": ["b"]}):
        with pytest.raises(ds.InvalidData, match=message):
            ds.read_data(table, **options)
        with pytest.raises(ds.InvalidData, match=message):
            ds.Dataset.from_frame(FRAME, **options)
    with pytest.raises(ds.InvalidOption, match="duplicate_names is 'last'; it must be one of 'error', 'rename'"):
        ds.read_data(table, duplicate_names="last")
    path = tmp_path / "t.csv"
    path.write_text("a,,a\n1,2,3\n")
    with pytest.raises(ds.InvalidData, match="no name for column 2"):
        ds.read_data(path, drop=["a"])


def test_parquet_cannot_tell_duplicates_apart(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table([[1, 2], ["x", "y"], [2, 1]], ["a", "b", "a"]), path)
    assert ds.read_data(path, drop=["a"]).variables == ("b",)
    with pytest.raises(ds.InvalidData, match="more than one column called 'a'"):
        ds.read_data(path)
    with pytest.raises(ds.InvalidData, match=r"Parquet files cannot tell apart \('a.2'\): write the file again"):
        ds.read_data(path, duplicate_names="rename")
