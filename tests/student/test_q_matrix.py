from __future__ import annotations

import gzip
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dagscape.core.errors import DagscapeError, InvalidData, InvalidOption, TooLarge
from dagscape.student.input.answers import Answers, as_answers
from dagscape.student.input.q_matrix import MAX_SKILLS, QMatrix, as_q_matrix, matched

pa = pytest.importorskip("pyarrow")

ITEMS, SKILLS = ("add", "carry", "shift"), ("sum", "place")
TABLE = [[1, 0], [0, 1], [1, 1]]
Q = QMatrix(ITEMS, SKILLS, np.array(TABLE))

ANSWERS = pd.DataFrame({"add": [1, 0], "carry": [0, 1], "shift": [1, 1]})


def complete(table):
    """Give every item a skill and every skill an item."""
    table = table.copy()
    for item in range(max(table.shape)):
        table[item % table.shape[0], item % table.shape[1]] = True
    return table


q_tables = hnp.arrays(np.bool_, st.tuples(st.integers(1, 12), st.integers(1, 5))).map(complete)


def named(table) -> QMatrix:
    rows, columns = np.shape(table)
    return QMatrix(tuple(f"i{row}" for row in range(rows)), tuple(f"s{k}" for k in range(columns)), table)


def written(tmp_path, text: str, name: str = "q.csv") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return str(path)


def frame(**skills) -> pd.DataFrame:
    return pd.DataFrame({"item": ITEMS, **skills})


class TestQMatrix:
    def test_masks_have_a_bit_for_each_skill(self):
        assert Q.masks == (0b01, 0b10, 0b11)
        assert all(type(mask) is int for mask in Q.masks)

    @given(q_tables)
    def test_masks_of_any_q_matrix(self, table):
        for mask, row in zip(named(table).masks, table, strict=True):
            assert [bool(mask >> skill & 1) for skill in range(len(row))] == row.tolist()

    @given(q_tables)
    def test_a_skill_is_unidentified_if_no_item_needs_it_alone(self, table):
        alone = {int(np.argmax(row)) for row in table if row.sum() == 1}
        assert named(table).unidentified() == tuple(f"s{k}" for k in range(table.shape[1]) if k not in alone)

    def test_as_many_skills_as_states_allow(self):
        items = tuple(f"i{k}" for k in range(MAX_SKILLS + 1))
        largest = QMatrix(items[:-1], items[:-1], np.eye(MAX_SKILLS))
        assert largest.masks[-1] == 2 ** (MAX_SKILLS - 1)
        with pytest.raises(TooLarge, match=r"^the Q-matrix has 17 skills; the limit is 16: merge or drop skills, or"):
            QMatrix(items, items, np.eye(MAX_SKILLS + 1))

    @pytest.mark.parametrize(
        ("items", "skills", "table", "message"),
        [
            (("a",), ("s", "t"), [[1]], r"has the shape \(1, 1\), for 1 item and 2 skills"),
            ((), (), np.zeros((0, 0)), "it must have a row for each item"),
            (("a",), ("s",), [1], r"has the shape \(1,\)"),
            (("a",), ("s",), [[2]], "must be 1 where an item needs a skill, and 0 elsewhere"),
            (("a", "a"), ("s",), [[1], [1]], "two items are called 'a'"),
            (("a",), ("s", "s"), [[1, 1]], "two skills are called 's'"),
            ((1,), ("s",), [[1]], "the name 1 of an item is not a string"),
            (("a", "b"), ("s",), [[1], [0]], "no skill for the item 'b': each item must need at least one skill; add"),
            (("a", "b", "c"), ("s",), [[1], [0], [0]], "no skill for the items 'b', 'c': "),
            (("a",), ("s", "t"), [[1, 0]], "no item for the skill 't': at least one item must need each skill; add"),
            (("a",), ("s", "t", "u"), [[1, 0, 0]], "no item for the skills 't', 'u': "),
        ],
    )
    def test_the_constructor_checks(self, items, skills, table, message):
        with pytest.raises(InvalidData, match=message):
            QMatrix(items, skills, np.array(table))

    def test_nobody_can_change_it(self):
        table = np.array(TABLE, dtype=np.bool_)
        q_matrix = QMatrix(ITEMS, SKILLS, table)
        table[0, 0] = False
        assert q_matrix == Q
        with pytest.raises(ValueError, match="read-only"):
            q_matrix.table[0, 0] = False

    def test_equality_and_repr(self):
        assert QMatrix(ITEMS, SKILLS, np.array(TABLE)) == Q
        assert hash(Q) == hash(QMatrix(ITEMS, SKILLS, np.array(TABLE)))
        assert Q.renamed(["x", "y", "z"]) != Q
        assert QMatrix(ITEMS, SKILLS, np.ones((3, 2))) != Q
        assert QMatrix(ITEMS, ("a", "b"), np.array(TABLE)) != Q
        assert Q != 1
        assert repr(Q) == "QMatrix(3 items, 2 skills)"
        assert pickle.loads(pickle.dumps(Q)) == Q


FORMS = {
    "q-matrix": Q,
    "frame with items": frame(sum=[1, 0, 1], place=[0, 1, 1]),
    "frame with booleans": frame(sum=[True, False, True], place=[False, True, True]),
    "frame with floats": frame(sum=[1.0, 0.0, 1.0], place=[0.0, 1.0, 1.0]),
    "index": pd.DataFrame(TABLE, columns=SKILLS, index=ITEMS),
    "own": Q.to_frame(),
    "polars": pl.DataFrame({"Item": ITEMS, "sum": [1, 0, 1], "place": [0, 1, 1]}),
    "pyarrow": pa.table({"question": ITEMS, "sum": ["1", "0", "1"], "place": ["0", "1", "1"]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_q_matrix(form):
    assert as_q_matrix(FORMS[form]) == Q
    assert as_q_matrix(FORMS[form], ITEMS[::-1]) == QMatrix(ITEMS[::-1], SKILLS, np.array(TABLE[::-1]))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", "item,sum,place\nadd,1,0\ncarry,0,1\nshift,1,1\n"),
        ("q.csv", "question,sum,place\nadd,1,0\ncarry,0,1\nshift,1,1\n"),
        ("q.csv", "item,sum,place\nadd,True,False\ncarry,0.0,1.0\nshift,1,1\n"),
        ("q.tsv", "item\tsum\tplace\nadd\t1\t0\ncarry\t0\t1\nshift\t1\t1\n"),
    ],
)
def test_every_form_of_a_file_gives_the_same_q_matrix(tmp_path, name, text):
    path = written(tmp_path, text, name)
    assert as_q_matrix(path) == Q
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert as_q_matrix(packed) == Q


@settings(max_examples=30)
@given(q_tables)
def test_frames_give_the_same_q_matrix_back(table):
    assert as_q_matrix(named(table).to_frame()) == named(table)
    assert as_q_matrix(table).table.tolist() == table.tolist()


def test_rows_without_names_are_matched_by_position(tmp_path):
    assert as_q_matrix(TABLE).items == ("item1", "item2", "item3")
    assert as_q_matrix(TABLE).skills == ("skill1", "skill2")
    assert as_q_matrix(TABLE, ITEMS) == QMatrix(ITEMS, ("skill1", "skill2"), np.array(TABLE))
    assert as_q_matrix(pd.DataFrame(TABLE, columns=SKILLS), ITEMS) == Q
    assert as_q_matrix(written(tmp_path, "sum,place\n1,0\n0,1\n1,1\n"), ITEMS) == Q


WRONG = {
    "none": (
        None,
        InvalidOption,
        r"^q_matrix is a NoneType; it must be a data frame, an array with a row for",
    ),
    "one dimension": ([1, 0, 1], InvalidOption, "^the Q-matrix has 1 dimension; it must have 2"),
    "ragged": ([[1, 0], [1]], InvalidOption, "^the Q-matrix is ragged"),
    "no rows": (np.zeros((0, 2)), InvalidData, "^the Q-matrix has no rows"),
    "no columns": ([[], [], []], InvalidData, "^the Q-matrix has no columns"),
    "no skills": (frame(), InvalidData, "a single column, 'item', with the names of the items: add a column for each"),
    "two": (frame(sum=[1, 2, 1]), InvalidData, r"has '2' for skill 'sum' of item 'carry' at row 1 .* must be 0 or 1$"),
    "missing": (frame(sum=[1, None, 1]), InvalidData, "has no value for skill 'sum' of item 'carry' at row 1"),
    "nan": ([[1, 0], [np.nan, 1], [1, 1]], InvalidData, "has no value for skill 'skill1' at row 1"),
    "text": ([["x", "1"]] * 3, InvalidData, "has 'x' for skill 'skill1' at row 0"),
    "items twice": (
        pd.DataFrame({"item": ["add", "add", "shift"], "s": [1, 1, 1]}),
        InvalidData,
        "item 'add' twice, at",
    ),
    "item without a name": (
        pd.DataFrame({"item": ["add", None], "s": [1, 1]}),
        InvalidData,
        "no name for the item at r",
    ),
    "skills twice": (pd.DataFrame(TABLE, columns=["s", "s"]), InvalidData, "more than one column called 's'"),
    "item without a skill": ([[1, 0], [0, 0], [0, 1]], InvalidData, "no skill for the item 'item2'"),
    "skill without an item": (frame(s=[1, 1, 1], t=[0, 0, 0]), InvalidData, "no item for the skill 't'"),
    "too many skills": (np.eye(17), TooLarge, "17 skills; the limit is 16"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_q_matrices_are_refused_in_one_sentence(case):
    q_matrix, error, message = WRONG[case]
    with pytest.raises(error, match=message) as caught:
        matched(ANSWERS, q_matrix)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("item,a\n", "has a header but no rows"),
        ("item,a,a\nadd,1,0\n", "more than one column called 'a'"),
        ("1,0\n0,1\n1,1\n", "begins with 1, 0; its first line must have the names of the skills"),
        ("item,a,b\nadd,1,0\ncarry,,1\nshift,1,1\n", "has no value for skill 'a' of item 'carry' at line 3; an entry"),
        ("item,a,b\nadd,1,0\ncarry,3,1\nshift,1,1\n", "has '3' for skill 'a' of item 'carry' at line 3; an entry of "),
        (
            "item,a\nadd,1\ncarry,1\nadd,1\n",
            "has the item 'add' twice, at line 2 and at line 4: each item must",
        ),
        ("nr,a\n1,1\n2,1\n3,1\n", "has '2' for skill 'nr' at line 3; .*; call the first column 'item' if it names the"),
    ],
)
def test_wrong_files_are_refused_with_their_lines(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(InvalidData, match=message) as caught:
        matched(ANSWERS, path)
    assert str(caught.value).startswith(repr(path))


class TestMatched:
    def test_items_have_the_order_of_the_answers(self):
        answers, q_matrix = matched(ANSWERS[["shift", "add", "carry"]], Q)
        assert answers.items == q_matrix.items == ("shift", "add", "carry")
        assert answers.table.tolist() == [[1, 1, 0], [1, 0, 1]]
        assert q_matrix.table.tolist() == [[1, 1], [1, 0], [0, 1]]

    @pytest.mark.slow
    @settings(max_examples=30)
    @given(q_tables, st.randoms(use_true_random=False))
    def test_any_order_of_rows_and_columns(self, table, random):
        q_matrix = named(table)
        cells = np.arange(3 * len(table)).reshape(3, -1) % 2
        answers = Answers(("x", "y", "z"), q_matrix.items, cells)
        rows, columns = list(range(len(table))), list(range(len(table)))
        random.shuffle(rows)
        random.shuffle(columns)
        found, needs = matched(answers.to_frame().iloc[:, columns], q_matrix.to_frame().iloc[rows])
        assert found.items == needs.items == tuple(q_matrix.items[column] for column in columns)
        assert np.array_equal(found.table, cells[:, columns])
        assert np.array_equal(needs.table, table[columns])

    def test_names_come_from_where_they_are(self):
        both = matched(ANSWERS, Q)
        assert matched(ANSWERS.to_numpy(), Q) == both
        assert matched(ANSWERS, pd.DataFrame(TABLE, columns=SKILLS)) == both
        assert matched(as_answers(ANSWERS), Q) == both
        answers, q_matrix = matched(ANSWERS.to_numpy(), TABLE)
        assert answers.items == q_matrix.items == ("item1", "item2", "item3")
        # Numbers are names, too, unless they are those that pandas gives.
        numbers = pd.DataFrame({2: [1, 0], 1: [0, 1]})
        assert matched(numbers, pd.DataFrame({"s": [1, 1], "t": [0, 1]}, index=[1, 2]))[1].masks == (3, 1)

    def test_students_may_be_called_like_items(self):
        frame = pd.DataFrame({"1": [1, 0], "2": [0, 1]})
        answers, _ = matched(frame, pd.DataFrame({"item": [1, 2], "s": [1, 1]}))
        assert answers.students == answers.items == ("1", "2")

    def test_the_names_of_students_may_have_any_heading_but_that_of_an_item(self):
        answers, _ = matched(pd.DataFrame({"pupil": ["x", "y"], **ANSWERS}), Q)
        assert answers.students == ("x", "y")
        odd = Q.renamed(["student", "carry", "shift"])
        assert matched(ANSWERS.rename(columns={"add": "student"}), odd)[0].students == ("1", "2")

    @pytest.mark.parametrize(
        ("responses", "q_matrix", "message"),
        [
            (
                ANSWERS.assign(sex=["f", "m"]),
                Q,
                r"^the responses have the column 'sex', which the Q-matrix does not know: drop the column, or add a ro",
            ),
            (
                ANSWERS.assign(sex=["f", "m"], age=[11, 12]),
                Q,
                "the columns 'sex', 'age', .*: drop the columns, or",
            ),
            (ANSWERS.rename(columns={"carry": "cary"}), Q, r"the column 'cary', .*; did you mean 'carry'\?$"),
            (
                ANSWERS[["add", "carry"]],
                Q,
                r"^the Q-matrix has the item 'shift', which the responses do not have: ",
            ),
            (
                ANSWERS[["add"]],
                Q,
                "^the Q-matrix has the items 'carry', 'shift', which the responses do not have",
            ),
            (
                ANSWERS.rename(columns=str.upper),
                Q,
                "^no item of the Q-matrix is a column of the responses: its items are 'add', 'carry', 'shift', the col",
            ),
            (ANSWERS, Q.to_frame().T, "^the Q-matrix has a column for each item: transpose it"),
            (ANSWERS.T.set_axis(["x", "y"], axis=1), Q, "^the responses have a row for each item: transpose them"),
            (
                ANSWERS,
                TABLE[:2],
                "^the Q-matrix has 2 rows and 2 columns; the responses have 3 columns, one for",
            ),
            (
                np.ones((5, 3)),
                np.ones((2, 3)),
                r"has 2 rows and 3 columns; .* one for each item: transpose it$",
            ),
            (np.ones((5, 7)), np.ones((5, 3)), "one for each item: transpose the responses, which have 5 rows$"),
            (np.ones((3, 2)), np.ones((3, 2)), "one for each item: transpose it, or the responses$"),
            (np.ones((4, 5)), np.ones((3, 2)), "one for each item: give it a row for each item$"),
            (np.ones((4, 2)), Q, "^the Q-matrix has 3 rows and 2 columns; the responses have 2 columns"),
            (
                [[1, None, 0], [0, None, 1]],
                TABLE,
                "^the responses have no answers to the item 'item2': drop what",
            ),
            (
                [[1, None, None]],
                TABLE,
                "^the responses have no answers to the items 'item2', 'item3': drop what",
            ),
            ([[1, 0, 5]], TABLE, "has '5' for item 'item3' at row 0"),
            ([[1, 0, 1], [None] * 3], TABLE, "1 student without an answer, '2' at row 1"),
        ],
    )
    def test_what_does_not_match_is_refused_in_one_sentence(self, responses, q_matrix, message):
        with pytest.raises(InvalidData, match=message) as caught:
            matched(responses, q_matrix)
        assert "\n" not in str(caught.value)

    def test_wrong_names_come_before_wrong_answers(self, tmp_path):
        path = written(tmp_path, "student,add,carry,shift,total\nAnn,1,0,1,2\nBob,1,1,1,3\n", "a.csv")
        with pytest.raises(InvalidData, match="the column 'total', which the Q-matrix does not know: drop the column"):
            matched(path, Q)

    def test_options_of_files_hold_for_both(self, tmp_path):
        answers = written(tmp_path, "add;carry\n1;-\n0;1\n", "a.csv")
        needs = written(tmp_path, "item;sum\ncarry;1\nadd;1\n")
        assert matched(answers, needs, separator=";", missing_values=["-"])[0].table.tolist() == [[1, -1], [0, 1]]
        with pytest.raises(TooLarge, match="max_memory"):
            matched(answers, needs, separator=";", missing_values=["-"], max_memory=100)

    @settings(max_examples=30)
    @given(st.lists(st.text(min_size=1, max_size=3), min_size=2, max_size=6, unique=True))
    def test_any_names(self, names):
        assume(not any("\ud800" <= letter <= "\udfff" for name in names for letter in name))
        items = tuple(names)
        answers = Answers(("x", "y"), items, np.ones((2, len(items))))
        needs = pd.DataFrame({"s": 1}, index=pd.Index(items[::-1], name="item"))
        found, q_matrix = matched(answers.to_frame(), needs)
        assert found.items == q_matrix.items == items


texts = st.text(alphabet='01?,;"\n\t -.aE\x00é', max_size=40)


@given(answers=texts, needs=texts)
def test_any_text_is_read_or_refused_in_one_sentence(tmp_path_factory, answers, needs):
    folder = tmp_path_factory.mktemp("any")
    paths = written(folder, f"a,b\n{answers}", "a.csv"), written(folder, f"item,s\na,1\n{needs}")
    try:
        found, q_matrix = matched(*paths)
    except DagscapeError as error:
        message = str(error)
    else:
        message = "found"
        assert found.items == q_matrix.items
        assert np.isin(found.table, (-1, 0, 1)).all()
    assert message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("answers", "needs", "items", "skills", "patterns", "alone"),
    [
        ("ecpe_items.csv.gz", "ecpe_qmatrix.csv", 28, 3, 2690, 3),
        ("fraction_subtraction_items.csv", "fraction_subtraction_qmatrix.csv", 20, 8, 367, 2),
        ("fraction15_items.csv", "fraction15_qmatrix.csv", 15, 5, 267, 2),
        ("timss07_g4_items.csv", "timss07_g4_qmatrix.csv", 25, 15, 517, 2),
    ],
)
def test_real_data(shared_data, answers, needs, items, skills, patterns, alone):
    folder = shared_data / "student"
    found, q_matrix = matched(folder / answers, folder / needs)
    assert q_matrix.table.shape == (items, skills)
    assert found.items == q_matrix.items
    assert len(found.patterns()[0]) == patterns
    assert skills - len(q_matrix.unidentified()) == alone
    expected = np.loadtxt(folder / needs, delimiter=",", skiprows=1, usecols=range(1, skills + 1))
    assert np.array_equal(q_matrix.table, expected)
