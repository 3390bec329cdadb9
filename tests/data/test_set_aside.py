"""Columns that are no variables: constant ones, identifiers on request, and those that the user leaves out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds

FRAME = pd.DataFrame({"a": [0, 1, 1, 0], "k": ["z"] * 4, "b": [1, 0, 1, 0]})
REASON = "has the same value, 'z', in every row"


def test_constant_columns_are_set_aside(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    made = [ds.Dataset.from_frame(FRAME), ds.read_data(tmp_path / "t.csv"), ds.discretize(FRAME)]
    made.append(ds.Dataset.from_array(FRAME.to_numpy(), list(FRAME.columns)))
    for data in made:
        assert data.variables == ("a", "b")
        assert data.set_aside == {"k": REASON}
        assert repr(data) == "Dataset(2 variables, 1 set aside, 4 rows, 4 of them distinct)"
        assert data.describe().warnings == (f"'k' {REASON}: it is set aside",)
        assert data == ds.Dataset.from_frame(FRAME[["a", "b"]])


def test_a_constant_column_no_longer_makes_classes_tie():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"a": a, "b": a ^ (rng.random(300) < 0.2), "c": rng.integers(0, 2, 300), "k": "z"})
    with pytest.warns(ds.AutomaticReading, match=f"^'k' is set aside: it {REASON}$"):
        best = ds.k_best(ds.local_scores(frame), k=5)
    assert best.warnings == (f"automatic reading: 'k' is set aside: it {REASON}",)
    assert len(set(np.round(best.scores, 6).tolist())) == 5
    kept = ds.Dataset.from_frame(frame, keep_constant=True)
    assert kept.variables == ("a", "b", "c", "k")
    assert len(set(np.round(ds.k_best(ds.local_scores(kept), k=5).scores, 6).tolist())) == 1


def test_declared_levels_keep_a_column():
    assert ds.Dataset.from_frame(FRAME, levels={"k": ["y", "z"]}).levels["k"] == ("y", "z")
    categories = FRAME.assign(k=pd.Categorical(["z"] * 4, ["y", "z"]))
    assert ds.Dataset.from_frame(categories).set_aside == {}
    one = FRAME.assign(k=pd.Categorical(["z"] * 4))
    assert list(ds.Dataset.from_frame(one).set_aside) == ["k"]
    assert ds.Dataset.from_codes([[0, 0], [1, 0]], {"a": 2, "k": ["z"]}).variables == ("a", "k")


def test_missing_cells_and_constant_columns():
    frame = pd.DataFrame({"a": [0, 1, 1, 0], "k": ["z", None, "z", None], "e": [None] * 4})
    data = ds.Dataset.from_frame(frame, missing="level")
    assert data.levels["k"] == ("z", "?")
    assert data.set_aside == {"e": "has missing cells only"}
    # No row is dropped for the sake of a column that could only become constant.
    data = ds.Dataset.from_frame(frame, missing="drop")
    assert (data.variables, data.m, data.dropped) == (("a",), 4, 0)
    assert data.set_aside == {"k": REASON, "e": "has missing cells only"}


def test_a_column_that_becomes_constant_when_rows_are_dropped():
    frame = pd.DataFrame({"a": [0, 1, 1, 0], "k": ["z", "z", "z", "y"], "b": ["u", "v", "u", None]})
    data = ds.Dataset.from_frame(frame, missing="drop")
    assert data.variables == ("a", "b")
    assert data.set_aside["k"] == (
        "has the same value, 'z', in every row that is left after dropping those with missing cells"
    )


def test_nothing_but_constant_columns():
    with pytest.raises(ds.InvalidData, match=r"the data frame has constant columns only: .*keep_constant=True"):
        ds.Dataset.from_frame(FRAME[["k"]])
    with pytest.raises(ds.InvalidData, match="a single row, so that every column is constant: declare more levels"):
        ds.Dataset.from_array([[1, 2]])


def test_interventions_on_a_constant_column_go_with_it():
    data = ds.Dataset.from_frame(FRAME, interventions=["k", "a", "k;b", 3])
    assert data.variables == ("a", "b")
    # The number 3 counts the columns of the frame.
    marks = {tuple(row): mark for row, mark in zip(data.codes.tolist(), data.interventions.tolist(), strict=True)}
    assert marks == {(0, 1): [False, False], (1, 0): [True, False], (1, 1): [False, True], (0, 0): [False, True]}


def test_whoever_asks_for_a_column_set_aside_is_told_why():
    data = ds.Dataset.from_frame(FRAME)
    with pytest.raises(ds.InvalidOption, match=f"'k' was set aside, because it {REASON}"):
        data.select(["a", "k"])
    for options in ({"required": [("k", "a")]}, {"forbidden": [("a", "k")]}, {"tiers": [["k"], ["a"]]}):
        with pytest.raises(ds.InvalidOption, match=f"names 'k', which was set aside, because it {REASON}"):
            ds.local_scores(data, **options)


def test_a_network_with_a_column_that_was_set_aside():
    message = f"the data lack variables of the network: 'k'; 'k' was set aside, because it {REASON}"
    with pytest.warns(ds.AutomaticReading), pytest.raises(ds.InvalidData, match=message):
        ds.Network.fit(ds.Dag.from_edges(["a", "k", "b"], [("a", "k")]), FRAME)


PEOPLE = pd.DataFrame({"id": [f"p{i}" for i in range(30)], "a": [0, 1] * 15, "b": [0, 1, 1] * 10})


def test_identifiers_are_set_aside_on_request():
    data = ds.Dataset.from_frame(PEOPLE)
    assert data.variables == ("id", "a", "b")
    (warning,) = data.describe().warnings
    assert "'id' has 30 distinct values in 30 rows: is it an identifier?" in warning
    assert "edges from and to it mean nothing" in warning
    data = ds.Dataset.from_frame(PEOPLE, drop_suspicious=True)
    assert data.variables == ("a", "b")
    assert data.set_aside == {"id": "has 30 distinct values in 30 rows, as identifiers do"}
    declared = ds.Dataset.from_frame(PEOPLE, drop_suspicious=True, levels={"id": PEOPLE["id"].tolist()})
    assert declared.variables == ("id", "a", "b")
    with pytest.raises(ds.InvalidData, match="only columns that are constant or look like identifiers"):
        ds.Dataset.from_frame(PEOPLE[["id"]], drop_suspicious=True)


def test_columns_and_drop(tmp_path):
    frame = FRAME.assign(when=pd.Timestamp("2020-01-01"), x=[0.5, None, 1.5, 2.5])
    wanted = ds.Dataset.from_frame(FRAME[["b", "a"]])
    assert ds.Dataset.from_frame(frame, columns=["b", "a"]) == wanted
    assert ds.Dataset.from_frame(frame, drop=["when", "x"], missing="drop").m == 4
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert ds.read_data(tmp_path / "t.csv", columns=["b", "a"]) == wanted
    assert ds.read_data(tmp_path / "t.csv", drop=["k", "when", "x"]).select(["b", "a"]) == wanted
    assert ds.Dataset.from_array(FRAME.to_numpy(), list("akb"), columns=["b", "a"]) == wanted
    assert ds.discretize(frame, drop=["when"], missing="drop").variables == ("a", "b", "x")
    frame[["b", "a", "x"]].to_parquet(tmp_path / "t.parquet")
    assert ds.read_data(tmp_path / "t.parquet", drop=["x"]) == wanted


def test_dropped_columns_and_the_other_options():
    frame = FRAME.assign(INT=[0, 3, 0, 1], c=["u", "v", "u", "v"])
    data = ds.Dataset.from_frame(frame, interventions="INT", columns=["c", "b"], levels={"a": 5, "c": ["v", "u"]})
    assert data.variables == ("c", "b")
    assert data.levels["c"] == ("v", "u")
    assert (data.weights @ data.interventions).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": ["aa"]}, "the data frame has no column 'aa'; did you mean 'a'?"),
        ({"columns": ["zzz"]}, "the data frame has no column 'zzz': its columns are 'a', 'k', 'b'"),
        ({"columns": "a"}, "columns is 'a'; it must be a collection of names"),
        ({"drop": 3}, "drop is 3; it must be a collection of names"),
        ({"columns": ["a", "a"]}, "columns holds a name more than once: 'a', 'a'"),
        ({"columns": ["a"], "drop": ["a"]}, "drop holds 'a', which is also among the columns to use"),
        ({"drop": ["a", "k", "b"]}, "drop leaves no column of the data frame"),
    ],
)
def test_bad_columns(options, message):
    with pytest.raises(ds.InvalidOption) as raised:
        ds.Dataset.from_frame(FRAME, **options)
    assert str(raised.value).startswith(message)


def test_dropping_variables_of_a_data_set():
    data = ds.load_dataset("iris")
    assert data.drop(["class"]).variables == data.variables[:-1]
    assert data.drop(["class"]) == data.select(data.variables[:-1])
    with pytest.raises(ds.InvalidOption, match="no variable 'clas'; did you mean 'class'"):
        data.drop(["clas"])
    with pytest.raises(ds.InvalidOption, match="is the string 'class'"):
        data.drop("class")


@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=2, max_size=8))
def test_variables_and_columns_set_aside_make_up_the_table(rows):
    varying = [f"X{i}" for i, column in enumerate(zip(*rows, strict=True)) if len(set(column)) > 1]
    if not varying:
        with pytest.raises(ds.InvalidData):
            ds.Dataset.from_array(rows)
        return
    data = ds.Dataset.from_array(rows)
    assert list(data.variables) == varying
    assert sorted([*data.variables, *data.set_aside]) == ["X0", "X1", "X2"]
    assert data == ds.Dataset.from_array(rows, keep_constant=True).select(varying)


def test_a_column_that_was_constant_before_rows_were_dropped():
    frame = pd.DataFrame({"a": [0, 1, None, 1], "town": ["Kiel"] * 4, "late": ["x", "x", "y", "x"], "b": [0, 0, 1, 1]})
    data = ds.Dataset.from_frame(frame, missing="drop")
    assert data.set_aside == {
        "town": "has the same value, 'Kiel', in every row",
        "late": "has the same value, 'x', in every row that is left after dropping those with missing cells",
    }


def test_the_first_decimal_is_named():
    frame = pd.DataFrame({"x": [3.0, 2.5, None, 0.5], "b": [0, 1, 1, 0]})
    with pytest.raises(ds.InvalidData, match=r"decimals in column 'x' \(such as '2\.5' at row 1 \(counted from 0\)\)"):
        ds.Dataset.from_frame(frame, missing="level")


def test_an_identifier_costs_no_rows():
    """Missing cells of a column that is set aside do not matter, whatever is to be done with missing cells."""
    person = [f"p{i}" if i < 40 else None for i in range(60)]
    frame = pd.DataFrame({"person": person, "a": [0, 1] * 30, "b": [0, 1, 1] * 20, "x": np.arange(60) / 7})
    for missing in ("drop", "error"):
        plain = ds.Dataset.from_frame(frame, missing=missing, drop=["x"], drop_suspicious=True)
        cut = ds.discretize(frame, missing=missing, drop_suspicious=True)
        assert (plain.m, plain.dropped, set(plain.set_aside)) == (60, 0, {"person"})
        assert (cut.m, cut.dropped, set(cut.set_aside)) == (60, 0, {"person"})
