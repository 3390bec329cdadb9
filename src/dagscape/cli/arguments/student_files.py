"""The tables of students that ``dagscape student`` writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dagscape.cli.arguments.table_files import file_writer, table_format
from dagscape.cli.program.output import checked_path
from dagscape.student.input.answers import Answers
from dagscape.student.model.model import StudentModel

if TYPE_CHECKING:
    import pandas as pd

Command = TypeVar("Command", bound=Callable[..., Any])

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
