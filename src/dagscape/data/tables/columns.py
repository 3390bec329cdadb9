"""The columns of a table: text, or numbers.

Levels are strings, and a column of text keeps each distinct string once, with an integer code per row. A column of
numbers keeps the numbers. It is written as strings only when somebody asks for them, because most columns of numbers
are cut into intervals or used as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagscape.data.tables.numbers import (
    Floats,
    Kind,
    are_integers,
    kind_of,
    kind_of_numbers,
    number_strings,
    parse_numbers,
)
from dagscape.data.tables.value_types import LevelFinder, ValueType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagscape.data.tables.coding import PackedText

Codes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.bool_]

MISSING = -1


class Column(ABC):
    """One column of a table.

    Attributes
    ----------
    values : tuple of str
        The distinct strings of its cells, in any order; if declared, all categories in their order.
    codes : ndarray of int32
        For each row the index of its string in `values`; -1 for a missing cell.
    declared : bool
        Whether the source declared `values` (a categorical type); they may then include unobserved ones.
    type : str or None
        The type of its cells in the source; None if they are strings in a text file.
    """

    declared: bool
    type: ValueType | None

    @property
    @abstractmethod
    def values(self) -> tuple[str, ...]:
        """The distinct strings of its cells."""

    @property
    @abstractmethod
    def codes(self) -> Codes:
        """For each row the index of its string; -1 for a missing cell."""

    @property
    @abstractmethod
    def gaps(self) -> Rows:
        """For each row whether its cell is missing."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """What its cells are, as in :func:`~dagscape.data.tables.numbers.kind_of`."""

    @property
    @abstractmethod
    def distinct(self) -> int:
        """The number of different strings that occur."""

    def has_more_than(self, strings: int) -> bool:
        """Whether more different strings occur."""
        return self.distinct > strings

    @abstractmethod
    def groups(self) -> Codes:
        """Return a number for each row that is equal for equal strings, below :attr:`distinct`; -1 for missing ones."""

    @abstractmethod
    def numbers(self) -> Floats | None:
        """Return the number of each cell, and NaN for missing ones; None if a cell is not a number."""

    @abstractmethod
    def take(self, rows: Rows) -> Column:
        """Return the column of some rows; values that no longer occur are removed, unless declared."""

    @abstractmethod
    def repeat(self, counts: npt.NDArray[np.int64]) -> Column:
        """Return the column with each row the given number of times."""

    @abstractmethod
    def cell(self, row: int) -> str:
        """Return the string of a cell that is not missing."""

    @property
    def missing(self) -> int:
        """The number of missing cells."""
        return int(np.count_nonzero(self.gaps))

    def first_not_finite(self) -> int | None:
        """Return the first row whose cell is not a finite number; None if there is none besides missing cells.

        Examples
        --------
        >>> TextColumn(("1", "x", "inf"), np.array([-1, 0, 2, 1], dtype=np.int32)).first_not_finite()
        2
        """
        numbers = self.numbers()
        if numbers is None:
            parsed = [parse_numbers([text]) for text in self.values]
            usable = np.array([*(number is not None and np.isfinite(number[0]) for number in parsed), True])
            wrong = ~usable[self.codes]
        else:
            wrong = ~(np.isfinite(numbers) | self.gaps)
        return int(np.argmax(wrong)) if wrong.any() else None

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the number of rows with each value."""
        observed = self.codes[self.codes != MISSING]
        return np.bincount(observed, minlength=len(self.values)).astype(np.int64, copy=False)

    def first_row(self, code: int) -> int:
        """Return the first row with a code (-1: with a missing cell)."""
        return int(np.argmax(self.codes == code))

    def matched(self, levels: Sequence[str]) -> Column:
        """Return the column with the strings that stand for the same number or boolean as a level replaced by it.

        Examples
        --------
        >>> column = TextColumn(("1", "0", "1.0", "x"), np.array([0, 1, 2, 3], dtype=np.int32))
        >>> column.matched(["0.0", "1.0"]).values
        ('1.0', '0.0', 'x')
        """
        find = LevelFinder(levels)
        texts = [find[text] for text in self.values]
        if tuple(texts) == self.values:
            return self
        position = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        lookup = np.array([*(position[text] for text in texts), MISSING], dtype=np.int32)
        return TextColumn(tuple(position), lookup[self.codes], self.declared, self.type)

    def observed(self) -> TextColumn:
        """Return the column as text with the values that occur, none of them declared."""
        used = np.flatnonzero(self.counts())
        lookup = np.full(len(self.values) + 1, MISSING, dtype=np.int32)
        lookup[used] = np.arange(used.size, dtype=np.int32)
        return TextColumn(tuple([self.values[code] for code in used.tolist()]), lookup[self.codes], own=self.type)


class TextColumn(Column):
    """A column of text: its distinct strings, and their codes.

    Parameters
    ----------
    values, codes, declared
        As in :class:`Column`.
    own : str or None
        Its type.

    Examples
    --------
    >>> column = TextColumn(("no", "yes"), np.array([0, 1, -1, 0], dtype=np.int32))
    >>> column.missing, column.counts().tolist(), column.kind
    (1, [2, 1], 'labels')
    """

    def __init__(
        self, values: tuple[str, ...], codes: Codes, declared: bool = False, own: ValueType | None = "text"
    ) -> None:
        self._values = values
        self._codes = codes
        self.declared = declared
        self.type = own

    @property
    def values(self) -> tuple[str, ...]:
        """The distinct strings of its cells."""
        return self._values

    @property
    def codes(self) -> Codes:
        """For each row the index of its string; -1 for a missing cell."""
        return self._codes

    @property
    def gaps(self) -> Rows:
        """For each row whether its cell is missing."""
        return np.equal(self._codes, MISSING)

    @cached_property
    def kind(self) -> Kind:
        """What its cells are."""
        return kind_of(self._values)

    @property
    def distinct(self) -> int:
        """The number of different strings that occur."""
        return int(np.count_nonzero(self.counts()))

    def groups(self) -> Codes:
        """Return a number for each row that is equal for equal strings."""
        return self.observed().codes

    def numbers(self) -> Floats | None:
        """Return the number of each cell, and NaN for missing ones."""
        parsed = parse_numbers(self._values)
        # Adding zero turns -0.0, which equals 0.0, into 0.0.
        return None if parsed is None else np.append(parsed + 0.0, np.nan)[self._codes]

    def take(self, rows: Rows) -> Column:
        """Return the column of some rows."""
        taken = TextColumn(self._values, self._codes[rows], self.declared, self.type)
        return taken if self.declared else taken.observed()

    def repeat(self, counts: npt.NDArray[np.int64]) -> Column:
        """Return the column with each row the given number of times."""
        return TextColumn(self._values, np.repeat(self._codes, counts), self.declared, self.type)

    def cell(self, row: int) -> str:
        """Return the string of a cell."""
        return self._values[int(self._codes[row])]


class NumberColumn(Column):
    """A column of numbers, not all of them missing; its strings are made when they are asked for.

    Parameters
    ----------
    cells : ndarray of integers or floats
        The number of each cell, anything for missing ones.
    gaps : ndarray of bool
        For each row whether its cell is missing.
    own : str or None
        Its type, as in :class:`Column`.
    written : PackedText or None
        How the cells were written in a text file; None for numbers from elsewhere, which are written as integers if
        all of them are, and otherwise as the shortest strings that read back as the same numbers.
    integers : bool, optional
        Whether they are written as integers. Default: if all of them are integers.

    Examples
    --------
    >>> column = NumberColumn(np.array([2.0, np.nan, 1.0]), np.array([False, True, False]), "number")
    >>> column.kind, column.values, column.codes.tolist()
    ('integers', ('1', '2'), [1, -1, 0])
    """

    declared = False

    def __init__(
        self,
        cells: npt.NDArray[Any],
        gaps: Rows,
        own: ValueType | None,
        written: PackedText | None = None,
        integers: bool | None = None,
    ) -> None:
        self._cells = cells
        self._gaps = gaps
        self._written = written
        # Decided before rows are dropped: the levels of a data set do not depend on rows that are not in it.
        self._integers = are_integers(cells[~gaps]) if integers is None else integers
        self.type = own

    @property
    def gaps(self) -> Rows:
        """For each row whether its cell is missing."""
        return self._gaps

    @cached_property
    def _different(self) -> tuple[npt.NDArray[Any], Codes]:
        """The different numbers in ascending order, and for each row the index of its number."""
        # Adding zero turns -0.0 into 0.0, which is the same number and should be the same string.
        different, inverse = np.unique(self._cells[~self._gaps] + 0, return_inverse=True)
        codes = np.full(self._gaps.size, MISSING, dtype=np.int32)
        codes[~self._gaps] = inverse
        return different, codes

    @cached_property
    def _text(self) -> TextColumn:
        if self._written is not None:
            return self._written.unpacked(self.type)
        different, codes = self._different
        return TextColumn(tuple(number_strings(different, integers=self._integers)), codes, own=self.type)

    @property
    def values(self) -> tuple[str, ...]:
        """The distinct strings of its cells."""
        return self._text.values

    @property
    def codes(self) -> Codes:
        """For each row the index of its string; -1 for a missing cell."""
        return self._text.codes

    @cached_property
    def kind(self) -> Kind:
        """What its cells are."""
        return kind_of_numbers(self._cells[~self._gaps])

    @property
    def distinct(self) -> int:
        """The number of different strings that occur."""
        return int(self.groups().max()) + 1

    def has_more_than(self, strings: int) -> bool:
        """Whether more different strings occur."""
        # Different numbers are different strings.
        return self._different[0].size > strings or (self._written is not None and self.distinct > strings)

    def groups(self) -> Codes:
        """Return a number for each row that is equal for equal strings."""
        if self._written is None:
            return self._different[1]
        # Different strings may stand for the same number.
        found = np.full(self._gaps.size, MISSING, dtype=np.int32)
        found[~self._gaps] = np.unique(self._written.hashes()[~self._gaps], return_inverse=True)[1]
        return found

    def numbers(self) -> Floats:
        """Return the number of each cell, and NaN for missing ones."""
        if self._cells.dtype.kind == "f" and self._cells.dtype != np.float64:
            # The number that was meant: 0.1 as a float32 is not 0.1 as a float64.
            different, codes = self._different
            meant = parse_numbers(number_strings(different, integers=self._integers))
            assert meant is not None
            return np.append(meant, np.nan)[codes]
        found = self._cells.astype(np.float64)
        # First, because some kinds of NaN, which a damaged file may have, cause a warning when they are added.
        found[self._gaps] = np.nan
        found += 0.0
        return found

    def take(self, rows: Rows) -> Column:
        """Return the column of some rows."""
        gaps = self._gaps[rows]
        if gaps.all():
            return empty_column(gaps.size, self.type)
        written = None if self._written is None else self._written.take(rows)
        return NumberColumn(self._cells[rows], gaps, self.type, written, self._integers)

    def repeat(self, counts: npt.NDArray[np.int64]) -> Column:
        """Return the column with each row the given number of times."""
        written = None if self._written is None else self._written.repeat(counts)
        cells, gaps = np.repeat(self._cells, counts), np.repeat(self._gaps, counts)
        return NumberColumn(cells, gaps, self.type, written, self._integers)

    def cell(self, row: int) -> str:
        """Return the string of a cell."""
        if self._written is not None:
            return self._written.cell(row)
        return number_strings(self._cells[row : row + 1] + 0, integers=self._integers)[0]


def empty_column(rows: int, own: ValueType | None = "text") -> TextColumn:
    """Return a column of missing cells.

    Examples
    --------
    >>> empty_column(2).codes.tolist()
    [-1, -1]
    """
    return TextColumn((), np.full(rows, MISSING, dtype=np.int32), own=own)
