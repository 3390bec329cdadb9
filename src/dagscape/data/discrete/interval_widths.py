"""Widths of intervals, and the evidence of numbers that were cut: what makes different cuts comparable.

A model of intervals says how probable each is, and nothing of where in an interval a number lies. If that is uniform, a
number in an interval of width h and probability p has the density p/h, so that

    ln P(x | cuts, model)  =  ln P(codes | model)  -  Σ over cells ln h(cell).

Without the last sum, fewer intervals would always have the higher evidence, because less is predicted. With it, the
evidence of the numbers themselves under different cuts can be compared; a change of a column's unit adds the same
constant to all of them.

Conventions:

- The *resolution* of a column is the smallest difference between two of its numbers. It is the least width: nothing is
  known about density below it, and a value that is repeated often would have an infinite one.
- The first interval begins half a resolution below the smallest number, and the last one ends half a resolution above
  the largest. Cuts beyond these ends are moved there.
- In a column of integers, the width is the number of integers in the interval, and p/h a probability.
- The model says nothing of missing cells, nor of those whose variable was set by experiment: they have no ln P(codes),
  and no ln h either. If experiments changed mechanisms, it predicts these cells as well, and their widths count.
- The width of an interval is that of the whole column, whether its cells count or not.
- Columns that are not cut have no widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dagscape.data.tables.numbers import EXACT_INTEGERS, Floats
from dagscape.results.decoding import LARGEST

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset


def interval_widths(values: Floats, cuts: Sequence[float]) -> tuple[float, ...]:
    """Return the width of each interval.

    Parameters
    ----------
    values : ndarray of float64
        The distinct numbers of the column, in ascending order.
    cuts : sequence of float
        The cuts, in ascending order.

    Examples
    --------
    >>> interval_widths(np.array([18.0, 20.0, 65.0, 90.0]), [30.0, 64.5])
    (13.0, 34.0, 26.0)
    >>> interval_widths(np.array([0.0, 0.5, 2.0, 3.5]), [1.0])
    (1.25, 2.75)
    """
    low, high = float(values[0]), float(values[-1])
    if max(-low, high) < EXACT_INTEGERS and (values == np.floor(values)).all():
        ends = np.floor(np.clip([low - 1, *cuts, high], low - 1, high))
        return tuple(np.maximum(np.diff(ends), 1.0).tolist())
    with np.errstate(over="ignore"):
        steps = np.diff(values)
        resolution = min(float(steps.min()), LARGEST) if steps.size else 1.0
        low, high = low - resolution / 2, high + resolution / 2
        widths = np.diff(np.clip([low, *cuts, high], low, high))
    return tuple(np.clip(widths, resolution, LARGEST).tolist())


def log_density(data: Dataset, interventions: str = "perfect") -> float:
    """Return - Σ over cells ln h(cell): what the evidence of a data set lacks to be that of its numbers.

    The cells are those that the model predicts.

    Parameters
    ----------
    data : Dataset
        The data. Columns that were not cut, or by a discretizer of an earlier version, add nothing.
    interventions : {"perfect", "mechanism"}
        What experiments did, as in :func:`dagscape.local_scores`: cells of variables that they set count if they
        changed mechanisms.

    Examples
    --------
    >>> import dagscape as ds
    >>> data = ds.discretize(np.array([[0.0], [0.5], [2.0], [3.5]]), cuts={"X0": [1.0]})
    >>> round(float(np.exp(-log_density(data))), 6) == round((1.25 * 2.75) ** 2, 6)
    True
    """
    if data.discretizer is None:
        return 0.0
    set_cells = data.interventions if interventions == "perfect" else None
    silent = [marks for marks in (data.holes, set_cells) if marks is not None]
    total = 0.0
    for place, name in enumerate(data.variables):
        column = data.discretizer.fitted.get(name)
        if column is None or not column.widths:
            continue
        predicted = np.ones(data.weights.size, np.bool_)
        for marks in silent:
            predicted &= ~marks[:, place]
        counts = np.bincount(data.codes[predicted, place], data.weights[predicted], minlength=len(column.widths))
        # Further levels, such as that of missing cells, are no intervals.
        total -= float(counts[: len(column.widths)] @ np.log(column.widths))
    return total
