"""Data frames where data sets are expected: as data of their own, or as new rows with known levels."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidData, InvalidOption, argument, function, type_of
from dagscape.data.continuous.measuring import NumericMissing
from dagscape.data.continuous.notices import numeric_notice
from dagscape.data.continuous.numeric import NumericData, numeric_from_dataset
from dagscape.data.discrete.automatic_cuts import AutomaticCuts, read_cuts
from dagscape.data.discrete.dataset import Dataset, encode_rows
from dagscape.data.discrete.discretizing import Discretizer, cut_numbers
from dagscape.data.discrete.interpreting import read_automatically, table_of
from dagscape.data.mixed.converting import (
    dataset_from_mixed,
    mixed_from_dataset,
    mixed_from_numeric,
    numeric_from_mixed,
)
from dagscape.data.mixed.mixed import MixedData, told_of_mixed
from dagscape.data.reading import read_data
from dagscape.data.tables.frames import is_frame, table_from_frame
from dagscape.data.tables.table import Table, listing

# A data frame of any library that narwhals supports; their types are not known here.
Frame = Any

_Read = TypeVar("_Read")


def as_dataset(data: Any, option: str = "data", *, missing: NumericMissing = "error") -> Dataset:
    """Return a data set as it is, or the data set of a file or data frame.

    Parameters
    ----------
    data : Dataset, data frame, str or path
        The data. The columns of a file or a frame are told apart, as with ``discretize="auto"`` in
        :func:`~dagscape.data.reading.read_data`.
    option : str
        The argument to name in messages.
    missing : {"error", "drop", "keep"}
        How the missing cells of a file or a frame are treated.

    Examples
    --------
    >>> import pandas as pd
    >>> as_dataset(pd.DataFrame({"rain": ["no", "yes"], "street": ["dry", "wet"]}))
    Dataset(2 variables, 2 rows, 2 of them distinct)
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, MixedData) and not data.measured:
        return dataset_from_mixed(data)
    if isinstance(data, NumericData | MixedData):
        score = "numbers, such as 'bge'" if isinstance(data, NumericData) else "mixed tables, such as 'dg'"
        remedy = f"cut the numbers with {function('discretize')}, or use a score of {score}"
        raise InvalidOption(f"is a {type(data).__name__}; it must be discrete: {remedy}", option=option)
    if not is_source(data):
        raise InvalidOption(
            f"is {type_of(data)}; it must be a Dataset: use {function('read_data')} or Dataset.from_frame()",
            option=option,
        )
    return _read(data, partial(read_automatically, missing=missing))


def as_cuts(data: Any) -> Dataset | AutomaticCuts:
    """Return the data set of a file or data frame, or how it is cut if columns are measured; nothing is told yet.

    Parameters
    ----------
    data : data frame, str or path
        The data.

    Examples
    --------
    >>> import pandas as pd
    >>> as_cuts(pd.DataFrame({"x": [i / 8 for i in range(90)], "y": [0, 1] * 45})).one
    Dataset(2 variables, 90 rows, 6 of them distinct)
    """
    return _read(data, read_cuts)


def _read(data: Any, read: Callable[[Any], _Read]) -> _Read:
    try:
        return read(data)
    except InvalidData as error:
        remedy = f"make the data set first, with Dataset.from_frame() or {function('read_data')}"
        raise InvalidData(f"{error}; {remedy}") from error


def is_source(data: object) -> bool:
    """Whether a thing can be read as data: the path of a file, or a data frame.

    Examples
    --------
    >>> is_source("survey.csv"), is_source([1, 2])
    (True, False)
    """
    return isinstance(data, str | os.PathLike) or is_frame(data)


def as_numeric(data: Any, option: str = "data", *, missing: NumericMissing = "error") -> NumericData:
    """Return numeric data as they are, or those of a data frame, or of a data set all of whose levels are numbers.

    Parameters
    ----------
    data : NumericData, MixedData, Dataset, data frame, str or path
        The data; a file or frame is taken as by :meth:`NumericData.from_frame`, with its defaults.
    option : str
        The argument to name in messages.
    missing : {"error", "drop", "keep"}
        How the missing cells of a file or a frame are treated.

    Examples
    --------
    >>> import pandas as pd
    >>> as_numeric(pd.DataFrame({"height": [1.5, 1.7], "weight": [60, 72]}))
    NumericData(2 variables, 2 rows)
    """
    if isinstance(data, NumericData):
        return data
    if isinstance(data, MixedData):
        return numeric_from_mixed(data)
    if isinstance(data, Dataset):
        found = numeric_from_dataset(data)
    elif isinstance(data, str | os.PathLike):
        found = read_data(data, kind="numeric", missing=missing)
    elif is_frame(data):
        found = NumericData.from_frame(data, missing=missing)
    else:
        raise InvalidOption(
            f"is {type_of(data)}; it must be a NumericData: use {function('read_data')} or NumericData.from_frame()",
            option=option,
        )
    issue(numeric_notice(found))
    return found


def as_mixed(data: Any, option: str = "data", *, missing: NumericMissing = "error") -> MixedData:
    """Return mixed data as they are, or those of a file, of a data frame, or of data of another kind.

    Parameters
    ----------
    data : MixedData, Dataset, NumericData, data frame, str or path
        The data; a file or frame is taken as by :meth:`MixedData.from_frame`, with its defaults.
    option : str
        The argument to name in messages.
    missing : {"error", "drop", "keep"}
        How the missing cells of a file or a frame are treated.

    Examples
    --------
    >>> import pandas as pd
    >>> as_mixed(pd.DataFrame({"height": [1.5, 1.7, 1.6], "colour": ["red", "blue", "red"]}))
    MixedData(2 variables, 1 of them measured, 3 rows)
    """
    if isinstance(data, MixedData):
        return data
    if isinstance(data, Dataset):
        return mixed_from_dataset(data)
    if isinstance(data, NumericData):
        return mixed_from_numeric(data)
    if not is_source(data):
        raise InvalidOption(
            f"is {type_of(data)}; it must be a MixedData: use {function('read_data')} or MixedData.from_frame()",
            option=option,
        )
    return told_of_mixed(table_of(data), asked=False, missing=missing)


class MayMiss(Protocol):
    """Data of any kind, of which cells may be missing."""

    @property
    def has_missing(self) -> bool:
        """Whether cells are missing."""


# What uses incomplete rows as they are, in messages: to learn a structure.
INCOMPLETE_USES = (
    f"{function('learn')} with {argument('missing', 'em')}, {function('chain')} with {argument('missing', 'sample')} "
    f"and {argument('score', 'pnal')} use"
)


# Likewise, to fit a network.
FITTING_USE = f"{function('Network.fit')} with {argument('missing', 'em')} uses"


def check_complete(data: MayMiss, user: str, uses: str = INCOMPLETE_USES) -> None:
    """Refuse data with missing cells.

    Parameters
    ----------
    data : object
        Data of any kind.
    user : str
        What cannot use them, in messages.
    uses : str
        What can, with its verb.

    Examples
    --------
    >>> check_complete(Dataset.from_array([[0, 1], [1, 0]]), "the score")
    """
    if not data.has_missing:
        return
    level = f"{argument('missing', 'level')} to make them a level of their own, or "
    raise InvalidData(
        f"the data have missing cells, which {user} cannot use: make the data with "
        f"{level if isinstance(data, Dataset) else ''}{argument('missing', 'drop')} to leave out their rows; "
        f"{uses} incomplete rows as they are"
    )


def encode_frame(
    frame: Frame | Table, levels: Mapping[str, tuple[str, ...]], discretizer: Discretizer | None, source: str
) -> tuple[Dataset, npt.NDArray[np.intp]]:
    """Return new rows as a data set with known levels, and the index of each row in it; other columns are ignored.

    Parameters
    ----------
    frame : data frame or Table
        The rows.
    levels : mapping of str to tuple of str
        The levels of the variables.
    discretizer : Discretizer or None
        What cuts numbers.
    source : str
        What to call the rows of a frame in messages.
    """
    if isinstance(frame, Table):
        table, source = frame, frame.source
    else:
        table = table_from_frame(frame, source=source, unused=lambda name: name not in levels)
    wanted = [name for name in table.names if name in levels]
    if not wanted:
        raise InvalidData(f"{source} has none of the variables {listing(levels)}")
    table = table.only(wanted)
    if discretizer is not None:
        table = cut_numbers(discretizer, table)
    known = {name: levels[name] for name in table.names}
    return encode_rows(table.matched(known), levels=known)
