"""Data of the kind that a score asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from dagscape.core.errors import InvalidOption, type_of
from dagscape.data.any_data import AnyData
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.values import as_dataset, as_mixed, as_numeric, check_complete
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import ScoredData

# What turns data into each kind: data frames, and other kinds where nothing is lost.
_CONVERTERS: dict[type, Callable[..., object]] = {Dataset: as_dataset, NumericData: as_numeric, MixedData: as_mixed}


def as_data(data: Any, definition: ScoreDefinition, *, complete: bool = True) -> ScoredData:
    """Return data as the kind that a score asks for, or refuse them with the remedy.

    Parameters
    ----------
    data : object
        Data of any kind, or a data frame.
    definition : ScoreDefinition
        The score.
    complete : bool
        Whether to refuse missing cells, unless the score takes them; otherwise, those of files and frames are kept.

    Examples
    --------
    >>> import pandas as pd
    >>> from dagscape.scores.registry import SCORES
    >>> as_data(pd.DataFrame({"rain": ["no", "yes"], "street": ["dry", "wet"]}), SCORES["bdeu"])
    Dataset(2 variables, 2 rows, 2 of them distinct)
    """
    converter = _CONVERTERS.get(definition.data_type)
    if converter is None and not isinstance(data, definition.data_type):
        raise InvalidOption(f"is {type_of(data)}; it must be a {definition.data_type.__name__}", option="data")
    keep = definition.takes_missing or not complete
    found = data if converter is None else converter(data, missing="keep" if keep else "error")
    if isinstance(found, AnyData) and not keep:
        check_complete(found, f"the score {definition.name!r}")
    return cast("ScoredData", found)
