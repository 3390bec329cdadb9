"""Interventions: which variables were set, rather than observed, in each row.

In the data of Sachs et al., for example, a chemical fixed the level of one protein in each row of an experiment;
the column ``INT`` has the number of that protein, or 0. A row tells nothing about the parents of a
variable that was set in it, so scores leave it out of the families of that variable [cooper1999].

A variable that was set in every row, such as the arm of a randomised trial, has no causes in the table. No network has
an edge into it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidData, InvalidOption, SuspiciousColumns, argument, brief, did_you_mean
from dagscape.core.wording import plural
from dagscape.data.tables.columns import MISSING
from dagscape.data.tables.frames import cell_string, is_missing
from dagscape.data.tables.numbers import kind_of
from dagscape.data.tables.table import Table, listing

Marks = npt.NDArray[np.bool_]

# Entries, besides missing ones, that mean that no variable was set.
NOTHING = frozenset({"", "0", "none", "-"})

SEPARATOR = ";"

# Of fewer rows, all may well be from one experiment.
FEW_ROWS = 20


def split_interventions(
    table: Table, interventions: Any, randomised: Collection[str] = ()
) -> tuple[Table, Marks | None]:
    """Read the variables set in each row, and remove their column from the table.

    Parameters
    ----------
    table : Table
        All rows, as read.
    interventions : str, array-like or None
        The name of a column; or for each row no variable (``None``, 0, ``""``, ``"none"``, ``"-"``), the name or
        1-based number of one, several of them separated by ``;``, or a collection of names; or a boolean matrix
        of rows × variables.
    randomised : collection of str
        The variables that were set in every row.

    Returns
    -------
    table : Table
        The variables.
    marks : ndarray of bool or None
        Rows × variables: whether it was set.
    """
    names = _randomised_columns(table, randomised, interventions)
    table, marks = _split(table, interventions)
    _warn_of_constant_targets(table, marks, names)
    if names:
        marks = np.zeros((table.m, len(table.names)), dtype=np.bool_) if marks is None else marks.copy()
        marks[:, [table.place(name) for name in names]] = True
    return table, marks


def set_in_every_row(variables: Sequence[str], marks: Marks | None) -> tuple[str, ...]:
    """Return the variables that were set in every row.

    >>> set_in_every_row(["arm", "age"], np.array([[True, False], [True, True]]))
    ('arm',)
    """
    if marks is None or not len(marks):
        return ()
    return tuple(variables[v] for v in np.flatnonzero(marks.all(axis=0)).tolist())


def check_randomised(names: object) -> list[str]:
    """Return the names of randomised variables, each once."""
    if isinstance(names, str) or not isinstance(names, Collection):
        raise InvalidOption(f"is {brief(names)}; it must be a collection of names", option="randomised")
    return list(dict.fromkeys(names))


def _randomised_columns(table: Table, randomised: Collection[str], interventions: Any) -> list[str]:
    names = check_randomised(randomised)
    for name in names:
        if name not in table:
            known = did_you_mean(name, table.names) or f": its columns are {listing(table.names)}"
            raise InvalidOption(f"names {name!r}, which is not a column of {table.source}{known}", option="randomised")
        if isinstance(interventions, str) and name == interventions:
            raise InvalidOption(
                f"names {name!r}, which {argument('interventions')} names as well: it says which variables were set, "
                "and is no variable itself",
                option="randomised",
            )
    return names


def _warn_of_constant_targets(table: Table, marks: Marks | None, randomised: Collection[str]) -> None:
    """Warn if each row says that a variable was set, because then no network has an edge into it."""
    if table.m <= FEW_ROWS:
        return
    found = [name for name in set_in_every_row(table.names, marks) if name not in randomised]
    if found:
        were = f"{listing(found)} {'was' if len(found) == 1 else 'were'}"
        issue(
            SuspiciousColumns(
                f"{were} set in every row, so that no network has an edge into {'it' if len(found) == 1 else 'them'} "
                "(unless experiments changed mechanisms)",
                f": say so with {argument('randomised', found)}, or check the column of interventions",
            )
        )


def _split(table: Table, interventions: Any) -> tuple[Table, Marks | None]:
    if interventions is None:
        return table, None
    if isinstance(interventions, str):
        return _from_column(table, interventions)
    if _is_matrix(interventions):
        return table, _from_matrix(table, np.asarray(interventions))
    ordered = isinstance(interventions, Iterable) and not isinstance(interventions, Mapping | Set)
    entries = list(interventions) if ordered else None
    if entries is None or len(entries) != table.m:
        given = repr(interventions) if entries is None else f"of length {len(entries)}"
        raise InvalidOption(
            f"is {given}; it must be the name of a column, or one entry for each of the {table.m} rows",
            option="interventions",
        )
    marks = np.zeros((table.m, len(table.names)), dtype=np.bool_)
    for row, entry in enumerate(entries):
        parts = [entry] if isinstance(entry, str) or not isinstance(entry, Collection) else entry
        if parts is entry and not all(isinstance(part, str) for part in parts):
            raise InvalidOption(
                f"has {entry!r} at {table.where(row)}; a collection holds names, and a matrix booleans",
                option="interventions",
            )
        for part in parts:
            if not is_missing(part):
                marks[row, _parse_entry(cell_string(part), table, row)] = True
    return table, marks


def distinct_targets(variables: Sequence[str], marks: Marks | None) -> tuple[tuple[str, ...], ...]:
    """Return the sets of variables that were set together in some row, each once; none without interventions.

    The empty set stands for rows in which no variable was set.

    >>> distinct_targets(["a", "b"], np.array([[False, False], [True, True], [True, True]]))
    ((), ('a', 'b'))
    """
    if marks is None or not marks.any():
        return ()
    found = np.unique(np.packbits(marks, axis=1), axis=0)
    patterns = np.unpackbits(found, axis=1, count=marks.shape[1])
    targets = [tuple(variables[v] for v in np.flatnonzero(pattern).tolist()) for pattern in patterns]
    return tuple(sorted(targets, key=lambda target: (len(target), [variables.index(name) for name in target])))


def _from_column(table: Table, name: str) -> tuple[Table, Marks]:
    if name not in table:
        known = did_you_mean(name, table.names) or f": its columns are {listing(table.names)}"
        raise InvalidOption(f"is {name!r}, which is not a column of {table.source}{known}", option="interventions")
    column = table.column(name)
    table = table.without(name)
    # The last pattern, which the code -1 of missing cells selects, sets no variable.
    patterns = np.zeros((len(column.values) + 1, len(table.names)), dtype=np.bool_)
    for code, observed in enumerate(column.counts().tolist()):
        if observed:
            patterns[code, _parse_entry(column.values[code], table, column.first_row(code))] = True
    return table, patterns[column.codes]


def _is_matrix(interventions: Any) -> bool:
    if hasattr(interventions, "ndim"):
        return bool(interventions.ndim == 2)
    first = interventions[0] if isinstance(interventions, Sequence) and interventions else None
    return isinstance(first, Sequence) and bool(first) and all(isinstance(cell, bool) for cell in first)


def _from_matrix(table: Table, matrix: npt.NDArray[Any]) -> Marks:
    expected = (table.m, len(table.names))
    if matrix.shape != expected or matrix.dtype != np.bool_:
        raise InvalidOption(
            f"is a matrix of shape {matrix.shape} and type {matrix.dtype}; "
            f"it must be boolean, with {plural(expected[0], 'row')} and {plural(expected[1], 'column')}",
            option="interventions",
        )
    return matrix


def _parse_entry(text: str, table: Table, row: int) -> list[int]:
    """Return the indices of the variables in an entry; names take precedence over numbers and separators."""
    if text in table:
        return [table.place(text)]
    return [index for part in text.split(SEPARATOR) for index in _parse_part(part.strip(), table, row)]


def _parse_part(part: str, table: Table, row: int) -> list[int]:
    if part in table:
        return [table.place(part)]
    if part.lower() in NOTHING:
        return []
    # A column of integers with gaps may hold "2.0" for 2.
    number = int(float(part)) if kind_of([part]) == "integers" else MISSING
    if 0 <= number <= len(table.names):
        return [number - 1] if number else []
    raise InvalidData(
        f"{table.source} has {part!r} as an intervention at {table.where(row)}; "
        f"it must be 0, the name of a variable, or its number from 1 to {len(table.names)}"
    )
