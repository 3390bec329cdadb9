"""Rows drawn with replacement, from data of any kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.tables.interventions import Marks


def resampled(data: AnyData, rng: np.random.Generator) -> AnyData:
    """Return as many rows of the data, drawn with replacement.

    Examples
    --------
    >>> import dagscape as ds
    >>> sample = resampled(ds.load_dataset("iris"), np.random.default_rng(1))
    >>> sample
    Dataset(5 variables, 150 rows, 19 of them distinct)
    """
    if not isinstance(data, Dataset):
        # Rows stay sorted.
        counts = rng.multinomial(data.m, np.full(data.m, 1 / data.m))
        marks = None if data.interventions is None else np.repeat(data.interventions, counts, axis=0)
        return replace(data, values=np.repeat(data.values, counts, axis=0), interventions=_some(marks))
    counts = rng.multinomial(data.m, data.weights / data.m)
    drawn = counts > 0
    marks = None if data.interventions is None else data.interventions[drawn]
    holes = None if data.holes is None else data.holes[drawn]
    return replace(data, codes=data.codes[drawn], weights=counts[drawn], interventions=_some(marks), holes=_some(holes))


def _some(marks: Marks | None) -> Marks | None:
    """Return the marks of interventions or of missing cells, unless there are none."""
    return marks if marks is not None and marks.any() else None
