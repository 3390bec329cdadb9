"""Text files in other encodings than UTF-8."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds

ROWS = "name,town\nJosé,Köln\nZoë,Umeå\n"
LEVELS = ("José", "Zoë")


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "t.csv"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac-roman", "utf-16-le", "UTF-8", "utf-8-sig", "cp437"])
def test_an_encoding_may_be_named(write, encoding):
    path = write(ROWS.replace("ë", "ö" if encoding == "cp437" else "ë").encode(encoding))
    assert ds.read_data(path, encoding=encoding).levels["town"] == ("Köln", "Umeå")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(write, encoding):
    path = write(ROWS.encode(encoding))
    for options in ({}, {"encoding": "latin-1"}, {"encoding": "utf-16-le"}):
        data = ds.read_data(path, **options)
        assert (data.variables, data.levels["name"]) == (("name", "town"), LEVELS)
    assert ds.read_data(write(gzip.compress(ROWS.encode(encoding)))).levels["name"] == LEVELS
    big = ("\ufeff" + ROWS).encode("utf-16-be")
    assert ds.read_data(write(big)).levels["name"] == LEVELS


def test_other_encodings_are_refused_with_line_and_remedy(write):
    path = write(ROWS.encode("latin-1"))
    with pytest.raises(ds.InvalidData) as error:
        ds.read_data(path)
    assert str(error.value) == (
        f"'{path}' is not UTF-8 text (byte 0xe9 in line 2): say which encoding it has, such as encoding='latin-1' or "
        "encoding='cp1252', or save it as UTF-8"
    )
    with pytest.raises(ds.InvalidData, match=r"is not cp1252 text \(byte 0x81 in line 3\)"):
        ds.read_data(write(b"a\nx\n\x81\n"), encoding="cp1252")
    with pytest.raises(ds.InvalidData, match=r"is not utf-16 text \(.*BOM\): say which encoding it has"):
        ds.read_data(write(b"ab\nx\nyy\n"), encoding="utf-16")
    with pytest.raises(
        ds.InvalidData, match=r"NUL character in line 1: it is not a text file, or it is UTF-16: then use"
    ):
        ds.read_data(write("a,b\n1,2\n".encode("utf-16-le")))


@given(st.integers(1, 6000), st.integers(0, 60), st.integers(0, 3000))
def test_the_line_is_that_of_the_byte(tmp_path_factory, before, width, after):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(b"a\n" + (b"x" * width + b"y\n") * before + b"\xe9\n" + b"z\n" * after)
    with pytest.raises(ds.InvalidData, match=rf"byte 0xe9 in line {before + 2}\)"):
        ds.read_data(path)


@pytest.mark.parametrize(
    "name", ["latin-one", "rot13", "base64", "idna", "punycode", "undefined", "unicode_escape", ""]
)
def test_unknown_encodings_are_refused(write, name):
    with pytest.raises(
        ds.InvalidOption, match=r"encoding is '.*', which is no known encoding of text; usual ones are utf-8"
    ):
        ds.read_data(write(b"a\n1\n"), encoding=name)


def test_other_mistakes(write):
    with pytest.raises(ds.InvalidOption, match=r"did you mean 'latin-1'\?"):
        ds.read_data(write(b"a\n1\n"), encoding="latn-1")
    with pytest.raises(ds.InvalidOption, match="encoding is 3, which is no known encoding"):
        ds.read_data(write(b"a\n1\n"), encoding=3)
    with pytest.raises(ds.InvalidOption, match=r"encoding is 'latin-1', which is for text files, and 't.xlsx' is none"):
        ds.read_data("t.xlsx", encoding="latin-1")
