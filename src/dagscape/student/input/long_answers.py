"""Answers in long format: a row for each student and item, with the student, the item and the answer.

Tests that store each answer when it is given, and those that ask each student other items, have this form. A pair of a
student and an item without a row was not asked, and so was one whose answer is missing.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData, InvalidOption, argument, brief, did_you_mean, type_of
from dagscape.core.resources import check_memory
from dagscape.data.reading import read_table
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES, check_missing_values
from dagscape.data.tables.columns import MISSING, Column
from dagscape.data.tables.frames import is_frame, table_from_frame
from dagscape.data.tables.table import Table, listing
from dagscape.student.input.binary_tables import WRONG, TableOptions, column_cells

# The names of the columns with the students, the items and the answers.
LongFormat = Sequence[str]

# A cell of the answers, and the row of each.
_CELL_BYTES = 9


class LongAnswers:
    """The students, items and answers of a table in long format.

    Attributes
    ----------
    students, items : tuple of str
        Their names, in the order in which the rows name them first; for items, in that of the known ones.
    table : ndarray of int8
        Students × items: 1 for a correct answer, 0 for a wrong one, -1 for a missing one.
    source : Table
        The rows.
    first : ndarray of int
        The first row of each student.
    """

    def __init__(
        self, source: Table, long: tuple[str, str, str], known: Sequence[str], max_memory: int | str | None = None
    ) -> None:
        self.source = source
        student, item, answer = (source.column(name) for name in long)
        self.students, rows, self.first = self._named(student, "student")
        items, columns, first = self._named(item, "item")
        self.items = tuple(known) or items
        self._check_items(items, first)
        place = {name: number for number, name in enumerate(self.items)}
        columns = np.array([place[name] for name in items])[columns]
        what = f"the answers of {len(self.students):,} students to {len(self.items):,} items"
        check_memory(len(self.students) * len(self.items) * _CELL_BYTES, max_memory, what, "use fewer rows")
        self.table = self._pivoted(rows, columns, answer)

    def _named(self, column: Column, what: str) -> tuple[tuple[str, ...], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the different names of a column in order of appearance, the place of each row's, and first rows."""
        if column.gaps.any():
            where = self.source.where(int(np.argmax(column.gaps)))
            raise InvalidData(f"{self.source.source} has no {what} at {where}: each row must name its {what}")
        codes, first, places = np.unique(column.codes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(order.size, dtype=np.intp)
        rank[order] = np.arange(order.size)
        names = tuple([column.values[code] for code in codes[order].tolist()])
        return names, rank[places], first[order]

    def _check_items(self, items: Sequence[str], first: npt.NDArray[np.intp]) -> None:
        """Refuse items that are not among those of the Q-matrix or the model."""
        known = set(self.items)
        for name, row in zip(items, first.tolist(), strict=True):
            if name not in known:
                raise InvalidData(
                    f"{self.source.source} has the item {brief(name)} at {self.source.where(row)}, which is not "
                    f"among the known items {listing(self.items)}: leave out its rows, or add it to the "
                    f"Q-matrix{did_you_mean(name, self.items)}"
                )

    def _pivoted(
        self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp], answer: Column
    ) -> npt.NDArray[np.int8]:
        cells = column_cells(answer)
        if (cells == WRONG).any():
            row = int(np.argmax(cells == WRONG))
            raise InvalidData(
                f"{self.source.source} has {brief(answer.cell(row))} as the answer of student "
                f"{brief(self.students[rows[row]])} to item {brief(self.items[columns[row]])} at "
                f"{self.source.where(row)}; an answer must be 0, 1 or missing"
            )
        given = np.flatnonzero(cells != MISSING)
        places = rows[given] * len(self.items) + columns[given]
        order = np.argsort(places, kind="stable")
        again = np.flatnonzero(places[order][1:] == places[order][:-1])
        if again.size:
            # Of all that are repeated, the one that the table repeats first.
            pairs = np.stack([order[again], order[again + 1]])
            one, other = given[pairs[:, pairs[1].argmin()]].tolist()
            raise InvalidData(
                f"{self.source.source} has more than one answer of student {brief(self.students[rows[one]])} to item "
                f"{brief(self.items[columns[one]])}, at {self.source.where(one)} and at {self.source.where(other)}: "
                "keep one of them"
            )
        table = np.full(len(self.students) * len(self.items), MISSING, dtype=np.int8)
        table[places] = cells[given]
        return table.reshape(len(self.students), len(self.items))


def read_long_answers(
    responses: Any, long: LongFormat, known: Collection[str], source: str, **options: Unpack[TableOptions]
) -> LongAnswers:
    """Read answers in long format.

    Parameters
    ----------
    responses : data frame, str or path
        The table.
    long : sequence of str
        The names of its columns with the students, the items and the answers; others are ignored.
    known : collection of str
        The items, in their order. Default: those of the table.
    source : str
        What to call a frame in messages.
    **options
        How to read a file.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"who": ["Bob", "Ann", "Bob"], "what": ["carry", "add", "add"], "right": [0, 1, 1]})
    >>> found = read_long_answers(frame, ("who", "what", "right"), (), "the frame")
    >>> found.students, found.items, found.table.tolist()
    (('Bob', 'Ann'), ('carry', 'add'), [[0, 1], [-1, 1]])
    """
    names = _checked(long)
    missing = check_missing_values(options.get("missing_values", DEFAULT_MISSING_VALUES))

    def unused(name: str) -> bool:
        return name not in names

    if isinstance(responses, str | os.PathLike):
        table = read_table(responses, **(options | {"missing_values": missing}), unused=unused)
    elif is_frame(responses):
        duplicates = options.get("duplicate_names", "error")
        table = table_from_frame(
            responses, missing_values=missing, source=source, unused=unused, duplicate_names=duplicates
        )
    else:
        raise InvalidOption(
            f"is {type_of(responses)}; with {argument('long')} it must be a data frame or the path of a file",
            option="responses",
        )
    for name in names:
        if name not in table:
            near = did_you_mean(name, table.names) or f": its columns are {listing(table.names)}"
            raise InvalidOption(f"names {name!r}, which is not a column of {table.source}{near}", option="long")
    return LongAnswers(table.only(names), names, tuple(known), options.get("max_memory"))


def _checked(long: LongFormat) -> tuple[str, str, str]:
    listed = () if isinstance(long, str) or not isinstance(long, Sequence) else tuple(long)
    if len(set(listed)) != 3 or len(listed) != 3 or not all(isinstance(name, str) for name in listed):
        raise InvalidOption(
            f"is {brief(long)}; it must be the names of three columns: of the students, the items and the answers",
            option="long",
        )
    return listed
