"""What is wrong with a cell where only numbers can be used."""

from __future__ import annotations

from math import isfinite

from dagscape.core.errors import InvalidData, argument
from dagscape.data.tables.numbers import EXACT_INTEGERS, parse_numbers


def is_usable(text: str) -> bool:
    """Whether a cell is a number that can be used: finite and, if it is an integer, one that a float can hold.

    Examples
    --------
    >>> is_usable("1e3"), is_usable("inf"), is_usable("red"), is_usable("9007199254740993")
    (True, False, False, False)
    """
    parsed = parse_numbers([text])
    return parsed is not None and isfinite(parsed[0]) and not _is_huge_integer(text)


def _is_huge_integer(text: str) -> bool:
    """Whether a string is an integer, written as such, where floats cannot tell neighbouring integers apart."""
    digits = text.removeprefix("-").removeprefix("+")
    return digits.isdecimal() and (len(digits) > 300 or int(digits) > EXACT_INTEGERS)


def unusable_cell(source: str, name: str, text: str, where: str) -> InvalidData:
    """Return the error about a cell that :func:`is_usable` refuses.

    Examples
    --------
    >>> str(unusable_cell("'f.csv'", "colour", "red", "line 2")).partition(": ")[0]
    "'f.csv' has 'red' in column 'colour' at line 2, which is not a number"
    """
    found = f"{source} has {text!r} in column {name!r} at {where}"
    leave_out = f"leave out the column with {argument('drop', [name])}"
    parsed = parse_numbers([text])
    if parsed is not None and _is_huge_integer(text):
        return InvalidData(
            f"{found}, an integer beyond 2^53, where floating-point numbers have gaps: is it an identifier? Then "
            f"{leave_out}; otherwise divide or shift it"
        )
    problem = "not a number" if parsed is None else "not a finite number"
    missing = f"add it to {argument('missing_values')} if it means a missing cell"
    return InvalidData(f"{found}, which is {problem}: {leave_out}, or {missing}")
