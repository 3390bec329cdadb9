from __future__ import annotations

import decimal
import gzip
import io
import tracemalloc
import warnings
from contextlib import suppress

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dagscape.core.errors import InvalidData, TooLarge
from dagscape.data.reading import read_data, read_table
from dagscape.data.tables.frames import table_from_frame
from dagscape.data.tables.parquet_pages import largest_page, read_footer


def contents(table: pa.Table, **options) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, **options)
    return stream.getvalue()


@pytest.fixture
def write(tmp_path):
    def write(content: pa.Table | bytes, name: str = "t.parquet", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else contents(content, **options))
        return path

    return write


def strings(table) -> list[list[str | None]]:
    return [[None if code < 0 else column.values[code] for code in column.codes] for column in table.columns]


# Earlier versions of pyarrow do not write views.
VIEW = pa.string_view() if int(pa.__version__.split(".")[0]) >= 21 else pa.string()
MANY_TYPES = pa.table(
    {
        "text": ["b", "a", None, "b", "?", "c"],
        "large": pa.array(["x", "y", "x", "y", "x", None], pa.large_string()),
        "view": pa.array(["x", "y", "x", "y", "x", None], VIEW),
        "category": pd.Categorical(["no", "no", None, "yes", "no", "no"], categories=["yes", "rare", "no"]),
        "integer": [3, 1, None, 2**60, 1, -5],
        "small": pa.array([1, 2, 1, 2, 1, 2], pa.uint8()),
        "float": [1.0, -0.0, 0.0, float("nan"), None, 2.0],
        "decimal": [decimal.Decimal("1.50")] * 5 + [None],
        "boolean": [True, None, False, True, True, True],
        "nothing": pa.nulls(6),
        "empty": pa.array([None] * 6, pa.timestamp("us")),
    }
)


@pytest.mark.parametrize(
    "options",
    [{}, {"row_group_size": 2}, {"use_dictionary": False}, {"data_page_version": "2.0", "compression": "gzip"}],
    ids=["plain", "parts", "no-dictionary", "version-2"],
)
def test_cells_are_those_of_the_frame(write, options):
    found, expected = read_table(write(MANY_TYPES, **options)), table_from_frame(MANY_TYPES)
    assert found.names == expected.names
    assert strings(found) == strings(expected)
    for name in found.names:
        assert found.column(name).type == expected.column(name).type
        assert found.column(name).declared == expected.column(name).declared
    if options.get("use_dictionary", True):
        assert found.column("category").values == ("yes", "rare", "no")


def test_batches_and_groups_of_columns_make_no_difference(write, monkeypatch):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({f"x{i}": rng.integers(0, 5, 1000) for i in range(5)})
    frame["text"] = pd.Categorical.from_codes(rng.integers(0, 3, 1000), ["a", "b", "c"]).astype(str)
    frame["measured"] = rng.random(1000)
    monkeypatch.setattr("dagscape.data.tables.parquet._BATCH_ROWS", 128)
    monkeypatch.setattr("dagscape.data.tables.parquet._COLUMNS_AT_ONCE", 2)
    found = read_table(write(pa.Table.from_pandas(frame), row_group_size=300))
    assert strings(found) == strings(table_from_frame(frame))


def test_unused_columns_may_contain_anything(write):
    path = write(pa.table({"a": [1, 2], "days": [[1], [2]], "b": ["x", "y"]}))
    assert read_data(path, drop=["days"]).variables == ("a", "b")
    with pytest.raises(InvalidData, match=r"has cells of type list<element: int64> in column 'days': convert them to"):
        read_data(path)


def test_very_many_rows_in_a_small_file_are_refused_before_they_are_read(write):
    path = write(pa.table({"a": pa.array(np.zeros(10**7, dtype=np.int8)), "b": pa.nulls(10**7)}))
    assert path.stat().st_size < 10**5
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match=r"^the 10,000,000 rows of '.*', with 2 columns in use, need 686.6 MiB;"):
            read_table(path, max_memory="100MiB")
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_a_page_that_unpacks_to_much_is_refused(write):
    path = write(pa.table({"a": ["x" * 2 * 10**7, "y"]}), compression="zstd", use_dictionary=False)
    assert path.stat().st_size < 10**5
    with pytest.raises(TooLarge, match=r"^the pages of column 'a' of '.*' need 19.* MiB; the limit is 16.0 MiB"):
        read_table(path, max_memory="16MiB")


def _varint(number: int) -> bytes:
    """A number as the footer writes it."""
    coded, found = number << 1, b""
    while coded >= 128:
        found, coded = found + bytes([coded & 127 | 128]), coded >> 7
    return found + bytes([coded])


def test_a_footer_that_belittles_its_pages_is_not_believed(write):
    # From a file like this one of 30 KB, pyarrow allocates 3 GB if the string has 10^9 characters.
    content = contents(
        pa.table({"a": ["x" * 2 * 10**7, "y"]}), compression="zstd", use_dictionary=False, store_schema=False
    )
    size = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0).total_uncompressed_size
    true, small = _varint(size), _varint(1000)
    belittled = bytes(byte | 128 for byte in small) + b"\x80" * (len(true) - len(small) - 1) + b"\x00"
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    assert true in content[footer:]
    path = write(content[:footer] + content[footer:].replace(true, belittled))
    assert pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size == 1000
    with pytest.raises(TooLarge, match=r"^the pages of column 'a' of '.*' need 19.* MiB; the limit is 16.0 MiB"):
        read_table(path, max_memory="16MiB")


def test_a_long_string_in_many_rows_is_held_once(write):
    path = write(pa.table({"a": ["x" * 10**5, "y"] * 200}), compression="zstd")
    assert [len(text) for text in read_table(path, max_memory="4MiB").columns[0].values] == [10**5, 1]


def test_distinct_values_count(write):
    path = write(pa.table({"id": [f"row {i}" for i in range(50_000)], "x": [0, 1] * 25_000}))
    with pytest.raises(
        TooLarge, match=r"distinct values of column 'id' of .* or leave out the column with drop=\['id'\]"
    ):
        read_data(path, max_memory="16MiB")
    assert read_data(path, max_memory="16MiB", drop=["id"]).m == 50_000


def test_text_that_is_not_utf_8(write):
    wrong = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff\xfe", b"a"]).buffers())
    with pytest.raises(InvalidData, match=r"has text that is not UTF-8: write the file again"):
        read_table(write(pa.table({"a": wrong})))
    named = contents(pa.table({"name": [1, 2]}), store_schema=False)
    with pytest.raises(InvalidData, match=r"has text that is not UTF-8: write the file again"):
        read_table(write(named.replace(b"name", b"na\xffe")))


@pytest.mark.parametrize("keep", [0, 3, 8, 40, -1, -100])
def test_incomplete_files(write, keep):
    with pytest.raises(InvalidData, match=r"cannot be read as Parquet"):
        read_table(write(contents(MANY_TYPES)[:keep]))


def test_files_without_columns_or_rows(write):
    with pytest.raises(InvalidData, match="has no columns"):
        read_table(write(pa.table({})))
    with pytest.raises(InvalidData, match="has a header but no rows"):
        read_table(write(pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int8())})))
    with pytest.raises(InvalidData, match="more than one column called 'a'"):
        read_table(write(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])))


def test_a_gzipped_file_is_read(write):
    path = write(gzip.compress(contents(pa.table({"a": [1, 2]}))))
    assert strings(read_table(path)) == [["1", "2"]]
    with pytest.raises(TooLarge, match="bytes were read, need"):
        read_table(write(gzip.compress(bytes(10**7))), max_memory="1MiB")


def test_names_with_dots(write):
    path = write(pa.table({"a": ["x", "y"], "a.b": [1, 2], "a.b.c": [True, False]}))
    assert strings(read_table(path)) == [["x", "y"], ["1", "2"], ["True", "False"]]


@pytest.mark.parametrize("footer", [b"", b"\xff" * 100, b"\x1c" * 100, b"\x49\xf0" + b"\xff" * 9 + b"\x01" * 90])
def test_damaged_footers(footer):
    with pytest.raises(InvalidData, match=r"'t.parquet' cannot be read as Parquet: its footer is damaged"):
        read_footer(footer, "t.parquet")


def test_half_precision_numbers(write):
    table = pa.table({"a": pa.array(np.array([0.5, 1, 300], dtype=np.float16))})
    path = write(table)
    if nw.from_native(table)["a"].dtype == nw.Unknown:  # Earlier versions of narwhals do not know such numbers.
        with pytest.raises(InvalidData, match="'a'"):
            read_table(path)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert strings(read_table(path)) == [["0.5", "1.0", "300.0"]]


def test_statistics_that_end_the_process_in_pyarrow_are_not_looked_at(write):
    # The sizes of a column of booleans say that it has bytes, which pyarrow refuses with an exception that C++ does not
    # catch if Python asks for the column's description.
    content = contents(pa.table({"flag": [True, False, True], "text": ["a", "b", "a"]}), store_schema=False)
    for place in range(content.rindex(b"flag"), len(content) - 8):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        with suppress(InvalidData, TooLarge):
            read_table(write(bytes(damaged)), max_memory="16MiB")


def test_sizes_of_pages():
    content = contents(pa.table({"a": ["x" * 1000, "y", None]}), compression="none", use_dictionary=False)
    expected = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0)
    [group] = read_footer(content[-8 - int.from_bytes(content[-8:-4], "little") : -8], "t.parquet")
    [chunk] = group.chunks
    assert (group.rows, chunk.cells, chunk.nulls) == (3, 3, 1)
    assert (chunk.start, chunk.length) == (expected.data_page_offset, expected.total_compressed_size)
    size = largest_page(pa.BufferReader(content), chunk, "column 'a'")
    assert 2 * 1009 <= size < 2 * 1100
    for damaged in (bytes(len(content)), b"\xff" * len(content), b"\x1c" * len(content)):
        with pytest.raises(InvalidData, match=r"^column 'a' has a page"):
            largest_page(pa.BufferReader(damaged), chunk, "column 'a'")
