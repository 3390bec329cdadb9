"""Data of any kind that scores take."""

from __future__ import annotations

from typing import TypeAlias

from dagscape.core.wording import plural
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


def what_variables_are(data: AnyData) -> str:
    """Return what the variables of data are, discrete, measured or some of each, as a clause.

    >>> what_variables_are(NumericData.from_array([[0.5], [1.5]]))
    'all variables are measured'
    """
    if not isinstance(data, MixedData):
        return f"all variables are {'measured' if isinstance(data, NumericData) else 'discrete'}"
    measured = f"{len(data.measured)} of {plural(data.n, 'variable')} {'is' if len(data.measured) == 1 else 'are'}"
    return f"{measured} measured, and the others are discrete"
