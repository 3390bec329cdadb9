"""Reports of missing cells of data of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dagscape.data.incomplete.missing_cells import MissingCells, missing_cells
from dagscape.data.kinds.decisions import Plan
from dagscape.data.kinds.written_numbers import written_numbers
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.table import Table

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset


def missing_in_table(table: Table, plan: Plan) -> MissingCells | None:
    """Report the missing cells of a table as read, whose columns a plan tells apart.

    Examples
    --------
    >>> from dagscape.data.kinds.decisions import NO_WISHES, plan_columns
    >>> from dagscape.data.tables.frames import table_from_array
    >>> table = table_from_array([[1, "a"], [2, None], [None, "b"], [3, "b"]])
    >>> missing_in_table(table, plan_columns(table, NO_WISHES)).complete_rows
    2
    """
    if not any(column.missing for column in table.columns):
        return None
    columns: dict[str, Floats] = {}
    measured = []
    for name, column in zip(table.names, table.columns, strict=True):
        numbers = column.numbers() if name not in plan.cut or column.numbers() is not None else written_numbers(column)
        if name in plan.cut and numbers is not None and not np.isinf(numbers).any():
            columns[name] = numbers
            measured.append(name)
        else:
            columns[name] = np.where(column.gaps, np.nan, column.groups())
    weights = np.ones(table.m, dtype=np.int64) if table.counts is None else table.counts
    return missing_cells(columns, measured, weights)


def missing_in_dataset(data: Dataset) -> MissingCells | None:
    """Report the missing cells of a data set that was made with ``missing="keep"``.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> data = Dataset.from_array([[1, "a"], [2, None], [2, "b"]], missing="keep")
    >>> missing_in_dataset(data).patterns
    (MissingPattern(columns=('X1',), rows=1),)
    """
    if data.holes is None:
        return None
    cells = np.where(data.holes, np.nan, data.codes)
    return missing_cells(dict(zip(data.variables, cells.T, strict=True)), [], data.weights)
