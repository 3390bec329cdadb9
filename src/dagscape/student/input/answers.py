"""The answers of students to items: right, wrong or missing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import check_names, check_unicode
from dagscape.core.errors import InvalidData, did_you_mean
from dagscape.core.wording import plural
from dagscape.data.discrete.rows import distinct_rows
from dagscape.data.tables.columns import (
    MISSING as MISSING,
)  # The code of a missing answer, for whoever reads the table.
from dagscape.data.tables.table import Table, listing
from dagscape.student.input.binary_tables import Layout, TableOptions, numbered, read_named_table
from dagscape.student.input.long_answers import LongAnswers, LongFormat, read_long_answers

if TYPE_CHECKING:
    import pandas as pd

_LAYOUT = Layout(
    option="responses",
    source="the table of responses",
    row="student",
    column="item",
    cell="an answer",
    headings=frozenset({"student", "students", "student_id", "studentid", "student id", "id"}),
    may_miss=True,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers:
    """Which items each student answered correctly.

    Make one with :func:`as_answers`. The constructor checks shapes, names and values; the same student may occur more
    than once, as in a bootstrap sample, and may have no answers.

    Attributes
    ----------
    students : tuple of str
        The names of the students.
    items : tuple of str
        The names of the items.
    table : ndarray of int8
        Students × items: 1 for a correct answer, 0 for a wrong one, -1 for a missing one.

    Examples
    --------
    >>> answers = Answers(("Ann", "Bob", "Cem"), ("add", "carry"), np.array([[1, 0], [1, -1], [1, 0]]))
    >>> answers
    Answers(3 students, 2 items, 16.7% missing)
    """

    students: tuple[str, ...]
    items: tuple[str, ...]
    table: npt.NDArray[np.int8]

    def __post_init__(self) -> None:
        students, items = tuple(self.students), tuple(self.items)
        given = np.asarray(self.table)
        if given.shape != (len(students), len(items)):
            raise InvalidData(
                f"the answers have the shape {given.shape}; it must be {(len(students), len(items))}, for "
                f"{plural(len(students), 'student')} and {plural(len(items), 'item')}"
            )
        if not np.isin(given, (0, 1, MISSING)).all():
            raise InvalidData("the answers must be 1 for correct, 0 for wrong and -1 for missing")
        check_names(items, "item")
        check_unicode(students, "the name of a student")
        # A copy, so that nobody can change it.
        table = np.array(given, dtype=np.int8, order="C")
        table.flags.writeable = False
        for name, value in (("students", students), ("items", items), ("table", table)):
            object.__setattr__(self, name, value)

    @property
    def missing_share(self) -> float:
        """The share of answers that are missing.

        >>> Answers(("Ann",), ("add", "carry"), np.array([[1, -1]])).missing_share
        0.5
        """
        return float((self.table == MISSING).mean()) if self.table.size else 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers):
            return NotImplemented
        same = self.students == other.students and self.items == other.items
        return same and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash((self.students, self.items, self.table.tobytes()))

    def __repr__(self) -> str:
        missing = f", {self.missing_share:.1%} missing" if self.missing_share else ""
        return f"Answers({plural(len(self.students), 'student')}, {plural(len(self.items), 'item')}{missing})"

    def patterns(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the distinct rows, which do not depend on the order of the students.

        Returns
        -------
        patterns : ndarray of int8
            Patterns × items: the distinct rows of the table in lexicographic order, where missing comes before 0.
        weights : ndarray of int64
            The number of students with each pattern.
        place : ndarray of int64
            The pattern of each student.

        Examples
        --------
        >>> answers = Answers(("Ann", "Bob", "Cem"), ("add", "carry"), np.array([[1, 0], [1, -1], [1, 0]]))
        >>> patterns, weights, place = answers.patterns()
        >>> patterns.tolist(), weights.tolist(), place.tolist()
        ([[1, -1], [1, 0]], [1, 2], [1, 0, 1])
        """
        first, place = distinct_rows(self.table - MISSING, [3] * len(self.items))
        weights = np.bincount(place, minlength=len(first)).astype(np.int64, copy=False)
        return np.ascontiguousarray(self.table[first]), weights, place.astype(np.int64, copy=False)

    def take(self, students: npt.ArrayLike) -> Self:
        """Return the answers of some students, in the order given.

        Parameters
        ----------
        students : array-like of int or bool
            The rows to take, each any number of times; or for each row whether to take it.

        Examples
        --------
        >>> answers = Answers(("Ann", "Bob"), ("add",), np.array([[1], [0]]))
        >>> answers.take([1, 1, 0]).students
        ('Bob', 'Bob', 'Ann')
        """
        rows = np.asarray(students)
        if not rows.size:
            rows = rows.astype(np.intp)
        places = np.arange(len(self.students))[rows]
        return type(self)(tuple([self.students[place] for place in places.tolist()]), self.items, self.table[places])

    def renamed(self, items: Sequence[str]) -> Self:
        """Return the same answers, with other names for the items."""
        return type(self)(self.students, tuple(items), self.table)

    def to_frame(self) -> pd.DataFrame:
        """Return the answers as a pandas frame of integers, in which answers may be missing.

        Examples
        --------
        >>> Answers(("Ann", "Bob"), ("add", "carry"), np.array([[1, 0], [1, -1]])).to_frame()
                 add  carry
        student
        Ann        1      0
        Bob        1   <NA>
        """
        import pandas as pd

        cells = pd.DataFrame(self.table, index=pd.Index(self.students, name="student"), columns=list(self.items))
        return cells.astype("Int8").mask(cells == MISSING)


def as_answers(
    responses: Any,
    items: Sequence[str] | None = None,
    *,
    partial: bool = False,
    long: LongFormat | None = None,
    **options: Unpack[TableOptions],
) -> Answers:
    """Return answers from a data frame, an array or a file.

    Parameters
    ----------
    responses : data frame, array-like, str, path or Answers
        Students × items: 1 or True for a correct answer, 0 or False for a wrong one, None or NaN for a missing one. In
        a CSV or TSV file, plain or gzipped, a missing answer is an empty cell or ``?``. A first column called
        ``student`` or ``id``, or any other with distinct text, names the students, and so does the index of a pandas
        frame; otherwise their names are ``1``, ``2``, …. The items of an array are ``item1``, ``item2``, ….
    items : sequence of str, optional
        The items of a model. The columns are matched with them by name, in any order; those of an array by position.
    partial : bool
        Whether `items` may include some that have no column, and so no answers, and students may have none.
    long : sequence of str, optional
        For answers in long format, a row for each student and item: the names of the columns with the students, the
        items and the answers. A pair without a row was not asked. Items are in the order of `items`, or in that in
        which the rows name them first.
    **options
        How a file is read: ``separator``, ``decimal``, ``encoding``, ``sheet``, ``duplicate_names``,
        ``missing_values`` and ``max_memory``, as in :func:`~dagscape.data.reading.read_data`.

    Examples
    --------
    >>> answers = as_answers([[1, 0, 1], [0, None, 1]])
    >>> answers.students, answers.items, answers.table.tolist()
    (('1', '2'), ('item1', 'item2', 'item3'), [[1, 0, 1], [0, -1, 1]])
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"student": ["Ann", "Bob"], "carry": [0, None], "add": [1, 1]})
    >>> as_answers(frame, ["add", "carry"]).table.tolist()
    [[1, 0], [1, -1]]
    >>> rows = pd.DataFrame({"who": ["Ann", "Ann", "Bob"], "what": ["add", "carry", "add"], "right": [1, 0, 1]})
    >>> as_answers(rows, long=("who", "what", "right")).table.tolist()
    [[1, 0], [1, -1]]
    """
    if items is None:
        return read_answers(responses, long=long, **options)[0]
    wanted = tuple(items)
    check_names(wanted, "item")
    answers, named = read_answers(
        responses,
        wanted,
        check=lambda _, columns: _check_columns(columns, wanted, partial),
        may_be_silent=partial,
        long=long,
        **options,
    )
    if named:
        return _with_items(answers, wanted)
    if len(answers.items) != len(wanted):
        raise InvalidData(
            f"the responses have {plural(len(answers.items), 'column')} without names; the model has "
            f"{plural(len(wanted), 'item')}: give a column for each item, or a frame with the names of the items"
        )
    return answers.renamed(wanted)


def read_answers(
    responses: Any,
    known: Collection[str] = (),
    *,
    check: Callable[[tuple[str, ...], tuple[str, ...]], None] | None = None,
    may_be_silent: bool = False,
    long: LongFormat | None = None,
    **options: Unpack[TableOptions],
) -> tuple[Answers, bool]:
    """Return answers as in :func:`as_answers`, and whether their items have names of their own.

    Parameters
    ----------
    responses, long, **options
        As in :func:`as_answers`.
    known : collection of str
        Names of items, which a first column with the names of the students does not have. Answers in long format have
        no others, and these in the same order.
    check : callable, optional
        Takes the names of the students and of the items, if these have names of their own, before the answers are
        interpreted: wrong names explain wrong answers, so that their error should come first.
    may_be_silent : bool
        Whether students may have no answers.

    Examples
    --------
    >>> read_answers([[1, 0]])
    (Answers(1 student, 2 items), False)
    """
    if isinstance(responses, Answers):
        if check is not None:
            check(responses.students, responses.items)
        return responses, True
    if long is not None:
        return _from_long(read_long_answers(responses, long, known, _LAYOUT.source, **options), may_be_silent), True
    read = read_named_table(responses, _LAYOUT, known=known, **options)
    students = tuple(map(str, range(1, read.strings.m + 1))) if read.rows is None else read.rows
    items = numbered("item", len(read.strings.names)) if read.columns is None else read.columns
    if check is not None and read.columns is not None:
        check(students, items)
    cells = read.cells()
    if not may_be_silent:
        _check_answered(cells, students, read.strings)
    return Answers(students, items, cells), read.columns is not None


def _from_long(found: LongAnswers, may_be_silent: bool) -> Answers:
    if not may_be_silent:
        _check_answered(found.table, found.students, found.source, found.first)
    return Answers(found.students, found.items, found.table)


def _check_answered(
    cells: npt.NDArray[np.int8], students: Sequence[str], source: Table, rows: npt.NDArray[np.intp] | None = None
) -> None:
    """Refuse students without an answer; each student is in a row of the same place unless `rows` says otherwise."""
    silent = np.flatnonzero((cells == MISSING).all(axis=1))
    if silent.size:
        first = int(silent[0])
        which, remove = ("", "the row") if silent.size == 1 else ("the first of them ", "their rows")
        raise InvalidData(
            f"{source.source} has {plural(int(silent.size), 'student')} without an answer, {which}{students[first]!r} "
            f"at {source.where(first if rows is None else int(rows[first]))}: drop {remove}"
        )


def _check_columns(columns: tuple[str, ...], items: tuple[str, ...], partial: bool) -> None:
    """Refuse columns that are not items of a model, and items without a column unless they may lack one."""
    lacking = [name for name in items if name not in set(columns)]
    unknown = [name for name in columns if name not in set(items)]
    if unknown:
        raise InvalidData(
            f"the responses have the column{'s' * (len(unknown) > 1)} {listing(unknown)}, which the model does not "
            f"know: drop columns that are not items of the model{did_you_mean(unknown[0], lacking)}"
        )
    if lacking and not partial:
        raise InvalidData(
            f"the responses have no column for the item{'s' * (len(lacking) > 1)} {listing(lacking)} of the model: "
            "add it, with empty cells if nobody answered"
        )


def _with_items(answers: Answers, items: tuple[str, ...]) -> Answers:
    """Return the answers to the items of a model, in its order."""
    if answers.items == items:
        return answers
    table = np.full((len(answers.students), len(items)), MISSING, dtype=np.int8)
    place = {name: index for index, name in enumerate(items)}
    table[:, [place[name] for name in answers.items]] = answers.table
    return Answers(answers.students, items, table)
