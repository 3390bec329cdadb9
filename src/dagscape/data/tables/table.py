"""Tables as read: columns of strings, before levels and missing cells are interpreted.

Every source (file, frame, array) is first converted to this form, so that levels, missing cells, interventions
and discretising are handled in one place. A column keeps each distinct string once, and an integer code per row.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import check_unicode
from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.data.tables.value_types import LevelFinder, ValueType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Kind = Literal["integers", "decimals", "labels"]

DEFAULT_MISSING_VALUES: tuple[str, ...] = ("", "?")

MISSING = -1

# What a string takes besides itself, at most: its code, its entries in two dictionaries, and a stripped copy.
ENTRY_BYTES = 400


@dataclass(frozen=True, slots=True, eq=False)
class Column:
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
        The type of its cells before they became strings; None if they always were strings in a text file.

    Examples
    --------
    >>> column = column_from_strings(["no", "yes", "?", "no"], missing_values=["?"])
    >>> column.values, column.codes.tolist()
    (('no', 'yes'), [0, 1, -1, 0])
    """

    values: tuple[str, ...]
    codes: npt.NDArray[np.int32]
    declared: bool = False
    type: ValueType | None = "text"

    @property
    def missing(self) -> int:
        """The number of missing cells."""
        return int(np.count_nonzero(self.codes == MISSING))

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the number of rows with each value."""
        observed = self.codes[self.codes != MISSING]
        return np.bincount(observed, minlength=len(self.values)).astype(np.int64, copy=False)

    def first_row(self, code: int) -> int:
        """Return the first row with a code (-1: with a missing cell)."""
        return int(np.argmax(self.codes == code))

    def take(self, rows: npt.NDArray[np.bool_]) -> Column:
        """Return the column of some rows; values that no longer occur are removed, unless declared."""
        taken = Column(self.values, self.codes[rows], self.declared, self.type)
        return taken if self.declared else taken.observed()

    def matched(self, levels: Sequence[str]) -> Column:
        """Return the column with the strings that stand for the same number or boolean as a level replaced by it.

        Examples
        --------
        >>> column_from_strings(["1", "0", "1.0", "x"]).matched(["0.0", "1.0"]).values
        ('1.0', '0.0', 'x')
        """
        find = LevelFinder(levels)
        texts = [find[text] for text in self.values]
        if tuple(texts) == self.values:
            return self
        position = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        lookup = np.array([*(position[text] for text in texts), MISSING], dtype=np.int32)
        return Column(tuple(position), lookup[self.codes], self.declared, self.type)

    def observed(self) -> Column:
        """Return the column with the values that occur, none of them declared."""
        used = np.flatnonzero(self.counts())
        lookup = np.full(len(self.values) + 1, MISSING, dtype=np.int32)
        lookup[used] = np.arange(used.size, dtype=np.int32)
        return Column(tuple([self.values[code] for code in used.tolist()]), lookup[self.codes], type=self.type)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of strings, and its source.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    columns : tuple of Column
        The columns, all of the same length.
    rows : ndarray of int64
        The position of each row in its source, for messages.
    unit : str
        What `rows` counts: ``"line"`` (of a file, from 1) or ``"row"`` (of a frame or array, from 0).
    source : str
        What to call the source in messages.

    Examples
    --------
    >>> columns = (column_from_strings(["no", "yes"]),)
    >>> table = Table(("answer",), columns, np.array([2, 3]), "line", "'poll.csv'")
    >>> table.m, table.column("answer").values, table.where(1)
    (2, ('no', 'yes'), 'line 3')
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: npt.NDArray[np.int64]
    unit: Literal["line", "row"]
    source: str

    def __post_init__(self) -> None:
        check_names(self.names, self.source)
        if self.m == 0:
            raise InvalidData(f"{self.source} has a header but no rows; it must have at least one row")

    @property
    def m(self) -> int:
        """The number of rows."""
        return int(self.rows.size)

    @property
    def missing(self) -> dict[str, int]:
        """The number of missing cells of each column."""
        return {name: column.missing for name, column in zip(self.names, self.columns, strict=True)}

    def column(self, name: str) -> Column:
        """Return the column of that name."""
        return self.columns[self.names.index(name)]

    def where(self, row: int) -> str:
        """Return the position of a row in the source, in words."""
        place = int(self.rows[row])
        return f"line {place}" if self.unit == "line" else f"row {place} (counted from 0)"

    def only(self, names: Sequence[str]) -> Table:
        """Return the table of some columns."""
        return self.with_columns(names, [self.column(name) for name in names])

    def matched(self, levels: Mapping[str, Sequence[str]]) -> Table:
        """Return the table with the cells of some columns matched with levels, as in :meth:`Column.matched`."""
        pairs = zip(self.names, self.columns, strict=True)
        columns = [column.matched(levels[name]) if name in levels else column for name, column in pairs]
        return self.with_columns(self.names, columns)

    def take(self, rows: npt.NDArray[np.bool_]) -> Table:
        """Return the table of some rows; they keep their positions in the source."""
        columns = tuple(column.take(rows) for column in self.columns)
        return Table(self.names, columns, self.rows[rows], self.unit, self.source)

    def without(self, name: str) -> Table:
        """Return the table without one of its columns."""
        kept = [index for index, other in enumerate(self.names) if other != name]
        return self.with_columns([self.names[i] for i in kept], [self.columns[i] for i in kept])

    def with_columns(self, names: Sequence[str], columns: Sequence[Column]) -> Table:
        """Return the same rows with other columns."""
        return Table(tuple(names), tuple(columns), self.rows, self.unit, self.source)


def check_names(names: Sequence[str], source: str) -> None:
    """Check that a table has columns, and that their names are distinct and not empty."""
    if not names:
        raise InvalidData(f"{source} has no columns; it must have at least one")
    seen: set[str] = set()
    for position, name in enumerate(names, start=1):
        if not name:
            numbers = ", or leave out the row numbers (index=False in pandas)" if position == 1 else ""
            raise InvalidData(f"{source} has no name for column {position}: give every column a name{numbers}")
        if name in seen:
            header = "" if parse_numbers(names) is None else ", and the first line must have the names, not numbers"
            raise InvalidData(f"{source} has more than one column called {name!r}: names must differ{header}")
        seen.add(name)
    check_unicode(names, f"the name of a column of {source}")


def check_missing_values(missing_values: Iterable[str]) -> frozenset[str]:
    """Return the strings that mean a missing cell as a set."""
    if isinstance(missing_values, str):
        raise InvalidOption(
            f"is {missing_values!r}; it must be a collection of strings such as ('', '?')", option="missing_values"
        )
    strings = frozenset(missing_values)
    for text in strings:
        if not isinstance(text, str):
            raise InvalidOption(
                f"holds {text!r}; it must hold strings only, such as ('', '?')", option="missing_values"
            )
    return strings


class TextCoder(dict[str, int]):
    """A dictionary from cells to codes that gives every new string the next code.

    Strings are stripped and compared with the missing values only when first seen, so each cell costs one lookup.
    ``held`` is an estimate of the bytes that the strings take.
    """

    def __init__(self, missing_values: frozenset[str], *, strip: bool) -> None:
        super().__init__()
        self.distinct: dict[str, int] = {}
        self.held = 0
        self._missing_values = missing_values
        self._strip = strip

    def __missing__(self, raw: str) -> int:
        text = raw.strip() if self._strip else raw
        code = MISSING if text in self._missing_values else self.distinct.setdefault(text, len(self.distinct))
        self[raw] = code
        return code

    def encode(self, cells: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the codes of some cells."""
        known = len(self)
        codes = np.fromiter(map(self.__getitem__, cells), dtype=np.int32, count=len(cells))
        new = len(self) - known
        self.held += new * ENTRY_BYTES + sum(map(str.__sizeof__, islice(reversed(self), new)))
        return codes


def column_from_strings(cells: Sequence[str], *, missing_values: Iterable[str] = DEFAULT_MISSING_VALUES) -> Column:
    """Make a column from its cells, used as they are.

    Examples
    --------
    >>> column_from_strings(["b", "", "a"]).codes.tolist()
    [0, -1, 1]
    """
    coder = TextCoder(check_missing_values(missing_values), strip=False)
    codes = coder.encode(cells)
    return Column(tuple(coder.distinct), codes)


def parse_numbers(values: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """Parse strings as numbers; return None if one of them is not a number.

    ``nan`` and ``inf`` count as numbers; underscores and digits of other scripts do not.

    Examples
    --------
    >>> parse_numbers(["1", "2.5"]).tolist()
    [1.0, 2.5]
    >>> parse_numbers(["1", "two"]) is None
    True
    """
    together = "".join(values)
    if not together.isascii() or "_" in together:
        return None
    try:
        return np.fromiter(map(float, values), dtype=np.float64, count=len(values))
    except ValueError:
        return None


def kind_of(values: Sequence[str]) -> Kind:
    """Classify strings.

    ``"integers"`` if every string is an integer (``1.0`` counts); ``"decimals"`` if every string is a number
    (``nan`` and ``inf`` allowed) and at least one is a finite non-integer; ``"labels"`` otherwise.

    Examples
    --------
    >>> kind_of(["1", "2.0"]), kind_of(["1", "2.5", "nan"]), kind_of(["1", "high"])
    ('integers', 'decimals', 'labels')
    """
    parsed = parse_numbers(values)
    if parsed is None or not parsed.size:
        return "labels"
    finite = np.isfinite(parsed)
    integral = finite & (np.floor(parsed) == parsed)
    if integral.all():
        return "integers"
    return "decimals" if bool((finite & ~integral).any()) else "labels"


def kind(column: Column) -> Kind:
    """Classify the strings of a column, as in :func:`kind_of`.

    Examples
    --------
    >>> kind(column_from_strings(["5.1", "4", "?"]))
    'decimals'
    """
    return kind_of(column.values)


def listing(items: Iterable[object], limit: int = 8) -> str:
    """List items for a message; the rest of a long list is a count.

    Examples
    --------
    >>> listing("abc", limit=2)
    "'a', 'b' and 1 more"
    """
    listed = items if isinstance(items, Sized) else list(items)
    shown = ", ".join(repr(item) for item in islice(listed, limit))
    return shown if len(listed) <= limit else f"{shown} and {len(listed) - limit} more"
