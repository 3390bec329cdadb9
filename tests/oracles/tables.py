"""Slow, obvious versions of what a data set does with its rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def merge(rows: Sequence[Sequence[Hashable]]) -> list[tuple[tuple[Hashable, ...], int]]:
    """The distinct rows in order, with how often each occurs."""
    return sorted(Counter(map(tuple, rows)).items())
