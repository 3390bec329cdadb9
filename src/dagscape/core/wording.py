"""Counts and durations in messages, representations and tables, and characters that must not reach a terminal."""

from __future__ import annotations

import re

# Control characters, halves of surrogate pairs, separators of lines, invisible marks, and characters that change the
# direction of text.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)

# Python does not write integers of more than 4,300 digits.
_UNREADABLE = 2**1000


def visible(text: str, keep: str = "") -> str:
    r"""Replace characters that a terminal would obey, or not show, by their escapes in Python.

    Parameters
    ----------
    text : str
        Any text.
    keep : str
        Characters to keep, such as newlines.

    Examples
    --------
    >>> print(visible("clear\x1b[2J screen\r\n"))
    clear\x1b[2J screen\r\n
    """
    return _HIDDEN.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def visible_json(document: str) -> str:
    r"""Escape the same characters in a JSON document, which remains equivalent.

    >>> print(visible_json('{"name": "a\u202eb"}'))
    {"name": "a\u202eb"}
    """
    return _HIDDEN.sub(lambda found: found[0] if found[0] in "\n\t" else f"\\u{ord(found[0]):04x}", document)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def plural(count: int, one: str, many: str | None = None, *, unreadable: int = _UNREADABLE) -> str:
    """Format a count with its noun; one that nobody would read is rounded down to a power of 2.

    >>> plural(1, "row"), plural(2000, "row"), plural(2, "family", "families")
    ('1 row', '2,000 rows', '2 families')
    >>> plural(3 * 2**14_000, "set")
    '2^14001 sets'
    """
    if count >= unreadable:
        return f"2^{count.bit_length() - 1} {many or one + 's'}"
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
