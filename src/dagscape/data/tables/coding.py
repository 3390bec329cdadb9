"""From the cells of text to columns: strings as codes, and strings of numbers in little memory."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidOption
from dagscape.data.tables.columns import MISSING, Rows, TextColumn
from dagscape.data.tables.value_types import ValueType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_Number = TypeVar("_Number", np.int32, np.int64)

DEFAULT_MISSING_VALUES: tuple[str, ...] = ("", "?")

# What a string takes besides itself, at most: its code, its entries in two dictionaries, and a stripped copy.
ENTRY_BYTES = 400


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


def pack_cells(cells: Sequence[str]) -> bytes:
    r"""Return cells as one piece of text.

    Examples
    --------
    >>> unpack_cells(pack_cells(["1", " 2\n", ""]))
    ['1', '2', '']
    """
    text = "\n".join(cells)
    if text.count("\n") >= len(cells):
        text = "\n".join(map(str.strip, cells))
    return text.encode()


def unpack_cells(text: bytes) -> list[str]:
    """Return the cells of a piece of text, without the white space around them."""
    return [cell.strip() for cell in text.decode().split("\n")]


class PackedText:
    """The cells of a column of numbers in a text file, as they were written, in little memory.

    Parameters
    ----------
    chunks : sequence of bytes
        The cells of chunks of rows, each from :func:`pack_cells`.
    gaps : ndarray of bool
        For each row of the chunks whether its cell is missing.
    rows : ndarray of int, optional
        The rows of the column among those of the chunks. Default: all of them.

    Examples
    --------
    >>> text = PackedText([pack_cells(["1.0", ""]), pack_cells(["1", "1.0"])], np.array([False, True, False, False]))
    >>> column = text.unpacked(None)
    >>> column.values, column.codes.tolist(), text.cell(2)
    (('1.0', '1'), [0, -1, 1, 0], '1')
    """

    def __init__(self, chunks: Sequence[bytes], gaps: Rows, rows: npt.NDArray[np.intp] | None = None) -> None:
        self._chunks = chunks
        self._gaps = gaps
        self._rows = rows

    def take(self, rows: Rows) -> PackedText:
        """Return the text of some rows."""
        found = np.flatnonzero(rows)
        return PackedText(self._chunks, self._gaps, found if self._rows is None else self._rows[found])

    def repeat(self, counts: npt.NDArray[np.int64]) -> PackedText:
        """Return the text with each row the given number of times."""
        rows = np.arange(self._gaps.size) if self._rows is None else self._rows
        return PackedText(self._chunks, self._gaps, np.repeat(rows, counts))

    def unpacked(self, own: ValueType | None) -> TextColumn:
        """Return the column as text."""
        coder = TextCoder(frozenset(), strip=False)
        codes = np.concatenate([coder.encode(unpack_cells(chunk)) for chunk in self._chunks])
        codes[self._gaps] = MISSING
        return TextColumn(tuple(coder.distinct), self._taken(codes), own=own).observed()

    def hashes(self) -> npt.NDArray[np.int64]:
        """Return a number for each cell that is equal for equal strings, and practically never for others."""
        found = [np.fromiter(map(hash, unpack_cells(chunk)), np.int64) for chunk in self._chunks]
        return self._taken(np.concatenate(found))

    def _taken(self, cells: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        return cells if self._rows is None else cells[self._rows]

    def cell(self, row: int) -> str:
        """Return the string of a cell."""
        place = row if self._rows is None else int(self._rows[row])
        for chunk in self._chunks:
            count = chunk.count(b"\n") + 1
            if place < count:
                return unpack_cells(chunk)[place]
            place -= count
        raise IndexError(row)


def column_from_strings(
    cells: Sequence[str],
    *,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    own: ValueType | None = "text",
) -> TextColumn:
    """Make a column from its cells, used as they are.

    Examples
    --------
    >>> column_from_strings(["b", "", "a"]).codes.tolist()
    [0, -1, 1]
    """
    coder = TextCoder(check_missing_values(missing_values), strip=False)
    codes = coder.encode(cells)
    return TextColumn(tuple(coder.distinct), codes, own=own)


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
