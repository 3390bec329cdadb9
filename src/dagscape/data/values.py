"""What users give and get: data sets or data frames as arguments, and levels as values of their column's own type."""

from __future__ import annotations

from typing import Any

from dagscape.data.dataset import Dataset
from dagscape.data.frames import is_frame
from dagscape.data.value_types import VALUE_TYPES, ValueType, own_values, type_of_text
from dagscape.errors import InvalidData, InvalidOption, function, type_of

__all__ = ["VALUE_TYPES", "Frame", "ValueType", "as_dataset", "own_values", "type_of_text"]

# A data frame of any library that narwhals supports; their types are not known here.
Frame = Any


def as_dataset(data: Any, option: str = "data") -> Dataset:
    """Return a data set as it is, or the data set of a data frame.

    Parameters
    ----------
    data : Dataset or data frame
        The data; a frame is taken as by :meth:`Dataset.from_frame`, with its defaults.
    option : str
        The argument to name in messages.

    Examples
    --------
    >>> import pandas as pd
    >>> as_dataset(pd.DataFrame({"rain": ["no", "yes"], "street": ["dry", "wet"]}))
    Dataset(2 variables, 2 rows, 2 of them distinct)
    """
    if isinstance(data, Dataset):
        return data
    if not is_frame(data):
        raise InvalidOption(
            f"is {type_of(data)}; it must be a Dataset: use {function('read_data')} or Dataset.from_frame()",
            option=option,
        )
    try:
        return Dataset.from_frame(data)
    except InvalidData as error:
        remedy = f"make the data set first, with Dataset.from_frame() or {function('discretize')}"
        raise InvalidData(f"{error}; {remedy}") from error
