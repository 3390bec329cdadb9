"""Columns of the same name: refused, renamed by a rule, or left out together.

Columns are known by their names everywhere, so that two of one name cannot both be used as they are. Nothing is lost
if all of them are left out, and under the rule ``"rename"`` the second, third, … column called ``score`` are called
``score.2``, ``score.3``, …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Literal

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, argument
from dagscape.data.tables.numbers import parse_numbers
from dagscape.data.tables.table import check_names, unnamed_column

DuplicateNames = Literal["error", "rename"]

DUPLICATE_CHOICES: tuple[DuplicateNames, ...] = ("error", "rename")


def distinct_names(
    names: Sequence[str],
    source: str,
    duplicates: DuplicateNames = "error",
    unused: Callable[[str], bool] | None = None,
) -> dict[str, int]:
    """Return the names of the columns to read, all different, with the place of each column.

    Parameters
    ----------
    names : sequence of str
        The names as read.
    source : str
        What to call the table in messages.
    duplicates : {"error", "rename"}
        What to do about columns of the same name.
    unused : callable, optional
        Tells whether columns of a name are not used: of several, the first then stands for all.

    Examples
    --------
    >>> distinct_names(["a", "b", "a", "a.2"], "'x.csv'", "rename")
    {'a': 0, 'b': 1, 'a.3': 2, 'a.2': 3}
    >>> distinct_names(["a", "b", "a"], "'x.csv'", unused=lambda name: name == "a")
    {'a': 0, 'b': 1}
    """
    check_choice(duplicates, DUPLICATE_CHOICES, "duplicate_names")
    listed = _renamed(names) if duplicates == "rename" else list(names)
    places: dict[str, int] = {}
    for place, name in enumerate(listed):
        if not name:
            raise unnamed_column(source, place + 1)
        if name not in places:
            places[name] = place
        elif unused is None or not unused(name):
            raise _repeated_name(name, names, source)
    check_names(list(places), source)
    return places


def _repeated_name(name: str, names: Sequence[str], source: str) -> InvalidData:
    remedy = (
        f"; tell the columns apart with {argument('duplicate_names', 'rename')}, or leave all of them out with "
        f"{argument('drop', [name])}"
    )
    if parse_numbers(names) is not None:
        remedy = ", and the first line must have the names, not numbers"
    return InvalidData(f"{source} has more than one column called {name!r}: names must differ{remedy}")


def _renamed(names: Sequence[str]) -> list[str]:
    """Return the names with a number after the second, third, … of each that occurs several times."""
    taken, found = set(names), list[str]()
    times: dict[str, int] = {}
    for name in names:
        times[name] = times.get(name, 0) + 1
        new = name
        if name and times[name] > 1:
            new = next(text for number in count(times[name]) if (text := f"{name}.{number}") not in taken)
            taken.add(new)
        found.append(new)
    return found
