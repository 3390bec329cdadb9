from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from dagscape.core.errors import BackendUnavailable, InvalidData, InvalidOption
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.reading import read_data, read_table


def cells(table):
    """The rows of a table as strings, None for a missing cell."""
    columns = [[None if code < 0 else c.values[code] for code in c.codes] for c in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.fixture
def write(tmp_path):
    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_numeric_data(write):
    path = write("a,b,set\n1.5,2,a\n -3 ,1e3,0\n?,7,b\n")
    data = read_data(path, kind="numeric", missing="keep", interventions="set")
    assert data.variables == ("a", "b")
    assert np.array_equal(data.values, [[-3.0, 1000.0], [1.5, 2.0], [np.nan, 7.0]], equal_nan=True)
    assert data.interventions.tolist() == [[False, False], [True, False], [False, True]]
    assert read_data(path, kind="numeric", missing="drop", drop=["set"]).dropped == 1


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("red", r"has 'red' in column 'b' at line 4, which is not a number: leave out the column with drop=\['b'\]"),
        ("inf", "has 'inf' in column 'b' at line 4, which is not a finite number"),
        ("nan", "has 'nan' in column 'b' at line 4, which is not a finite number"),
        ("1_0", "has '1_0' in column 'b' at line 4, which is not a number"),
        ("True", "has 'True' in column 'b' at line 4, which is not a number"),
        ("2020-01-01", "has '2020-01-01' in column 'b' at line 4, which is not a number"),
        ("9007199254740993", "has '9007199254740993' in column 'b' at line 4, an integer beyond 2.53"),
        ("", "has 1 missing cell, in column 'b' at line 4: use missing='keep'"),
    ],
)
def test_what_is_not_a_number_is_refused_with_its_line(write, cell, message):
    path = write(f"a,b\n1,2\n\n3,{cell}\n5,6\n7,x\n" if cell == "red" else f"a,b\n1,2\n\n3,{cell}\n5,6\n")
    with pytest.raises(InvalidData, match=message):
        read_data(path, kind="numeric")
    assert read_data(path, kind="numeric", drop=["b"]).variables == ("a",)


def test_kinds_of_data(write):
    path = write("a,b\n1,2\n3,4\n")
    assert type(read_data(path, kind="discrete")) is type(read_data(path))
    with pytest.raises(InvalidOption, match="kind is 'numbers'; it must be"):
        read_data(path, kind="numbers")
    with pytest.raises(InvalidOption, match="levels declares levels, which kind='numeric' does not have"):
        read_data(path, kind="numeric", levels={"a": 4})
    with pytest.raises(InvalidOption, match="missing is 'level'"):
        read_data(path, kind="numeric", missing="level")


def test_numeric_data_from_every_format(write, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(50, 3)), columns=list("abc"))
    expected = NumericData.from_frame(frame)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv.gz", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.tsv.gz", "t.parquet"):
        assert read_data(tmp_path / name, kind="numeric") == expected


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_endings(write, ending, last):
    path = write(ending.join(["a,b", "1,x", "2,y"]) + (ending if last else ""))
    table = read_table(path)
    assert table.names == ("a", "b")
    assert cells(table) == [["1", "x"], ["2", "y"]]
    assert table.rows.tolist() == [2, 3]


def test_strings_are_kept_and_missing_cells_found(write):
    table = read_table(write("a,b\nNone,NA\n?,\nnan,null\n"))
    assert cells(table) == [["None", "NA"], [None, None], ["nan", "null"]]
    table = read_table(write("a,b\nNone,NA\n?,\n"), missing_values=["NA"])
    assert cells(table) == [["None", None], ["?", ""]]


def test_white_space_around_cells_and_names_is_dropped(write):
    table = read_table(write(' a , "b"\n x ,y z\n\tx, "p,q"\n'))
    assert table.names == ("a", "b")
    assert cells(table) == [["x", "y z"], ["x", "p,q"]]


def test_quoted_cells(write):
    table = read_table(write('a,b\n"1,5","say ""no"""\n"two\nlines",z\nlast,z\n'))
    assert cells(table) == [["1,5", 'say "no"'], ["two\nlines", "z"], ["last", "z"]]
    assert table.rows.tolist() == [2, 3, 5]


def test_blank_lines_are_skipped_where_there_are_several_columns(write):
    table = read_table(write("\n\na,b\n\n1,2\n   \n3,4\n\n\n"))
    assert cells(table) == [["1", "2"], ["3", "4"]]
    assert table.rows.tolist() == [5, 7]


def test_a_blank_line_is_a_missing_cell_of_a_single_column(write):
    assert cells(read_table(write("a\n1\n\n2\n"))) == [["1"], [None], ["2"]]


def test_a_byte_order_mark_is_skipped(write):
    assert read_table(write("\ufeffa,b\n1,2\n")).names == ("a", "b")


@pytest.mark.parametrize("name", ["t.tsv", "t.TSV", "t.tab", "t.tsv.gz"])
def test_tabs_by_extension(write, name):
    content = b"a,1\tb\nx\ty\n"
    table = read_table(write(gzip.compress(content) if name.endswith("gz") else content, name))
    assert table.names == ("a,1", "b")


def test_gzip_is_found_by_content(write):
    assert read_table(write(gzip.compress(b"a,b\n1,2\n"), "t.csv")).names == ("a", "b")


def test_a_separator_of_ones_own(write):
    assert read_table(write("a;b\n1;2\n"), separator=";").names == ("a", "b")
    assert read_table(write("a b\n1 2\n"), separator=" ").names == ("a", "b")
    assert read_table(write("a;b\n1\n"), separator=",").names == ("a;b",)


def test_one_column_whose_name_has_a_space(write):
    data = read_data(write("sepal length\n1\n2\n"))
    assert (data.variables, data.m) == (("sepal length",), 2)
    assert read_table(write("first name\nJo Ann\n"), separator=",").names == ("first name",)


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", 1])
def test_bad_separators(write, separator):
    with pytest.raises(InvalidOption, match="separator"):
        read_table(write("a,b\n1,2\n"), separator=separator)


@pytest.mark.parametrize(
    ("content", "names"),
    [(b"a\tb\n1\t2\n", ("a", "b")), (b"a,b\n1,2\n", ("a", "b")), (b"a,b\tc\n1,2\n", ("a", "b\tc"))],
)
def test_standard_input(write, monkeypatch, content, names):
    with write(content).open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert read_table("-").names == names


def test_standard_input_may_be_compressed(write, monkeypatch):
    with write(gzip.compress(b"a,b\n1,2\n")).open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert read_table("-").names == ("a", "b")


def test_standard_input_may_be_a_pipe():
    program = "from dagscape.data.reading import read_data; print(read_data('-'))"
    cells = b"a,b\n1,2\n3,4\n"
    result = subprocess.run([sys.executable, "-c", program], input=cells, capture_output=True, check=True)
    assert result.stdout.strip() == b"Dataset(2 variables, 2 rows, 2 of them distinct)"


@pytest.mark.slow
def test_many_rows_come_in_chunks(write):
    m = 25_001
    table = read_table(write("a,b\n" + "".join(f"{i % 7},{i}\n" for i in range(m))))
    assert table.m == m
    assert table.columns[0].counts().tolist() == [3572] * 4 + [3571] * 3
    assert table.columns[1].values[-1] == str(m - 1)
    assert table.rows[-1] == m + 1


BAD = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n\n", "is empty"),
    "header only": (b"a,b\n", "has a header but no rows"),
    "header and blank lines": (b"a,b\n\n\n", "has a header but no rows"),
    "equal names": (b"a,b, a\n1,2,3\n", "more than one column called 'a'"),
    "no name": (b"a,,c\n1,2,3\n", "no name for column 2"),
    "short row": (b"a,b,c\n1,2,3\n1,2\n", "line 3 has 2 cells; the header has 3"),
    "single cell": (b"a,b,c\nx\n", "line 2 has 1 cell; the header has 3"),
    "long row": (b"a,b\n\n1,2,3\n", "line 3 has 3 cells; the header has 2"),
    "two cells in one column": (b"a\n1,2\n", "line 2 has 2 cells; the header has 1"),
    "Latin-1": ("a,b\nä,ö\n".encode("latin-1"), "is not UTF-8 text"),
    "NUL": (b"a,b\n1,\x00\n", "NUL character in line 2"),
    "many NULs": (bytes(2**20), "NUL character in line 1: it is not a text file"),
    "NUL late in a long line": (b"a,b\n1," + 2**18 * b"x," + bytes(2**20), "NUL character in line 2"),
    "open quote": (b'a,b\n1,2\n"3,4\n5,6\n', "line 3 has a quote that is never closed"),
    "text after a quote": (b'a,b\n"1"x,2\n', "line 2 has text after a closing quote"),
    "open quote in a large file": (b'a,b\n"1,2\n' + b"3,4\n" * 50_000, "line 2 has a cell of more than"),
    "cut gzip": (gzip.compress(b"a,b\n" + bytes(range(48, 58)) * 1000)[:40], "cannot be read"),
    "damaged gzip": (gzip.compress(b"a,b\n1,2\n")[:10] + b"\xff" * 30, "cannot be read"),
    "spaces": (b"a b\n1 2\n", "use separator=' ' if that separates its cells"),
    "semicolons": (b"a;b\n1;2\n", "use separator=';'"),
    "tabs": (b"a\tb\n1\t2\n", r"use separator='\\t'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(write, case):
    content, message = BAD[case]
    path = write(content)
    with pytest.raises(InvalidData, match=message) as caught:
        read_data(path)
    text = str(caught.value)
    assert repr(str(path)) in text
    assert "\n" not in text
    assert not text.endswith(".")


def test_a_file_that_is_not_there(tmp_path):
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(InvalidOption, match="No such file"):
            read_data(tmp_path / name)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InvalidOption, match="Is a directory"):
        read_data(tmp_path)


def test_a_source_must_be_a_path():
    with pytest.raises(InvalidOption, match="object of type list; it must be the path of a file"):
        read_data([[1, 2]])


def test_bundled_tables_by_name():
    assert read_data("builtin:tic-tac-toe").m == 958
    assert read_data("builtin:tic-tac-toe", levels={"Class": ["positive", "negative"]}).levels["Class"][0] == "positive"
    with pytest.raises(InvalidOption, match="no bundled data set 'chess'"):
        read_data("builtin:chess")


def test_parquet(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"i": [1, 2, 1], "s": ["x", None, "?"], "c": pd.Categorical(["lo", "hi", "lo"], ["lo", "mid", "hi"])}
    )
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    table = read_table(path)
    assert cells(table) == [["1", "x", "lo"], ["2", None, "hi"], ["1", None, "lo"]]
    assert read_data(path, missing="drop").levels["c"] == ("lo", "mid", "hi")


def test_a_damaged_parquet_file(write):
    pytest.importorskip("pyarrow")
    with pytest.raises(InvalidData, match="cannot be read as Parquet") as caught:
        read_data(write(b"PAR1 and no more", "t.pq"))
    assert "\n" not in str(caught.value)


def test_parquet_needs_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BackendUnavailable, match="pip install pyarrow"):
        read_data(write(b"PAR1", "t.parquet"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "levels_called_none"), [("insurance", 2), ("hailfinder", 11)])
def test_levels_called_none_are_not_missing(shared_data, name, levels_called_none):
    data = read_data(shared_data / "sets" / f"bnlearn_{name}.csv.gz")
    assert data.m == 20_000
    assert sum(data.missing.values()) == 0
    assert sum("None" in levels for levels in data.levels.values()) == levels_called_none


def test_reading_loads_nothing_heavy(write):
    path = write("a,b\n1,2\n3,4\n")
    program = (
        "import sys; from dagscape.data.reading import read_data; import dagscape.data.discrete.discretizing\n"
        f"read_data({str(path)!r}).describe()\n"
        "print([name for name in ('pandas', 'narwhals', 'pyarrow', 'scipy') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.slow
def test_many_levels(write):
    order = np.random.default_rng(0).permutation(100_000)
    data = read_data(write("id,even\n" + "".join(f"{i},{i % 2}\n" for i in order.tolist())))
    assert data.codes.dtype == np.uint32
    assert np.array_equal(data.codes[:, 0], np.arange(100_000))
    assert np.array_equal(data.codes[:, 1], np.arange(100_000) % 2)


def test_spreadsheets_declare_their_separator(write):
    table = read_table(write("sep=;\r\na;b\r\n1;x,y\r\n"))
    assert (table.names, table.column("b").values) == (("a", "b"), ("x,y",))
    assert read_table(write("SEP=|\na|b\n1|2\n")).names == ("a", "b")
    # An option has priority, and a column may be called so.
    assert read_table(write("sep=;\na,b\n1,2\n"), separator=",").names == ("a", "b")
    assert read_table(write("sep=x,b\n1,2\n")).names == ("sep=x", "b")
    with pytest.raises(InvalidData, match="has no columns"):
        read_table(write("sep=;\n"))


def test_empty_columns_at_the_end_are_left_out(write):
    table = read_table(write("a,b,,\n1,2,,\n3,4, ,\n5,6\n"))
    assert table.names == ("a", "b")
    assert table.m == 3
    with pytest.raises(InvalidData, match="has no name for column 4, which has 'x' in line 3: give every"):
        read_table(write("a,b,,\n1,2,,\n3,4,,x\n"))
    with pytest.raises(InvalidData, match=r"has no name for column 2: give every column a name$"):
        read_table(write("a,,b\n1,,2\n"))


def test_row_numbers_and_missing_headers_are_told(write):
    with pytest.raises(InvalidData, match=r"column 1: .* or leave out the row numbers \(index=False in pandas"):
        read_table(write(",a,b\n0,x,y\n"))
    with pytest.raises(InvalidData, match="names must differ, and the first line must have the names, not numbers"):
        read_table(write("0,1,0\n1,1,0\n"))
    with pytest.raises(InvalidData, match=r"names must differ; tell .*duplicate_names='rename', .* with drop=\['a'\]$"):
        read_table(write("a,1,a\n1,1,0\n"))


def test_a_mistyped_path_is_told_the_nearest(tmp_path):
    (tmp_path / "patients.csv").write_text("a\n1\n")
    with pytest.raises(InvalidOption, match=r"No such file or directory; did you mean 'patients.csv'\?"):
        read_table(tmp_path / "patient.csv")
    with pytest.raises(InvalidOption, match=r"No such file or directory$"):
        read_table(tmp_path / "nowhere" / "patient.csv")
    for name in ("nofile.csv", "x.csv"):
        with pytest.raises(InvalidOption, match=r"No such file or directory$"):
            read_table(tmp_path / name)
    (tmp_path / "patients.json").write_text("{}")
    with pytest.raises(InvalidOption, match=r"did you mean 'patients.json'\?"):
        read_table(tmp_path / "patient.json")


@pytest.mark.parametrize("text", ["NA", "N/A", "NaN", "null"])
def test_levels_that_look_like_missing_cells(write, text):
    data = read_data(write(f"a,b\nx,1\n{text},2\ny,1\n"))
    assert data.describe().warnings == (
        f"'a' has the level '{text}': if that means a missing cell, declare it a missing value",
    )
