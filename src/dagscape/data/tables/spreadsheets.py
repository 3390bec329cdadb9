"""Tables in spreadsheets: one sheet of an Excel or OpenDocument file, whose first row that is not empty has the names.

pandas opens the file and reads the cells. Names, missing cells and empty rows and columns are treated here, as in text
files, so that a table means the same whether it was exported or not.
"""

from __future__ import annotations

import datetime
import operator
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.core.resources import check_memory
from dagscape.data.tables.duplicate_names import DuplicateNames, distinct_names
from dagscape.data.tables.file_names import SPREADSHEET_PACKAGES
from dagscape.data.tables.foreign_files import check_size, clear_errors, lacking
from dagscape.data.tables.frames import table_from_array
from dagscape.data.tables.table import Table, listing

if TYPE_CHECKING:
    import pandas as pd

# What a byte of an unpacked sheet takes in memory, at most.
_BYTES_PER_BYTE = 10


def read_spreadsheet(
    path: str,
    missing: frozenset[str],
    unused: Callable[[str], bool] | None,
    max_memory: int | str | None,
    duplicates: DuplicateNames = "error",
    sheet: str | int | None = None,
) -> Table:
    """Read a table from a sheet, as in :func:`dagscape.data.reading.read_table`."""
    import pandas as pd

    check_size(path, max_memory)
    package, module = SPREADSHEET_PACKAGES[Path(path).suffix.lower()]
    if find_spec(module) is None:
        raise lacking(path, package)
    _check_unpacked(path, max_memory)
    with clear_errors(path, "a spreadsheet"), pd.ExcelFile(path) as file:
        name = _sheet_name([str(found) for found in file.sheet_names], sheet, path)
        cells = pd.read_excel(file, sheet_name=name, header=None, dtype=object, keep_default_na=False, na_filter=False)
    return _table(cells, f"sheet {name!r} of {path!r}", missing, unused, duplicates)


def _check_unpacked(path: str, max_memory: int | str | None) -> None:
    """Check the memory of a file that is a zip archive: a small one can hold a thousand times its size."""
    if not zipfile.is_zipfile(path):
        return
    with clear_errors(path, "a spreadsheet"), zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    what = f"the {size:,} bytes that {path!r} unpacks to"
    check_memory(size * _BYTES_PER_BYTE, max_memory, what, "raise it, or export the table as CSV")


def _sheet_name(names: list[str], sheet: str | int | None, path: str) -> str:
    """Return the name of a sheet that is given by name or by number, from 1; by default the first."""
    if not names:
        raise InvalidData(f"{path!r} has no sheets")
    if sheet is None:
        return names[0]
    if isinstance(sheet, str) and sheet in names:
        return sheet
    try:
        # A string that is no number has no index, and so no sheet.
        given: Any = int(sheet) if isinstance(sheet, str) and sheet.isdecimal() else sheet
        number = operator.index(given)
    except TypeError:
        number = 0
    if not isinstance(sheet, bool) and 1 <= number <= len(names):
        return names[number - 1]
    raise InvalidOption(
        f"is {sheet!r}, which is no sheet of {path!r}: its sheets are {listing(names)}{did_you_mean(sheet, names)}",
        option="sheet",
    )


def _table(
    frame: pd.DataFrame,
    source: str,
    missing: frozenset[str],
    unused: Callable[[str], bool] | None,
    duplicates: DuplicateNames,
) -> Table:
    cells = _plain(frame)
    filled = cells != ""
    rows = np.flatnonzero(filled.any(axis=1))
    if not rows.size:
        raise InvalidData(f"{source} is empty; it must have a header with the names of the variables")
    first = int(rows[0])
    # Columns that are empty altogether are none.
    used = np.flatnonzero(filled.any(axis=0))
    header = [str(name).strip() for name in cells[first, used]]
    names = distinct_names(header, source, duplicates, unused)
    below = rows[1:] if used.size > 1 else np.arange(first + 1, len(cells))
    if not below.size:
        raise InvalidData(f"{source} has a header but no rows; it must have at least one row")
    kept = cells[np.ix_(below, used[list(names.values())])]
    for place, name in enumerate(names):
        if unused is not None and unused(name):
            kept[:, place] = None
    table = table_from_array(kept, list(names), missing_values=missing, source=source)
    return Table(table.names, table.columns, below.astype(np.int64) + 1, "sheet row", source)


def _plain(frame: pd.DataFrame) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the cells of a sheet: numbers, booleans, and text without white space around it; dates are text."""
    import pandas as pd

    cells = np.empty(frame.shape, dtype=object)
    for place in range(frame.shape[1]):
        cells[:, place] = [_plain_cell(cell, pd.NaT) for cell in frame.iloc[:, place].tolist()]
    return cells


def _plain_cell(cell: Any, nothing: object) -> Any:
    if cell is None or cell is nothing or (isinstance(cell, float) and cell != cell):
        return ""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return cell if isinstance(cell, bool | int | float | np.generic) else str(cell)
