"""Data of any kind that scores take."""

from __future__ import annotations

from typing import TypeAlias

from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData

AnyData: TypeAlias = Dataset | NumericData | MixedData


def kind_in_words(data: object) -> str:
    """Return what was given in place of discrete data, in words.

    >>> kind_in_words(NumericData.from_array([[0.5], [1.5]])), kind_in_words(None)
    ('table of numbers', 'score file')
    """
    if isinstance(data, NumericData):
        return "table of numbers"
    return "mixed table" if isinstance(data, MixedData) else "score file"
