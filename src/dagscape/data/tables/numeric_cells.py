"""What is wrong with a cell where only numbers can be used."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from dagscape.core.errors import InvalidData, argument
from dagscape.data.tables.numbers import EXACT_INTEGERS, parse_numbers

# Of more columns than this, only so many are described.
_DESCRIBED = 6


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


class UnusableColumn(NamedTuple):
    """A column where only numbers can be used: what it holds instead, in words, and the error if it is the only one."""

    name: str
    what: str
    alone: InvalidData


def unusable_cell(source: str, name: str, text: str, where: str) -> UnusableColumn:
    """Return what is wrong with a column that has a cell which :func:`is_usable` refuses.

    Examples
    --------
    >>> str(unusable_cell("'f.csv'", "colour", "red", "line 2").alone).partition(": ")[0]
    "'f.csv' has 'red' in column 'colour' at line 2, which is not a number"
    """
    found = f"{source} has {text!r} in column {name!r} at {where}"
    leave_out = f"leave out the column with {argument('drop', [name])}"
    parsed = parse_numbers([text])
    if parsed is not None and _is_huge_integer(text):
        message = (
            f"{found}, an integer beyond 2^53, where floating-point numbers have gaps: is it an identifier? Then "
            f"{leave_out}; otherwise divide or shift it"
        )
    else:
        problem = "not a number" if parsed is None else "not a finite number"
        missing = f"add it to {argument('missing_values')} if it means a missing cell"
        message = f"{found}, which is {problem}: {leave_out}, or {missing}"
    return UnusableColumn(name, f"{text!r} at {where}", InvalidData(message))


def unusable_columns(source: str, found: Sequence[UnusableColumn]) -> InvalidData:
    """Return the error about all columns that cannot be used, so that a user need not find them one by one.

    Examples
    --------
    >>> columns = [unusable_cell("'f.csv'", name, "red", "line 2") for name in ("sky", "sea")]
    >>> str(unusable_columns("'f.csv'", columns)).partition(": leave")[0]
    "'f.csv' has 2 columns that are not numbers ('sky' has 'red' at line 2, 'sea' has 'red' at line 2)"
    """
    if len(found) == 1:
        return found[0].alone
    described = ", ".join(f"{column.name!r} has {column.what}" for column in found[:_DESCRIBED])
    more = f", and {len(found) - _DESCRIBED} more" if len(found) > _DESCRIBED else ""
    leave_out = argument("drop", [column.name for column in found])
    return InvalidData(
        f"{source} has {len(found)} columns that are not numbers ({described}{more}): leave them out with "
        f"{leave_out}, or use a score of mixed tables, such as 'dg-bge'; if the cells mean missing ones, add them to "
        f"{argument('missing_values')}"
    )
