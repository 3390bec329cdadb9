"""Data sets that come with dagscape; they are generated, not stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dagscape.data.dataset import Dataset, encode
from dagscape.data.table import Table, column_from_texts
from dagscape.errors import InvalidOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PREFIX = "builtin:"

_BLANK, _FIRST, _SECOND = "b", "x", "o"

_SQUARES = (
    "top-left-square",
    "top-middle-square",
    "top-right-square",
    "middle-left-square",
    "middle-middle-square",
    "middle-right-square",
    "bottom-left-square",
    "bottom-middle-square",
    "bottom-right-square",
)

_LINES = (
    *((row, row + 1, row + 2) for row in (0, 3, 6)),
    *((column, column + 3, column + 6) for column in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)


def _won(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _final_boards(board: str, player: str, seen: set[str]) -> Iterator[str]:
    """All boards at which a game that goes on from here can end, each once."""
    if board in seen:
        return
    seen.add(board)
    opponent = _SECOND if player == _FIRST else _FIRST
    if _BLANK not in board or _won(board, opponent):
        yield board
        return
    for square, mark in enumerate(board):
        if mark == _BLANK:
            yield from _final_boards(board[:square] + player + board[square + 1 :], opponent, seen)


def tic_tac_toe() -> Table:
    """Return the 958 boards at which tic-tac-toe can end when x begins, and whether x has won.

    Examples
    --------
    >>> table = tic_tac_toe()
    >>> table.m, table.names[-1], table.column("Class").counts().max()
    (958, 'Class', np.int64(626))
    """
    boards = list(_final_boards(_BLANK * 9, _FIRST, set()))
    classes = ["positive" if _won(board, _FIRST) else "negative" for board in boards]
    columns = [column_from_texts(cells) for cells in (*zip(*boards, strict=True), classes)]
    rows = np.arange(len(boards), dtype=np.int64)
    return Table((*_SQUARES, "Class"), tuple(columns), rows, "row", "'builtin:tic-tac-toe'")


BUNDLED: dict[str, Callable[[], Table]] = {"tic-tac-toe": tic_tac_toe}


def bundled_table(name: str) -> Table:
    """Return the table of a bundled data set, by its name in :data:`BUNDLED`.

    Examples
    --------
    >>> len(bundled_table("tic-tac-toe").names)
    10
    """
    if name not in BUNDLED:
        raise InvalidOption(f"there is no bundled data set {name!r}: there are {', '.join(map(repr, BUNDLED))}")
    return BUNDLED[name]()


def load_dataset(name: str) -> Dataset:
    """Load a data set that comes with dagscape.

    Parameters
    ----------
    name : str
        ``"tic-tac-toe"``: the 958 final boards of the game when x begins, and whether x has won.

    Examples
    --------
    >>> load_dataset("tic-tac-toe")
    Dataset(10 variables, 958 rows, 958 of them distinct)
    """
    return encode(bundled_table(name))
