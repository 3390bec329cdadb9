"""Counts in messages, representations and tables."""

from __future__ import annotations


def plural(count: int, one: str, many: str | None = None) -> str:
    """Format a count with its noun.

    >>> plural(1, "row"), plural(2000, "row"), plural(2, "family", "families")
    ('1 row', '2,000 rows', '2 families')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
