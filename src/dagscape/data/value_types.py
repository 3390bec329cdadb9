"""The own type of a column: levels are strings inside, and turn back into the values that the user gave.

The type is ``"text"``, ``"integer"``, ``"number"`` or ``"boolean"``. The columns of frames and arrays have the type of
their cells or categories. A text file has no types: there a column is ``"integer"`` if each of its levels is an integer
in its usual form (``7``, but not ``07`` or ``7.0``), and otherwise ``"text"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from dagscape.errors import InvalidOption

ValueType = Literal["text", "integer", "number", "boolean"]

VALUE_TYPES: tuple[ValueType, ...] = ("text", "integer", "number", "boolean")

_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": {"True": True, "False": False}.__getitem__,
}


def own_values(levels: Iterable[str], value_type: str) -> list[Any]:
    """Return levels as Python values of their column's own type.

    A level that is not of that type stays a string: this is the level of missing cells, ``?``.

    Parameters
    ----------
    levels : iterable of str
        Levels of a variable.
    value_type : {"text", "integer", "number", "boolean"}
        Its type, as in :attr:`Dataset.types`.

    Examples
    --------
    >>> own_values(["0", "1", "?"], "integer"), own_values(["1", "2.5"], "number"), own_values(["True"], "boolean")
    ([0, 1, '?'], [1.0, 2.5], [True])
    """
    if value_type not in _PARSERS:
        known = ", ".join(map(repr, VALUE_TYPES))
        raise InvalidOption(f"is {value_type!r}; it must be one of {known}", option="value_type")
    return [_parsed(level, _PARSERS[value_type]) for level in levels]


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
    ('integer', 'number', 'boolean', 'text')
    """
    kinds = {_type_of_class(kind) for kind in set(map(type, cells))}
    if kinds == {"integer", "number"}:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "text"


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
    """
    return "integer" if levels and all(map(_is_usual_integer, levels)) else "text"


def _is_usual_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and (digits[0] != "0" or text == "0")
