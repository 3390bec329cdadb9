"""What the columns of a table seem to hold, before anything is decided about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Unpack

from dagscape.core.errors import InvalidOption, type_of
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.summary import DataSummary, summarize, summarize_table
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.reading import FileOptions
from dagscape.data.table_sources import as_table
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES
from dagscape.data.tables.selection import chosen_columns


def describe(
    source: Any,
    *,
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    nominal: Collection[str] = (),
    numeric: Collection[str] = (),
    ignore: Collection[str] = (),
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    **reading: Unpack[FileOptions],
) -> DataSummary:
    """Summarise a table as it is: what each column seems to hold and why, what it would become, and likely mistakes.

    Parameters
    ----------
    source : str, path, data frame, NumPy array or Dataset
        The table, which may have missing cells and decimals. Of a data set, its variables.
    columns, drop : collection of str
        The columns to use, and those not to use. Default: all.
    nominal, numeric, ignore : collection of str
        Columns whose values are levels, those that are cut, and those that are set aside, whatever they seem to hold.
    missing_values : collection of str
        Strings that mean a missing cell.
    **reading
        What a file is like: ``separator``, ``decimal``, ``encoding``, ``sheet`` and ``duplicate_names``, as in
        :func:`~dagscape.data.reading.read_data`.

    Returns
    -------
    DataSummary

    Examples
    --------
    >>> found = describe("builtin:iris")
    >>> found.to_frame()[["variable", "guess", "use"]].iloc[[0, 4]].values.tolist()
    [['sepal_length', 'measured', '3 intervals, cut at 5.45 and 6.25'], ['class', 'nominal', '3 levels']]
    >>> describe("builtin:iris", numeric=["sepal_length"], ignore=["class"]).variables
    ('sepal_length', 'sepal_width', 'petal_length', 'petal_width')
    """
    wishes = Wishes.of(nominal, numeric, ignore)
    if isinstance(source, Dataset):
        given = {"columns": columns, "drop": drop, "nominal": nominal, "numeric": numeric, "ignore": ignore} | reading
        for name in (name for name, value in given.items() if value):
            raise InvalidOption("is for a table as it is, and a data set is made already", option=name)
        return summarize(source)
    if isinstance(source, NumericData):
        raise InvalidOption(f"is {type_of(source)}, which has no levels: describe its file or data frame", "source")
    table = as_table(source, missing_values, None, None, reading, dates=True)
    wishes.check(table)
    return summarize_table(table.only(chosen_columns(table, columns, [*drop, *wishes.ignore])), wishes)
