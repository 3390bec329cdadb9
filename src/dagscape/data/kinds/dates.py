"""Dates and times that are written as text or as integers such as 20210304."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dagscape.data.tables.numbers import Floats

_DAY = r"(0?[1-9]|[12]\d|3[01])"
_MONTH = r"(0?[1-9]|1[0-2])"
_YEAR = r"(1[5-9]|20|21)\d\d"
_ANY_YEAR = rf"({_YEAR}|\d\d)"
_NAME = (
    r"(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|"
    r"dec(ember)?)\.?"
)
_TIME = r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?(\s?[ap]\.?m\.?)?"
_ZONE = r"(\s?(z|utc|gmt|[+-]\d\d:?\d\d))?"

# What stands before a time of the day, if there is one.
_DATES = (
    rf"{_YEAR}-{_MONTH}-{_DAY}",
    rf"{_YEAR}/{_MONTH}/{_DAY}",
    rf"{_YEAR}\.{_MONTH}\.{_DAY}",
    rf"{_DAY}/{_MONTH}/{_ANY_YEAR}",
    rf"{_MONTH}/{_DAY}/{_ANY_YEAR}",
    rf"{_DAY}\.\s?{_MONTH}\.\s?{_ANY_YEAR}",
    rf"{_DAY}-{_MONTH}-{_ANY_YEAR}",
    rf"{_MONTH}-{_DAY}-{_ANY_YEAR}",
    rf"{_DAY}(st|nd|rd|th|\.)?[\s-]?{_NAME}[\s,-]*{_ANY_YEAR}",
    rf"{_NAME}\s{_DAY}(st|nd|rd|th)?,?\s{_YEAR}",
    rf"(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s.*{_YEAR}.*",
)
_FORMATS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        *(rf"{date}([\sT,]+{_TIME}{_ZONE})?" for date in _DATES),
        rf"{_YEAR}[-/]{_MONTH}",
        rf"{_NAME}[\s-]{_ANY_YEAR}",
        rf"{_YEAR}[\s-]?{_NAME}",
        rf"{_YEAR}[\s-]?q[1-4]",
        _TIME,
    )
)

# Among very many values, this many are enough to recognise a format.
_LOOKED_AT = 2000

# A few cells may hold something else, such as "unknown".
_SHARE = 0.95


def are_dates(values: Sequence[str]) -> bool:
    """Whether strings are dates or times, all in the same format, up to a few of something else.

    Examples
    --------
    >>> are_dates(["2021-03-04", "2020-12-31"]), are_dates(["4/3/2021", "31/12/2020"]), are_dates(["1-2", "3-4"])
    (True, True, False)
    """
    looked_at = values[:: 1 + len(values) // _LOOKED_AT]
    # Times of the day and months have no year of four digits, but all dates have several digits.
    if sum(any(map(str.isdigit, text)) for text in looked_at[:20]) < _SHARE * len(looked_at[:20]):
        return False
    needed = _SHARE * len(looked_at)
    return any(sum(form.fullmatch(text) is not None for text in looked_at) >= needed for form in _FORMATS)


def are_day_numbers(numbers: Floats) -> bool:
    """Whether integers are dates such as 20210304: years, months and days in one number.

    Examples
    --------
    >>> are_day_numbers(np.array([20210304.0, 19991231.0])), are_day_numbers(np.array([20211304.0, 19991231.0]))
    (True, False)
    """
    if numbers.min() < 1900_01_01 or numbers.max() > 2100_12_31:
        return False
    months, days = numbers // 100 % 100, numbers % 100
    return bool(np.all((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)))
