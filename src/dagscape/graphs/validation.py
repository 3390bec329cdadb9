"""Checks of the input to a graph: names of variables, sets of parents, orders, collections of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dagscape.errors import InvalidData, InvalidOption
from dagscape.wording import plural


def check_variables(variables: Sequence[str]) -> None:
    """Refuse names that are not strings, or not distinct."""
    seen = set()
    for name in variables:
        if not isinstance(name, str):
            raise InvalidData(f"the name {name!r} of a variable is not a string")
        if name in seen:
            raise InvalidData(f"two variables are called {name!r}")
        seen.add(name)


def numbered(variables: Sequence[str]) -> dict[str, int]:
    """Return the number of each variable by its name."""
    check_variables(variables)
    return {name: number for number, name in enumerate(variables)}


def check_masks(variables: Sequence[str], masks: Sequence[int]) -> None:
    """Refuse sets that do not fit the variables, and edges from a variable to itself."""
    if len(masks) != len(variables):
        raise InvalidData(f"there are {len(variables)} variables, but {plural(len(masks), 'set')} of parents")
    for number, mask in enumerate(masks):
        if mask < 0 or mask >> len(variables):
            raise InvalidData(f"the parents of {variables[number]!r} are not a set of the variables")
        if mask >> number & 1:
            raise InvalidData(f"{variables[number]!r} cannot be a parent of itself")


def check_order(variables: Sequence[str], order: Sequence[str]) -> None:
    """Refuse an order that does not have every variable once."""
    if sorted(variables) != sorted(order):
        raise InvalidOption("the new order must have every variable of the graph once, and no others")


def check_collection(names: object, what: str) -> None:
    """Refuse anything but a collection of names; a single string is not one."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidOption(f"{what} is {names!r}; it must be a collection of names")
