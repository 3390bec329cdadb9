"""Numbers with a decimal comma."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.tables.decimal_commas import with_points


def refuse(place, text):
    raise ValueError(text)


@given(st.lists(st.floats(-1e6, 1e6).map(lambda number: f"{number:.3f}") | st.integers().map(str)))
def test_numbers_are_those_with_a_point(cells):
    assert with_points([cell.replace(".", ",") for cell in cells], refuse) == cells


def test_a_table_with_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('x;y;k\n1,5;2;a,b\n -2,5;+3,;c\n"3,25";,5;1.2.2020\n?;1e3;a\n')
    numbers = ds.read_data(path, kind="numeric", separator=";", decimal=",", drop=["k"], missing="drop")
    assert numbers.to_frame().to_numpy().tolist() == [[-2.5, 3], [1.5, 2], [3.25, 0.5]]
    data = ds.read_data(path, separator=";", decimal=",", columns=["k"])
    assert data.levels["k"] == ("1.2.2020", "a,b", "c") or data.levels["k"] == ("1.2.2020", "a", "a,b", "c")
    with pytest.raises(ds.InvalidData, match=r"has decimals in column 'x' \(such as '1.5' at line 2\)"):
        ds.read_data(path, separator=";", decimal=",", columns=["x"], missing="level")


@pytest.mark.parametrize("cell", ["1.500", "1.500,25", "2.5", ".5", "1.234.567"])
def test_thousands_signs_are_not_guessed(tmp_path, cell):
    path = tmp_path / "t.csv"
    path.write_text(f"x;y\n1,5;2\n\n2,5;{cell}\n")
    with pytest.raises(ds.InvalidData) as error:
        ds.read_data(path, separator=";", decimal=",")
    assert str(error.value) == (
        f"'{path}' has '{cell}' in column 'y' at line 4, a number with a point, although decimal=',' is given: "
        "thousands signs are not read; remove the points, or leave out the column with drop=['y']"
    )
    assert ds.read_data(path, separator=";", decimal=",", drop=["y"], levels={"x": ["1.5", "2.5"]}).m == 2


def test_who_does_not_say_so_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,5;2\n2,5;3\n3,5;3\n")
    with pytest.raises(ds.InvalidData) as error:
        ds.read_data(path)
    assert str(error.value) == (
        f"'{path}' has a single column, called 'x;y': use separator=';' if that separates its cells (with decimal=',' "
        "for numbers such as '1,5'), or separator=',' if the table has a single column"
    )
    assert ds.read_data(path, separator=";").describe().warnings == (
        "'x' holds numbers with a decimal comma, which are read as strings: for a text file, use --decimal , "
        "(in Python decimal=',')",
    )
    path.write_text("x\ty\n1,5\t2\n")
    with pytest.raises(ds.InvalidData, match=r"use separator='\\t' .* \(with decimal=','"):
        ds.read_data(path)
    path.write_text("x;y\n1;2\n")
    with pytest.raises(ds.InvalidData, match="if that separates its cells, or"):
        ds.read_data(path)


def test_wrong_options_are_refused(tmp_path):
    with pytest.raises(ds.InvalidOption, match=r"decimal is ';'; it must be one of '\.', ','"):
        ds.read_data("t.csv", decimal=";")
    with pytest.raises(ds.InvalidOption, match=r"decimal is ',', which is for text files, and 't.dta' is none"):
        ds.read_data("t.dta", decimal=",")


def test_numbers_are_cut_as_those_with_points(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,5;a\n2,5;b\n3,5;a\n9,5;b\n")
    data = ds.discretize(path, bins=2, separator=";", decimal=",")
    assert data.levels["x"] == ("(-inf,3]", "(3,inf)")
    fitted = ds.Discretizer(bins=2).fit(path, separator=";", decimal=",")
    assert fitted == data.discretizer
    assert fitted.apply(path, separator=";", decimal=",") == data
    frame = data.to_frame()
    with pytest.raises(ds.InvalidOption, match=r"decimal is ',', which is for files"):
        ds.discretize(frame, decimal=",")
    with pytest.raises(TypeError, match="unexpected keyword argument 'decimals'"):
        ds.discretize(frame, decimals=",")
    with pytest.raises(TypeError, match="unexpected keyword argument 'decimals'"):
        ds.Discretizer().fit(frame, decimals=",")
    frame.columns = ["x", "x"]
    assert ds.discretize(frame, duplicate_names="rename").variables == ("x", "x.2")
