"""Data frames of what a student model says: of each student, and of the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.graphs.dag import Dag
from dagscape.student.input.answers import Answers
from dagscape.student.learning.e_step import Expectation
from dagscape.student.model.inference import (
    expected_information,
    mastery_probabilities,
    most_probable_states,
    predicted_answers,
)
from dagscape.student.model.parameters import Parameters

if TYPE_CHECKING:
    import pandas as pd

# Probabilities of states that are in memory at the same time.
_STATES_AT_ONCE = 1 << 22


def mastery_frame(skills: Dag, parameters: Parameters, answers: Answers, expectation: Expectation) -> pd.DataFrame:
    """Return the probability that each skill is mastered, and the most probable state, for each student."""
    import pandas as pd

    block = max(1, _STATES_AT_ONCE >> skills.n)
    states, highest = most_probable_states(expectation, parameters, block)
    frame = pd.DataFrame(
        mastery_probabilities(expectation, parameters), index=_students(answers), columns=list(skills.variables)
    )
    names = [skills.names(int(state)) for state in states]
    # Skills may have any name, also these.
    frame.insert(len(frame.columns), "state", names, allow_duplicates=True)
    frame.insert(len(frame.columns), "state_probability", highest, allow_duplicates=True)
    return frame


def prediction_frame(parameters: Parameters, answers: Answers, expectation: Expectation) -> pd.DataFrame:
    """Return the probability of a correct answer to each item given the other answers, for each student."""
    import pandas as pd

    predicted = predicted_answers(expectation, parameters, answers)
    return pd.DataFrame(predicted, index=_students(answers), columns=list(answers.items))


def next_item_frame(parameters: Parameters, answers: Answers, expectation: Expectation) -> pd.DataFrame:
    """Return the unanswered item whose answer tells most about the skills, for each student."""
    import pandas as pd

    open_items = answers.table < 0
    information = np.where(open_items, expected_information(expectation, parameters), -1.0)
    chosen = information.argmax(axis=1)
    rows = np.arange(len(chosen))
    left = np.asarray(open_items.any(axis=1))
    correct = predicted_answers(expectation, parameters, answers)[rows, chosen]
    columns = {
        "item": [answers.items[item] if some else None for item, some in zip(chosen, left, strict=True)],
        "information": np.where(left, information[rows, chosen] / np.log(2), np.nan),
        "correct": np.where(left, correct, np.nan),
    }
    return pd.DataFrame(columns, index=_students(answers))


def table_frame(
    parents: Sequence[str],
    what: str,
    table: NDArray[np.float64],
    counts: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> pd.DataFrame:
    """Return a table as a frame: the states of the parents, the probability, and what is behind it."""
    import pandas as pd

    states = np.arange(len(table))
    frame = pd.DataFrame({name: states >> place & 1 for place, name in enumerate(parents)}, index=states)
    for name, column in ((f"P({what})", table), ("students", counts.sum(axis=0)), ("error", errors)):
        frame.insert(len(frame.columns), name, column, allow_duplicates=True)
    return frame


def _students(answers: Answers) -> pd.Index[str]:
    import pandas as pd

    return pd.Index(answers.students, name="student")
