"""The layout of tables on a terminal, and the format of numbers and names in them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from dagscape.core.wording import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

# Half a unit in the last digit of probabilities, which have four.
HALF_DIGIT = 5e-5

# Longer names are shortened in tables: a name of thousands of characters would fill the screen.
_LONGEST_NAME = 80

# math.exp overflows a little above this.
_LARGEST_LOG = 700.0


def plain(text: str = "", style: str = "") -> Text:
    r"""Return text that is shown as it is: no markup, and no control characters except newlines.

    >>> plain("[red]\x1b[2J").plain
    '[red]\\x1b[2J'
    """
    return Text(visible(text, keep="\n"), style=style)


def shortened(name: str) -> str:
    """Return the name of a variable or a level for a table, with an ellipsis in the middle if it is very long.

    >>> shortened("short"), len(shortened("long " * 1000)), shortened("x" * 1000).count("…")
    ('short', 80, 1)
    """
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}"


class PlainTable(Table):
    """A table whose cells and headers are plain text: names and levels are data, never markup."""

    def add_column(self, header: RenderableType = "", *others: Any, **options: Any) -> None:
        """Add a column."""
        super().add_column(_cell(header), *others, **options)

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        """Add a row."""
        super().add_row(*map(_cell, cells), **options)


def _cell(content: Any) -> Any:
    return Text(visible(content)) if isinstance(content, str) else content


def table_of(*headers: str, right: Collection[int] = ()) -> Table:
    """Return an empty table with the given headers; columns whose indices are in ``right`` are right-aligned."""
    table = PlainTable(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for i, header in enumerate(headers):
        table.add_column(header, justify="right" if i in right else "left", overflow="fold")
    return table


class Name:
    """A name in a cell of a table. If it is too long, it is broken after a hyphen, an underscore, a space or the like.

    >>> Name("water-project-cost-sharing").lines(20)
    ['water-project-cost-', 'sharing']
    """

    def __init__(self, name: str) -> None:
        name = visible(shortened(name))
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
        whole = Measurement.get(console, options, Text(self._name))
        return Measurement(min(whole.maximum, max(map(cell_len, self._pieces))), whole.maximum)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Show the name as plain text, in the width of the cell."""
        yield Text("\n".join(self.lines(options.max_width)), overflow="fold")


def listed_names(variables: Sequence[str]) -> str:
    """Join names with commas; names that contain a comma are quoted."""
    return ", ".join(repr(name) if "," in name else visible(name) for name in map(shortened, variables))


def format_factor(log_times: float) -> str:
    """Format a factor, given its natural logarithm.

    >>> format_factor(0.8561), format_factor(18.63), format_factor(2980.0)
    ('2.35', '1.23e+08', '10^1294')
    """
    if log_times > _LARGEST_LOG:
        return f"10^{log_times / math.log(10):.0f}"
    times = math.exp(log_times)
    return f"{times:,.2f}" if times < 1e5 else f"{times:.2e}"
