"""The columns of a text file while they are read, chunk by chunk.

A column begins as text: its distinct strings, and a code for each cell. Once it has very many distinct strings, and all
of them are numbers, it goes on as numbers: a number takes 8 bytes, and an entry in a dictionary of strings hundreds.
The strings are then kept as one piece of text per chunk, because a string further down may show that they are labels,
and because ``1.0`` and ``1`` are different levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dagscape.data.tables.coding import PackedText, TextCoder, pack_cells, unpack_cells
from dagscape.data.tables.columns import MISSING, Column, NumberColumn, Rows, TextColumn, empty_column
from dagscape.data.tables.numbers import EXACT_INTEGERS, Floats, parse_numbers
from dagscape.data.tables.numeric_cells import is_usable

# Up to here, a dictionary of strings is quicker than parsing every cell.
_MANY_STRINGS = 4096

Parsed = tuple[Floats, Rows]


class CellParser:
    """Parses cells as numbers, except those that are missing."""

    def __init__(self, missing: frozenset[str]) -> None:
        self._missing = missing
        numbers = [number for text in missing if (number := parse_numbers([text])) is not None]
        # Otherwise no missing cell becomes a number other than NaN.
        self._look_first = not np.isnan(numbers).all()

    def parse(self, cells: Sequence[str]) -> Parsed | None:
        """Return the numbers of some cells, and which are missing; None if another cell is not a number."""
        if not self._look_first:
            numbers = parse_numbers(cells)
            if numbers is not None and not np.isnan(numbers).any():
                return numbers, np.zeros(numbers.size, dtype=np.bool_)
        texts = list(map(str.strip, cells))
        gaps = np.fromiter((text in self._missing for text in texts), dtype=np.bool_, count=len(texts))
        parsed = parse_numbers([text for text, gap in zip(texts, gaps.tolist(), strict=True) if not gap])
        if parsed is None:
            return None
        numbers = np.full(len(texts), np.nan)
        numbers[~gaps] = parsed
        return numbers, gaps


class TextReader:
    """A column whose strings may be levels.

    Parameters
    ----------
    missing : frozenset of str
        Strings that mean a missing cell.
    check : callable
        Called now and then when many numbers become text again; it raises an error if they take too much memory.
    """

    def __init__(self, missing: frozenset[str], check: Callable[[], None]) -> None:
        self._missing, self._check = missing, check
        self._parser = CellParser(missing)
        self._coder = TextCoder(missing, strip=True)
        self._codes = bytearray()
        self._numbers, self._gaps = bytearray(), bytearray()
        self._packed: list[bytes] = []
        self._packed_bytes = 0
        self._are_labels = False

    @property
    def held(self) -> int:
        """An estimate of the bytes that its strings and numbers take."""
        return self._coder.held + len(self._numbers) + len(self._gaps) + self._packed_bytes

    @property
    def strings(self) -> int:
        """The number of distinct strings in memory."""
        return len(self._coder.distinct)

    def add(self, cells: Sequence[str], row: int) -> None:  # noqa: ARG002 (as readers of all columns take it)
        """Add the next cells, of which the first is in the given row."""
        if self._packed:
            parsed = self._parser.parse(cells)
            if parsed is not None:
                self._add_numbers(*parsed, pack_cells(cells))
                return
            self._become_text()
        self._codes += self._coder.encode(cells).data
        if self.strings > _MANY_STRINGS and not self._are_labels:
            self._become_numbers()

    def _add_numbers(self, numbers: Floats, gaps: Rows, text: bytes) -> None:
        self._numbers += numbers.data
        self._gaps += gaps.data
        self._packed.append(text)
        self._packed_bytes += len(text)

    def _become_numbers(self) -> None:
        """Go on with numbers, if all strings are numbers."""
        strings = [*self._coder.distinct, ""]
        parsed = parse_numbers(strings[:-1])
        if parsed is None:
            self._are_labels = True
            return
        codes = np.frombuffer(self._codes, dtype=np.int32)
        text = pack_cells([strings[code] for code in codes.tolist()])
        self._add_numbers(np.append(parsed, np.nan)[codes], codes == MISSING, text)
        self._coder, self._codes = TextCoder(self._missing, strip=True), bytearray()

    def _become_text(self) -> None:
        """Go back to text, because a cell is not a number."""
        self._are_labels = True
        packed, self._packed, self._packed_bytes = self._packed, [], 0
        self._numbers = bytearray()
        for text in packed:
            self._codes += self._coder.encode(unpack_cells(text)).data
            self._check()
        codes = np.frombuffer(self._codes, dtype=np.int32).copy()
        codes[np.frombuffer(self._gaps, dtype=np.bool_)] = MISSING
        self._codes, self._gaps = bytearray(codes.data), bytearray()

    def finished(self) -> Column:
        """Return the column."""
        if self._packed:
            gaps = np.frombuffer(self._gaps, dtype=np.bool_)
            written = PackedText(self._packed, gaps)
            return NumberColumn(np.frombuffer(self._numbers, dtype=np.float64), gaps, None, written)
        # Buffers become arrays without a copy.
        column = TextColumn(tuple(self._coder.distinct), np.frombuffer(self._codes, dtype=np.int32), own=None)
        return column.observed() if self._are_labels else column


class NumberReader:
    """A column of which only the numbers are needed.

    Parameters
    ----------
    missing : frozenset of str
        Strings that mean a missing cell.
    """

    strings = 0

    def __init__(self, missing: frozenset[str]) -> None:
        self._missing = missing
        self._parser = CellParser(missing)
        self._numbers = bytearray()

    @property
    def held(self) -> int:
        """The bytes that its numbers take."""
        return len(self._numbers)

    def add(self, cells: Sequence[str], row: int) -> tuple[int, str] | None:
        """Add the next cells, of which the first is in the given row.

        Returns the row and the text of the first cell that is not a number, or cannot be used as one.
        """
        parsed = self._parser.parse(cells)
        if parsed is None or not np.all((np.abs(parsed[0]) < EXACT_INTEGERS) | parsed[1]):
            for place, text in enumerate(map(str.strip, cells), start=row):
                if text not in self._missing and not is_usable(text):
                    return place, text
        assert parsed is not None
        self._numbers += parsed[0].data
        return None

    def finished(self) -> Column:
        """Return the column; its missing cells are those that are NaN."""
        numbers = np.frombuffer(self._numbers, dtype=np.float64)
        gaps = np.isnan(numbers)
        return empty_column(gaps.size, None) if gaps.all() else NumberColumn(numbers, gaps, None)
