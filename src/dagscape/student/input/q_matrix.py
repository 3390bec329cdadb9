"""The Q-matrix: which skills each item needs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self, Unpack

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import check_names
from dagscape.core.errors import InvalidData, TooLarge, did_you_mean
from dagscape.core.wording import plural
from dagscape.data.reading import is_text_file
from dagscape.data.tables.table import listing
from dagscape.student.input.answers import MISSING, Answers, read_answers
from dagscape.student.input.binary_tables import Layout, TableOptions, numbered, read_named_table
from dagscape.student.input.long_answers import LongFormat

if TYPE_CHECKING:
    import pandas as pd

# Every state of the skills is visited for every pattern of answers: there are 2^skills of them.
MAX_SKILLS = 16

_LAYOUT = Layout(
    option="q_matrix",
    source="the Q-matrix",
    row="item",
    column="skill",
    cell="an entry of the Q-matrix",
    headings=frozenset({"item", "items", "item_id", "itemid", "item id", "id"}),
    may_miss=False,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class QMatrix:
    """Which skills each item needs.

    Make one with :func:`as_q_matrix`. Every item needs a skill, and every skill an item.

    Attributes
    ----------
    items : tuple of str
        The names of the items.
    skills : tuple of str
        The names of the skills, at most 16.
    table : ndarray of bool
        Items × skills: whether the item needs the skill.

    Examples
    --------
    >>> q = QMatrix(("add", "carry"), ("sum", "place"), np.array([[True, False], [True, True]]))
    >>> q
    QMatrix(2 items, 2 skills)
    """

    items: tuple[str, ...]
    skills: tuple[str, ...]
    table: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        items, skills = tuple(self.items), tuple(self.skills)
        given = np.asarray(self.table)
        if given.shape != (len(items), len(skills)) or not given.size:
            raise InvalidData(
                f"the Q-matrix has the shape {given.shape}, for {plural(len(items), 'item')} and "
                f"{plural(len(skills), 'skill')}; it must have a row for each item and a column for each skill"
            )
        if not np.isin(given, (0, 1)).all():
            raise InvalidData("the Q-matrix must be 1 where an item needs a skill, and 0 elsewhere")
        check_names(items, "item")
        check_names(skills, "skill")
        # A copy, so that nobody can change it.
        table = np.array(given, dtype=np.bool_, order="C")
        table.flags.writeable = False
        _check_used(items, skills, table)
        for name, value in (("items", items), ("skills", skills), ("table", table)):
            object.__setattr__(self, name, value)

    @property
    def masks(self) -> tuple[int, ...]:
        """The skills of each item as a bit mask: bit k stands for the skill in column k.

        >>> QMatrix(("add", "carry"), ("sum", "place"), np.array([[1, 0], [1, 1]])).masks
        (1, 3)
        """
        return tuple((self.table @ (1 << np.arange(len(self.skills)))).tolist())

    def unidentified(self) -> tuple[str, ...]:
        """Return the skills without an item of their own: no item needs this skill alone.

        >>> QMatrix(("add", "carry"), ("sum", "place"), np.array([[1, 0], [1, 1]])).unidentified()
        ('place',)
        """
        masks = set(self.masks)
        return tuple([name for index, name in enumerate(self.skills) if 1 << index not in masks])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QMatrix):
            return NotImplemented
        same = self.items == other.items and self.skills == other.skills
        return same and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash((self.items, self.skills, self.table.tobytes()))

    def __repr__(self) -> str:
        return f"QMatrix({plural(len(self.items), 'item')}, {plural(len(self.skills), 'skill')})"

    def renamed(self, items: Sequence[str]) -> Self:
        """Return the same Q-matrix, with other names for the items."""
        return type(self)(tuple(items), self.skills, self.table)

    def to_frame(self) -> pd.DataFrame:
        """Return the Q-matrix as a pandas frame of zeros and ones.

        Examples
        --------
        >>> QMatrix(("add", "carry"), ("sum", "place"), np.array([[1, 0], [1, 1]])).to_frame()
               sum  place
        item
        add      1      0
        carry    1      1
        """
        import pandas as pd

        cells = self.table.astype(np.int8)
        return pd.DataFrame(cells, index=pd.Index(self.items, name="item"), columns=list(self.skills))


def as_q_matrix(
    q_matrix: Any,
    items: Sequence[str] | None = None,
    **options: Unpack[TableOptions],
) -> QMatrix:
    """Return a Q-matrix from a data frame, an array or a file.

    Parameters
    ----------
    q_matrix : data frame, array-like, str, path or QMatrix
        Items × skills: 1 or True if the item needs the skill, otherwise 0 or False. A first column called ``item``, or
        any other with distinct text, names the items, and so does the index of a pandas frame. The skills of an array
        are ``skill1``, ``skill2``, ….
    items : sequence of str, optional
        The items of the answers. The rows are matched with them by name, in any order; if they have no names, by
        position. Default: the items as they are, or ``item1``, ``item2``, ….
    **options
        How a file is read, as in :func:`~dagscape.student.input.answers.as_answers`.

    Examples
    --------
    >>> as_q_matrix([[1, 0], [1, 1]]).skills
    ('skill1', 'skill2')
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"item": ["carry", "add"], "sum": [1, 1], "place": [1, 0]})
    >>> as_q_matrix(frame, ["add", "carry"]).table.tolist()
    [[True, False], [True, True]]
    """
    read, named = _read_q_matrix(q_matrix, **options)
    if items is None:
        return read
    check_names(items, "item")
    if named:
        _check_items(read, tuple(items))
        return _ordered(read, tuple(items))
    _check_rows(read, items=len(items))
    return read.renamed(items)


class MatchedAnswers(NamedTuple):
    """Answers, and a Q-matrix of the same items in the same order."""

    answers: Answers
    q_matrix: QMatrix


def matched(
    responses: Any,
    q_matrix: Any,
    *,
    long: LongFormat | None = None,
    **options: Unpack[TableOptions],
) -> MatchedAnswers:
    """Return answers and a Q-matrix with the same items, in the order of the answers.

    Items are matched by name, or by position if the answers or the Q-matrix have no names for them.

    Parameters
    ----------
    responses
        The answers, as in :func:`~dagscape.student.input.answers.as_answers`. Some student must have answered each
        item.
    q_matrix
        The Q-matrix, as in :func:`as_q_matrix`.
    long
        As in :func:`~dagscape.student.input.answers.as_answers`; the items are then in the order of the Q-matrix.
    **options
        How files are read, as in :func:`~dagscape.student.input.answers.as_answers`. The separator, and the encoding
        of text, are those of both files, and the others are for the answers.

    Examples
    --------
    >>> import pandas as pd
    >>> answers = pd.DataFrame({"student": ["Ann", "Bob"], "add": [1, 1], "carry": [0, None]})
    >>> _, q = matched(answers, pd.DataFrame({"item": ["carry", "add"], "sum": [1, 1], "place": [1, 0]}))
    >>> q.items, q.table.tolist()
    (('add', 'carry'), [[True, False], [True, True]])
    """
    needs, needs_named = _read_q_matrix(q_matrix, **_of_q_matrix(q_matrix, options))
    if long is not None and not needs_named:
        raise InvalidData(
            "the Q-matrix has no names of items, and answers in long format have no order of items that it could have: "
            "name the items in its first column"
        )
    answers, named = read_answers(
        responses,
        needs.items if needs_named else (),
        check=partial(_check_names, needs) if needs_named else None,
        long=long,
        **options,
    )
    if not (named and needs_named):
        _check_rows(needs, items=len(answers.items), students=len(answers.students))
        if named:
            needs = needs.renamed(answers.items)
        else:
            answers = answers.renamed(needs.items)
    _check_answered(answers)
    return MatchedAnswers(answers, _ordered(needs, answers.items))


def _of_q_matrix(q_matrix: Any, options: TableOptions) -> TableOptions:
    """Return how a Q-matrix is read, given how answers are."""
    found: TableOptions = {"separator": options.get("separator"), "max_memory": options.get("max_memory")}
    if isinstance(q_matrix, str | os.PathLike) and is_text_file(q_matrix):
        found["encoding"] = options.get("encoding")
    return found


def _read_q_matrix(q_matrix: Any, **options: Unpack[TableOptions]) -> tuple[QMatrix, bool]:
    """Return a Q-matrix, and whether its items have names of their own."""
    if isinstance(q_matrix, QMatrix):
        return q_matrix, True
    read = read_named_table(q_matrix, _LAYOUT, **options)
    cells = read.cells()
    items = numbered("item", len(cells)) if read.rows is None else read.rows
    skills = numbered("skill", cells.shape[1]) if read.columns is None else read.columns
    return QMatrix(items, skills, cells == 1), read.rows is not None


def _check_used(items: Sequence[str], skills: Sequence[str], table: npt.NDArray[np.bool_]) -> None:
    """Refuse too many skills, items without a skill and skills without an item."""
    if len(skills) > MAX_SKILLS:
        raise TooLarge(
            f"the Q-matrix has {len(skills)} skills; the limit is {MAX_SKILLS}: merge or drop skills, "
            "or transpose it if its columns are the items"
        )
    idle = [name for name, needs in zip(items, table, strict=True) if not needs.any()]
    if idle:
        raise InvalidData(
            f"the Q-matrix has no skill for the item{'s' * (len(idle) > 1)} {listing(idle)}: each item must need at "
            "least one skill; add it, or drop the item"
        )
    unused = [name for name, needed in zip(skills, table.T, strict=True) if not needed.any()]
    if unused:
        raise InvalidData(
            f"the Q-matrix has no item for the skill{'s' * (len(unused) > 1)} {listing(unused)}: at least one item "
            "must need each skill; add it, or drop the skill"
        )


def _check_rows(q_matrix: QMatrix, *, items: int, students: int | None = None) -> None:
    """Check that a Q-matrix has as many rows as there are items."""
    rows, columns = q_matrix.table.shape
    if rows == items:
        return
    remedy = "give it a row for each item"
    if columns == items:
        remedy = "transpose it, or the responses" if rows == students else "transpose it"
    elif rows == students:
        remedy = f"transpose the responses, which have {plural(rows, 'row')}"
    raise InvalidData(
        f"the Q-matrix has {plural(rows, 'row')} and {plural(columns, 'column')}; the responses have "
        f"{plural(items, 'column')}, one for each item: {remedy}"
    )


def _check_names(q_matrix: QMatrix, students: tuple[str, ...], items: tuple[str, ...]) -> None:
    """Check that answers and a Q-matrix have the same items, given the names in the answers."""
    if set(students) == set(q_matrix.items) and set(items).isdisjoint(q_matrix.items):
        raise InvalidData("the responses have a row for each item: transpose them, so that each student has a row")
    _check_items(q_matrix, items)


def _check_items(q_matrix: QMatrix, items: tuple[str, ...]) -> None:
    """Check that a Q-matrix has the items of the answers, in any order."""
    extra = [name for name in items if name not in set(q_matrix.items)]
    lacking = [name for name in q_matrix.items if name not in set(items)]
    if extra or lacking:
        raise _unmatched(q_matrix, items, extra, lacking)


def _ordered(q_matrix: QMatrix, items: tuple[str, ...]) -> QMatrix:
    """Return the Q-matrix with its items in another order."""
    if q_matrix.items == items:
        return q_matrix
    place = {name: index for index, name in enumerate(q_matrix.items)}
    return QMatrix(items, q_matrix.skills, q_matrix.table[[place[name] for name in items]])


def _unmatched(q_matrix: QMatrix, items: tuple[str, ...], extra: list[str], lacking: list[str]) -> InvalidData:
    """Return the error about items of the answers that the Q-matrix does not have, or the other way round."""
    if set(items) == set(q_matrix.skills):
        return InvalidData("the Q-matrix has a column for each item: transpose it, so that each item has a row")
    if len(extra) == len(items):
        return InvalidData(
            f"no item of the Q-matrix is a column of the responses: its items are {listing(q_matrix.items)}, the "
            f"columns {listing(items)}; use the same names"
        )
    if extra:
        which, rows = ("columns", "rows") if len(extra) > 1 else ("column", "a row")
        return InvalidData(
            f"the responses have the {which} {listing(extra)}, which the Q-matrix does not know: drop the {which}, or "
            f"add {rows} to the Q-matrix{did_you_mean(extra[0], lacking)}"
        )
    which, rows = ("items", "rows") if len(lacking) > 1 else ("item", "row")
    return InvalidData(
        f"the Q-matrix has the {which} {listing(lacking)}, which the responses do not have: drop the {rows} from the "
        f"Q-matrix, or use the names of the items in both{did_you_mean(lacking[0], items)}"
    )


def _check_answered(answers: Answers) -> None:
    """Refuse items that nobody answered: nothing can be learned about them."""
    silent = (answers.table == MISSING).all(axis=0)
    if silent.any():
        names = [name for name, without in zip(answers.items, silent, strict=True) if without]
        raise InvalidData(
            f"the responses have no answers to the item{'s' * (len(names) > 1)} {listing(names)}: drop what nobody "
            "answered, from the Q-matrix too"
        )
