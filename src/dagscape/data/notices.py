"""What is said of data of any kind before they are used: what was decided about columns, and what looks wrong."""

from __future__ import annotations

from collections.abc import Sequence

from dagscape.core.caveats import kept_text
from dagscape.core.errors import AutomaticReading, DagscapeWarning, FewRows, RelatedColumns, SuspiciousColumns
from dagscape.data.any_data import AnyData
from dagscape.data.continuous.notices import numeric_notice
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.continuous.suspicious import few_rows, measured_warnings
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.notices import automatic_notice
from dagscape.data.discrete.related_columns import relation_warnings
from dagscape.data.discrete.summary import (
    counting_warnings,
    experiment_warnings,
    identifier_warnings,
    zero_findings,
)
from dagscape.data.kinds.zeros import zero_warnings
from dagscape.data.mixed.converting import discrete_part
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.mixed.notices import mixed_notice
from dagscape.data.tables.numbers import Floats


def reading_notice(data: object) -> AutomaticReading | None:
    """Return what was decided about the columns of data; None if nothing was, or if these are no data of any kind.

    Examples
    --------
    >>> reading_notice(NumericData.from_array([[0.5, 1], [1.5, 1]], ["a", "b"])).lasting
    "'b' is set aside: it has the same value, '1', in every row"
    """
    if isinstance(data, NumericData):
        return numeric_notice(data)
    if isinstance(data, MixedData):
        return mixed_notice(data)
    return automatic_notice(data) if isinstance(data, Dataset) else None


def kept_notices(data: object) -> tuple[str, ...]:
    """Return what results keep of the warning that was issued when data were read."""
    notice = reading_notice(data)
    return () if notice is None else (kept_text(notice),)


def data_warnings(data: object) -> tuple[DagscapeWarning, ...]:
    """Return warnings about data: columns that look wrong or copy each other, experiments in all rows, too few rows.

    Examples
    --------
    >>> [str(found)[:32] for found in data_warnings(NumericData.from_array([[0.5, 1], [1.5, 3], [2.0, 2]]))]
    ['there are only 3 rows, in which ']
    """
    if not isinstance(data, AnyData):
        return ()
    discrete = discrete_part(data) if isinstance(data, MixedData) else data
    suspicious: list[str] = []
    related: list[str] = []
    few: FewRows | None = None
    if isinstance(discrete, Dataset):
        suspicious += [*identifier_warnings(discrete), *counting_warnings(discrete), *zero_findings(discrete)]
        related += relation_warnings(discrete)
    if not isinstance(data, Dataset):
        names, values = _measured_part(data)
        skewed, copies = measured_warnings(names, values)
        suspicious += skewed
        for name, cells in zip(names, values.T, strict=True):
            suspicious += zero_warnings(name, cells)
        related += copies
        few = few_rows(data.m) if names else None
    suspicious += experiment_warnings(data)
    found = [*map(SuspiciousColumns, suspicious), *map(RelatedColumns, related)]
    return (*found, *([] if few is None else [few]))


def _measured_part(data: NumericData | MixedData) -> tuple[Sequence[str], Floats]:
    """Return the variables that are numbers, and these."""
    if isinstance(data, NumericData):
        return data.variables, data.values
    return data.measured, data.values[:, ~data.is_discrete]
