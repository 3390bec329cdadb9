"""A discretizer that is fitted, saved, and applied to new rows."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.bundled import SETS
from oracles.discretize import cut_cells

NUMBERS = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e6, 1e6))
WINE = pd.read_csv(SETS / "wine.csv")


def labels(data):
    """The rows of a data set, as often as they occur."""
    rows = []
    for row, weight in zip(data.codes.tolist(), data.weights.tolist(), strict=True):
        names = zip(data.variables, row, strict=True)
        rows += [tuple(data.levels[name][code] for name, code in names)] * weight
    return rows


def test_train_and_test_rows_get_the_same_levels():
    rows = np.random.default_rng(0).permutation(len(WINE))
    train, test = WINE.iloc[rows[:120]], WINE.iloc[rows[120:]]
    fitted = ds.Discretizer(method="mdl", class_column="class").fit(train)
    first, second = fitted.apply(train), fitted.apply(test)
    assert first.levels == second.levels == {name: fitted.levels[name] for name in fitted.levels}
    assert first == ds.discretize(train, method="mdl", class_column="class")
    assert second.m == len(test)
    assert first.discretizer == second.discretizer == fitted
    assert fitted.cuts["proline"].tolist() == sorted(fitted.cuts["proline"].tolist())
    assert len(fitted.cuts["proline"]) == len(fitted.levels["proline"]) - 1


@settings(max_examples=30)
@given(
    st.lists(st.tuples(NUMBERS, st.sampled_from("uv")), min_size=2, max_size=30),
    st.lists(st.tuples(NUMBERS, st.sampled_from("uv")), min_size=1, max_size=10),
    st.integers(2, 5),
    st.sampled_from(["width", "quantile"]),
)
@example([(0.0, "u"), (0.5, "v"), (9.0, "v")], [(4.5, "u"), (4.6, "v"), (-1e9, "u"), (1e9, "u")], 3, "width")
@example([(1.0, "u"), (float(np.nextafter(1.0, 2.0)), "v")], [(1.0, "u")], 2, "quantile")
def test_new_rows_are_cut_as_the_oracle_cuts_them(old, new, bins, method):
    train, test = (pd.DataFrame(cells, columns=["x", "c"]) for cells in (old, new))
    options = {"method": method, "bins": bins, "columns": ["x"], "keep_constant": True}
    data = ds.discretize(train, **options)
    fitted = data.discretizer
    assert fitted == ds.Discretizer(method=method, bins=bins, columns=["x"]).fit(train, keep_constant=True)
    assert fitted.apply(train) == data
    known = test[test["c"].isin(train["c"])]
    if len(known):
        columns = {name: known[name].tolist() for name in known}
        found = fitted.apply(known)
        assert sorted(labels(found)) == sorted(cut_cells(columns, fitted.cuts, fitted.levels))
        assert found.levels == data.levels


def test_labels_say_where_numbers_go():
    # The middle of 1.23456 and 9.87654 is shown as 5.56, and 5.56 is where new numbers are cut.
    fitted = ds.Discretizer(bins=2).fit(pd.DataFrame({"x": [1.23456, 9.87654]}))
    assert fitted.cuts["x"].tolist() == [5.56]
    assert fitted.levels["x"] == ("(-inf,5.56]", "(5.56,inf)")
    rows = pd.DataFrame({"x": [5.555, 5.56, 5.5600001, -np.finfo(float).max, np.finfo(float).max]})
    assert fitted.apply(rows).weights.tolist() == [3, 2]


def test_an_empty_interval_is_cut_in_the_middle():
    fitted = ds.Discretizer(method="width", bins=3).fit(pd.DataFrame({"x": [0.0, 0.5, 9.0]}))
    assert fitted.levels["x"] == ("(-inf,4.5]", "(4.5,inf)")
    assert fitted.cuts["x"].tolist() == [4.5]


TRAIN = pd.DataFrame(
    {"x": [0.5, 1.5, 2.5, 3.5], "n": [1, 2, 1, 2], "ok": [True, False, True, True], "k": "z", "y": list("babb")}
)


def test_every_kind_of_source_and_column(tmp_path):
    fitted = ds.Discretizer(bins=2).fit(TRAIN)
    assert list(fitted.levels) == ["x", "n", "ok", "y"]
    new = TRAIN.iloc[:3].assign(extra="?", k="other", x=[9, 9, 0])
    expected = fitted.apply(new)
    assert expected.to_frame()["x"].tolist().count("(2,inf)") == 2
    new.to_csv(tmp_path / "new.csv", index=False)
    for source in (tmp_path / "new.csv", str(tmp_path / "new.csv"), pl.from_pandas(new), new[["y", "x", "ok", "n"]]):
        assert fitted.apply(source) == expected
    assert fitted.apply(new).types == {"x": "text", "n": "integer", "ok": "boolean", "y": "text"}
    # One row is enough, and it may lack columns.
    assert fitted.apply(new[["x", "n"]].iloc[:1]).variables == ("x", "n")


def test_what_new_rows_may_not_have():
    fitted = ds.Discretizer(bins=2).fit(TRAIN)
    with pytest.raises(
        ds.InvalidData, match=r"has 'q' in column 'y' at row 1 .*not among its declared levels 'a', 'b'"
    ):
        fitted.apply(TRAIN.assign(y=list("aqbb")))
    with pytest.raises(ds.InvalidData, match=r"has 'many' in column 'x' at row 2 .*not a finite number"):
        fitted.apply(TRAIN.assign(x=["1", "2", "many", "3"]))
    with pytest.raises(ds.InvalidData, match="none of the discretizer's columns 'x', 'n', 'ok', 'y'"):
        fitted.apply(pd.DataFrame({"z": [1, 2]}))
    with pytest.raises(ds.InvalidOption, match=r"is not fitted: use the one that its method fit\(\) returns"):
        ds.Discretizer().apply(TRAIN)
    with pytest.raises(ds.InvalidOption, match="is not fitted"):
        _ = ds.Discretizer().levels


def test_missing_cells_as_told():
    gaps = TRAIN.assign(x=[0.5, None, 2.5, 3.5], y=["a", "b", None, "b"])
    fitted = ds.Discretizer(bins=2).fit(TRAIN)
    with pytest.raises(ds.InvalidData, match="2 missing cells"):
        fitted.apply(gaps)
    dropped = fitted.apply(gaps, missing="drop")
    assert (dropped.m, dropped.dropped) == (2, 2)
    assert fitted.apply(gaps, missing="level").levels["x"] == ("(-inf,2]", "(2,inf)", "?")
    # Levels of missing cells stay, even if the new rows have none.
    with_level = ds.Discretizer(bins=2).fit(gaps, missing="level")
    again = with_level.apply(TRAIN)
    assert again.levels["x"][-1] == again.levels["y"][-1] == "?"
    assert with_level.apply(gaps, missing="level") == ds.discretize(gaps, bins=2, missing="level")


def test_interventions_go_along():
    frame = TRAIN.assign(INT=[0, 1, 0, "y"])
    data = ds.Discretizer(bins=2).fit(TRAIN).apply(frame, interventions="INT")
    assert (data.weights @ data.interventions).tolist() == [1, 0, 0, 1]


def test_saving_and_loading(tmp_path):
    fitted = ds.discretize(WINE, method="mdl", class_column="class").discretizer
    fitted.save(tmp_path / "cuts.json")
    again = ds.Discretizer.load(tmp_path / "cuts.json")
    assert again == fitted
    assert hash(again) == hash(fitted)
    assert again.apply(WINE) == fitted.apply(WINE)
    assert pickle.loads(pickle.dumps(fitted)) == copy.deepcopy(fitted) == fitted
    assert ds.Discretizer.from_dict(json.loads(json.dumps(fitted.to_dict()))) == fitted
    assert fitted != ds.Discretizer()
    by_column = ds.Discretizer(bins={"x": np.int64(3)}, columns=("x",))
    assert ds.Discretizer.from_dict(json.loads(json.dumps(by_column.to_dict()))) == by_column
    assert repr(fitted) == "Discretizer('mdl', 14 columns, 13 of them cut)"
    assert repr(by_column) == "Discretizer('quantile', not fitted)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "posterior"}, "its kind is not 'discretizer'"),
        ({"schema": 99}, "has schema 99; this version of dagscape reads 1"),
        ({"fitted": {"x": {"levels": ["a"]}}}, "fitted.x lacks 'type'"),
        (
            {"fitted": {"x": {"levels": [], "type": "text", "cuts": None}}},
            "levels of column 'x' are not distinct",
        ),
        ({"fitted": {"x": {"levels": ["a", "b"], "type": "text", "cuts": [2, 1]}}}, "cuts of column 'x' are not"),
        ({"fitted": {"x": {"levels": ["a"], "type": "text", "cuts": [1]}}}, "cuts of column 'x' are not"),
    ],
)
def test_damaged_documents(tmp_path, change, message):
    path = tmp_path / "cuts.json"
    path.write_text(json.dumps(ds.Discretizer(bins=2).fit(TRAIN).to_dict() | change))
    with pytest.raises(ds.InvalidData, match=f"cuts.json' cannot be used: .*{message}"):
        ds.Discretizer.load(path)
    path.write_text("x,y\n1,2\n")
    with pytest.raises(ds.InvalidData, match="is not JSON"):
        ds.Discretizer.load(path)


def test_cuts_that_a_document_cannot_hold_are_refused_when_fitted(tmp_path):
    frame = pd.DataFrame({"x": [1e305, 2e305, 3e305, 4e305], "y": [0.5, 1.5, 2.5, 3.5]})
    with pytest.raises(
        ds.InvalidData,
        match=r"numbers in column 'x' that would be cut at 2.*e\+305; cuts must be between -1e\+300 and 1e\+300: "
        r"divide the column by a power of 10, or leave it out with drop=\['x'\]",
    ):
        ds.Discretizer(bins=2, columns=["x"]).fit(frame)
    with pytest.raises(ds.InvalidData, match=r"cut at -2.*e\+305"):
        ds.discretize(-frame, bins=2, columns=["x"])
    # Numbers may be larger than cuts.
    fitted = ds.Discretizer(bins=2).fit(frame.assign(x=[0.5, 1.5, 1e10, 1e306]))
    fitted.save(tmp_path / "cuts.json")
    assert ds.Discretizer.load(tmp_path / "cuts.json") == fitted
    assert ds.Discretizer(bins=2).fit(frame, drop=["x"]).cuts["y"].tolist() == [2.0]


def test_a_data_set_knows_its_discretizer():
    data = ds.discretize(TRAIN, bins=2)
    assert data.discretizer.cuts["x"].tolist() == [2.0]
    assert data.select(["x", "y"]).discretizer is data.discretizer
    assert pickle.loads(pickle.dumps(data)).discretizer == data.discretizer
    assert ds.load_dataset("votes").discretizer is None


def test_columns_set_aside_in_fitting_are_set_aside_in_new_rows(tmp_path):
    generator = np.random.default_rng(3)
    frame = pd.DataFrame({"size": np.arange(60) / 7, "noise": generator.normal(size=60), "class": np.arange(60) // 30})
    with pytest.warns(ds.AutomaticReading, match="'noise' is set aside: it is not cut: all its numbers are in one"):
        data = ds.discretize(frame, method="mdl", class_column="class")
    assert data.set_aside == {"noise": "is not cut: all its numbers are in one interval"}
    discretizer = ds.Discretizer(method="mdl", class_column="class").fit(frame)
    assert repr(discretizer) == "Discretizer('mdl', 2 columns, 1 of them cut, 1 set aside)"
    discretizer.save(tmp_path / "cuts.json")
    for known in (discretizer, ds.Discretizer.load(tmp_path / "cuts.json"), pickle.loads(pickle.dumps(discretizer))):
        assert known == discretizer == data.discretizer
        assert known.set_aside == data.set_aside
        applied = known.apply(frame)
        assert applied == data
        assert applied.set_aside == data.set_aside
        assert applied.describe().warnings == data.describe().warnings
        assert known.apply(frame[["size", "class"]]).set_aside == {}


def test_a_class_of_many_integers_is_refused():
    wine = "builtin:wine"
    message = (
        r"wine.* has 121 distinct integers in the class column 'proline'; the limit is 20: choose a discrete column, "
        r"or list its levels in levels"
    )
    with pytest.raises(ds.InvalidData, match=message):
        ds.discretize(wine, method="mdl", class_column="proline")
    frame = pd.DataFrame({"x": np.arange(50) / 3, "c": np.arange(50) // 2})
    with pytest.raises(ds.InvalidData, match="25 distinct integers in the class column 'c'"):
        ds.discretize(frame, method="mdl", class_column="c")
    assert ds.discretize(frame, method="mdl", class_column="c", levels={"c": 25}, keep_constant=True).n == 2
    assert ds.discretize(frame.astype({"c": "category"}), method="mdl", class_column="c", keep_constant=True).n == 2


def test_names_of_columns_and_methods_are_suggested():
    with pytest.raises(ds.InvalidOption, match=r"no variable 'Class' to use in discretising; did you mean 'class'\?"):
        ds.discretize("builtin:wine", method="mdl", class_column="Class")
    with pytest.raises(ds.InvalidOption, match=r"method is 'mld'; it must be one of .*; did you mean 'mdl'\?"):
        ds.discretize("builtin:wine", method="mld")


def test_transform_keeps_rows_index_and_other_columns():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=50), "kind": rng.choice(["a", "b"], 50), "y": rng.normal(size=50)})
    train, test = frame[:30], frame[30:].sample(20, random_state=1)
    fitted = ds.Discretizer(method="quantile", bins=3).fit(train)
    cut = fitted.transform(test.assign(note=1))
    assert list(cut.columns) == ["x", "kind", "y", "note"]
    assert cut.index.equals(test.index)
    for name in ("x", "y"):
        expected = np.array(fitted.levels[name])[np.searchsorted(fitted.cuts[name], test[name], side="left")]
        assert cut[name].tolist() == expected.tolist()
    assert fitted.transform(test[["x"]])["x"].equals(cut["x"])
    assert fitted.transform(test[["kind"]]).equals(test[["kind"]])
    assert fitted.transform(test.assign(x=np.nan))["x"].isna().all()
    assert ds.Dataset.from_frame(cut[["x", "kind", "y"]], levels=fitted.levels) == fitted.apply(test)
    with pytest.raises(ds.InvalidOption, match="frame is a str; it must be a pandas data frame"):
        fitted.transform("rows.csv")
