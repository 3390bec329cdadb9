"""Blocks written on a terminal, with rich.

Names and levels are data: they are always shown as plain text, never interpreted as markup, and without control
characters. One blank line stands between two blocks, but warnings stand together. Pictures are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich import table as tables
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text as Line

from dagscape.core.wording import visible
from dagscape.report.blocks import (
    Block,
    Caution,
    Cell,
    Inline,
    Name,
    Number,
    Picture,
    PictureFile,
    Problem,
    Table,
    Text,
)
from dagscape.report.plain_tables import plain_lines

# Longer names are shortened: a name of thousands of characters would fill the screen.
_LONGEST_NAME = 80

# With so many rows, rich would take long.
_MANY_ROWS = 100


def terminal_text(blocks: Iterable[Block], width: int | None = None) -> str:
    r"""Return blocks as text for standard output, with colours if that is a terminal.

    Parameters
    ----------
    blocks : iterable of Block
        The blocks.
    width : int, optional
        The number of columns. Default: that of the terminal.

    Examples
    --------
    >>> from dagscape.report.blocks import Heading
    >>> print(terminal_text([Heading("[red]\x1b[2J"), Caution("it is late")]), end="")
    [red]\x1b[2J
    <BLANKLINE>
    warning: it is late
    """
    console = Console(highlight=False, width=width)
    # Whatever a cell contains, nothing but the styles of rich controls the terminal.
    written = [
        Segment(visible(part.text, keep="\n"), part.style)
        for line in _lines(blocks, console)
        for part in console.render(line)
    ]
    # When the pipe is closed, rich would exit without our exit code.
    with console.capture() as captured:
        console.print(Segments(written), end="")
    # rich fills lines with blanks, which are of no use in a file.
    return "\n".join(line.rstrip(" ") for line in captured.get().split("\n"))


def _lines(blocks: Iterable[Block], console: Console) -> Iterator[RenderableType]:
    """Iterate over the lines and tables of blocks, with blank lines between these."""
    before: Block | None = None
    for block in blocks:
        if isinstance(block, Picture):
            continue
        if before is not None and not (isinstance(before, Caution) and isinstance(block, Caution)):
            yield Line()
        yield from _written(block, console)
        before = block


def _written(block: Block, console: Console) -> Iterator[RenderableType]:
    if isinstance(block, Table):
        plain = _plain_table(block, console) if len(block.rows) >= _MANY_ROWS else None
        yield _table(block) if plain is None else plain
        if block.omitted:
            yield _line(block.omitted)
    elif isinstance(block, Caution):
        yield _line(("warning: ", *_parts(block.text)), "yellow")
    elif isinstance(block, PictureFile):
        yield _line(f"picture: {block.path}")
    elif not isinstance(block, Picture):
        yield _line(block.text)
        yield from map(_line, getattr(block, "details", ()))


def _line(text: Text, style: str = "") -> Line:
    """Return a text as one line, which is broken between words if it is too long."""
    line = Line(style=style)
    for part in _parts(text):
        line.append(_words(part), style="bold red" if isinstance(part, Problem) else None)
    return line


def _parts(text: Text) -> tuple[Inline, ...]:
    return (text,) if isinstance(text, str) else text


def _words(part: Inline) -> str:
    if isinstance(part, Name):
        name = _shortened(part.name)
        # A name with escapes would look like another, and in a list, one with a comma like two.
        return repr(name) if visible(name) != name or (part.listed and "," in name) else name
    return visible(part.text if isinstance(part, Problem) else part)


def _shortened(name: str) -> str:
    """Return a name, with an ellipsis in the middle if it is very long.

    >>> _shortened("short"), len(_shortened("long " * 1000)), _shortened("x" * 1000).count("…")
    ('short', 80, 1)
    """
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}"


def _table(content: Table) -> tables.Table:
    table = tables.Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in content.columns:
        table.add_column(_cell(column.header), justify="right" if column.numeric else "left", overflow="fold")
    for row in content.rows:
        table.add_row(*map(_cell, row))
    return table


def _plain_table(content: Table, console: Console) -> Segments | None:
    """Return a table without colours but those of its header; None if that takes more than :func:`plain_lines` can."""
    rows: list[Sequence[Cell]] = [[column.header for column in content.columns], *content.rows]
    texts = [[_plain(cell) for cell in row] for row in rows]
    if any(isinstance(part, Problem) for row in rows for cell in row if isinstance(cell, tuple) for part in cell):
        return None

    def wrapped(row: int, column: int, width: int) -> list[str]:
        cell = rows[row][column]
        text = "\n".join(_NameCell(cell.name).lines(width)) if isinstance(cell, Name) else texts[row][column]
        return [line.plain.rstrip(" ") for line in Line(text).wrap(console, width, overflow="fold")]

    lines = plain_lines(texts, [column.numeric for column in content.columns], console.width, wrapped)
    if lines is None:
        return None
    header, *others = lines
    return Segments([Segment(header + "\n", Style(bold=True)), *(Segment(line + "\n") for line in others)])


def _plain(cell: Cell) -> str:
    if isinstance(cell, Name):
        return visible(_shortened(cell.name))
    return "".join(map(_words, _parts(cell.text if isinstance(cell, Number) else cell)))


def _cell(content: Cell) -> RenderableType:
    if isinstance(content, Name):
        return _NameCell(content.name)
    return _line(content.text if isinstance(content, Number) else content)


class _NameCell:
    """A name in a cell of a table. If it is too long, it is broken after a hyphen, an underscore, a space or the like.

    >>> _NameCell("water-project-cost-sharing").lines(20)
    ['water-project-cost-', 'sharing']
    """

    def __init__(self, name: str) -> None:
        name = visible(_shortened(name))
        self._name = name
        # A word with the separators after it.
        self._pieces = re.findall(r"[^\s_./:-]*[\s_./:-]+|[^\s_./:-]+", name) or [name]

    def lines(self, width: int) -> list[str]:
        """Return the lines for a given width; a word that is longer than the width has a line of its own."""
        lines = [""]
        for piece in self._pieces:
            if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
                lines.append("")
            lines[-1] += piece
        return lines

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Say how wide the cell has to be at least, and at most."""
        whole = Measurement.get(console, options, Line(self._name))
        return Measurement(min(whole.maximum, max(map(cell_len, self._pieces))), whole.maximum)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Show the name as plain text, in the width of the cell."""
        yield Line("\n".join(self.lines(options.max_width)), overflow="fold")
