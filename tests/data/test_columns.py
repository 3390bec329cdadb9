"""Columns of numbers behave as the text that they stand for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dagscape as ds
from dagscape.data.reading import read_table
from dagscape.data.tables.coding import column_from_strings
from dagscape.data.tables.columns import NumberColumn, TextColumn
from dagscape.data.tables.frames import table_from_array, table_from_frame
from dagscape.data.tables.text_columns import CellParser, TextReader

NAN = float("nan")


def written(cells, missing=("", "?")):
    """The string of each cell of a frame, None for a missing one: the rule of the documentation, cell by cell."""
    present = [cell for cell in cells if cell == cell]
    integers = all(float(cell).is_integer() and abs(float(cell)) < 2**53 for cell in present)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu":
        texts = [str(int(cell)) for cell in cells]
    else:
        texts = [None if cell != cell else str(int(cell)) if integers else str(cell or abs(cell)) for cell in cells]
    return [None if text is None or text in missing else text for text in texts]


def strings(column):
    """The string of each cell of a column, None for a missing one."""
    return [None if code < 0 else column.values[code] for code in column.codes.tolist()]


def assert_same(column, expected):
    """Whether a column behaves as one of the given strings."""
    text = column_from_strings(["" if cell is None else cell for cell in expected], missing_values=[""])
    assert strings(column) == expected
    assert column.gaps.tolist() == [cell is None for cell in expected]
    assert (column.missing, column.distinct, column.kind) == (text.missing, text.distinct, text.kind)
    assert sorted(column.values) == sorted(text.values)
    assert all(column.cell(row) == cell for row, cell in enumerate(expected) if cell is not None)
    same = pd.Series(column.groups()).groupby(text.codes).nunique()
    assert (same == 1).all()
    assert len(set(column.groups().tolist()) - {-1}) == column.distinct
    for count in (0, 1, 2, 20):
        assert column.has_more_than(count) == (column.distinct > count)
    numbers = text.numbers()
    if numbers is None:
        assert column.numbers() is None
    else:
        assert np.array_equal(column.numbers(), numbers, equal_nan=True)
    assert column.first_not_finite() == text.first_not_finite()


INTEGERS = st.integers(-3, 3) | st.integers(-(2**62), 2**62)
FLOATS = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, 1e-5, 1e22, 2.0**53, 2.0**60, float("inf"), NAN]) | st.floats(
    width=16
)
CELLS = st.one_of(
    hnp.arrays(np.int64, st.integers(1, 12), elements=INTEGERS),
    hnp.arrays(np.uint8, st.integers(1, 12)),
    hnp.arrays(np.float64, st.integers(1, 12), elements=FLOATS),
    hnp.arrays(np.float64, st.integers(1, 12), elements=st.floats()),
    hnp.arrays(np.float32, st.integers(1, 12), elements=st.floats(width=32)),
    hnp.arrays(np.float16, st.integers(1, 12), elements=st.floats(width=16)),
)


@pytest.mark.slow
@given(CELLS, st.data())
def test_numbers_of_arrays_and_frames(cells, draw):
    missing = ("", "?", *draw.draw(st.lists(st.sampled_from(["1", "1.0", "-3", "inf", "nan", "2.5", "0", "x"]))))
    expected = written(cells, missing)
    column = table_from_array(cells[:, np.newaxis], missing_values=missing).columns[0]
    assert_same(column, expected)
    assert_same(table_from_frame(pd.DataFrame({"x": cells}), missing_values=missing).columns[0], expected)
    rows = draw.draw(hnp.arrays(np.bool_, cells.size))
    assert_same(column.take(rows), [cell for cell, kept in zip(expected, rows.tolist(), strict=True) if kept])
    levels = draw.draw(st.lists(st.sampled_from(["1", "1.0", "0", "0.0", "2.50", "x"]), unique=True))
    text = column_from_strings(["" if cell is None else cell for cell in expected], missing_values=[""])
    assert strings(column.matched(levels)) == strings(text.matched(levels))


@given(st.lists(st.integers(-(2**62), 2**62) | st.none(), min_size=1), st.sampled_from(["Int64", "int64[pyarrow]"]))
def test_integers_with_gaps_keep_all_digits(cells, dtype):
    column = table_from_frame(pd.DataFrame({"x": pd.array(cells, dtype=dtype)})).columns[0]
    assert strings(column) == [None if cell is None else str(cell) for cell in cells]


def test_signalling_nan_is_missing_without_a_warning():
    cells = np.array([1, 0x7FF0000000000001, 0], dtype=np.uint64).view(np.float64)
    assert np.isnan(cells[1])
    assert strings(table_from_array(cells[:, np.newaxis]).columns[0]) == ["5e-324", None, "0.0"]
    assert ds.NumericData.from_array(cells[:, np.newaxis], missing="keep").missing == {"X0": 1}


def test_frames_are_not_converted_until_levels_are_needed():
    frame = pd.DataFrame({"x": np.random.default_rng(1).normal(size=100), "n": np.arange(100)})
    columns = table_from_frame(frame).columns
    assert all(isinstance(column, NumberColumn) for column in columns)
    assert np.shares_memory(columns[1]._cells, frame["n"].to_numpy())


def test_levels_do_not_depend_on_dropped_rows():
    # 2.5 makes all numbers decimals, also where its row is dropped.
    frame = pd.DataFrame({"x": [1.0, 2.5, 3.0], "y": ["a", None, "b"]})
    assert ds.Dataset.from_frame(frame, missing="drop").levels["x"] == ("1.0", "3.0")


TEXTS = st.sampled_from(
    ["1", "1.0", " 2 ", "01", "-0", "0", "1e3", "nan", "inf", "?", "", "7.50", "7.5", "1_0", "x", "１"]
)
NUMBER_TEXTS = st.sampled_from(["1", "1.0", " 2 ", "01", "-0.0", "0", "1e3", "?", "", "7.50", "7.5", '" 3\n"'])


@pytest.fixture
def few_strings(monkeypatch):
    monkeypatch.setattr("dagscape.data.tables.text_columns._MANY_STRINGS", 2)
    monkeypatch.setattr("dagscape.data.tables.text._CHUNK_ROWS", 3)


@given(st.lists(TEXTS | NUMBER_TEXTS, min_size=1, max_size=20), st.lists(st.integers(1, 4), min_size=1), st.data())
def test_columns_of_text_files(cells, sizes, draw):
    missing = draw.draw(st.sampled_from([("", "?"), ("",), ("1", "?"), ("nan", ""), ()]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dagscape.data.tables.text_columns._MANY_STRINGS", draw.draw(st.integers(0, 6)))
        reader = TextReader(frozenset(missing), lambda: None)
        start = 0
        while start < len(cells):
            size = sizes[start % len(sizes)]
            reader.add(cells[start : start + size], start)
            start += size
        column = reader.finished()
    expected = [None if cell.strip() in missing else cell.strip() for cell in cells]
    assert column.type is None
    text = column_from_strings(["\0" if cell is None else cell for cell in expected], missing_values=["\0"])
    assert strings(column) == strings(text)
    assert sorted(column.values) == sorted(text.values)
    assert (column.missing, column.distinct, column.kind) == (text.missing, text.distinct, text.kind)
    rows = draw.draw(hnp.arrays(np.bool_, len(cells)))
    taken = column.take(rows)
    assert strings(taken) == strings(text.take(rows))
    assert taken.distinct == text.take(rows).distinct
    assert all(taken.cell(row) == cell for row, cell in enumerate(strings(taken)) if cell is not None)


@given(st.lists(TEXTS, max_size=8), st.sampled_from([("", "?"), ("1",), ("nan",), ()]))
def test_cells_are_parsed_unless_missing(cells, missing):
    parsed = CellParser(frozenset(missing)).parse(cells)
    expected = column_from_strings([cell.strip() for cell in cells], missing_values=missing)
    if expected.numbers() is None:
        assert parsed is None
    else:
        numbers, gaps = parsed
        assert gaps.tolist() == expected.gaps.tolist()
        assert np.array_equal(numbers[~gaps], expected.numbers()[~gaps], equal_nan=True)


@pytest.mark.slow
@given(st.lists(st.tuples(NUMBER_TEXTS, NUMBER_TEXTS), min_size=2, max_size=12))
def test_files_of_numbers_give_the_same_data_sets(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("a,b\n" + "".join(f"{first},{second}\n" for first, second in rows))
    options = {"missing": "level", "keep_constant": True, "levels": {}}

    def made():
        try:
            return ds.discretize(path, **options), ds.Dataset.to_frame(ds.read_data(path, **options))
        except ds.InvalidData as error:
            return str(error)

    plain = made()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dagscape.data.tables.text_columns._MANY_STRINGS", 1)
        patch.setattr("dagscape.data.tables.text._CHUNK_ROWS", 2)
        packed = made()
    if isinstance(plain, str):
        assert packed == plain
    else:
        assert packed[0] == plain[0]
        assert packed[0].discretizer == plain[0].discretizer
        assert packed[1].equals(plain[1])


def test_a_column_becomes_numbers_and_text_again(tmp_path, few_strings):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{i}.50,{i}.5\n" for i in range(9)) + "x,?\n")
    text, numbers = read_table(path).columns
    assert isinstance(text, TextColumn)
    assert isinstance(numbers, NumberColumn)
    assert strings(text) == [*(f"{i}.50" for i in range(9)), "x"]
    assert strings(numbers) == [*(f"{i}.5" for i in range(9)), None]


def test_number_columns_are_cut_without_strings(monkeypatch):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(500, 3)), columns=list("abc")).assign(n=rng.integers(0, 100, 500))
    frame.loc[3, "b"] = None
    expected = ds.discretize(frame.astype(str).where(frame.notna()), missing="level")

    def fail(*_, **__):
        raise AssertionError("numbers became strings")

    monkeypatch.setattr("dagscape.data.tables.columns.number_strings", fail)
    found = ds.discretize(frame, missing="level")
    assert found == expected
    assert found.discretizer == expected.discretizer
