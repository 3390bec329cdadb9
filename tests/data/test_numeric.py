from __future__ import annotations

import pickle
import re
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dagscape as ds
from cli.running import run
from dagscape.data.continuous.numeric import NumericData, numeric_from_dataset

FRAME = pd.DataFrame({"a": [2.5, 0.5, 1.5], "b": [1, 3, 2]})

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0, 1e300, -1e-300])


def tables(cells=NUMBERS):
    shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8)
    return shapes.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=cells))


def ordered(rows):
    """The rows of a table, sorted as tuples, with missing cells last."""
    return sorted(map(tuple, rows), key=lambda row: [(1, 0) if number != number else (0, number) for number in row])


def same(first, second):
    return np.array_equal(np.array(first), np.array(second), equal_nan=True)


@given(tables())
def test_values_are_the_numbers_of_the_table_in_sorted_rows(cells):
    data = NumericData.from_array(cells, keep_constant=True)
    assert same(data.values, ordered(cells))
    assert not np.signbit(data.values[data.values == 0]).any()
    assert (data.m, data.n) == cells.shape
    assert data.values.dtype == np.float64


@given(tables(NUMBERS | st.just(float("nan"))), st.data())
def test_any_order_of_rows_gives_the_same_data(cells, draw):
    # A cell that was set has a value.
    marks = draw.draw(hnp.arrays(np.bool_, cells.shape)) & ~np.isnan(cells)
    order = np.array(draw.draw(st.permutations(range(len(cells)))))
    first, second = (
        NumericData.from_array(cells[rows], missing="keep", keep_constant=True, interventions=marks[rows])
        for rows in (np.arange(len(cells)), order)
    )
    assert first == second
    assert hash(first) == hash(second)
    assert first.values.tobytes() == second.values.tobytes()
    assert first.experimental_rows == marks.any(axis=1).sum()


@given(tables(NUMBERS | st.just(float("nan"))))
def test_holes_are_kept_dropped_or_refused(cells):
    gaps = np.isnan(cells)
    options = {"keep_constant": True}
    kept = NumericData.from_array(cells, missing="keep", **options)
    assert same(kept.values, ordered(cells))
    assert kept.has_missing == gaps.any()
    assert list(kept.missing.values()) == gaps.sum(axis=0).tolist()
    if gaps.any():
        with pytest.raises(ds.InvalidData, match=r"missing cell.*missing='keep'.*missing='drop'"):
            NumericData.from_array(cells, **options)
    if gaps.any(axis=1).all():
        with pytest.raises(ds.InvalidData, match="missing cell in every row"):
            NumericData.from_array(cells, missing="drop", **options)
    else:
        dropped = NumericData.from_array(cells, missing="drop", **options)
        assert same(dropped.values, ordered(cells[~gaps.any(axis=1)]))
        assert dropped.dropped == gaps.any(axis=1).sum()
        assert not dropped.has_missing


@pytest.mark.slow
@given(tables())
def test_frames_and_arrays_agree(cells):
    names = [f"X{index}" for index in range(cells.shape[1])]
    frame = pd.DataFrame(cells, columns=names)
    data = NumericData.from_frame(frame, keep_constant=True)
    assert data == NumericData.from_array(cells, keep_constant=True)
    assert NumericData.from_frame(data.to_frame(), keep_constant=True) == data


def test_different_data_differ():
    base = NumericData.from_frame(FRAME)
    others = [
        NumericData.from_frame(FRAME.assign(a=[2.5, 0.5, 1.0])),
        NumericData.from_frame(FRAME.rename(columns={"a": "c"})),
        NumericData.from_frame(FRAME[["b", "a"]]),
        NumericData.from_frame(pd.concat([FRAME, FRAME])),
        NumericData.from_frame(FRAME, interventions=["a", 0, 0]),
        NumericData.from_frame(FRAME, interventions=[0, "a", 0]),
        NumericData.from_frame(FRAME.assign(a=[2.5, None, 1.5]), missing="keep"),
    ]
    assert len({base, *others}) == len(others) + 1
    assert base != "text"
    assert base.fingerprint != ds.discretize(FRAME).fingerprint


def test_arrays_cannot_be_changed():
    data = NumericData.from_frame(FRAME, interventions=["a", 0, 0])
    for array in (data.values, data.interventions):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        data.missing["a"] = 3
    with pytest.raises(AttributeError):
        data.dropped = 3
    cells = np.array([[0.5], [1.5]])
    kept = NumericData.from_array(cells)
    cells[0, 0] = 9
    assert kept.values.tolist() == [[0.5], [1.5]]


def test_interventions_follow_their_rows():
    data = NumericData.from_frame(FRAME.assign(set=["b", "0", "a;b"]), interventions="set")
    assert data.values[:, 0].tolist() == [0.5, 1.5, 2.5]
    assert data.interventions.tolist() == [[False, False], [True, True], [False, True]]
    assert data.experimental_rows == 2
    assert NumericData.from_frame(FRAME, interventions=[0, 0, 0]).interventions is None


def test_pickling():
    data = NumericData.from_frame(FRAME.assign(k=1.0), interventions=["a", 0, 0])
    again = pickle.loads(pickle.dumps(data))
    assert again == data
    assert (again.set_aside, again.missing) == (data.set_aside, data.missing)
    assert not again.values.flags.writeable


def test_representation():
    assert repr(NumericData.from_frame(FRAME)) == "NumericData(2 variables, 3 rows)"
    data = NumericData.from_frame(FRAME.assign(a=[1.5, None, 2.5], k=1), missing="keep")
    assert repr(data) == "NumericData(2 variables, 1 set aside, 3 rows, 1 missing cell)"
    assert "<table" in data._repr_html_()


def test_constant_columns_are_set_aside():
    frame = FRAME.assign(k=1.5, e=[None] * 3, h=[7.0, None, 7.0])
    data = NumericData.from_frame(frame, missing="keep")
    assert data.variables == ("a", "b")
    assert data.set_aside == {
        "k": "has the same value, '1.5', in every row",
        "e": "has missing cells only",
        "h": "has the same value, '7', in every row",
    }
    # No row is dropped for the sake of a column that could only become constant.
    assert NumericData.from_frame(frame, missing="drop").dropped == 0
    kept = NumericData.from_frame(frame[["a", "k"]], keep_constant=True)
    assert kept.variables == ("a", "k")
    frame = pd.DataFrame({"a": [0.5, 1.5, 2.5], "k": [1, 1, 2], "b": [0.5, 1.0, None]})
    assert NumericData.from_frame(frame, missing="drop").set_aside == {
        "k": "has the same value, '1', in every row that is left after dropping those with missing cells"
    }


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["1.5", "red", "2"], r"'red' in column 'c' at row 1 .*not a number: leave out the column with drop=\['c'\]"),
        ([1.5, np.inf, 2], "'inf' in column 'c' at row 1 .*not a finite number"),
        ([1.5, -np.inf, 2], "'-inf' in column 'c' at row 1"),
        ([True, False, True], "booleans in column 'c', not numbers: convert them to 0 and 1"),
        (pd.Categorical([1, 2, 1]), "categories in column 'c', not numbers: convert them"),
        ([datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2, 3)], "cells of type Datetime.* in column 'c'"),
        ([2**53 + 1, 1, 2], "'9007199254740993' in column 'c' at row 0 .*beyond 2\\^53"),
        ([-(2**70), 1, 2], "'-1180591620717411303424' in column 'c'"),
        (["12345678901234567890", "1", "2"], "identifier"),
        ([1.5, None, 2], "1 missing cell, in column 'c' at row 1"),
        ([[1], [2], [3]], "list objects|cells of type List"),
    ],
)
def test_what_is_not_a_number_is_refused(column, message):
    with pytest.raises(ds.InvalidData, match=message):
        NumericData.from_frame(FRAME.assign(c=column))
    assert NumericData.from_frame(FRAME.assign(c=column), drop=["c"]) == NumericData.from_frame(FRAME)
    assert NumericData.from_frame(FRAME.assign(c=column), columns=["a", "b"]) == NumericData.from_frame(FRAME)


def test_numbers_of_every_type():
    columns = {
        "text": ["0.5", " 1e3", "-2"],
        "decimal": [Decimal("0.5"), Decimal(1000), Decimal(-2)],
        "object": np.array([0.5, 1000, -2], dtype=object),
        "float32": np.array([0.5, 1000, -2], dtype=np.float32),
        "nullable": pd.array([0.5, 1000, -2], dtype="Float64"),
    }
    for column in columns.values():
        assert NumericData.from_frame(pd.DataFrame({"x": column})).values.tolist() == [[-2.0], [0.5], [1000.0]]
    largest = NumericData.from_frame(pd.DataFrame({"x": [2**53, -(2**53)], "y": [1e300, 0.5]}))
    assert largest.values.tolist() == [[-(2.0**53), 0.5], [2.0**53, 1e300]]
    data = NumericData.from_frame(pd.DataFrame({"x": pd.array([1, None, 3], dtype="Int64")}), missing="keep")
    assert same(data.values, [[1], [3], [np.nan]])


def test_few_rows_and_columns():
    with pytest.raises(ds.InvalidData, match="no rows"):
        NumericData.from_frame(FRAME[:0])
    with pytest.raises(ds.InvalidData, match=r"a single row, so that every column is constant: .*keep_constant=True"):
        NumericData.from_frame(FRAME[:1])
    assert NumericData.from_frame(FRAME[:1], keep_constant=True).m == 1
    with pytest.raises(ds.InvalidData, match="constant columns only"):
        NumericData.from_array([[1.0], [1.0]])
    with pytest.raises(ds.InvalidData, match="more than one column called 'a'"):
        NumericData.from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ds.InvalidData, match="no columns"):
        NumericData.from_frame(pd.DataFrame(index=[0, 1]))


def test_identifiers_are_set_aside_on_request():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"id": np.arange(30), "x": rng.normal(size=30), "y": rng.integers(0, 9, 30)})
    assert NumericData.from_frame(frame).variables == ("id", "x", "y")
    data = NumericData.from_frame(frame, drop_suspicious=True)
    assert data.variables == ("x", "y")
    assert data.set_aside == {"id": "has 30 distinct values in 30 rows, as identifiers do"}


def test_wrong_options():
    with pytest.raises(ds.InvalidOption, match="missing is 'level'"):
        NumericData.from_frame(FRAME, missing="level")
    with pytest.raises(ds.InvalidOption, match=r"NumericData.from_frame\(\)"):
        NumericData(FRAME)
    with pytest.raises(ds.InvalidOption, match="no column 'z'"):
        NumericData.from_frame(FRAME, drop=["z"])


def test_select_and_drop():
    data = NumericData.from_frame(FRAME.assign(k=1), interventions=["b", 0, 0])
    chosen = data.select(["b"])
    assert chosen.values.tolist() == [[1.0], [2.0], [3.0]]
    assert chosen.interventions.tolist() == [[True], [False], [False]]
    assert data.drop(["a"]) == chosen
    assert data.select(["b", "a"]) == NumericData.from_frame(FRAME[["b", "a"]], interventions=["b", 0, 0])
    for wrong, message in [
        (["k"], "'k' was set aside"),
        (["z"], "no variable 'z'"),
        ("ab", "the string 'ab'"),
        (["a", "a"], "more than once"),
        ([], "empty"),
    ]:
        with pytest.raises(ds.InvalidOption, match=message):
            data.select(wrong)


CODES = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6), elements=st.integers(-3, 3)
)


@given(CODES, st.data())
def test_data_sets_of_numbers(cells, draw):
    marks = draw.draw(hnp.arrays(np.bool_, cells.shape))
    discrete = ds.Dataset.from_array(cells, keep_constant=True, interventions=marks)
    constant = (cells == cells[0]).all(axis=0)
    if constant.all():
        with pytest.raises(ds.InvalidData, match="constant columns only"):
            numeric_from_dataset(discrete)
    else:
        assert numeric_from_dataset(discrete) == NumericData.from_array(cells, interventions=marks)
        assert list(numeric_from_dataset(discrete).set_aside) == [f"X{i}" for i in np.flatnonzero(constant)]


def test_data_sets_of_anything_else():
    labels = ds.Dataset.from_array([["1", "red"], ["2", "blue"]], ["a", "b"])
    with pytest.raises(ds.InvalidData, match=r"level 'blue' of 'b', which is not a number .*drop\(\['b'\]\)"):
        numeric_from_dataset(labels)
    assert numeric_from_dataset(labels.drop(["b"])).values.tolist() == [[1.0], [2.0]]
    with pytest.raises(ds.InvalidData, match="before its numbers were cut"):
        numeric_from_dataset(ds.discretize(FRAME))
    holes = ds.Dataset.from_array([[1, None], [2, 1]], missing="level", keep_constant=True)
    with pytest.raises(ds.InvalidData, match=r"level '\?' of 'X1'.*missing='drop'"):
        numeric_from_dataset(holes)


def test_all_columns_that_are_not_numbers_are_named_at_once(tmp_path):
    frame = pd.DataFrame({"a": [0.5, 1.5], "sky": ["red", "blue"], "n": [1, 2], "sea": ["green", "grey"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    file_message = (
        "has 2 columns that are not numbers ('sky' has 'red' at line 2, 'sea' has 'green' at line 2): leave them out "
        "with drop=['sky', 'sea'], or use a score of mixed tables, such as 'dg-bge'; if the cells mean missing ones, "
        "add them to missing_values"
    )
    with pytest.raises(ds.InvalidData, match=re.escape(file_message)):
        ds.read_data(tmp_path / "t.csv", kind="numeric")
    typed = frame.assign(sea=pd.Categorical(["x", "y"]), flag=[True, False])
    with pytest.raises(ds.InvalidData, match=r"3 columns .*'sea' has categories, 'flag' has booleans"):
        ds.posterior(typed, score="bge")
    many = pd.DataFrame({f"x{i}": ["u", "v"] for i in range(9)})
    with pytest.raises(ds.InvalidData, match=r"'x5' has 'u' at row 0 \(counted from 0\), and 3 more"):
        ds.NumericData.from_frame(many)


def test_columns_that_are_not_numbers_are_named_as_options(capfd, tmp_path):
    (tmp_path / "t.csv").write_text("a,sky,sea\n1,red,x\n2,blue,y\n")
    code, _, err = run(capfd, "posterior", tmp_path / "t.csv", "--score", "bge")
    assert code == 3
    assert "--drop 'sky,sea'" in err
