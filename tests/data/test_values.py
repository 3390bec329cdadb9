"""Levels are strings inside, and turn back into the user's values; frames are taken wherever data sets are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dagscape as ds
from dagscape.data.tables.value_types import own_values
from dagscape.data.values import as_dataset

FRAME = pd.DataFrame(
    {
        "integer": np.array([3, 1, 2, 1]),
        "boolean": [True, False, True, True],
        "number": [1.0, 2.0, 2.0, 1.0],
        "text": ["1", "2", "2", "1"],
        "category": pd.Categorical([10, 2, 2, 10], [10, 2, 7]),
        "mixed": pd.Series([1, "x", "x", 1], dtype=object),
        "nullable": pd.array([1, 2, 2, 1], dtype="Int64"),
    }
)
TYPES = {
    "integer": "integer",
    "boolean": "boolean",
    "number": "number",
    "text": "text",
    "category": "integer",
    "mixed": "mixed",
    "nullable": "integer",
}


def test_types_of_a_frame():
    data = ds.Dataset.from_frame(FRAME)
    assert data.types == TYPES
    assert data.select(["number", "text"]).types == {"number": "number", "text": "text"}
    for frame in (pl.from_pandas(FRAME.drop(columns=["mixed", "category"])),):
        assert ds.Dataset.from_frame(frame).types == {n: t for n, t in TYPES.items() if n not in ("mixed", "category")}
    assert ds.Dataset.from_frame(pa.table({"a": [1, 2], "b": [True, False]})).types == {"a": "integer", "b": "boolean"}


@pytest.mark.parametrize("column", [name for name in TYPES if name != "mixed"])
def test_levels_turn_back_into_values_that_compare_equal(column):
    data = ds.Dataset.from_frame(FRAME)
    by_level = dict(zip(data.levels[column], own_values(data.levels[column], data.types[column]), strict=True))
    written = [str(int(cell)) if column == "number" else str(cell) for cell in FRAME[column]]
    assert [by_level[text] for text in written] == FRAME[column].tolist()


def test_frames_have_the_values_of_their_source():
    data = ds.Dataset.from_frame(FRAME.drop(columns="mixed"))
    frame = data.to_frame()
    assert frame["boolean"].cat.categories.tolist() == [False, True]
    assert (frame["integer"] == 1).sum() == 2
    assert sorted(frame["number"].tolist()) == [1.0, 1.0, 2.0, 2.0]
    assert frame["text"].cat.categories.tolist() == ["1", "2"]
    again = ds.Dataset.from_frame(frame)
    assert again == data
    assert again.types == data.types


def test_frames_with_missing_levels_and_odd_numbers():
    frame = pd.DataFrame({"a": [1.0, 2.0, None], "b": [0.5, 2.0, 0.5]})
    data = ds.Dataset.from_frame(frame, missing="level", levels={"b": ["0.5", "2.0"]})
    assert data.levels["a"] == ("1", "2", "?")
    assert data.to_frame()["a"].cat.categories.tolist() == [1.0, 2.0, "?"]
    assert ds.Dataset.from_frame(data.to_frame(), missing="level") == data
    # Numbers that would not read back as the same strings stay strings.
    data = ds.Dataset.from_codes([[0], [1]], {"b": ["0.5", "2"]}, types={"b": "number"})
    assert data.to_frame()["b"].tolist() == ["0.5", "2"]


def test_types_of_a_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d,e\n1,01,1.0,x,-3\n2,02,2,y,0\n?,03,3,z,5\n")
    data = ds.read_data(path, missing="level")
    assert data.types == {"a": "integer", "b": "text", "c": "number", "d": "text", "e": "integer"}
    assert own_values(data.levels["a"], "integer") == [1, 2, "?"]


WRITTEN = {
    "boolean": [["True", "False"], ["TRUE", "FALSE"], ["true", "false"], ["true", "FALSE"]],
    "number": [["0.0", "1.0"], ["-1.5", "2"], ["1e3", ".5"], ["0.0", "5"]],
    "integer": [["0", "1"], ["-3", "12"]],
    "text": [["yes", "no"], ["True", "maybe"], ["1.0", "x"], ["v1", "v2"], ["True", "1"]],
}


@pytest.mark.parametrize(("own", "cells"), [(own, cells) for own, columns in WRITTEN.items() for cells in columns])
def test_a_file_has_the_types_that_pandas_reads(tmp_path, own, cells):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["c,d", *(f"{text},{i % 2}" for i, text in enumerate(cells * 2))]))
    data = ds.read_data(path, levels={"c": cells})
    read = pd.read_csv(path)["c"]
    assert data.types["c"] == own
    assert own_values(cells * 2, own) == read.tolist()
    assert [type(value) for value in own_values(cells, own)] == [type(value) for value in read.tolist()[:2]]
    again = ds.Dataset.from_frame(data.to_frame())
    assert again.levels == data.levels


def test_levels_that_are_equal_as_values_stay_text(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,True\n1.0,true\n")
    data = ds.read_data(tmp_path / "t.csv")
    assert data.types == {"a": "text", "b": "text"}
    assert own_values(data.levels["b"], data.types["b"]) == ["True", "true"]


def test_mixed_columns_are_named():
    data = ds.Dataset.from_frame(FRAME)
    assert own_values(data.levels["mixed"], data.types["mixed"]) == ["1", "x"]
    warning = "'mixed' mixes numbers or booleans with text: its levels are text, and so are predictions of it"
    assert data.describe().warnings[-1] == warning
    assert not any("mixes" in text for text in ds.Dataset.from_frame(FRAME.drop(columns="mixed")).describe().warnings)


def test_types_of_codes():
    data = ds.Dataset.from_codes([[0, 0, 1], [1, 1, 0]], {"a": 2, "b": ["x", "y"], "c": [True, False]})
    assert data.levels == {"a": ("0", "1"), "b": ("x", "y"), "c": ("True", "False")}
    assert data.types == {"a": "integer", "b": "text", "c": "boolean"}


def test_a_number_of_levels_in_codes():
    data = ds.Dataset.from_codes([[0]], {"a": 2})
    assert data.levels["a"] == ("0", "1")
    with pytest.raises(
        ds.InvalidOption, match="levels has 0 for 'a'; it must be a sequence of levels, or their number"
    ):
        ds.Dataset.from_codes([[0]], {"a": 0})
    assert ds.Dataset.from_codes([[0]], {"a": "xy"}).levels["a"] == ("x", "y")
    with pytest.raises(ds.InvalidOption, match=r"levels has 2\.5 for 'a'"):
        ds.Dataset.from_codes([[0]], {"a": 2.5})
    with pytest.raises(ds.InvalidOption, match="must map variables to levels"):
        ds.Dataset.from_codes([[0]], [2])


def test_unknown_types_are_refused():
    with pytest.raises(ds.InvalidOption, match="value_type is 'date'; it must be one of 'text', 'integer'"):
        own_values(["1"], "date")


CELLS = pd.DataFrame({"a": [0, 1, 1, 0, 1], "b": [0, 1, 1, 0, 0], "c": ["x", "y", "x", "y", "y"]})


@pytest.mark.slow
@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_frames_are_data(make):
    frame, data = make(CELLS), ds.Dataset.from_frame(CELLS)
    assert as_dataset(frame) == data
    assert as_dataset(data) is data
    assert ds.local_scores(frame).info == ds.local_scores(data).info
    assert ds.family_scores(frame).family("a", ["b"]) == ds.local_scores(data).family("a", ["b"])
    assert ds.plan(frame, "best").steps[0].memory == ds.plan(data, "best").steps[0].memory
    best = ds.k_best(ds.local_scores(data), k=2)
    expected = best.log_predictive(data, data).tolist()
    assert best.log_predictive(frame, data).tolist() == expected
    dag = ds.Dag.from_edges(list("abc"), [("a", "b")])
    network = ds.Network.fit(dag, frame)
    assert network == ds.Network.fit(dag, data)
    assert network.log_likelihood(frame) == network.log_likelihood(data)


def test_one_row_of_a_frame_has_a_likelihood():
    network = ds.Network.fit(ds.Dag.from_edges(list("abc"), [("a", "b")]), CELLS)
    rows = [network.log_likelihood(CELLS.iloc[[i]]) for i in range(len(CELLS))]
    assert sum(rows) == pytest.approx(network.log_likelihood(CELLS))


def test_frames_that_need_options_say_so():
    with pytest.raises(
        ds.InvalidData,
        match=r"1 missing cell, in column 'a' at row 0 .*; make the data set first, with Dataset",
    ):
        ds.local_scores(CELLS.assign(a=[None, 1, 1, 0, 1]))
    with pytest.raises(ds.InvalidOption, match=r"Dataset\(\) does not take a DataFrame: use Dataset.from_frame\(\)"):
        ds.Dataset(CELLS)
    with pytest.raises(ds.InvalidOption, match=r"data is a list; it must be a Dataset: use read_data\(\)"):
        ds.local_scores([[1, 2]])


def test_a_frame_without_any_variable_of_a_network_is_refused():
    with pytest.raises(ds.InvalidData, match="the data frame has none of the variables 'asia', 'tub'"):
        ds.load_network("asia").log_likelihood(pd.DataFrame({"x": [1, 2]}))
