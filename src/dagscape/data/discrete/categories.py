"""Levels as the categories of a pandas column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dagscape.data.tables.frames import cell_strings
from dagscape.data.tables.value_types import ValueType, own_values

if TYPE_CHECKING:
    import pandas as pd


def level_categories(levels: Sequence[str], value_type: ValueType) -> pd.Index[Any]:
    """Return levels as categories, values of their own type, that are read as the same levels.

    Examples
    --------
    >>> level_categories(["1", "2"], "integer").tolist()
    [1, 2]
    """
    import pandas as pd

    values = own_values(levels, value_type)
    same = cell_strings(values) == list(levels)
    # Otherwise pandas would choose a type for text.
    text = not same or value_type in ("text", "mixed")
    return pd.Index(list(levels) if not same else values, dtype=object if text else None)
