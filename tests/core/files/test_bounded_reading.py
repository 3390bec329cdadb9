from __future__ import annotations

import gc
import gzip
import sys
import tracemalloc

import pytest

from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.core.files.reading import open_binary, read_whole
from dagscape.data.discrete.discretizing import discretize
from dagscape.data.reading import read_data, read_table


def read(path, **options):
    with open_binary(path) as stream:
        return read_whole(stream, path, **options)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_within_the_limit_is_read_whole(tmp_path, pack):
    contents = bytes(range(256)) * 4000
    path = tmp_path / "x.json"
    path.write_bytes(pack(contents))
    assert read(path, max_memory=len(contents)) == contents


def test_a_gzipped_file_is_refused_once_its_contents_exceed_the_limit(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(bytes(10**7)))
    with pytest.raises(TooLarge, match=r"^the scores of '.*', of which 1,310,720 bytes were read, need 2.5 MiB; the "):
        read(path, max_memory="2.3MiB", bytes_per_byte=2, what="the scores")


def test_a_damaged_gzip_file_is_one_sentence(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(bytes(10**6))[:-20])
    with pytest.raises(InvalidData, match=r"cannot be read: Compressed file ended before"):
        read(path)


def write(tmp_path, content: bytes, name: str = "t.csv"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


# A quoted cell that goes on in the next line.
LONG_CELL = b'"' + b"x" * 300 + b'\n",'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"," * 10**7, r"^the 524,288 characters and 524,288 cells of the header in '.*', up to line 1, need 754"),
        (b"a" * 10**7, r"line 1 has a cell of more than 131072 characters"),
        (b"a,b\n" + b"," * 10**7, r"line 2 is part of a row of more than 1,048,576 characters, too many for the"),
        (b"a,b\n" + LONG_CELL * 10**4, r"is part of a row of more than 52[0-9],[0-9]+ characters, too many for the"),
        (LONG_CELL * 10**5, r"cells of the header in '.*', up to line [0-9]+, need"),
    ],
    ids=["separators", "no-separators", "long-row", "row-of-many-lines", "header-of-many-lines"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_long_row_is_refused_before_it_is_split(tmp_path, content, message, pack):
    path = write(tmp_path, pack(content))
    tracemalloc.start()
    try:
        with pytest.raises((InvalidData, TooLarge), match=message):
            read_table(path, max_memory="50MiB")
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_distinct_strings_count_and_name_their_column(tmp_path):
    path = write(tmp_path, b"id,x\n" + b"".join(b"n%d,%d\n" % (i, i % 2) for i in range(30_000)))
    with pytest.raises(TooLarge, match=r"^the first [0-9,]+ lines of '.*' need .*; the limit is 8.0 MiB") as caught:
        read_table(path, max_memory="8MiB")
    assert "leave out column 'id', which has" in str(caught.value)
    assert str(caught.value).endswith("distinct values, with drop=['id']")
    data = read_data(path, max_memory="8MiB", drop=["id"])
    assert (data.variables, data.m) == (("x",), 30_000)


def test_numbers_take_little_memory_until_they_are_levels(tmp_path):
    path = write(tmp_path, b"id,x\n" + b"".join(b"%d,%d\n" % (i, i % 2) for i in range(30_000)))
    assert read_table(path, max_memory="4MiB").column("id").kind == "integers"
    with pytest.raises(
        TooLarge, match=r"^the 30,000 distinct values of column 'id' of '.*', as levels, need 11.4 MiB;"
    ):
        read_data(path, max_memory="8MiB")
    assert read_data(path, max_memory="4MiB", drop=["id"]).variables == ("x",)
    assert read_data(path, max_memory="4MiB", kind="numeric").variables == ("id", "x")


@pytest.mark.slow
def test_a_table_is_freed_when_it_is_used_no_more(tmp_path):
    path = write(tmp_path, b"x,y\n" + b"".join(b"%f,%d\n" % (i / 7, i % 2) for i in range(20_000)))
    read_table(path)
    gc.disable()
    tracemalloc.start()
    try:
        discretize(path)
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()
        gc.enable()


def test_numbers_that_become_text_again_count(tmp_path):
    rows = b"".join(b"%d\n" % i for i in range(30_000))
    path = write(tmp_path, b"id\n" + rows + b"none\n")
    with pytest.raises(TooLarge, match=r"leave out column 'id', which has [0-9,]+ distinct values, with drop=\['id'\]"):
        read_table(path, max_memory="8MiB")


def test_rows_count_even_if_their_cells_are_few(tmp_path):
    path = write(tmp_path, gzip.compress(b"a\n" + b"\n" * 10**6, 1))
    with pytest.raises(TooLarge, match=r"the limit is 4.0 MiB .*: raise it, or use fewer columns or rows"):
        read_table(path, max_memory="4MiB")


def test_a_file_much_larger_than_the_limit_is_read_if_its_codes_fit(tmp_path):
    rows = b"%s,0\n%s,1\n" % (b"x" * 200, b"y" * 200)
    path = write(tmp_path, gzip.compress(b"a,b\n" + rows * 20_000, 1))
    table = read_table(path, max_memory="4MiB")
    assert table.m == 40_000
    assert [len(column.values) for column in table.columns] == [2, 2]


@pytest.mark.slow
def test_a_long_row_that_fits_is_read(tmp_path):
    names = [f"{'x' * 60}{i}" for i in range(20_000)]
    path = write(tmp_path, "\r\n".join([",".join(names), ",".join(["0"] * 20_000), ",".join(["1"] * 20_000)]).encode())
    table = read_table(path, max_memory="200MiB")
    assert (len(table.names), table.m, table.rows.tolist()) == (20_000, 2, [2, 3])


@pytest.mark.parametrize("levels", [20_000_000, 10**5000], ids=["many", "too-many-to-write"])
def test_declared_levels_count(tmp_path, levels):
    path = write(tmp_path, b"a,b\n0,1\n1,0\n")
    with pytest.raises(TooLarge, match=r"declared levels of 'a' need .*; the limit is 32.0 MiB .*: raise it, or "):
        read_data(path, levels={"a": levels}, max_memory="32MiB")


def test_many_declared_levels_that_fit_are_fine(tmp_path):
    data = read_data(write(tmp_path, b"a,b\n0,1\n99999,0\n"), levels={"a": 10**5}, max_memory="20MiB")
    assert data.arities.tolist() == [10**5, 2]


def test_lists_are_no_levels(tmp_path):
    deep = []
    for _ in range(900):
        deep = [deep]
    with pytest.raises(InvalidOption, match=r"^levels has the level \[{7}\.{3}\]{7}; it must be a string"):
        read_data(write(tmp_path, b"a,b\n0,1\n1,0\n"), levels={"a": [deep, "1"]})


def test_a_file_that_is_gzipped_twice_is_one_sentence(tmp_path):
    path = write(tmp_path, gzip.compress(gzip.compress(b"a,b\n0,1\n")))
    with pytest.raises(InvalidData, match="is gzipped twice: unpack it once"):
        read_table(path)


@pytest.mark.parametrize("path", ["a\0b.csv", "\ud800\udfff.csv"])
def test_a_path_that_no_file_can_have(path):
    with pytest.raises(InvalidOption, match="cannot read"):
        read_table(path)


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InvalidOption, match=r"cannot read '-': standard input is closed"):
        read_table("-")
