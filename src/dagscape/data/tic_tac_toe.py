"""The final boards of tic-tac-toe, by playing every game.

The same 958 rows as the Tic-Tac-Toe Endgame data set of the UCI repository, so that no file is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def final_boards() -> list[list[str]]:
    """Return a header, then the 958 boards at which a game can end when x moves first, and whether x has won.

    Examples
    --------
    >>> header, *boards = final_boards()
    >>> len(boards), header[-1], sum(board[-1] == "positive" for board in boards)
    (958, 'Class', 626)
    """
    boards = _ends(_BLANK * 9, _FIRST, set())
    rows = [[*board, "positive" if _won(board, _FIRST) else "negative"] for board in boards]
    return [[*_SQUARES, "Class"], *rows]


def _won(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _ends(board: str, player: str, seen: set[str]) -> Iterator[str]:
    """Yield all boards at which a game that continues from here can end, each once."""
    if board in seen:
        return
    seen.add(board)
    opponent = _SECOND if player == _FIRST else _FIRST
    if _BLANK not in board or _won(board, opponent):
        yield board
        return
    for square, mark in enumerate(board):
        if mark == _BLANK:
            yield from _ends(board[:square] + player + board[square + 1 :], opponent, seen)
