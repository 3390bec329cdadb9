"""Checks of arguments that may have the wrong type."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from numbers import Integral, Real

import numpy as np

from dagscape.core.errors import InvalidData, InvalidOption, brief, did_you_mean


def is_whole(value: object, at_least: int) -> bool:
    """Whether a value is an integer of at least ``at_least``; booleans do not count.

    >>> is_whole(3, 0), is_whole(3.0, 0), is_whole(True, 0)
    (True, False, False)
    """
    return type(value) is not bool and isinstance(value, Integral) and int(value) >= at_least


def is_between(value: object, low: float, high: float) -> bool:
    """Whether a value is a number between ``low`` and ``high``, inclusive.

    >>> is_between(0.5, 0, 1), is_between("0.5", 0, 1), is_between(float("nan"), 0, 1)
    (True, False, False)
    """
    if type(value) is bool or not isinstance(value, Real):
        return False
    # Integers may exceed the largest float.
    number = int(value) if isinstance(value, Integral) else float(value)
    return low <= number <= high


def is_one_of(value: object, choices: Collection[str]) -> bool:
    """Whether a value is one of some strings.

    >>> is_one_of("dags", ["dags", "orders"]), is_one_of(["dags"], ["dags", "orders"])
    (True, False)
    """
    return isinstance(value, str) and value in choices


def check_choice(value: object, choices: Collection[str], option: str) -> None:
    """Refuse a value that is not one of some strings.

    >>> check_choice("dag", ["dags", "orders"], "over")
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidOption: over is 'dag'; it must be one of 'dags', 'orders'; did you mean 'dags'?
    """
    if not is_one_of(value, choices):
        known = ", ".join(map(repr, choices))
        raise InvalidOption(f"is {value!r}; it must be one of {known}{did_you_mean(value, choices)}", option=option)


def is_flag(value: object) -> bool:
    """Whether a value is True or False.

    >>> is_flag(True), is_flag(0)
    (True, False)
    """
    return isinstance(value, bool | np.bool_)


def check_names(names: Iterable[object], what: str = "variable") -> None:
    r"""Refuse names that are not distinct strings, or that no file can hold.

    >>> check_names(["rain", "rain"])
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidData: two variables are called 'rain'
    """
    article = "an" if what.startswith(tuple("aeiou")) else "a"
    seen = set()
    for name in names:
        if not isinstance(name, str):
            raise InvalidData(f"the name {brief(name)} of {article} {what} is not a string")
        if name in seen:
            raise InvalidData(f"two {what}s are called {brief(name)}")
        seen.add(name)
    check_unicode(seen, f"the name of {article} {what}")


def check_unicode(texts: Iterable[str], what: str) -> None:
    r"""Refuse strings that cannot be written as UTF-8.

    >>> check_unicode(["a", "\ud800"], "a level of 'x'")
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidData: a level of 'x', '\ud800', is not valid Unicode: it contains a lone surrogate
    """
    listed = list(texts)
    try:
        "".join(listed).encode()
    except UnicodeEncodeError:
        wrong = next(text for text in listed if any("\ud800" <= letter <= "\udfff" for letter in text))
        raise InvalidData(f"{what}, {brief(wrong)}, is not valid Unicode: it contains a lone surrogate") from None
