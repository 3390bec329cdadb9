from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.data.discrete.rows import group_rows, pack_words
from dagscape.data.tables.coding import column_from_strings
from dagscape.data.tables.columns import TextColumn
from dagscape.data.tables.numbers import parse_numbers
from dagscape.data.tables.table import Table, listing
from oracles.tables import merge


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2", "-3"], "integers"),
        (["1.0", "2", "1e3"], "integers"),
        (["12345678901234567890", "1"], "integers"),
        (["1.5", "2"], "decimals"),
        (["1.5", "nan", "inf"], "decimals"),
        (["1", "nan"], "labels"),
        (["1", "inf"], "labels"),
        (["1e999", "2"], "labels"),
        (["1.5", "high"], "labels"),
        (["1_000", "2"], "labels"),
        (["١", "٢"], "labels"),
        (["?", ""], "labels"),
    ],
)
def test_kind(cells, expected):
    assert column_from_strings(cells).kind == expected


def test_numbers_of_strings():
    assert parse_numbers(["1", " 2.5 "]).tolist() == [1.0, 2.5]
    assert parse_numbers(["1", "1_0"]) is None


def test_column_counts_and_places():
    column = column_from_strings(["b", "?", "a", "b"])
    assert (column.values, column.missing, column.counts().tolist()) == (("b", "a"), 1, [2, 1])
    assert (column.first_row(1), column.first_row(-1)) == (2, 1)


def test_taking_rows_forgets_unobserved_values_unless_declared():
    rows = np.array([False, True, True])
    free = TextColumn(("a", "b"), np.array([0, 1, -1], dtype=np.int32))
    assert free.take(rows).values == ("b",)
    assert free.take(rows).codes.tolist() == [0, -1]
    declared = TextColumn(("a", "b"), np.array([0, 1, -1], dtype=np.int32), declared=True)
    assert declared.take(rows).values == ("a", "b")
    assert declared.take(rows).codes.tolist() == [1, -1]
    assert declared.observed().declared is False


def test_a_table_keeps_the_places_of_its_rows():
    table = Table(("x",), (column_from_strings(["a", "b", "c"]),), np.array([2, 5, 6]), "line", "'f.csv'")
    assert table.take(np.array([False, False, True])).where(0) == "line 6"
    frame = Table(("x",), (column_from_strings(["a"]),), np.array([7]), "row", "the data frame")
    assert frame.where(0) == "row 7 (counted from 0)"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "no columns"),
        (("a", "a"), "more than one column called 'a'"),
        (("a", ""), "no name for column 2"),
    ],
)
def test_bad_names(names, message):
    columns = tuple(column_from_strings(["x"]) for _ in names)
    with pytest.raises(InvalidData, match=message):
        Table(names, columns, np.array([0]), "row", "the data frame")


@pytest.mark.parametrize("missing_values", ["NA", [None], [1]])
def test_missing_values_must_be_strings(missing_values):
    with pytest.raises(InvalidOption, match="missing_values"):
        column_from_strings(["a"], missing_values=missing_values)


def test_long_listings_are_cut():
    assert listing(["a", "b"]) == "'a', 'b'"
    assert listing(range(10), limit=3) == "0, 1, 2 and 7 more"


@given(st.data())
def test_rows_are_grouped_in_lexicographic_order(data):
    arities = data.draw(st.lists(st.sampled_from([1, 2, 7, 2**20, 2**40]), min_size=1, max_size=8))
    row = st.tuples(*(st.integers(0, min(arity, 3) - 1).map(lambda x, a=arity: (a - 1) * x // 2) for arity in arities))
    rows = data.draw(st.lists(row, min_size=1, max_size=30))
    cells = np.array(rows, dtype=np.int64)
    words = pack_words((cells[:, i], arity) for i, arity in enumerate(arities))
    order, starts = group_rows(words)
    counts = np.diff([*starts.tolist(), len(rows)]).tolist()
    found = [tuple(cells[order[start]].tolist()) for start in starts]
    assert list(zip(found, counts, strict=True)) == merge(rows)
