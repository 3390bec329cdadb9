"""Counts and durations in messages, representations and tables."""

from __future__ import annotations


def plural(count: int, one: str, many: str | None = None) -> str:
    """Format a count with its noun.

    >>> plural(1, "row"), plural(2000, "row"), plural(2, "family", "families")
    ('1 row', '2,000 rows', '2 families')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def format_seconds(seconds: float) -> str:
    """Format a duration for people.

    >>> format_seconds(0.0123), format_seconds(5400), format_seconds(float("inf"))
    ('0.012 s', '90 min', 'too long to estimate')
    """
    for limit, divisor, unit in (
        (100, 1, "s"),
        (6000, 60, "min"),
        (172_800, 3600, "h"),
        (6e7, 86_400, "days"),
    ):
        if seconds < limit:
            return f"{seconds / divisor:.2g} {unit}"
    years = seconds / 31_557_600
    return f"{years:.2g} years" if years < 1e10 else "too long to estimate"
