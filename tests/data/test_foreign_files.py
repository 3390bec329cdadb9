"""Stata and SPSS files, and spreadsheets."""

from __future__ import annotations

import datetime
import importlib.util
import sys
import types
import zipfile

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.data.tables import spreadsheets
from dagscape.data.tables.foreign_files import labelled

FRAME = pd.DataFrame(
    {
        "often": pd.Categorical(["never", "always", "never", None], ["never", "a few", "always"], ordered=True),
        "age": [30.0, np.nan, 41.0, 30.0],
        "town": ["None", "NA", "", "Bonn"],
        "seen": pd.to_datetime(["2020-01-31", "2020-02-01", None, "2020-02-01"]),
        "score": [0.5, 1.5, 2.5, 2.5],
    }
)


@pytest.fixture
def stata(tmp_path):
    path = tmp_path / "t.dta"
    FRAME.to_stata(path, write_index=False)
    return path


def test_stata_files_come_as_pandas_reads_them(stata):
    data = ds.read_data(stata, missing="keep", drop=["score"])
    assert dict(data.levels) == {
        "often": ("never", "always"),
        "age": ("30", "41"),
        "town": ("Bonn", "NA", "None"),
        "seen": ("2020-01-31", "2020-02-01"),
    }
    assert dict(data.missing) == {"often": 1, "age": 1, "town": 1, "seen": 1}
    numbers = ds.read_data(stata, kind="numeric", columns=["age", "score"], missing="drop")
    assert numbers.values.tolist() == [[30, 0.5], [30, 2.5], [41, 2.5]]
    assert ds.discretize(stata, drop=["often", "age", "town", "seen"]).m == 4


def test_labels_of_single_values_leave_numbers_as_they_are(tmp_path):
    path = tmp_path / "t.dta"
    frame = pd.DataFrame({"age": [20, 98, 31, 20], "sex": [1, 2, 2, 1]})
    frame.to_stata(path, write_index=False, value_labels={"age": {98: "98 or older"}, "sex": {1: "male", 2: "female"}})
    data = ds.read_data(path)
    assert dict(data.levels) == {"age": ("20", "31", "98"), "sex": ("male", "female")}


def test_times_of_day_are_kept(tmp_path):
    path = tmp_path / "t.dta"
    times = pd.to_datetime(["2020-01-31 10:30", "2020-01-31 00:00"])
    pd.DataFrame({"at": times, "x": [1, 2]}).to_stata(path, write_index=False)
    assert ds.read_data(path).levels["at"] == ("2020-01-31 00:00:00", "2020-01-31 10:30:00")


def test_damaged_stata_files_are_refused(stata):
    content = stata.read_bytes()
    for part in (content[:300], b"text", content[:-700], b""):
        stata.write_bytes(part)
        with pytest.raises(
            ds.InvalidData, match=r"cannot be read as a Stata file: .*; if it is undamaged, export it as"
        ):
            ds.read_data(stata)
    stata.write_bytes(content)
    with pytest.raises(ds.TooLarge, match=r"the .* bytes of .* need"):
        ds.read_data(stata, max_memory=1000)
    with pytest.raises(ds.InvalidOption, match=r"No such file or directory; did you mean 't.dta'\?"):
        ds.read_data(stata.with_name("t1.dta"))


def stub_of_pyreadstat(frame, labels):
    stub = types.ModuleType("pyreadstat")
    stub.read_sav = lambda path: (frame, types.SimpleNamespace(variable_value_labels=labels))
    return stub


def test_spss_files(tmp_path, monkeypatch):
    path = tmp_path / "t.sav"
    path.write_bytes(b"$FL2")
    frame = pd.DataFrame({"often": [3.0, 1.0, np.nan], "age": [98.0, 20.0, 30.0], "same": [1.0, 2.0, 1.0]})
    labels = {
        "often": {1.0: "never", 2.0: "a few", 3.0: "always", 9.0: "refused"},
        "age": {98.0: "98 or older"},
        "same": {1.0: "yes", 2.0: "yes"},
    }
    monkeypatch.setitem(sys.modules, "pyreadstat", stub_of_pyreadstat(frame, labels))
    data = ds.read_data(path, missing="keep")
    assert dict(data.levels) == {"often": ("never", "always"), "age": ("20", "30", "98"), "same": ("1", "2")}
    monkeypatch.setitem(sys.modules, "pyreadstat", stub_of_pyreadstat(frame, {"nothing": {1: "a"}}))
    with pytest.raises(ds.InvalidData, match="cannot be read as an SPSS file: 'nothing'"):
        ds.read_data(path)


def test_spss_files_that_pyreadstat_wrote(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="SPSS files need pyreadstat")
    path = tmp_path / "t.sav"
    frame = pd.DataFrame({"often": [1.0, 3.0, 9.0, 1.0], "age": [20.0, 30.0, 98.0, 25.0]})
    labels = {"often": {1: "never", 2: "a few", 3: "always", 9: "refused"}, "age": {98: "98 or older"}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges={"often": [9]})
    data = ds.read_data(path, missing="keep")
    assert dict(data.levels) == {"often": ("never", "always"), "age": ("20", "25", "30", "98")}
    assert data.missing["often"] == 1


def test_without_pyreadstat_a_sentence_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(ds.BackendUnavailable) as error:
        ds.read_data("t.sav")
    assert str(error.value) == (
        "reading 't.sav' needs pyreadstat, which is not installed: pip install pyreadstat, or export the table as CSV"
    )


def test_labels_are_in_the_order_of_their_values():
    column = pd.Series([3.0, 1.0, np.nan, 2.0])
    assert labelled(column, {1: "z", 2: "y", 3: "x"}).cat.categories.tolist() == ["z", "y", "x"]
    assert labelled(column, {1: "z", 2: "y"}) is column
    assert labelled(column, {1: "z", 2: "y", 3: "z"}) is column
    empty = pd.Series([np.nan])
    assert labelled(empty, {1: "a"}) is empty


SHEETS = {
    "First": [
        ["", "", "", "", "", ""],
        [" a ", "b", "day", "ok", "a", ""],
        [1, "None", datetime.datetime(2020, 1, 2), True, 1.5, ""],
        ["", "", "", "", "", ""],
        [2, "NA", datetime.datetime(2020, 1, 3), False, "", ""],
        [1, " x ", datetime.datetime(2020, 1, 2), False, 3.0, ""],
    ],
    "2019": [["u", "v"], [1, 2], [2, 2.5]],
    "one": [["w"], [1], [""], [2]],
    "header": [["u", "v"]],
    "empty": [],
}


@pytest.fixture(params=["stub", "openpyxl"])
def workbook(request, tmp_path, monkeypatch):
    """A spreadsheet: a real one, or one that a stub of pandas reads."""
    path = tmp_path / "t.xlsx"
    if request.param == "openpyxl":
        openpyxl = pytest.importorskip("openpyxl", reason="spreadsheets need openpyxl")
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in SHEETS.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append([cell if cell != "" else None for cell in row])
        book.save(path)
        return path
    path.write_bytes(b"stub")

    class File:
        def __init__(self, path):
            self.sheet_names = list(SHEETS)

        def __enter__(self):
            return self

        def __exit__(self, *about):
            return None

    def read(file, sheet_name, **options):
        assert options == {"header": None, "dtype": object, "keep_default_na": False, "na_filter": False}
        return pd.DataFrame(SHEETS[sheet_name], dtype=object)

    monkeypatch.setattr(spreadsheets, "find_spec", lambda module: object())
    monkeypatch.setattr(pd, "ExcelFile", File)
    monkeypatch.setattr(pd, "read_excel", read)
    return path


def test_a_sheet_is_read_like_a_text_file(workbook):
    data = ds.read_data(workbook, drop=["a"])
    assert dict(data.levels) == {
        "b": ("NA", "None", "x"),
        "day": ("2020-01-02", "2020-01-03"),
        "ok": ("False", "True"),
    }
    assert dict(data.types) == {"b": "text", "day": "text", "ok": "boolean"}
    with pytest.raises(ds.InvalidData, match=r"sheet 'First' of .* has more than one column called 'a'"):
        ds.read_data(workbook)
    with pytest.raises(ds.InvalidData, match=r"has 1 missing cell, in column 'a.2' at row 5 of the sheet"):
        ds.read_data(workbook, duplicate_names="rename")
    numbers = ds.read_data(
        workbook, kind="numeric", duplicate_names="rename", columns=["a", "a.2"], missing="drop", keep_constant=True
    )
    assert numbers.values.tolist() == [[1, 1.5], [1, 3]]


def test_a_sheet_is_chosen_by_name_or_number(workbook):
    for sheet in ("2019", 2, "2"):
        assert ds.read_data(workbook, sheet=sheet, columns=["u"]).levels["u"] == ("1", "2")
    with pytest.raises(ds.InvalidData, match=r"decimals in column 'v' \(such as '2.5' at row 3 of the sheet\)"):
        ds.read_data(workbook, sheet=2)
    assert ds.read_data(workbook, sheet="one", missing="level").m == 3
    assert ds.read_data(workbook, sheet="1", drop=["a"]).variables == ("b", "day", "ok")
    for sheet in ("Frist", 6, 0, True, -1, 1.5):
        with pytest.raises(
            ds.InvalidOption,
            match=r"sheet is .*, which is no sheet of .*: its sheets are 'First', '2019', 'one', 'header'",
        ):
            ds.read_data(workbook, sheet=sheet)
    with pytest.raises(ds.InvalidData, match=r"sheet 'header' of .* has a header but no rows"):
        ds.read_data(workbook, sheet="header")
    with pytest.raises(ds.InvalidData, match=r"sheet 'empty' of .* is empty; it must have a header"):
        ds.read_data(workbook, sheet="empty")


def test_weights_and_long_answers_come_from_sheets_too(workbook):
    assert ds.read_data(workbook, sheet=2, weights="u", levels={"v": ["2", "2.5"]}).m == 3


@pytest.mark.parametrize(
    ("ending", "package", "module"),
    [("xlsx", "openpyxl", "openpyxl"), ("xls", "xlrd", "xlrd"), ("ods", "odfpy", "odf")],
)
def test_without_the_package_a_sentence_says_what_to_do(tmp_path, monkeypatch, ending, package, module):
    path = tmp_path / f"t.{ending}"
    path.write_bytes(b"PK\x03\x04")
    monkeypatch.setattr(
        spreadsheets, "find_spec", lambda name: None if name == module else importlib.util.find_spec(name)
    )
    with pytest.raises(ds.BackendUnavailable) as error:
        ds.read_data(path)
    assert str(error.value) == (
        f"reading '{path}' needs {package}, which is not installed: pip install {package}, or export the table as CSV"
    )


def test_damaged_spreadsheets_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "find_spec", lambda module: object())
    path = tmp_path / "t.xlsx"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(
        ds.InvalidData, match=r"cannot be read as a spreadsheet: .*; if it is undamaged, export it as CSV"
    ):
        ds.read_data(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(2**24))
    assert path.stat().st_size < 2**16
    with pytest.raises(ds.TooLarge, match=r"the 16,777,216 bytes that .* unpacks to need"):
        ds.read_data(path, max_memory="100MiB")
    path.with_suffix(".csv").write_bytes(path.read_bytes())
    with pytest.raises(ds.InvalidData, match=r"is a zip archive or an Excel file, .* its ending \.xlsx"):
        ds.read_data(path.with_suffix(".csv"))


def test_options_of_other_files_are_refused(stata):
    with pytest.raises(ds.InvalidOption, match=r"sheet is 1, but .* is not a spreadsheet \(.xlsx, .xlsm, .xls, .ods\)"):
        ds.read_data(stata, sheet=1)
    with pytest.raises(ds.InvalidOption, match=r"sheet is 'a', but 't.csv' is not a spreadsheet"):
        ds.read_data("t.csv", sheet="a")
