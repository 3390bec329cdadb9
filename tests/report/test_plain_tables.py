"""Tables of many rows look as rich writes them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.report import terminal
from dagscape.report.blocks import Name, Number, Problem, table
from dagscape.report.plain_tables import plain_lines
from dagscape.report.terminal import terminal_text

WORDS = st.text(st.sampled_from("ab -_,:界é\x1b[]\n"), max_size=30)
CELLS = st.one_of(
    WORDS,
    WORDS.map(Name),
    st.integers(0, 10**9).map(lambda value: Number(value, f"{value:,}")),
    st.lists(WORDS | WORDS.map(lambda name: Name(name, listed=True)), max_size=4).map(tuple),
)


@st.composite
def contents(draw):
    count = draw(st.integers(1, 4))
    headers = draw(
        st.lists(st.sampled_from(["variable", "n", "counts of levels", Name("a_b-c")]), min_size=count, max_size=count)
    )
    rows = draw(st.lists(st.tuples(*[CELLS] * count), max_size=6))
    return table(headers, rows, numeric=draw(st.sets(st.integers(0, count - 1))))


def written(content, width, many):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "_MANY_ROWS", many)
        return terminal_text([content], width)


@given(contents(), st.integers(5, 120))
def test_the_same_lines_as_those_of_rich(content, width):
    assert written(content, width, many=0) == written(content, width, many=10**9)


def test_the_widest_column_is_narrowed_and_no_other():
    def wrap(row, column, width):
        return [f"{row} {column} {width}", "rest"]

    rows = [["a", "b", "c"], ["x" * 10, "y" * 60, "1"]]
    assert list(plain_lines(rows, [False, False, True], 40, wrap)) == [
        "a           b                          c",
        "xxxxxxxxxx  1 1 25                     1",
        "            rest",
    ]
    assert plain_lines([["a", "b"], ["x" * 50, "y" * 60]], [False, False], 40, wrap) is None


def test_problems_keep_their_colour():
    content = table(["a"], [((Problem("no"),),)] * 3)
    assert written(content, 40, many=0) == written(content, 40, many=10**9)


@pytest.mark.slow
def test_thousands_of_rows_are_quick():
    rows = [(Name(f"v{i}"), "integers", Number(i, str(i)), ("0: 17, 1: 12, " * 8,)) for i in range(20_000)]
    start = time.process_time()
    assert terminal_text([table(["variable", "kind", "n", "counts"], rows, numeric=[2])], 100).count("\n") > 20_000
    # rich alone takes half a minute.
    assert time.process_time() - start < 8
