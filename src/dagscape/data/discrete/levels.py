"""The levels of a column, their order, and the code of each cell.

Levels come from the argument ``levels``, else from the source's own declaration (a categorical type), else
from the cells: sorted as numbers if all are integers, otherwise as strings. Missing cells that are kept
become a last level of their own.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, count
from typing import SupportsIndex, TypeGuard

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import is_flag
from dagscape.core.errors import InvalidData, InvalidOption, argument, brief, function
from dagscape.core.resources import check_memory
from dagscape.data.tables.coding import ENTRY_BYTES
from dagscape.data.tables.columns import MISSING, NumberColumn
from dagscape.data.tables.numbers import kind_of, parse_numbers
from dagscape.data.tables.table import Table, listing
from dagscape.data.tables.value_types import ValueType, type_of_cells

LevelsOption = Mapping[str, Sequence[object] | SupportsIndex]

# The levels of a column, and the codes of its values, followed by the code of missing cells.
EncodedColumn = tuple[tuple[str, ...], npt.NDArray[np.int64]]

MISSING_LEVEL = "?"

# What a declared level takes: a string, its place in tuples, and its entries in the dictionary and the set of levels.
_LEVEL_BYTES = 200

# Fewer levels are not worth a look at the memory of the machine.
_MANY_LEVELS = 10_000


@dataclass(frozen=True, slots=True)
class Declaration:
    """The levels that the user declared for a variable.

    Attributes
    ----------
    levels : tuple of str
        The levels, in order.
    numbered : bool
        Whether only their number was given, so that the cell ``1.0`` may mean the level
        ``1``.
    """

    levels: tuple[str, ...]
    numbered: bool


def sort_levels(values: Sequence[str]) -> tuple[str, ...]:
    """Sort strings as numbers (ties as strings) if all are integers, otherwise as strings.

    Examples
    --------
    >>> sort_levels(["10", "9", "-1"]), sort_levels(["10", "9", "x"])
    (('-1', '9', '10'), ('10', '9', 'x'))
    """
    if kind_of(values) != "integers":
        return tuple(sorted(values))
    parsed = parse_numbers(values)
    assert parsed is not None
    if np.unique(parsed).size == len(values):
        return tuple([values[index] for index in np.argsort(parsed).tolist()])
    # Compare exactly: "1" and "1.0", or integers beyond the precision of a float.
    return tuple(sorted(values, key=lambda text: (Decimal(text), text)))


def check_declarations(
    levels: LevelsOption | None, table: Table, max_memory: int | str | None = None
) -> dict[str, Declaration]:
    """Return the declared levels by variable, as strings; an integer k means ``"0"`` to ``str(k - 1)``."""
    declarations: dict[str, Declaration] = {}
    if levels is not None and not isinstance(levels, Mapping):
        raise InvalidOption(f"is {brief(levels)}; it must map variables to levels, or to their number", option="levels")
    _check_number_of_levels(levels or {}, max_memory)
    for name, declared in (levels or {}).items():
        if name not in table.names:
            raise InvalidOption(
                f"declares {brief(name)}, which is not a variable of {table.source}: "
                f"its variables are {listing(table.names)}",
                option="levels",
            )
        if _is_listed(declared):
            declaration = Declaration(_level_strings(list(declared)), numbered=False)
        else:
            declaration = Declaration(tuple(map(str, range(_check_arity(name, declared)))), numbered=True)
        if not declaration.numbered:
            _check_distinct(name, declaration.levels)
        declarations[name] = declaration
    return declarations


def level_strings(levels: LevelsOption) -> tuple[dict[str, tuple[str, ...]], dict[str, ValueType]]:
    """Return the levels of all variables as strings, and their own types; an integer k means ``"0"`` to ``str(k - 1)``.

    Examples
    --------
    >>> level_strings({"a": ["x", "y"], "b": 3})
    ({'a': ('x', 'y'), 'b': ('0', '1', '2')}, {'a': 'text', 'b': 'integer'})
    """
    if not isinstance(levels, Mapping):
        raise InvalidOption(f"is {brief(levels)}; it must map variables to levels, or to their number", option="levels")
    _check_number_of_levels(levels, None)
    values: dict[str, Sequence[object]] = {
        name: list(declared) if isinstance(declared, Iterable) else range(_check_arity(name, declared))
        for name, declared in levels.items()
    }
    strings = {name: _level_strings(list(listed)) for name, listed in values.items()}
    return strings, {name: type_of_cells(listed) for name, listed in values.items()}


def _check_number_of_levels(levels: LevelsOption, max_memory: int | str | None) -> None:
    """Check the memory of declared levels: a short number can declare very many."""
    for name, declared in levels.items():
        if isinstance(declared, Iterable):
            count = len(declared) if isinstance(declared, Sized) else 0
        else:
            count = _check_arity(name, declared)
        if count >= _MANY_LEVELS:
            # Python does not write integers of thousands of digits.
            number = f"the {count:,}" if count < 2**63 else f"more than 2^{count.bit_length() - 1}"
            what = f"{number} declared levels of {brief(name)}"
            check_memory(count * _LEVEL_BYTES, max_memory, what, "raise it, or declare fewer levels")


def _is_listed(declared: object) -> TypeGuard[Iterable[object]]:
    return isinstance(declared, Iterable) and not isinstance(declared, str)


def _check_distinct(name: str, levels: tuple[str, ...]) -> None:
    if not levels:
        raise InvalidOption(f"declares no level for {name!r}; it must declare at least one", option="levels")
    seen: set[str] = set()
    for level in levels:
        if level in seen:
            raise InvalidOption(f"declares {level!r} more than once for {name!r}", option="levels")
        seen.add(level)


def _level_strings(levels: list[object]) -> tuple[str, ...]:
    """Return declared levels as strings, converted in the same way as the cells of a frame."""
    if not {list, dict}.isdisjoint(map(type, levels)):
        wrong = next(level for level in levels if isinstance(level, list | dict))
        raise InvalidOption(f"has the level {brief(wrong)}; it must be a string or a number", option="levels")
    floats = [level for level in levels if isinstance(level, float)]
    if floats and all(level.is_integer() for level in floats):
        return tuple(str(int(level)) if isinstance(level, float) else str(level) for level in levels)
    return tuple(map(str, levels))


def _check_arity(name: str, arity: object) -> int:
    try:
        number = operator.index(arity) if isinstance(arity, SupportsIndex) and not is_flag(arity) else 0
    except TypeError:
        number = 0
    if number < 1:
        raise InvalidOption(
            f"has {brief(arity)} for {brief(name)}; it must be a sequence of levels, or their number, which is at "
            "least 1",
            option="levels",
        )
    return number


def check_strings(table: Table, name: str, max_memory: int | str | None) -> None:
    """Check the memory of the levels of a column of numbers, which were not strings so far."""
    column = table.column(name)
    if isinstance(column, NumberColumn) and column.kind != "decimals" and column.has_more_than(_MANY_LEVELS):
        what = f"the {column.distinct:,} distinct values of column {name!r} of {table.source}, as levels,"
        leave_out = f"leave out the column with {argument('drop', [name])}"
        check_memory(column.distinct * ENTRY_BYTES, max_memory, what, f"raise it, or {leave_out}")


def encode_column(
    table: Table, name: str, declaration: Declaration | None, *, level_of_gaps: bool = True
) -> EncodedColumn:
    """Return the levels of a column, and the codes of its values, followed by the code of missing cells.

    Missing cells are a level of their own, or have the code -1.
    """
    column = table.column(name)
    if declaration is not None:
        levels = declaration.levels
        strings = _plain_integers(column.values) if declaration.numbered else column.values
        _check_declared(table, name, strings, levels)
    elif column.declared:
        levels = strings = column.values
    else:
        _check_discrete(table, name)
        strings = column.values
        levels = sort_levels(strings)
    position = {level: code for code, level in enumerate(levels)}
    # Unobserved categories of the source that `levels` omits have no code and need none.
    lookup = np.fromiter((position.get(text, MISSING) for text in strings), np.int64, count=len(strings))
    if column.missing and level_of_gaps:
        level = missing_level(levels, observed={strings[code] for code in np.flatnonzero(column.counts())})
        levels = levels if level in position else (*levels, level)
        return levels, np.append(lookup, position.get(level, len(levels) - 1))
    return levels, np.append(lookup, MISSING)


def _plain_integers(values: Sequence[str]) -> tuple[str, ...]:
    """Rewrite integers without a decimal point or exponent; leave other strings as they are."""
    if kind_of(values) != "integers":
        return tuple(values)
    return tuple(str(int(Decimal(text))) for text in values)


def _check_declared(table: Table, name: str, strings: Sequence[str], levels: tuple[str, ...]) -> None:
    column, known = table.column(name), frozenset(levels)
    for code, observed in enumerate(column.counts().tolist()):
        if observed and strings[code] not in known:
            raise InvalidData(
                f"{table.source} has {column.values[code]!r} in column {name!r} at "
                f"{table.where(column.first_row(code))}, which is not among its declared levels "
                f"{listing(levels)}"
            )


def _check_discrete(table: Table, name: str) -> None:
    column = table.column(name)
    if column.kind != "decimals":
        return
    numbers = column.numbers()
    assert numbers is not None
    row = int(np.argmax(np.isfinite(numbers) & (np.floor(numbers) != numbers)))
    raise InvalidData(
        f"{table.source} has decimals in column {name!r} (such as {column.cell(row)!r} at "
        f"{table.where(row)}): use {function('discretize')}, or list its levels in "
        f"{argument('levels')}"
    )


def level_of_missing(levels: Sequence[str]) -> str | None:
    """Return the level of missing cells among the levels of a variable; None if there is none.

    Examples
    --------
    >>> level_of_missing(["no", "yes", "?"]), level_of_missing(["?", "a", "(missing)"]), level_of_missing(["no", "yes"])
    ('?', '(missing)', None)
    """
    if MISSING_LEVEL not in levels:
        return None
    return levels[-1] if re.fullmatch(r"\(missing( \d+)?\)", levels[-1]) else MISSING_LEVEL


def missing_level(levels: tuple[str, ...], observed: set[str]) -> str:
    """Return the name of the level that missing cells become.

    If ``?`` is a declared level and no cell has that value, it means the missing cells.
    """
    if MISSING_LEVEL not in observed:
        return MISSING_LEVEL
    names: Iterable[str] = chain(["(missing)"], (f"(missing {number})" for number in count(2)))
    return next(name for name in names if name not in levels)
