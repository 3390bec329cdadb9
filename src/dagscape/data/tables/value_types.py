"""The own type of a column: levels are strings inside, and turn back into the values that the user gave.

The type is ``"text"``, ``"integer"``, ``"number"``, ``"boolean"`` or ``"mixed"``. The columns of frames and arrays have
the type of their cells or categories; a column that mixes numbers, booleans and text is ``"mixed"``, and its levels
stay text. A text file has no types: there a column is

- ``"integer"`` if each of its levels is an integer in its usual form (``7``, but not ``07`` or ``7.0``),
- ``"number"`` if its levels are different numbers, not all of them integers in their usual form (``0.0``, ``1.0``),
- ``"boolean"`` if its levels are different booleans as pandas reads them (``True``, ``TRUE`` or ``true``),
- and otherwise ``"text"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from dagscape.core.checks import check_choice

ValueType = Literal["text", "integer", "number", "boolean", "mixed"]

VALUE_TYPES: tuple[ValueType, ...] = ("text", "integer", "number", "boolean", "mixed")

_BOOLEANS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}

# Digits that start with a 0, such as "007", are more likely a label.
_NUMBER = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": _BOOLEANS.__getitem__,
    "mixed": str,
}


def own_values(levels: Iterable[str], value_type: str) -> list[Any]:
    """Return levels as Python values of their column's own type.

    A level that is not of that type stays a string: this is the level of missing cells, ``?``. If two levels stand for
    the same value, as ``1`` and ``1.0``, all stay strings.

    Parameters
    ----------
    levels : iterable of str
        Levels of a variable.
    value_type : {"text", "integer", "number", "boolean", "mixed"}
        Its type, as in :attr:`Dataset.types`.

    Examples
    --------
    >>> own_values(["0", "1", "?"], "integer"), own_values(["1", "2.5"], "number"), own_values(["True"], "boolean")
    ([0, 1, '?'], [1.0, 2.5], [True])
    """
    check_choice(value_type, VALUE_TYPES, "value_type")
    texts = list(levels)
    values = [_parsed(level, _PARSERS[value_type]) for level in texts]
    return values if len(set(values)) == len(set(texts)) else texts


def _parsed(level: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(level)
    except (ValueError, KeyError):
        return level


def type_of_cells(cells: Iterable[object]) -> ValueType:
    """Return the type of cells or categories, none of them missing.

    Examples
    --------
    >>> type_of_cells([1, 2]), type_of_cells([1, 2.5]), type_of_cells([True]), type_of_cells([1, "2"])
    ('integer', 'number', 'boolean', 'mixed')
    """
    kinds = {_type_of_class(kind) for kind in set(map(type, cells))}
    if kinds == {"integer", "number"}:
        return "number"
    if len(kinds) > 1:
        return "mixed"
    return kinds.pop() if kinds else "text"


def _type_of_class(kind: type) -> ValueType:
    if issubclass(kind, bool | np.bool_):
        return "boolean"
    if issubclass(kind, int | np.integer):
        return "integer"
    return "number" if issubclass(kind, float | np.floating) else "text"


def type_of_text(levels: Sequence[str]) -> ValueType:
    """Return the type of a column of a text file.

    Examples
    --------
    >>> type_of_text(["-1", "10"]), type_of_text(["01", "10"]), type_of_text([])
    ('integer', 'text', 'text')
    >>> type_of_text(["0.0", "1.0"]), type_of_text(["1", "1.0"]), type_of_text(["TRUE", "FALSE"])
    ('number', 'text', 'boolean')
    """
    if not levels:
        return "text"
    if all(map(_is_usual_integer, levels)):
        return "integer"
    # Levels that are equal as values could not be told apart.
    if len(set(map(value_of_text, levels))) < len(levels):
        return "text"
    if all(level in _BOOLEANS for level in levels):
        return "boolean"
    return "number" if all(map(_is_usual_number, levels)) else "text"


def _is_usual_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and (digits[0] != "0" or text == "0")


def _is_usual_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def value_of_text(text: str) -> Hashable:
    """Return a key that is equal for strings that stand for the same number or the same boolean.

    Examples
    --------
    >>> value_of_text("1") == value_of_text("1.0"), value_of_text("TRUE") == value_of_text("True")
    (True, True)
    >>> value_of_text("1") == value_of_text("True"), value_of_text("b") == value_of_text("B")
    (False, False)
    """
    if text in _BOOLEANS:
        return str(_BOOLEANS[text])
    # Not a float: integers may be larger than floats can tell apart.
    return Decimal(text) if _is_usual_number(text) else text


class LevelFinder(dict[str, str]):
    """A dictionary from strings to the levels that they mean.

    A string means the level that is equal to it; otherwise the only level, if there is one, that stands for the same
    number or boolean. A string that means no level is its own entry.

    Examples
    --------
    >>> find = LevelFinder(["0.0", "1.0"])
    >>> find["1"], find["1.0"], find["2"]
    ('1.0', '1.0', '2')
    >>> LevelFinder(["1", "1.0"])["1.00"]
    '1.00'
    """

    def __init__(self, levels: Sequence[str]) -> None:
        super().__init__((level, level) for level in levels)
        self._levels: dict[Hashable, list[str]] = {}
        for level in levels:
            self._levels.setdefault(value_of_text(level), []).append(level)

    def __missing__(self, text: str) -> str:
        found = self._levels.get(value_of_text(text), ())
        self[text] = found[0] if len(found) == 1 else text
        return self[text]
