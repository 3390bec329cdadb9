"""Labels that have an order: intervals, and words such as low, medium and high."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = r"[-+]?[$€£]?\s?\d[\d,.]*\s?(%|k|m)?"
_INTERVAL = re.compile(
    rf"[(\[]\s?({_NUMBER}|-?inf)\s?[,;]\s?({_NUMBER}|-?inf)\s?[)\]]"
    rf"|([<>≤≥]=?|under|over|below|above|less than|more than|at least|up to)\s?{_NUMBER}(\s?[a-z]+)?"
    rf"|{_NUMBER}\s?(\+|or more|or less|and over|and more|and under|years?|yrs?|and older)(\s?[a-z]+)?",
    re.IGNORECASE,
)

_RANGE = re.compile(r"[$€£]?\s?(\d+(\.\d+)?)\s?[km%]?\s?(-|–|to|\.\.)\s?[$€£]?\s?(\d+(\.\d+)?)\s?[km%]?(\s?[a-z]+)?")

# More intervals than these are something else.
_MANY_INTERVALS = 50

# Words whose order everybody knows, in that order; a column uses at least two of a scale, and no other words.
_SCALES = (
    ("very low", "vlow", "low", "moderate", "medium", "med", "mid", "middle", "average", "normal", "high", "vhigh",
     "very high"),
    ("none", "no", "mild", "slight", "some", "moderate", "medium", "severe", "very severe", "extreme"),
    ("very small", "small", "medium", "large", "very large", "big", "huge"),
    ("strongly disagree", "disagree", "somewhat disagree", "neutral", "undecided", "neither agree nor disagree",
     "somewhat agree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "neither satisfied nor dissatisfied", "satisfied",
     "very satisfied"),
    ("very unlikely", "unlikely", "neutral", "likely", "very likely"),
    ("never", "rarely", "seldom", "sometimes", "occasionally", "often", "usually", "frequently", "very often",
     "always"),
    ("very bad", "very poor", "bad", "poor", "fair", "average", "ok", "good", "very good", "excellent"),
    ("not", "not at all", "not very", "notvery", "a little", "somewhat", "fairly", "quite", "very", "extremely"),
    ("too little", "about right", "too much"),
    ("1st", "2nd", "3rd", "4th", "5th"),
    ("1st class", "2nd class", "3rd class"),
    ("first", "second", "third", "fourth", "fifth"),
    ("young", "middle aged", "middle", "old"),
    ("one", "two", "three", "four", "five"),
)  # fmt: skip


def are_intervals(values: Sequence[str]) -> bool:
    """Whether labels are intervals of numbers, such as ``(0,5]``, ``20-29`` or ``60+``; one may be something else.

    Examples
    --------
    >>> are_intervals(["20-29", "30-39", "60+"]), are_intervals(["(0,5]", "(5,inf)"]), are_intervals(["3-1", "0-2"])
    (True, True, False)
    """
    if len(values) > _MANY_INTERVALS:
        return False
    found = sum(_INTERVAL.fullmatch(text) is not None or _is_range(text) for text in values)
    return found >= 2 and found >= len(values) - 1


def _is_range(text: str) -> bool:
    found = _RANGE.fullmatch(text.strip().casefold())
    return found is not None and float(found[1]) < float(found[4])


def are_grades(values: Sequence[str]) -> bool:
    """Whether labels are words of one scale, such as low, medium and high.

    Examples
    --------
    >>> are_grades(["Low", "High", "Medium"]), are_grades(["low", "red"]), are_grades(["no", "yes"])
    (True, False, False)
    """
    words = {re.sub(r"[\s_-]+", " ", text.strip().casefold()) for text in values}
    return len(words) > 1 and any(words <= set(scale) for scale in _SCALES)
