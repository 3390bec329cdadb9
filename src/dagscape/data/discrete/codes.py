"""Checks of level codes and of the weights of rows, as users give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural
from dagscape.data.tables.table import listing
from dagscape.data.tables.weights import MAX_ROWS


def check_codes(codes: npt.NDArray[Any], levels: Mapping[str, tuple[str, ...]]) -> None:
    """Check that codes are a matrix with a column for each variable, and that each is the index of a level."""
    if codes.ndim != 2 or codes.shape[1] != len(levels) or codes.dtype.kind not in "iu":
        raise InvalidData(f"the codes must be a two-dimensional array of integers with {plural(len(levels), 'column')}")
    if codes.shape[0] == 0:
        raise InvalidData("the data set has no rows; it must have at least one")
    for index, (name, strings) in enumerate(levels.items()):
        if len(set(strings)) < len(strings):
            raise InvalidData(f"the levels of {name!r} are not distinct: {listing(strings)}")
        low, high = int(codes[:, index].min()), int(codes[:, index].max())
        if low < 0 or high >= len(strings):
            raise InvalidData(f"the codes of {name!r} run from {low} to {high}; it has {plural(len(strings), 'level')}")


def checked_weights(weights: npt.ArrayLike | None, rows: int) -> npt.NDArray[np.int64]:
    """Return how many times each row occurs, by default once."""
    counts = np.ones(rows, dtype=np.int64) if weights is None else np.asarray(weights)
    if counts.shape != (rows,) or counts.dtype.kind not in "iu" or int(counts.min()) < 1:
        raise InvalidData(f"the weights must be {rows} positive integers, one for each row")
    # A sum of floats cannot overflow, and is exact up to the limit.
    total = int(counts.sum(dtype=np.float64))
    if total > MAX_ROWS:
        raise InvalidData(f"the data have {total} rows; the limit is {MAX_ROWS}")
    return counts.astype(np.int64)
