"""What a student model says of students, against sums over all states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscape.student.model.inference import (
    expected_information,
    mastery_probabilities,
    most_probable_states,
    predicted_answers,
    state_probabilities,
)
from student.samples import Tiny, answers_of, tiny

SEEDS = st.integers(0, 2**32 - 1)
SIZES = (st.integers(1, 3), st.integers(1, 5), st.integers(1, 12), st.sampled_from([0.0, 0.3, 0.8]))


@settings(max_examples=40)
@given(SEEDS, *SIZES)
def test_all_of_it_is_that_of_brute_force(seed, skills, items, students, missing):
    model = tiny(seed, skills, items, students, missing)
    expectation, oracle, rows = model.expectation(), model.oracle(), model.rows
    posteriors = [oracle.posterior(row) for row in rows]
    states = state_probabilities(expectation, model.parameters)
    assert states == pytest.approx(np.array(posteriors), abs=1e-10)
    mastery = mastery_probabilities(expectation, model.parameters)
    assert mastery == pytest.approx(np.array([oracle.mastery(row) for row in rows]), abs=1e-10)
    predicted = predicted_answers(expectation, model.parameters, model.answers)
    assert predicted == pytest.approx(np.array([oracle.predictions(row) for row in rows]), abs=1e-10)
    information = expected_information(expectation, model.parameters)
    expected = [[oracle.information(item, row) for item in range(items)] for row in rows]
    assert information == pytest.approx(np.array(expected), abs=1e-10)
    chosen, highest = most_probable_states(expectation, model.parameters, block=3)
    assert highest.tolist() == states.max(axis=1).tolist()
    assert chosen.tolist() == states.argmax(axis=1).tolist()


@settings(max_examples=20)
@given(SEEDS)
def test_own_answers_do_not_change_predictions(seed):
    model = tiny(seed, students=1, missing=0.0)
    before = predicted_answers(model.expectation(), model.parameters, model.answers)
    for item in range(5):
        for answer in (1 - model.rows[0][item], -1):
            table = model.answers.table.copy()
            table[0, item] = answer
            other = Tiny(model.parameters, answers_of(table))
            after = predicted_answers(other.expectation(), other.parameters, other.answers)
            assert after[0, item] == pytest.approx(before[0, item], abs=1e-12)


def test_nearly_certain_answers_are_predicted():
    """Probabilities at their limits: the answer to one item contradicts those to all others."""
    model = tiny(0, 1, 1, 1)
    limit = 1e-10
    parameters = type(model.parameters)(
        type(model.parameters.cells)([1] * 5),
        model.parameters.tables,
        np.array([limit, 1 - limit] * 5 + [0.5]),
    )
    extreme = Tiny(parameters, answers_of([[1, 1, 1, 1, 0], [0, 0, 0, 0, 1]]))
    predicted = predicted_answers(extreme.expectation(), parameters, extreme.answers)
    expected = [extreme.oracle().predictions(row) for row in extreme.rows]
    assert predicted == pytest.approx(np.array(expected), rel=1e-7, abs=1e-300)
    assert predicted[0, 4] == pytest.approx(1 - limit)


def test_students_with_the_same_answers_are_computed_once():
    model = tiny(3, students=2, missing=0.0)
    table = model.answers.table[[0, 1, 0, 1, 1]]
    repeated = Tiny(model.parameters, answers_of(table))
    assert repeated.expectation().pattern_count == len({tuple(row) for row in table.tolist()})
    mastery = mastery_probabilities(repeated.expectation(), model.parameters)
    assert (mastery == mastery_probabilities(model.expectation(), model.parameters)[[0, 1, 0, 1, 1]]).all()


def test_predictions_do_not_depend_on_the_answer_itself():
    """Not even in the last digit: students who differ in one answer have the same prediction of it."""
    model = tiny(7, 2, 4, 60, 0.0)
    both = np.array([[answer, *row[1:]] for row in model.rows for answer in (0, 1)])
    several = Tiny(model.parameters, answers_of(both))
    predicted = predicted_answers(several.expectation(), several.parameters, several.answers)[:, 0]
    assert predicted[::2].tolist() == predicted[1::2].tolist()
