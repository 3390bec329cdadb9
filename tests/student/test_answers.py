from __future__ import annotations

import gzip
import io
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.data.discrete.dataset import Dataset
from dagscape.student.input.answers import Answers, as_answers, read_answers

pa = pytest.importorskip("pyarrow")

TABLE = [[1, 0], [0, -1], [-1, 1]]

tables = hnp.arrays(
    np.int8, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8), elements=st.integers(-1, 1)
)
# Every student has an answer.
answered = tables.map(lambda table: np.column_stack([table, np.ones(len(table), dtype=np.int8)]))


def named(table) -> Answers:
    rows, columns = np.shape(table)
    return Answers(tuple(f"s{row}" for row in range(rows)), tuple(f"i{i}" for i in range(columns)), np.array(table))


def written(tmp_path, text: str, name: str = "answers.csv") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return str(path)


FORMS = {
    "array with nan": np.array([[1, 0], [0, np.nan], [np.nan, 1]]),
    "array with None": [[1, 0], [0, None], [None, 1]],
    "booleans with None": [[True, False], [False, None], [None, True]],
    "mixed cells": [[1.0, "0"], [False, None], [np.nan, np.int8(1)]],
    "strings": np.array([["1", "0"], ["0.0", "?"], ["", "1.0"]]),
    "masked": np.ma.masked_array([[1, 0], [0, 7], [7, 1]], mask=[[0, 0], [0, 1], [1, 0]]),
    "float32": np.array([[1, 0], [0, np.nan], [np.nan, 1]], dtype=np.float32),
    "pandas": pd.DataFrame([[1, 0], [0, None], [None, 1]]),
    "pandas nullable": pd.DataFrame([[1, 0], [0, None], [None, 1]]).astype("Int64"),
    "pandas booleans": pd.DataFrame([[True, False], [False, None], [None, True]]).astype("boolean"),
    "pandas categories": pd.DataFrame([["1", "0"], ["0", None], [None, "1"]]).astype(
        pd.CategoricalDtype(["1", "unused", "0"])
    ),
    "polars": pl.DataFrame([[1, 0, None], [0, None, 1]], schema=["a", "b"]),
    "polars booleans": pl.DataFrame([[True, False, None], [False, None, True]], schema=["a", "b"]),
    "pyarrow": pa.table({"a": [1, 0, None], "b": [0, None, 1]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_gives_the_same_answers(form):
    answers = as_answers(FORMS[form])
    assert answers.table.tolist() == TABLE
    assert answers.table.dtype == np.int8
    assert answers.students == ("1", "2", "3")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "a,b\n1,0\n0,\n?,1\n"),
        ("a.csv", "a, b\r\n1.0 , 0.0\r\n0,?\r\n ,1\r\n"),
        ("a.csv", "a,b\nTRUE,FALSE\nFalse,?\n?,True\n"),
        ("a.tsv", "a\tb\n1\t0\n0\t?\n?\t1\n"),
        ("a.csv", "student,a,b\nAnn,1,0\nBob,0,?\nCem,?,1\n"),
        ("a.csv", "ID,a,b\n1,1,0\n0,0,?\n2,?,1\n"),
        ("a.csv", "name,a,b\nAnn,1,0\nBob,0,?\nCem,?,1\n"),
        ("a.csv", "number,a,b\n1001,1,0\n1002,0,?\n1003,?,1\n"),
    ],
)
def test_every_form_of_a_file_gives_the_same_answers(tmp_path, name, text):
    answers = as_answers(written(tmp_path, text, name))
    assert answers.items == ("a", "b")
    assert answers.table.tolist() == TABLE


def test_files_may_be_gzipped_or_standard_input(tmp_path, monkeypatch):
    content = b"student,a\nAnn,1\nBob,0\n"
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(content))
    expected = Answers(("Ann", "Bob"), ("a",), np.array([[1], [0]]))
    assert as_answers(path) == expected
    plain = tmp_path / "a.csv"
    plain.write_bytes(content)
    with open(plain) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert as_answers("-") == expected


def test_missing_values_and_separators_of_ones_own(tmp_path):
    path = written(tmp_path, "a;b\n1;NA\n0;9\n")
    answers = as_answers(path, separator=";", missing_values=iter(["NA", "9"]))
    assert answers.table.tolist() == [[1, -1], [0, -1]]
    with pytest.raises(InvalidData, match=r"'x' for item 'b' at line 2; an answer must be 0, 1 or missing \('9'\)$"):
        as_answers(written(tmp_path, "a,b\n1,x\n"), missing_values=["9"])
    with pytest.raises(InvalidData, match=r"has '\?' for item 'b' at line 2; an answer must be 0 or 1$"):
        as_answers(written(tmp_path, "a,b\n1,?\n"), missing_values=[])


class TestNames:
    @pytest.mark.parametrize(
        ("frame", "students"),
        [
            (pd.DataFrame({"a": [1, 0]}), ("1", "2")),
            (pd.DataFrame({"a": [1, 0]}, index=["x", "y"]), ("x", "y")),
            (pd.DataFrame({"a": [1, 0]}, index=[7, 3]), ("7", "3")),
            (pd.DataFrame({"a": [1, 0]}, index=[7, 7]), ("1", "2")),
            (pd.DataFrame({"a": [1, 0]}).rename_axis("pupil"), ("0", "1")),
            (pd.DataFrame({"a": [1, 1, 1, 0]}).iloc[2:], ("2", "3")),
            (pd.DataFrame({"Student": ["x", "y"], "a": [1, 0]}, index=["p", "q"]), ("x", "y")),
            (pl.DataFrame({"id": [0, 1], "a": [1, 0]}), ("0", "1")),
            (pl.DataFrame({"pupil": ["x", "y"], "a": [1, 0]}), ("x", "y")),
            (pa.table({"student": [2.0, 3.0], "a": [1, 0]}), ("2", "3")),
        ],
    )
    def test_students(self, frame, students):
        answers = as_answers(frame)
        assert answers.students == students
        assert answers.items == ("a",)

    def test_a_first_column_is_an_item_if_the_model_knows_it(self):
        frame = pd.DataFrame({"id": [1, 0], "b": [0, 0]})
        assert as_answers(frame).items == ("b",)
        assert as_answers(frame, ["b", "id"]).table.tolist() == [[0, 1], [0, 0]]
        with pytest.raises(InvalidData, match="'5' for item 'id' at row 0"):
            as_answers(pd.DataFrame({"id": [5], "b": [0]}), ["b", "id"])

    def test_columns_without_names_are_numbered(self):
        assert as_answers([[1, 0]]).items == ("item1", "item2")
        assert as_answers(pd.DataFrame([[1, 0]])).items == ("item1", "item2")
        assert as_answers(pd.DataFrame({1: [1], 2: [0]})).items == ("1", "2")

    def test_whether_items_have_names_is_known(self):
        assert not read_answers([[1, 0]])[1]
        assert not read_answers(pd.DataFrame([[1, 0]]))[1]
        assert read_answers(pd.DataFrame({"a": [1]}))[1]
        assert read_answers(named([[1]]))[1]


WRONG = {
    "none": (None, InvalidOption, r"^responses is a NoneType; it must be a data frame, an array with a row for each"),
    "mapping": ({"a": [1]}, InvalidOption, "^responses is a dict; "),
    "bytes": (b"1,0", InvalidOption, "^responses is a bytes; "),
    "data set": (Dataset.from_array([[0], [1]]), InvalidOption, "^responses is a Dataset; "),
    "one dimension": ([1, 0], InvalidOption, "^the table of responses has 1 dimension; it must have 2, rows and"),
    "three dimensions": (np.zeros((1, 1, 1)), InvalidOption, "^the table of responses has 3 dimensions; "),
    "series": (pd.Series([1, 0]), InvalidOption, "has 1 dimension"),
    "ragged": ([[1, 0], [1]], InvalidOption, "^the table of responses is ragged"),
    "lazy": (pl.LazyFrame({"a": [1]}), InvalidOption, "lazy: collect it first"),
    "no rows": ([], InvalidData, "^the table of responses has no rows"),
    "no rows, but columns": (np.zeros((0, 2)), InvalidData, "^the table of responses has no rows"),
    "no rows in a frame": (pd.DataFrame({"a": []}), InvalidData, "^the table of responses has a header but no rows"),
    "no columns": ([[], []], InvalidData, "^the table of responses has no columns"),
    "empty frame": (pd.DataFrame(), InvalidData, "^the table of responses has no columns"),
    "no items": (pd.DataFrame({"student": ["x"]}), InvalidData, "single column, 'student', with the names of the"),
    "two": ([[1, 0], [1, 2]], InvalidData, r"has '2' for item 'item2' at row 1 \(counted from 0\); an answer must be "),
    "minus one": ([[1, -1]], InvalidData, r"has '-1' for item 'item2' .* 0, 1 or missing \(None or NaN\)$"),
    "a half": ([[0.5, 1]], InvalidData, r"has '0\.5' for item 'item1' at row 0 \(counted from 0\); "),
    "infinity": ([[np.inf, 1]], InvalidData, "has 'inf' for item 'item1'"),
    "text": ([["yes", "1"]], InvalidData, r"has 'yes' for item 'item1' .* \(None or NaN\)$"),
    "bool-like text": ([["t", "1"]], InvalidData, "has 't' for"),
    "object": (np.array([[1, {}]], dtype=object), InvalidData, "dict objects in column"),
    "complex": (np.array([[1j]]), InvalidData, "complex128 in column"),
    "of a student": (
        pd.DataFrame({"student": ["Ann", "Bob"], "a": [1, 3]}),
        InvalidData,
        r"has '3' for item 'a' of student 'Bob' at row 1 \(counted from 0\); ",
    ),
    "first wrong row": ([[0, 1], [1, 5], [4, 1]], InvalidData, "has '5' for item 'item2' at row 1"),
    "no answer": ([[1, 0], [None, None]], InvalidData, r"1 student without an answer, '2' at row 1 .*: drop the row$"),
    "no answers": (
        pd.DataFrame({"a": [1, None, None]}, index=["x", "y", "z"]),
        InvalidData,
        r"2 students without an answer, the first of them 'y' at row 1 \(counted from 0\): drop their rows$",
    ),
    "same item twice": (pd.DataFrame([[1, 0]], columns=["a", "a"]), InvalidData, "more than one column called 'a'"),
    "same student twice": (
        pd.DataFrame({"a": [1, 0]}, index=["x", "x"]),
        InvalidData,
        r"has the student 'x' twice, at row 0 \(counted from 0\) and at row 1 \(counted from 0\): each student",
    ),
    "no name": (pd.DataFrame({"a": [1, 0]}, index=["x", None]), InvalidData, "no name for the student at row 1"),
    "lone surrogate": (
        pd.DataFrame({"a": [1]}, index=pd.Index(["\ud800"], dtype=object)),
        InvalidData,
        "the name of a student, .* lone surrogate",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_tables_are_refused_in_one_sentence(case):
    responses, error, message = WRONG[case]
    with pytest.raises(error, match=message) as caught:
        as_answers(responses)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "has a header but no rows"),
        ("a,b\n1\n", "line 2 has 1 cell; the header has 2"),
        ("a,a\n1,0\n", "more than one column called 'a'"),
        (",a\n0,1\n", "no name for column 1"),
        ("1,0\n0,1\n", "begins with 1, 0; its first line must have the names of the items"),
        ("a;b\n1;0\n", "use separator=';'"),
        (
            "a,b\n1,0\n1,2\n",
            r"has '2' for item 'b' at line 3; an answer must be 0, 1 or missing \(an empty cell or",
        ),
        ("student,a\nAnn,1\nBob,NA\n", "has 'NA' for item 'a' of student 'Bob' at line 3; "),
        ("student,a\nAnn,1\n,0\n", "has no name for the student at line 3: give each student a name"),
        ("student,a\nAnn,1\nBob,1\nAnn,0\n", "has the student 'Ann' twice, at line 2 and at line 4: "),
        ("student,a\nAnn,1\nBob,?\n", "has 1 student without an answer, 'Bob' at line 3: drop the row"),
        ("name,a\nAnn,1\nAnn,0\n", "has 'Ann' for item 'name' .*; call the first column 'student' if it names the"),
        ("nr,a\n1,1\n2,0\n3,0\n", "has '2' for item 'nr' at line 3; .*; call the first column 'student' if it names"),
        ("share,a\n0.2,1\n0.3,0\n", "has '0.2' for item 'share'"),
        ("student\nAnn\n", "add a column for each item"),
    ],
)
def test_wrong_files_are_refused_with_their_lines(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(InvalidData, match=message) as caught:
        as_answers(path)
    assert str(caught.value).startswith(repr(path))


def test_files_have_the_limits_of_data_sets(tmp_path):
    (tmp_path / "latin.csv").write_bytes(b"a,\xe9\n1,0\n")
    with pytest.raises(InvalidData, match="is not UTF-8 text"):
        as_answers(tmp_path / "latin.csv")
    with pytest.raises(TooLarge, match="max_memory"):
        as_answers(written(tmp_path, "a,b\n" + "1,0\n" * 10**5), max_memory="1MiB")
    with pytest.raises(InvalidOption, match=r"cannot read 'nowhere\.csv'"):
        as_answers("nowhere.csv")


class TestItemsOfAModel:
    frame = pd.DataFrame({"student": ["x", "y"], "carry": [0, None], "add": [1, 1]})

    def test_columns_are_matched_by_name_in_any_order(self):
        answers = as_answers(self.frame, ["add", "carry"])
        assert answers == Answers(("x", "y"), ("add", "carry"), np.array([[1, 0], [1, -1]]))
        assert as_answers(answers, ("carry", "add")) == as_answers(self.frame)
        assert as_answers(answers, ("add", "carry")) is answers

    def test_columns_of_arrays_are_matched_by_position(self):
        assert as_answers([[1, 0]], ["add", "carry"]).items == ("add", "carry")
        with pytest.raises(InvalidData, match="have 3 columns without names; the model has 2 items"):
            as_answers([[1, 0, 1]], ["add", "carry"])

    def test_unknown_columns_are_refused(self):
        with pytest.raises(InvalidData, match=r"the column 'carry', which the model does not know: .*'cary'\?$"):
            as_answers(self.frame, ["add", "cary"])
        # Even if their cells are no answers.
        with pytest.raises(InvalidData, match="the columns 'sex', 'age', which the model does not know"):
            as_answers(self.frame.assign(sex="f", age=11), ["add", "carry"])

    def test_columns_may_lack_only_if_this_was_asked_for(self):
        with pytest.raises(InvalidData, match="no column for the items 'shift', 'divide' of the model"):
            as_answers(self.frame, ["add", "shift", "carry", "divide"])
        answers = as_answers(self.frame, ["add", "shift", "carry"], partial=True)
        assert answers.table.tolist() == [[1, -1, 0], [1, -1, -1]]

    def test_the_items_must_be_distinct(self):
        with pytest.raises(InvalidData, match="two items are called 'add'"):
            as_answers(self.frame, ["add", "add"])


class TestAnswers:
    def test_the_constructor_checks_shapes_names_and_values(self):
        with pytest.raises(InvalidData, match=r"the shape \(1, 2\); it must be \(1, 1\), for 1 student and 1 item"):
            Answers(("x",), ("a",), np.array([[1, 0]]))
        with pytest.raises(InvalidData, match="1 for correct, 0 for wrong and -1 for missing"):
            Answers(("x",), ("a",), np.array([[2]]))
        with pytest.raises(InvalidData, match="1 for correct, 0 for wrong and -1 for missing"):
            Answers(("x",), ("a",), np.array([[np.nan]]))
        with pytest.raises(InvalidData, match="two items are called 'a'"):
            Answers(("x",), ("a", "a"), np.array([[1, 0]]))

    def test_nobody_can_change_them(self):
        table = np.array([[1, 0]], dtype=np.int8)
        answers = Answers(("x",), ("a", "b"), table)
        table[0, 0] = 0
        assert answers.table.tolist() == [[1, 0]]
        with pytest.raises(ValueError, match="read-only"):
            answers.table[0, 0] = 0

    def test_equality(self):
        answers = named([[1, 0]])
        assert answers == named([[1, 0]])
        assert hash(answers) == hash(named([[1, 0]]))
        assert answers != named([[1, 1]])
        assert answers != Answers(("Ann",), answers.items, answers.table)
        assert answers != answers.renamed(["a", "b"])
        assert answers != 1

    def test_repr(self):
        assert repr(named([[1, 0]])) == "Answers(1 student, 2 items)"
        assert repr(named([[1, -1], [0, 0]])) == "Answers(2 students, 2 items, 25.0% missing)"

    @given(tables)
    def test_missing_share(self, table):
        assert named(table).missing_share == pytest.approx(np.count_nonzero(table < 0) / table.size)

    @given(tables)
    def test_patterns_are_the_sorted_distinct_rows(self, table):
        patterns, weights, place = named(table).patterns()
        rows = [tuple(row) for row in table.tolist()]
        assert [tuple(row) for row in patterns.tolist()] == sorted(set(rows))
        assert weights.tolist() == [rows.count(tuple(row)) for row in patterns.tolist()]
        assert np.array_equal(patterns[place], table)
        assert (patterns.dtype, weights.dtype, place.dtype) == (np.int8, np.int64, np.int64)
        assert patterns.flags.c_contiguous

    @pytest.mark.slow
    @given(tables, st.randoms(use_true_random=False))
    def test_patterns_do_not_depend_on_the_order_of_students(self, table, random):
        order = list(range(len(table)))
        random.shuffle(order)
        patterns, weights, place = named(table).patterns()
        shuffled = named(table).take(order).patterns()
        assert np.array_equal(shuffled[0], patterns)
        assert np.array_equal(shuffled[1], weights)
        assert np.array_equal(shuffled[2], place[order])

    def test_patterns_of_many_items(self):
        table = np.random.default_rng(0).integers(-1, 2, (50, 100))
        table[30:] = table[:20]
        patterns, weights, place = named(table).patterns()
        assert np.array_equal(patterns, np.unique(table, axis=0))
        assert weights.sum() == 50
        assert np.array_equal(patterns[place], table)

    @given(tables, st.data())
    def test_take(self, table, data):
        answers = named(table)
        rows = data.draw(st.lists(st.integers(0, len(table) - 1)))
        taken = answers.take(rows)
        assert taken.students == tuple(answers.students[row] for row in rows)
        assert taken.table.tolist() == [table[row].tolist() for row in rows]
        mask = np.isin(np.arange(len(table)), rows)
        assert answers.take(mask) == answers.take(np.flatnonzero(mask))

    def test_take_of_rows_that_are_not_there(self):
        with pytest.raises(IndexError):
            named([[1]]).take([1])

    @pytest.mark.slow
    @settings(max_examples=30)
    @given(answered)
    def test_frames_and_files_give_the_same_answers_back(self, table):
        answers = named(table)
        assert as_answers(answers.to_frame()) == answers
        assert as_answers(pl.from_pandas(answers.to_frame().reset_index())) == answers

    @settings(max_examples=30)
    @given(table=answered)
    def test_csv_gives_the_same_answers_back(self, tmp_path_factory, table):
        path = tmp_path_factory.mktemp("answers") / "a.csv"
        answers = named(table)
        answers.to_frame().to_csv(path)
        assert as_answers(path) == answers
        # Without the names of students, they are numbered.
        answers.to_frame().to_csv(path, index=False, na_rep="?")
        assert np.array_equal(as_answers(path).table, table)

    def test_pickling(self):
        answers = named([[1, -1]])
        assert pickle.loads(pickle.dumps(answers)) == answers


def test_real_data(shared_data):
    folder = shared_data / "student"
    answers = as_answers(folder / "timss07_g4_items.csv")
    assert answers.table.shape == (698, 25)
    with open(folder / "timss07_g4_items.csv") as stream:
        lines = [line.split(",") for line in stream.read().splitlines()]
    assert answers.items == tuple(lines[0])
    assert answers.table.tolist() == [[-1 if cell == "?" else int(cell) for cell in line] for line in lines[1:]]
    ecpe = as_answers(folder / "ecpe_items.csv.gz")
    with gzip.open(folder / "ecpe_items.csv.gz") as stream:
        expected = np.loadtxt(io.BytesIO(stream.read()), delimiter=",", skiprows=1)
    assert np.array_equal(ecpe.table, expected)
    assert ecpe.missing_share == 0
