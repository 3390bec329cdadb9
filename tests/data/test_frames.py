from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.tables.frames import cell_string, table_from_array, table_from_frame

pa = pytest.importorskip("pyarrow")


def strings(column):
    return [None if code < 0 else column.values[code] for code in column.codes]


CELLS = {
    "i": ([3, None, -1], ["3", None, "-1"]),
    "f": ([1.0, None, 2.0], ["1", None, "2"]),
    "d": ([0.1, 2.0, None], ["0.1", "2.0", None]),
    "b": ([True, None, False], ["True", None, "False"]),
    "s": (["None", "?", " x"], ["None", None, " x"]),
    "e": (["", None, "nan"], [None, None, "nan"]),
    "n": ([None, None, None], [None, None, None]),
}


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize(
    "library",
    [
        pl.DataFrame,
        pa.table,
        lambda cells: pd.DataFrame({key: pd.Series(column, dtype=object) for key, column in cells.items()}),
        lambda cells: pd.DataFrame(cells).convert_dtypes(),
        lambda cells: pl.DataFrame(cells).to_pandas(),
    ],
    ids=["polars", "pyarrow", "pandas objects", "pandas nullable", "pandas"],
)
def test_cells_become_strings(library, name):
    cells, expected = CELLS[name]
    table = table_from_frame(library({"x": [1, 2, 3], name: cells}))
    assert table.names == ("x", name)
    assert strings(table.columns[1]) == expected
    assert not table.columns[1].declared


def test_missing_values_of_ones_own():
    table = table_from_frame(pd.DataFrame({"a": ["?", "NA", "x"], "b": [-9, 1, 2]}), missing_values=["NA", "-9"])
    assert strings(table.columns[0]) == ["?", None, "x"]
    assert strings(table.columns[1]) == [None, "1", "2"]


def test_floats_are_written_shortly_and_without_a_negative_zero():
    frame = pd.DataFrame({"a": np.array([0.1, 0.5, 3], dtype=np.float32), "b": [-0.0, 0.0, 0.5], "c": [-0.0, 1, 1e300]})
    table = table_from_frame(frame)
    assert strings(table.columns[0]) == ["0.1", "0.5", "3.0"]
    assert strings(table.columns[1]) == ["0.0", "0.0", "0.5"]
    assert strings(table.columns[2]) == ["0.0", "1.0", "1e+300"]


def test_large_integers_stay_exact():
    big = 2**63 + 1
    assert table_from_frame(pl.DataFrame({"a": pl.Series([big], dtype=pl.UInt64)})).columns[0].values == (str(big),)
    assert table_from_frame(pd.DataFrame({"a": [2**53 + 1, 2**53]})).columns[0].values == (
        str(2**53),
        str(2**53 + 1),
    )


def test_mixed_objects():
    frame = pd.DataFrame({"a": pd.Series([True, 1, 1.0, "1", None, pd.NA, float("nan"), Decimal("1.5")], dtype=object)})
    assert strings(table_from_frame(frame).columns[0]) == ["True", "1", "1", "1", None, None, None, "1.5"]


def test_decimals_of_polars():
    frame = pl.DataFrame({"a": pl.Series(["1.50", "2.25"]).cast(pl.Decimal(10, 2))})
    assert strings(table_from_frame(frame).columns[0]) == ["1.50", "2.25"]


ORDER = ["low", "mid", "high"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.Categorical(["high", None, "low"], ORDER)}),
        pl.DataFrame({"a": pl.Series(["high", None, "low"], dtype=pl.Enum(ORDER))}),
        pa.table({"a": pa.DictionaryArray.from_arrays([2, None, 0], ORDER)}),
        pa.table({"a": pa.chunked_array([pa.DictionaryArray.from_arrays(i, ORDER) for i in ([2, None], [0])])}),
    ],
    ids=["pandas", "polars", "pyarrow", "pyarrow chunks"],
)
def test_categories_declare_levels(frame):
    column = table_from_frame(frame).columns[0]
    assert (column.values, column.declared) == (tuple(ORDER), True)
    assert strings(column) == ["high", None, "low"]
    assert Dataset.from_frame(frame, missing="level").levels["a"] == (*ORDER, "?")


def test_categories_of_other_types():
    frame = pd.DataFrame(
        {
            "i": pd.Categorical([3, 1, 3], [3, 1, 2]),
            "f": pd.Categorical([1.0, 2.0, 1.0]),
            "v": pd.cut([1.0, 2.0, 3.0], [0, 1.5, 2.5, 9]),
            "m": pd.Categorical(["?", "y", "n"], ["?", "y", "n"]),
        }
    )
    table = table_from_frame(frame)
    assert [column.values for column in table.columns] == [
        ("3", "1", "2"),
        ("1", "2"),
        ("(0.0, 1.5]", "(1.5, 2.5]", "(2.5, 9.0]"),
        ("y", "n"),
    ]
    assert strings(table.columns[3]) == [None, "y", "n"]


def test_categories_that_are_equal_as_strings():
    frame = pd.DataFrame({"a": pd.Categorical([1, "1"], [1, "1"])})
    with pytest.raises(InvalidData, match="column 'a' that are equal as strings"):
        table_from_frame(frame)


def test_categoricals_of_polars_declare_nothing():
    # Their categories are shared between frames.
    pl.Series(["unrelated"], dtype=pl.Categorical)
    column = table_from_frame(pl.DataFrame({"a": pl.Series(["y", "x"], dtype=pl.Categorical)})).columns[0]
    assert (column.values, column.declared) == (("y", "x"), False)


def test_names_become_strings():
    assert table_from_frame(pd.DataFrame([[1, 2]], columns=[0, "b"])).names == ("0", "b")
    assert table_from_frame(pd.DataFrame({"column_names": [1], "columns": [2]})).names == (
        "column_names",
        "columns",
    )


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one column called 'a'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "more than one column called '1'"),
        (pa.table([[1], [2]], names=["a", "a"]), "more than one column called 'a'"),
        (pd.DataFrame({"": [1]}), "no name for column 1"),
        (pd.DataFrame(), "has no columns"),
        (pl.DataFrame(), "has no columns"),
        (pd.DataFrame({"a": []}), "has a header but no rows"),
        (pl.DataFrame({"a": []}), "has a header but no rows"),
        (pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}), "Datetime.* in column 't'"),
        (pl.DataFrame({"t": [datetime.date(2020, 1, 1)]}), "Date in column 't'"),
        (pl.DataFrame({"l": [[1, 2]]}), "List.* in column 'l'"),
        (pl.DataFrame({"s": [{"x": 1}]}), "Struct.* in column 's'"),
        (pl.DataFrame({"y": [b"x"]}), "Binary in column 'y'"),
        (pd.DataFrame({"y": [b"x"]}), "bytes objects in column 'y'"),
        (pd.DataFrame({"l": [[1, 2]]}), "list objects in column 'l'"),
    ],
)
def test_bad_frames(frame, message):
    with pytest.raises(InvalidData, match=message) as caught:
        Dataset.from_frame(frame)
    assert "\n" not in str(caught.value)


def test_lazy_frames_must_be_collected():
    with pytest.raises(InvalidOption, match="lazy: collect it first"):
        Dataset.from_frame(pl.LazyFrame({"a": [1]}))


def test_what_is_no_frame():
    with pytest.raises(InvalidOption, match="it must be a pandas"):
        Dataset.from_frame([[1, 2]])
    with pytest.raises(InvalidOption, match="it must be a pandas"):
        Dataset.from_frame(pd.Series([1, 2]))
    with pytest.raises(InvalidOption, match="use from_array"):
        Dataset.from_frame(np.array([[1, 2]]))


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([[1], [-2]]), ["1", "-2"]),
        (np.array([[1], [2]], dtype=np.uint8), ["1", "2"]),
        (np.array([[True], [False]]), ["True", "False"]),
        (np.array([[1.0], [np.nan]]), ["1", None]),
        (np.array([[1.5], [np.inf]]), ["1.5", "inf"]),
        (np.array([["a"], ["?"]]), ["a", None]),
        (np.array([["a"], [None]], dtype=object), ["a", None]),
        (np.ma.masked_array([[1], [2]], mask=[[False], [True]]), ["1", None]),
        ([[1], [2]], ["1", "2"]),
    ],
)
def test_arrays(array, expected):
    table = table_from_array(array)
    assert table.names == ("X0",)
    assert strings(table.columns[0]) == expected


@pytest.mark.parametrize(
    ("array", "variables", "error", "message"),
    [
        ([1, 2], None, InvalidOption, "the array has 1 dimension; it must have 2"),
        (np.zeros((1, 1, 1)), None, InvalidOption, "3 dimensions"),
        ([[1, 2], [3]], None, InvalidOption, "ragged"),
        ([[1, 2]], ["a"], InvalidOption, "1 name; the array has 2 columns"),
        ([[1, 2]], "ab", InvalidOption, "collection of names"),
        ([[1, 2]], ["a", "a"], InvalidData, "more than one column called 'a'"),
        (np.zeros((0, 2)), None, InvalidData, "no rows"),
        (np.zeros((2, 0)), None, InvalidData, "no columns"),
        (np.array([[b"x"]]), None, InvalidData, "column 'X0'"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), None, InvalidData, "datetime64.* in column 'X0'"),
        (np.array([[1j]]), None, InvalidData, "complex128 in column 'X0'"),
        (np.array([[{}]], dtype=object), None, InvalidData, "dict objects in column 'X0'"),
    ],
)
def test_bad_arrays(array, variables, error, message):
    with pytest.raises(error, match=message):
        Dataset.from_array(array, variables)


def test_single_cells():
    assert [cell_string(cell) for cell in (1, 2.0, 0.5, True, "a", np.float32(0.1))] == [
        "1",
        "2",
        "0.5",
        "True",
        "a",
        "0.1",
    ]


def test_the_same_data_from_every_source_are_equal(tmp_path):
    from dagscape.data.reading import read_data

    frame = pd.DataFrame({"a": [10, 9, 10], "b": ["x", "y", "x"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = [
        Dataset.from_frame(frame),
        Dataset.from_frame(pl.DataFrame(frame.to_dict("list"))),
        Dataset.from_frame(pa.Table.from_pandas(frame)),
        Dataset.from_array(frame.to_numpy(dtype=object), ["a", "b"]),
        read_data(tmp_path / "t.csv"),
    ]
    assert len(set(made)) == 1
    assert made[0].levels["a"] == ("9", "10")
