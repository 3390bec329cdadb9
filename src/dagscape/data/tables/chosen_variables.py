"""Variables of data that users choose by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.data.tables.table import listing


def check_variable(name: str, variables: Sequence[str], set_aside: Mapping[str, str]) -> None:
    """Raise an error unless a name is that of a variable; it says why a column is none.

    Parameters
    ----------
    name : str
        The name.
    variables : sequence of str
        The variables.
    set_aside : mapping of str to str
        The columns that are no variables, and why.
    """
    if name in variables:
        return
    if name in set_aside:
        raise InvalidOption(f"{name!r} was set aside, because it {set_aside[name]}")
    known = did_you_mean(name, variables) or f": the variables are {listing(variables)}"
    raise InvalidOption(f"there is no variable {name!r}{known}")


def chosen_places(
    names: Iterable[str], variables: Sequence[str], set_aside: Mapping[str, str]
) -> tuple[tuple[str, ...], list[int]]:
    """Return the variables that are named, each once, and the places of their columns.

    Examples
    --------
    >>> chosen_places(["b"], ["a", "b"], {})
    (('b',), [1])
    """
    chosen = _checked(names, variables, set_aside)
    if not chosen or len(set(chosen)) < len(chosen):
        problem = f"holds a variable more than once: {listing(chosen)}" if chosen else "is empty"
        raise InvalidOption(problem, option="variables")
    places = {name: place for place, name in enumerate(variables)}
    return tuple(chosen), [places[name] for name in chosen]


def all_but(names: Iterable[str], variables: Sequence[str], set_aside: Mapping[str, str]) -> list[str]:
    """Return the variables that are not named.

    Examples
    --------
    >>> all_but(["b"], ["a", "b"], {})
    ['a']
    """
    unwanted = frozenset(_checked(names, variables, set_aside))
    return [name for name in variables if name not in unwanted]


def _checked(names: Iterable[str], variables: Sequence[str], set_aside: Mapping[str, str]) -> list[str]:
    if isinstance(names, str):
        raise InvalidOption(f"is the string {names!r}; it must be a collection of names", option="variables")
    listed = list(names)
    for name in listed:
        check_variable(name, variables, set_aside)
    return listed
