"""Tables of thousands of rows on a terminal, in milliseconds.

rich takes long for each cell. Here are the tables that need little of what rich can do: those that fit into the width
of the terminal, perhaps after their widest column was narrowed, and whose cells have no colours. They look as rich
writes them; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len

# The blanks between two columns.
GAP = 2

# Returns the lines of a cell of some column that is too long for a width: ``wrap(row, column, width)``.
Wrap = Callable[[int, int, int], list[str]]


def plain_lines(rows: Sequence[Sequence[str]], right: Sequence[bool], width: int, wrap: Wrap) -> Iterator[str] | None:
    """Return the lines of a table, or None if more than one column or the header is too wide.

    Parameters
    ----------
    rows : sequence of sequences of str
        The cells, each of one line; the first row is the header.
    right : sequence of bool
        For each column whether its cells are aligned on the right.
    width : int
        The width of the terminal.
    wrap : callable
        Breaks a cell into lines.

    Examples
    --------
    >>> list(plain_lines([["variable", "n"], ["rain", "10"]], [False, True], 20, lambda *_: []))
    ['variable   n', 'rain      10']
    """
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    narrowed = _narrowed(widths, width)
    # rich aligns the lines of a header at the bottom.
    if narrowed is None or any(cell_len(cell) > wide for cell, wide in zip(rows[0], narrowed, strict=True)):
        return None
    return _written(rows, right, widths, narrowed, wrap)


def _narrowed(widths: list[int], width: int) -> list[int] | None:
    """Return the widths of the columns, the widest reduced if need be; None if others would have to be, too."""
    padded = [*(wide + GAP for wide in widths[:-1]), widths[-1]]
    excess = sum(padded) - width
    if excess <= 0:
        return widths
    *others, widest = sorted(padded)
    if widest - excess < max(others, default=0) + 1 or widest - excess <= GAP:
        return None
    place = padded.index(widest)
    return [wide - excess if index == place else wide for index, wide in enumerate(widths)]


def _written(
    rows: Sequence[Sequence[str]], right: Sequence[bool], widths: list[int], narrowed: list[int], wrap: Wrap
) -> Iterator[str]:
    too_wide = next((place for place, wide in enumerate(widths) if narrowed[place] < wide), None)
    for number, row in enumerate(rows):
        if too_wide is None or cell_len(row[too_wide]) <= narrowed[too_wide]:
            yield _line(row, right, narrowed)
            continue
        for index, part in enumerate(wrap(number, too_wide, narrowed[too_wide])):
            cells = list(row) if index == 0 else [""] * len(row)
            cells[too_wide] = part
            yield _line(cells, right, narrowed)


def _line(cells: Sequence[str], right: Sequence[bool], widths: list[int]) -> str:
    parts = []
    for cell, on_right, width in zip(cells, right, widths, strict=True):
        shown = cell.rstrip(" ") if on_right else cell
        blanks = " " * (width - cell_len(shown))
        parts.append(blanks + shown if on_right else shown + blanks)
    return (" " * GAP).join(parts).rstrip(" ")
