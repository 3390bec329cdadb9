"""Slow, obvious versions of how a data set merges rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def merge(rows: Sequence[Sequence[Hashable]]) -> list[tuple[tuple[Hashable, ...], int]]:
    """The distinct rows in order, each with its count."""
    return sorted(Counter(map(tuple, rows)).items())
