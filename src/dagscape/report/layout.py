"""The layout of tables on a terminal, and the format of numbers and names in them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from rich.table import Table

# math.exp overflows a little above this.
_LARGEST_LOG = 700.0


def table_of(*headers: str, right: Collection[int] = ()) -> Table:
    """Return an empty table with the given headers; columns whose indices are in ``right`` are right-aligned."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for i, header in enumerate(headers):
        table.add_column(header, justify="right" if i in right else "left", overflow="fold")
    return table


def listed_names(variables: Sequence[str]) -> str:
    """Join names with commas; names that contain a comma are quoted."""
    return ", ".join(repr(name) if "," in name else name for name in variables)


def format_factor(log_times: float) -> str:
    """Format a factor, given its natural logarithm.

    >>> format_factor(0.8561), format_factor(18.63), format_factor(2980.0)
    ('2.35', '1.23e+08', '10^1294')
    """
    if log_times > _LARGEST_LOG:
        return f"10^{log_times / math.log(10):.0f}"
    times = math.exp(log_times)
    return f"{times:,.2f}" if times < 1e5 else f"{times:.2e}"
