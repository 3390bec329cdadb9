"""The kind of a column, guessed from its cells as an analyst would, with the reason in words.

A name is no evidence, and so it is not looked at. Two mistakes would be costly, and the rules avoid them: integers that
are nearly unique are measured unless they number the rows, and labels are only dates, identifiers or free text if they
are too many to be levels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from dagscape.core.wording import plural
from dagscape.data.kinds.dates import are_dates, are_day_numbers
from dagscape.data.kinds.ordered_labels import are_grades, are_intervals
from dagscape.data.kinds.profile import ColumnProfile, is_finite_kind, profile_of
from dagscape.data.tables.columns import Column
from dagscape.data.tables.numbers import EXACT_INTEGERS, parse_numbers

ColumnKind = Literal["measured", "ordered", "nominal", "identifier", "date", "free text", "constant"]

COLUMN_KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)

# So many different integers are few, such as months or points out of ten; some more are if there are rows enough.
_FEW_INTEGERS = 12
_SOME_INTEGERS = 20
_ROWS_ENOUGH = 50

# Decimals are levels only if they are very few, such as doses, and occur several times each.
_VERY_FEW = 5
_SEVERAL = 5

# Integers that are nearly all different are not few. In fewer rows, that means nothing.
_ROWS_TO_TELL = 10

# Fewer labels than this are levels, however few rows there are.
FEW_LABELS = 20

# Labels that are so many, and occur so seldom on average, are too rare to be levels.
MANY_LABELS = 50
RARE = 5

# In a table of fewer rows, values that are all different mean nothing.
_FEWEST_ROWS = 6

# Row numbers rise by steps that vary less than those of random numbers in order, whose standard deviation is their
# mean; or they leave few gaps: they span at most this multiple of their count.
_EVEN = 0.75
_LARGEST_SPREAD = 2

# Numbers of that many digits, nearly all different, are no measurements: telephone numbers, accounts, time stamps.
_MANY_DIGITS = 9
_NEARLY_ALL = 0.95


@dataclass(frozen=True, slots=True)
class Guess:
    """The kind of a column, and why.

    Attributes
    ----------
    kind : str
        ``"measured"``, ``"ordered"``, ``"nominal"``, ``"identifier"``, ``"date"``, ``"free text"`` or ``"constant"``.
    reason : str
        Why, in words.
    unreadable : str
        Of measurements, what keeps the cells from being numbers, and what to do; empty if they are.
    """

    kind: ColumnKind
    reason: str
    unreadable: str = ""


def guess_kind(column: Column) -> Guess:
    """Guess the kind of a column of a table.

    Parameters
    ----------
    column : Column
        The column; missing cells do not count.

    Examples
    --------
    >>> from dagscape.data.tables.coding import column_from_strings
    >>> guess_kind(column_from_strings([str(18 + 7 * i % 43) for i in range(200)]))
    Guess(kind='measured', reason='43 different integers from 18 to 60', unreadable='')
    >>> guess_kind(column_from_strings(["p01", "p02", "p03", "p04", "p05", "p06"])).kind
    'identifier'
    """
    return guess_from_profile(profile_of(column))


def guess_from_profile(found: ColumnProfile) -> Guess:
    """Guess the kind of a column from its profile."""
    if not found.rows:
        return Guess("constant", "missing cells only")
    if found.distinct == 1:
        return Guess("constant", f"the same value, {_such(found)}, in every row")
    if found.distinct == 2 and (found.kind != "decimals" or found.declared):
        return Guess("nominal", f"2 different values, {_such(found)} and {_shortened(found.values[-1])}")
    if found.declared:
        return _declared(found)
    if found.numbers is None:
        return _guess_labels(found)
    if not is_finite_kind(found.numbers):
        return _infinite(found)
    return _guess_decimals(found) if found.kind == "decimals" else _guess_integers(found)


def _declared(found: ColumnProfile) -> Guess:
    kind: ColumnKind = "ordered" if _are_ordered(found) else "nominal"
    return Guess(kind, f"{found.distinct} categories of the source")


def _are_ordered(found: ColumnProfile) -> bool:
    return found.numbers is not None or are_intervals(found.values) or are_grades(found.values)


def _infinite(found: ColumnProfile) -> Guess:
    assert found.numbers is not None
    if found.distinct <= FEW_LABELS and found.kind != "decimals":
        return Guess("nominal", _different(found))
    odd = next(text for text in found.values if not np.isfinite(float(text)))
    return Guess("measured", f"numbers, and {odd!r}", f"mixes numbers with {odd!r}")


def _guess_decimals(found: ColumnProfile) -> Guess:
    if found.distinct <= _VERY_FEW and found.rows >= _SEVERAL * found.distinct and not found.written:
        return Guess("ordered", f"{found.distinct} different numbers: {', '.join(found.values)}")
    sort = {"": "decimals", "%": "percentages"}.get(found.written, f"amounts in {found.written}")
    return Guess("measured", f"{found.distinct:,} different values in {plural(found.rows, 'row')}, {sort}")


def _guess_integers(found: ColumnProfile) -> Guess:
    assert found.numbers is not None
    low, high = found.numbers[0], found.numbers[-1]
    count = f"{found.distinct:,} different integers from {low:.0f} to {high:.0f}"
    if padded := next((text for text in found.values if re.fullmatch(r"0\d+", text)), ""):
        return _guess_codes(found, padded)
    if found.distinct > _VERY_FEW and are_day_numbers(found.numbers):
        return Guess("date", f"dates such as {_such(found)}")
    if reason := _why_identifier(found):
        years = found.unevenness < _EVEN and low >= 1500 and high <= 2200
        return (
            Guess("date", f"a different year in each row, in order, from {low:.0f} to {high:.0f}") if years else reason
        )
    if _are_few(found):
        return Guess("ordered", count)
    share = found.largest_share
    often = f", {found.numbers[np.argmax(found.counts)]:.0f} in {share:.0%} of the rows" if share >= 0.2 else ""
    return Guess("measured", count + often)


def _are_few(found: ColumnProfile) -> bool:
    """Whether integers are few enough to be levels."""
    if found.distinct > _VERY_FEW and 2 * found.distinct > found.rows >= _ROWS_TO_TELL:
        return False
    enough = found.distinct <= _SOME_INTEGERS and found.rows >= _ROWS_ENOUGH * found.distinct
    return found.distinct <= _FEW_INTEGERS or enough


def _guess_codes(found: ColumnProfile, padded: str) -> Guess:
    """Guess the kind of integers with leading zeros."""
    if found.distinct > FEW_LABELS and 2 * found.distinct > found.rows:
        return Guess("identifier", f"{_different(found)}, codes such as {padded!r}")
    return Guess("nominal", f"{found.distinct} different codes with leading zeros, such as {padded!r}")


def _why_identifier(found: ColumnProfile) -> Guess | None:
    """Return the guess that integers number the rows, or are too long to measure anything."""
    assert found.numbers is not None
    low, high = found.numbers[0], found.numbers[-1]
    if max(abs(low), abs(high)) >= EXACT_INTEGERS:
        return Guess("identifier", f"integers of so many digits as {found.values[-1]}")
    unique = found.distinct == found.rows
    if unique and found.rows > FEW_LABELS and high - low < _LARGEST_SPREAD * found.rows:
        return Guess(
            "identifier", f"a different integer in each row, from {low:.0f} to {high:.0f}, as row numbers have"
        )
    if unique and found.rows > FEW_LABELS and found.unevenness < _EVEN:
        return Guess("identifier", f"a different integer in each row, in order, from {low:.0f} to {high:.0f}")
    starts = low in (0, 1) or found.unevenness == 0
    if unique and found.rows >= _FEWEST_ROWS and starts and high - low == found.rows - 1:
        return Guess("identifier", f"the integers from {low:.0f} to {high:.0f}, each in one row")
    consecutive = high - low == found.distinct - 1
    if consecutive and found.distinct > FEW_LABELS and found.counts.min() == found.counts.max():
        rows = plural(int(found.counts[0]), "row")
        return Guess("identifier", f"the integers from {low:.0f} to {high:.0f}, each in {rows}")
    digits = len(f"{low:.0f}")
    same_length = low > 0 and digits == len(f"{high:.0f}") >= _MANY_DIGITS
    if same_length and found.rows >= _FEWEST_ROWS and found.distinct >= _NEARLY_ALL * found.rows:
        return Guess("identifier", f"{_different(found)}, integers of {digits} digits")
    return None


def _guess_labels(found: ColumnProfile) -> Guess:
    if mixed := _mostly_numbers(found):
        return mixed
    if are_dates(found.values):
        kind: ColumnKind = "ordered" if found.distinct <= _VERY_FEW else "date"
        return Guess(kind, f"{_different(found)}, dates such as {_such(found)}")
    if are_intervals(found.values):
        return Guess("ordered", f"{found.distinct} intervals such as {_shortened(found.example)}")
    if are_grades(found.values):
        return Guess("ordered", f"{found.distinct} grades such as {_shortened(found.example)}")
    return _guess_text(found)


def _guess_text(found: ColumnProfile) -> Guess:
    unique = found.distinct == found.rows >= _FEWEST_ROWS
    if found.distinct <= FEW_LABELS and not unique:
        return Guess("nominal", _different(found))
    looked_at = found.values[:: 1 + found.distinct // 1000]
    words = sum(len(text.split()) for text in looked_at) / len(looked_at)
    length = sum(map(len, looked_at)) / len(looked_at)
    seldom = found.distinct > max(MANY_LABELS, 0.1 * found.rows) or 2 * found.distinct > found.rows
    if seldom and (words >= 3 or (words >= 2 and length >= 20)):
        return Guess("free text", f"{_different(found)}, of {words:.0f} words on average")
    if unique:
        return Guess("identifier", f"a different value in each of {plural(found.rows, 'row')}, such as {_such(found)}")
    if 2 * found.distinct > found.rows:
        return Guess("identifier", f"{_different(found)}, such as {_such(found)}")
    return Guess("nominal", _different(found))


def _mostly_numbers(found: ColumnProfile) -> Guess | None:
    """Return the guess that labels are measurements with a decimal comma, or with a few words among them."""
    if found.distinct <= FEW_LABELS:
        return None
    looked_at = found.values[:: 1 + found.distinct // 1000]
    if sum(re.fullmatch(r"[+-]?\d+,\d+", text) is not None for text in looked_at) > 0.5 * len(looked_at):
        comma = f"numbers with a decimal comma such as {_such(found)}"
        return Guess("measured", comma, f"holds {comma}")
    others = [text for text in looked_at if parse_numbers([text]) is None]
    if others and len(others) <= max(1, 0.1 * len(looked_at)) and len(others) <= 5:
        number = next(text for text in looked_at if parse_numbers([text]) is not None)
        mixed = f"numbers such as {number}, and {_shortened(others[0])}"
        return Guess("measured", mixed, f"mixes numbers with {_shortened(others[0])}")
    return None


def _different(found: ColumnProfile) -> str:
    return f"{found.distinct:,} different values in {plural(found.rows, 'row')}"


def _such(found: ColumnProfile) -> str:
    return _shortened(found.example)


def _shortened(text: str) -> str:
    """Return a value in quotes, without its end if it is long."""
    return repr(text if len(text) <= 30 else f"{text[:29]}…")
