"""Tables of prior knowledge about edges: files with the columns parent, child, and log_odds or probability."""

from __future__ import annotations

import math
import os

from dagscape.core.errors import InvalidData
from dagscape.data.reading import read_table
from dagscape.data.tables.table import Table

_VALUES = ("log_odds", "probability")


def read_prior_edges(
    path: str | os.PathLike[str], *, max_memory: int | str | None = None
) -> dict[tuple[str, str], float]:
    """Read the prior log-odds of edges from a table, one edge per row.

    Parameters
    ----------
    path : path
        A ``.csv`` or ``.tsv`` file with the columns ``parent``, ``child`` and either ``log_odds`` or ``probability``;
        other columns are ignored. A probability p means the log-odds ln(p / (1 − p)): 0.5 is indifferent, and 0
        forbids the edge, as the log-odds ``-inf`` do.
    max_memory : int or str, optional
        The limit on memory, as in :func:`dagscape.read_data`.

    Returns
    -------
    dict
        The log-odds by (parent, child), as ``structure_prior`` of :func:`dagscape.local_scores` takes them. They weigh
        each edge by itself: the marginal probabilities of the prior differ, because cycles are impossible.

    Examples
    --------
    >>> import dagscape as ds
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> rows = ["parent,child,probability", "rain,street,0.8", "street,rain,0"]
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "known.csv").write_text(chr(10).join(rows))
    ...     ds.read_prior_edges(Path(folder, "known.csv"))
    {('rain', 'street'): 1.3862943611198908, ('street', 'rain'): -inf}
    """
    table = read_table(path, missing_values=("",), max_memory=max_memory)
    given = [name for name in _VALUES if name in table]
    if "parent" not in table or "child" not in table or len(given) != 1:
        raise InvalidData(
            f"{table.source} must have the columns parent, child, and one of log_odds and probability; it has "
            f"{', '.join(map(repr, table.names[:10]))}"
        )
    odds: dict[tuple[str, str], float] = {}
    for row in range(table.m):
        parent, child, text = (_cell(table, name, row) for name in ("parent", "child", given[0]))
        if (parent, child) in odds:
            raise InvalidData(f"{table.source} lists the edge {parent!r} -> {child!r} twice ({table.where(row)})")
        odds[parent, child] = _log_odds(table, row, given[0], text)
    return odds


def _cell(table: Table, name: str, row: int) -> str:
    column = table.column(name)
    if column.gaps[row]:
        raise InvalidData(f"{table.source} has an empty cell in the column {name!r} ({table.where(row)})")
    return column.cell(row)


def _log_odds(table: Table, row: int, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if name == "log_odds" and not math.isnan(value):
        return value
    if name == "probability" and 0 <= value <= 1:
        return -math.inf if value == 0 else math.inf if value == 1 else math.log(value) - math.log1p(-value)
    expected = "a number" if name == "log_odds" else "a number between 0 and 1"
    raise InvalidData(f"{table.source} has {text!r} in the column {name!r} ({table.where(row)}); it must be {expected}")
