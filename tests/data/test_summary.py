from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.version import __version__
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.summary import DataSummary, summarize, summarize_table
from dagscape.data.reading import read_table
from dagscape.data.tables.frames import table_from_frame


def warnings_of(cells, **options):
    return list(summarize_table(table_from_frame(pd.DataFrame({"x": cells}), **options)).warnings)


def test_a_data_set():
    frame = pd.DataFrame({"a": ["x", "y", "x", None], "b": [1, 2, 1, 2]})
    summary = summarize(Dataset.from_frame(frame, missing="level", levels={"b": ["1", "2", "3"]}))
    assert (summary.rows, summary.distinct_rows, summary.variables) == (4, 3, ("a", "b"))
    first, second = summary.columns
    assert (first.levels, first.counts, first.missing, first.distinct) == (("x", "y", "?"), (2, 1, 1), 1, 3)
    assert (second.kind, second.levels, second.counts, second.distinct) == (
        "integers",
        ("1", "2", "3"),
        (2, 2, 0),
        2,
    )
    assert summary.warnings == ("'b' declares levels that no row has: '3'",)


def test_a_raw_table_never_fails():
    frame = pd.DataFrame({"d": [0.5, None, 1.5], "n": [None, None, None], "i": [10, 9, 9]})
    summary = summarize_table(table_from_frame(frame))
    assert [column.kind for column in summary.columns] == ["decimals", "labels", "integers"]
    assert [column.missing for column in summary.columns] == [1, 3, 0]
    assert [column.levels for column in summary.columns] == [(), (), ("9", "10")]
    assert summary.columns[0].distinct == 2
    assert summary.warnings == ("'n' has missing cells only: it is set aside when the table is used",)


def test_distinct_rows_of_a_raw_table_count_missing_cells():
    frame = pd.DataFrame({"a": ["x", None, "x", None], "b": ["1", "1", "1", "1"]})
    assert summarize_table(table_from_frame(frame)).distinct_rows == 2


def test_constant_columns():
    assert warnings_of(["a", "a"]) == [
        "'x' has the same value, 'a', in every row: it is set aside when the table is used"
    ]
    assert warnings_of(["a", "b"]) == []


@pytest.mark.parametrize(
    ("m", "distinct", "warned"), [(20, 19, False), (20, 20, True), (21, 21, True), (100, 50, False), (100, 51, True)]
)
def test_nearly_unique_columns(m, distinct, warned):
    found = warnings_of([f"v{min(i, distinct - 1)}" for i in range(m)])
    assert len(found) == warned
    if warned:
        assert found[0].startswith("'x' looks like an identifier: ")
        assert found[0].endswith(", such as 'v0': it is set aside when the table is used")


def test_decimals_mixed_with_text():
    assert warnings_of(["0.5", "1.5", "NA"]) == [
        "'x' mixes decimals such as '0.5' with text such as 'NA': "
        "if that means a missing cell, declare it a missing value"
    ]
    assert warnings_of(["2", "3", "4", "5more"]) == []
    assert warnings_of(["0.5", "low", "high"]) == []


def test_labels_that_look_alike():
    assert warnings_of(["Yes", "no", "yes"]) == [
        "'x' has the values 'Yes' and 'yes', which differ only in case or white space"
    ]
    assert warnings_of(["new york", "newyork", "x"]) == [
        "'x' has the values 'new york' and 'newyork', which differ only in case or white space"
    ]
    assert warnings_of(["1", "1.0", "2"]) == [
        "'x' has the values '1' and '1.0', which differ only in how a number is written"
    ]
    assert warnings_of([str(2**53), str(2**53 + 1)]) == []


def test_unobserved_categories():
    assert warnings_of(pd.Categorical(["a", "b"], ["a", "b", "c", "d"])) == [
        "'x' declares levels that no row has: 'c', 'd'"
    ]


def test_declared_decimals_are_levels():
    frame = pd.DataFrame({"dose": ["0.5", "1.5", "0.5"]})
    summary = Dataset.from_frame(frame, levels={"dose": ["0.5", "1.5"]}).describe()
    assert summary.columns[0].levels == ("0.5", "1.5")
    assert summary.warnings == ()


def test_frame():
    frame = Dataset.from_array([["a", 1], ["b", 1], ["a", 2]], ["x", "y"]).describe().to_frame()
    assert frame["variable"].tolist() == ["x", "y"]
    assert frame["levels"].tolist() == [["a", "b"], ["1", "2"]]
    assert frame["counts"].tolist() == [[2, 1], [2, 1]]


def test_json_round_trip(tmp_path):
    summary = Dataset.from_array([["ä", 1], ["b", 1]], ["x", "y"], keep_constant=True).describe()
    document = summary.to_dict()
    assert document["kind"] == "data-summary"
    assert document["columns"][0] == {
        "name": "x",
        "kind": "labels",
        "distinct": 2,
        "levels": ["b", "ä"],
        "counts": [1, 1],
        "missing": 0,
        "set_rows": 0,
        "guess": "nominal",
        "reason": "2 different values, 'b' and 'ä'",
        "use": "2 levels",
    }
    assert document["provenance"]["version"] == __version__
    summary.save(tmp_path / "summary.json")
    read = DataSummary.from_dict(json.loads((tmp_path / "summary.json").read_text(encoding="utf-8")))
    assert read == summary
    assert repr(read) == "DataSummary(2 variables, 2 rows, 2 of them distinct, 1 warning)"


def test_mushrooms(shared_data):
    summary = summarize_table(read_table(shared_data / "sets" / "mushroom.csv.gz"))
    missing = {column.name: column.missing for column in summary.columns if column.missing}
    assert missing == {"stalk-root": 2480}
    assert [warning for warning in summary.warnings if "same value" in warning] == [
        "'veil-type' has the same value, 'p', in every row: it is set aside when the table is used"
    ]


def test_decimals_of_iris_would_be_cut():
    summary = summarize_table(read_table("builtin:iris"))
    assert summary.warnings == ()
    assert [column.guess for column in summary.columns] == 4 * ["measured"] + ["nominal"]
    assert summary.columns[3].use == "3 intervals, cut at 0.8 and 1.55"


def test_interventions_are_counted():
    data = Dataset.from_array([[0, 1], [1, 0], [1, 1], [1, 1]], ["a", "b"], interventions=["a", None, "a;b", "a;b"])
    summary = data.describe()
    assert summary.experimental_rows == 3
    assert [column.set_rows for column in summary.columns] == [3, 2]
    assert summary.from_dict(summary.to_dict()) == summary
    assert Dataset.from_array([[0, 1], [1, 0]]).describe().experimental_rows == 0


def test_a_column_that_makes_every_row_an_experiment_is_warned_of(tmp_path):
    path = tmp_path / "levels.csv"
    path.write_text("a,b,INT\n" + "".join(f"{1 + i % 2},{1 + i // 3 % 2},{i // 5 % 2}\n" for i in range(30)))
    words = "an experiment set a variable in each of the 30 rows: is the column of interventions the right one?"
    wrong = ds.read_data(path, interventions="a")
    assert [warning for warning in wrong.describe().warnings if warning.startswith(words)]
    with pytest.warns(ds.SuspiciousColumns, match=words.replace("?", "[?]")):
        scores = ds.local_scores(wrong)
    assert any(words in kept for kept in scores.info.warnings)
    assert not ds.read_data(path, interventions="INT").describe().warnings


def test_numbers_of_interventions_count_the_columns_of_the_file_without_their_own(tmp_path):
    path = tmp_path / "lab.csv"
    path.write_text("a,set,b,c\n0,0,0,0\n1,3,1,1\n0,2,1,1\n1,0,0,1\n")
    data = ds.read_data(path, interventions="set", drop=["a"])
    names = [[data.variables[i] for i in np.flatnonzero(row)] for row in data.interventions]
    assert sorted(names) == [[], [], ["b"], ["c"]]


def test_measured_integers_that_are_levels_are_no_identifiers():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"rate": rng.integers(1000, 90000, 100), "sex": ["f", "m"] * 50})
    (warning,) = Dataset.from_frame(frame).describe().warnings
    assert warning == (
        f"'rate' has {frame['rate'].nunique()} distinct values in 100 rows, as measurements have, and each is a level: "
        "cut them into intervals (--discretize, in Python discretize())"
    )


def test_a_file_a_frame_and_an_array_are_described_as_they_are(tmp_path):
    frame = pd.DataFrame({"age": [18 + i % 43 for i in range(90)], "id": range(90), "sex": ["f", None, "m"] * 30})
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";")
    found = ds.describe(frame)
    assert [column.guess for column in found.columns] == ["measured", "identifier", "nominal"]
    assert [column.missing for column in found.columns] == [0, 0, 30]
    assert ds.describe(tmp_path / "t.csv", separator=";") == found
    assert ds.describe(frame.to_numpy()).rows == 90
    overruled = ds.describe(frame, nominal=["age"], numeric=["id"], ignore=["sex"])
    assert [(column.name, column.use[:12]) for column in overruled.columns] == [
        ("age", "43 levels"),
        ("id", "3 intervals,"),
    ]
    assert ds.describe(frame, columns=["sex"]).variables == ds.describe(frame, drop=["id", "age"]).variables == ("sex",)
    data = ds.Dataset.from_frame(frame, missing="level")
    assert ds.describe(data) == data.describe()
    with pytest.raises(ds.InvalidOption, match="nominal is for a table as it is, and a data set is made already"):
        ds.describe(data, nominal=["age"])
    with pytest.raises(ds.InvalidOption, match="has no column 'agee'; did you mean 'age'"):
        ds.describe(frame, numeric=["agee"])
    with pytest.raises(ds.InvalidOption, match="source is a NumericData, which has no levels"):
        ds.describe(ds.NumericData.from_frame(frame[["age"]]))


def test_zeros_that_stand_apart_are_named(tmp_path):
    rng = np.random.default_rng(2)
    pressure = np.where(rng.random(200) < 0.1, 0, rng.integers(60, 120, 200))
    frame = pd.DataFrame(
        {"pressure": pressure, "visits": rng.poisson(4, 200) ** 2, "rate": rng.uniform(0, 3, 200).round(1)}
    )
    frame["once"] = np.where(np.arange(200) == 7, 0, rng.integers(60, 120, 200))
    frame["change"] = pressure - 90
    frame.to_csv(tmp_path / "t.csv", index=False)
    zeros = int((pressure == 0).sum())
    said = (
        f"'pressure' is 0 in {zeros} rows and at least 60 in the others: if 0 means that it was not measured, empty "
        "these cells"
    )
    for source in (frame, tmp_path / "t.csv"):
        assert [warning for warning in ds.describe(source).warnings if "is 0 in" in warning] == [said]
    assert not any("is 0 in" in warning for warning in ds.describe(frame, nominal=["pressure"]).warnings)
