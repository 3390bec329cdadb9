"""Mixed data from data of other kinds, and back where nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.tables.number_rows import with_marks
from dagscape.data.tables.table import listing


def mixed_from_dataset(data: Dataset) -> MixedData:
    """Return a data set as mixed data, all of whose variables are discrete, with each row as often as it occurs.

    Examples
    --------
    >>> mixed_from_dataset(Dataset.from_array([["a", 1], ["b", 2], ["a", 1]])).values.tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    """
    values = data.codes.astype(np.float64)
    if data.holes is not None:
        values[data.holes] = np.nan
    marks = None if data.interventions is None else np.repeat(data.interventions, data.weights, axis=0)
    whole = MixedData(
        variables=data.variables,
        values=np.repeat(values, data.weights, axis=0),
        levels=data.levels,
        interventions=marks,
        types=data.types,
        missing=data.missing,
        dropped=data.dropped,
        set_aside=data.set_aside,
        source=data.source,
        weighted_by=data.weighted_by,
    )
    return with_marks(whole, whole.interventions)


def mixed_from_numeric(data: NumericData) -> MixedData:
    """Return numeric data as mixed data, all of whose variables are measured.

    Examples
    --------
    >>> mixed_from_numeric(NumericData.from_array([[0.5, 2.0], [1.5, 3.0]], ["a", "b"])).measured
    ('a', 'b')
    """
    return MixedData(
        variables=data.variables,
        values=data.values,
        levels={},
        interventions=data.interventions,
        missing=data.missing,
        dropped=data.dropped,
        set_aside=data.set_aside,
        source=data.source,
        weighted_by=data.weighted_by,
    )


def numeric_from_mixed(data: MixedData) -> NumericData:
    """Return mixed data as numeric data; all variables must be measured.

    Examples
    --------
    >>> numeric = NumericData.from_array([[0.5, 2.0], [1.5, 3.0]], ["a", "b"])
    >>> numeric_from_mixed(mixed_from_numeric(numeric)) == numeric
    True
    """
    if data.discrete:
        raise InvalidData(
            f"{listing(data.discrete)} {'has' if len(data.discrete) == 1 else 'have'} levels, not numbers: leave "
            f"{'it' if len(data.discrete) == 1 else 'them'} out with drop({list(data.discrete)!r}), or use a score of "
            "mixed tables, such as 'dg'"
        )
    return NumericData(
        data.variables,
        data.values,
        data.interventions,
        data.missing,
        data.dropped,
        data.set_aside,
        data.source,
        data.weighted_by,
    )


def dataset_from_mixed(data: MixedData) -> Dataset:
    """Return mixed data without measured variables as a data set, in which equal rows are merged.

    Examples
    --------
    >>> data = Dataset.from_array([["a", 1], ["b", 2], ["a", 1]])
    >>> dataset_from_mixed(mixed_from_dataset(data)) == data
    True
    """
    holes = np.isnan(data.values)
    found = Dataset.from_codes(
        np.where(holes, 0, data.values).astype(np.int64),
        {name: data.levels[name] for name in data.variables},
        interventions=data.interventions,
        missing=data.missing,
        dropped=data.dropped,
        types=data.types,
        set_aside=data.set_aside,
        holes=holes if holes.any() else None,
    )
    return replace(found, source=data.source, weighted_by=data.weighted_by)


def discrete_part(data: MixedData) -> Dataset | None:
    """Return the discrete variables of mixed data as a data set; None if there are none.

    Examples
    --------
    >>> discrete_part(mixed_from_dataset(Dataset.from_array([["a", 1], ["b", 2]])))
    Dataset(2 variables, 2 rows, 2 of them distinct)
    """
    return data.once("discrete part", lambda: dataset_from_mixed(data.select(data.discrete)) if data.levels else None)


def simplest(data: MixedData) -> Dataset | NumericData | MixedData:
    """Return mixed data as a data set or as numbers if all variables are alike.

    Examples
    --------
    >>> simplest(mixed_from_numeric(NumericData.from_array([[0.5, 2.0], [1.5, 3.0]], ["a", "b"])))
    NumericData(2 variables, 2 rows)
    """
    if not data.measured:
        return dataset_from_mixed(data)
    return data if data.discrete else numeric_from_mixed(data)
