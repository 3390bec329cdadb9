"""What results record of the data: the file, and where columns of numbers were cut."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from dagscape.data.tables.file_names import file_name
from dagscape.results.data_source import GIVEN, Cutting, DataSource

if TYPE_CHECKING:
    from dagscape.data.any_data import AnyData
    from dagscape.data.discrete.discretizing import Discretizer
    from dagscape.data.tables.table import Table


def data_source(data: AnyData) -> DataSource | None:
    """Return what is known of where data come from; None if nothing is.

    Parameters
    ----------
    data : Dataset, NumericData or MixedData
        The data.

    Examples
    --------
    >>> import dagscape as ds
    >>> data_source(ds.load_dataset("votes"))
    DataSource(name='builtin:votes', cuttings=(), several=False)
    """
    discretizer: Discretizer | None = getattr(data, "discretizer", None)
    cuttings = () if discretizer is None else cuttings_of(discretizer, data.variables)
    return DataSource(data.source, cuttings) if data.source or cuttings else None


def table_source(table: Table) -> DataSource | None:
    """Return the file of a table, of which several data sets are made; None if it does not come from one."""
    name = file_name(table.source)
    return DataSource(name) if name else None


def cuttings_of(discretizer: Discretizer, variables: Collection[str]) -> tuple[Cutting, ...]:
    """Return how a fitted discretizer cuts some variables, those that are cut alike together."""
    given = discretizer.given or ()
    found: dict[tuple[str, int | None, tuple[float, ...]], dict[str, tuple[float, ...]]] = {}
    for name, column in discretizer.fitted.items():
        if name not in variables or column.cuts is None:
            continue
        own: tuple[str, int | None, tuple[float, ...]] = (discretizer.method, discretizer.bins_of(name), ())
        key = (GIVEN, None, column.cuts) if name in given else own
        found.setdefault(key, {})[name] = column.cuts
    return tuple(Cutting(method, bins, cuts) for (method, bins, _), cuts in found.items())
