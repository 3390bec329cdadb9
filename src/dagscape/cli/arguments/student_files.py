"""The tables of students that commands read, and those that ``dagscape student`` writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dagscape.cli.arguments.table_files import file_writer, table_format
from dagscape.cli.program.output import checked_path
from dagscape.core.errors import InvalidOption
from dagscape.student.input.answers import Answers
from dagscape.student.model.model import StudentModel

if TYPE_CHECKING:
    import pandas as pd

Command = TypeVar("Command", bound=Callable[..., Any])

ANSWERS_HELP = """\b
ANSWERS is a .csv or .tsv file (plain or gzipped), or - for standard input: a row for each student, a
column for each item, 1 for a correct answer, 0 for a wrong one, an empty cell or ? for a missing one.
A first column called 'student' or 'id', or one of distinct text, names the students. With --long, it
has a row for each student and item, and the columns that --long names. The Q-matrix has
a row for each item, whose first column names it, and a column for each skill: 1 if the item needs the
skill, otherwise 0."""

long_option = click.option(
    "--long",
    nargs=3,
    metavar="STUDENT ITEM ANSWER",
    help="ANSWERS has a row for each student and item: the columns with the student, the item and the answer.",
)

# What each option writes.
_TABLES: dict[str, tuple[str, Callable[[StudentModel, Answers | None], pd.DataFrame]]] = {
    "mastery": ("the probability that each student has mastered each skill", StudentModel.mastery),
    "predictions": (
        "the probability that each student answers each item correctly, given the other answers",
        StudentModel.predict,
    ),
    "next_item": ("the item whose answer tells most about the skills of each student", StudentModel.next_item),
}


def student_tables(command: Command) -> Command:
    """Add an option for each table of students."""
    for name, (what, _) in reversed(_TABLES.items()):
        option = click.option(
            f"--{name.replace('_', '-')}",
            metavar="FILE",
            callback=checked_path(table_format),
            help=f"Write {what}, to a .csv or .tsv file.",
        )
        command = option(command)
    return command


def check_standard_input(answers: str, option: str, path: str) -> None:
    """Refuse to read two files from standard input."""
    if answers == path == "-":
        raise InvalidOption(f"only one of ANSWERS and {option} can come from standard input")


def write_student_tables(model: StudentModel, answers: Answers | None, options: dict[str, Any]) -> None:
    """Write the tables that are asked for, of some students or, without answers, of those of the model."""
    for name, (_, table) in _TABLES.items():
        if options[name] is not None:
            write_frame(table(model, answers), options[name])


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write a frame with its index as the first column; lists are JSON, and missing values are empty cells."""
    cells = frame.astype(object).to_numpy(copy=True)
    # Columns may have equal names, so that only places identify them.
    cells[frame.isna().to_numpy()] = None
    with file_writer(path) as rows:
        rows.writerow([frame.index.name, *frame.columns])
        for name, values in zip(frame.index, cells, strict=True):
            rows.writerow([name, *map(_cell, values)])


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
