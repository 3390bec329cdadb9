"""Answers in long format: a row for each student and item."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.student.input.answers import as_answers
from dagscape.student.input.q_matrix import matched

LONG = ("student", "item", "answer")
Q = pd.DataFrame({"item": ["add", "carry", "sub"], "sum": [1, 1, 1], "place": [0, 1, 0]})
ROWS = pd.DataFrame(
    [
        ("Bob", "sub", 1),
        ("Ann", "carry", 0),
        ("Bob", "add", 0),
        ("Ann", "add", 1),
        ("Cem", "carry", None),
        ("Cem", "add", 1),
    ],
    columns=list(LONG),
)


def melted(answers):
    """The rows of all answers, missing ones included."""
    frame = answers.to_frame().reset_index(names="student")
    return frame.melt(id_vars="student", var_name="item", value_name="answer")


@given(st.data())
def test_long_and_wide_are_the_same(data):
    students, items = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5))
    cells = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=students * items, max_size=students * items))
    table = np.array(cells, dtype=np.int8).reshape(students, items)
    table[:, 0] = np.abs(table[:, 0])
    names = tuple(f"i{number}" for number in range(items))
    wide = ds.student.input.answers.Answers(tuple(f"s{number}" for number in range(students)), names, table)
    rows = melted(wide)
    order = data.draw(st.permutations(range(len(rows))))
    if data.draw(st.booleans()):
        rows, order = rows.dropna(), range(len(rows.dropna()))
    found = as_answers(rows.iloc[list(order)], names, long=LONG)
    assert found.items == names
    place = [wide.students.index(name) for name in found.students]
    assert found == wide.take(place)
    assert set(found.students) == set(wide.students)


def test_the_items_are_in_the_order_of_the_q_matrix(tmp_path):
    answers, q_matrix = matched(ROWS, Q, long=LONG)
    assert answers.students == ("Bob", "Ann", "Cem")
    assert answers.items == q_matrix.items == ("add", "carry", "sub")
    assert answers.table.tolist() == [[0, -1, 1], [1, 0, -1], [1, -1, -1]]
    assert as_answers(ROWS, long=LONG).items == ("sub", "carry", "add")
    path = tmp_path / "rows.csv"
    ROWS.assign(time=range(6)).to_csv(path, index=False)
    assert matched(path, Q, long=LONG).answers == answers


def test_functions_take_long_answers():
    simulated = ds.simulate_students("a", 150, seed=1)
    rows, q_matrix = melted(simulated.answers), simulated.q_matrix
    model = ds.command(rows, q_matrix, long=LONG, restarts=1)
    wide = ds.command(simulated.answers, q_matrix, restarts=1)
    assert (model.network, model.log_likelihood) == (wide.network, wide.log_likelihood)
    assert (
        ds.parm(rows, q_matrix, long=LONG, restarts=1).pairs == ds.parm(simulated.answers, q_matrix, restarts=1).pairs
    )
    boot = ds.bootstrap_skills(rows, q_matrix, 2, long=LONG, restarts=1)
    assert np.array_equal(boot.edges, ds.bootstrap_skills(simulated.answers, q_matrix, 2, restarts=1).edges)
    some = rows[rows["student"].isin(simulated.answers.students[:5])].iloc[::-1]
    wanted = simulated.answers.take(range(5))
    for method in ("mastery", "predict", "next_item"):
        found = getattr(model, method)(some, long=LONG).sort_index()
        pd.testing.assert_frame_equal(found, getattr(model, method)(wanted).sort_index())
    assert model.states(some, long=LONG).shape == (5, 8)
    assert model.evaluate(rows, cv=2, long=LONG, restarts=1).to_frame().shape[0] == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"item": ["add"] * 6},
            "the table of responses has more than one answer of student 'Bob' to item 'add', at row 0 .* and at row 2 "
            ".*: keep one of them",
        ),
        (
            {"answer": [1, 0, "maybe", 1, None, 1]},
            "has 'maybe' as the answer of student 'Bob' to item 'add' at row 2 .*; an answer must be 0, 1 or missing",
        ),
        ({"student": ["Bob", None, "Bob", "Ann", "Cem", "Cem"]}, "has no student at row 1 .*: each row must name its"),
        ({"item": ["sub", "carry", "add", "add", "carry", None]}, "has no item at row 5"),
        (
            {"item": ["sub", "cary", "add", "add", "carry", "add"]},
            r"has the item 'cary' at row 1 .*, which is not among the known items 'add', 'carry', 'sub': leave out its "
            r"rows, or add it to the Q-matrix; did you mean 'carry'\?",
        ),
        (
            {"answer": [1, 0, 1, 1, None, None]},
            "has 1 student without an answer, 'Cem' at row 4 .*: drop the row",
        ),
        ({"item": ["add", "carry", "carry", "add", "carry", "add"]}, "have no answers to the item 'sub'"),
    ],
)
def test_wrong_rows_are_refused(change, message):
    with pytest.raises(ds.InvalidData, match=message):
        matched(ROWS.assign(**change), Q, long=LONG)


def test_a_table_that_is_too_large_is_refused():
    number = np.arange(3000)
    rows = pd.DataFrame({"student": number, "item": number, "answer": 1})
    with pytest.raises(ds.TooLarge, match=r"the answers of 3,000 students to 3,000 items need .*: use fewer rows"):
        as_answers(rows, long=LONG, max_memory="10MiB")


def test_wrong_options_are_refused():
    for long in (("a", "b"), "abc", ("student", "item", "item"), (1, 2, 3)):
        with pytest.raises(
            ds.InvalidOption, match=r"long is .*; it must be the names of three columns: of the students"
        ):
            matched(ROWS, Q, long=long)
    with pytest.raises(
        ds.InvalidOption, match=r"long names 'Item', which is not a column of .*; did you mean 'item'\?"
    ):
        matched(ROWS, Q, long=("student", "Item", "answer"))
    with pytest.raises(ds.InvalidOption, match="responses is a list; with long it must be a data frame or the path"):
        matched([[1, 2, 0]], Q, long=LONG)
    with pytest.raises(
        ds.InvalidData, match="the Q-matrix has no names of items, and answers in long format have no order"
    ):
        matched(ROWS, [[1, 0], [1, 1], [1, 0]], long=LONG)
