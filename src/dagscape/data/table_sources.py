"""Tables from whatever a user has: a file, a data frame, an array, or a table that was read already."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dagscape.core.errors import InvalidOption
from dagscape.data.reading import FILE_OPTIONS, FileOptions, read_table
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES
from dagscape.data.tables.frames import table_from_array, table_from_frame
from dagscape.data.tables.table import Table


def as_table(
    source: Any,
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    unused: Callable[[str], bool] | None = None,
    max_memory: int | str | None = None,
    reading: FileOptions | None = None,
    *,
    dates: bool = False,
) -> Table:
    """Return the table of a source.

    Parameters
    ----------
    source : data frame, NumPy array, Table, str or path
        The source; a file is read as by :func:`~dagscape.data.reading.read_table`.
    missing_values, unused, max_memory
        As there.
    reading : dict
        How a file is read; a frame may have names that are not distinct.
    dates : bool
        As in :func:`~dagscape.data.tables.frames.table_from_frame`.

    Examples
    --------
    >>> as_table(np.array([[1, 2]])).names
    ('X0', 'X1')
    """
    reading = reading or {}
    for name in reading:
        if name not in FILE_OPTIONS:
            raise TypeError(f"unexpected keyword argument {name!r}")
    if isinstance(source, str | os.PathLike):
        return read_table(source, missing_values=missing_values, unused=unused, max_memory=max_memory, **reading)
    of_frames = {"duplicate_names"} if not isinstance(source, Table | np.ndarray) else set()
    for name, value in reading.items():
        if name not in of_frames:
            raise InvalidOption(f"is {value!r}, which is for files", option=name)
    if isinstance(source, Table):
        return source
    if isinstance(source, np.ndarray):
        return table_from_array(source, missing_values=missing_values)
    duplicates = reading.get("duplicate_names", "error")
    return table_from_frame(
        source, missing_values=missing_values, unused=unused, duplicate_names=duplicates, dates=dates
    )
