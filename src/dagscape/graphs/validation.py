"""Checks of the input to a graph: names of variables, sets of parents, orders, collections of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dagscape.core.checks import check_names
from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.graphs.words import word_count

# The sets of each variable that algorithms on a graph hold at a time.
_SETS_HELD = 4


def numbered(variables: Sequence[str]) -> dict[str, int]:
    """Return the number of each variable by its name."""
    check_names(variables)
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


def check_graph_memory(n: int, graphs: int = 1) -> None:
    """Refuse graphs on so many variables that the sets of their parents and children do not fit in memory.

    A file that lists names and few edges can be far smaller than the sets, which have a bit for each pair of variables.
    """
    what = f"{plural(graphs, 'graph')} on {plural(n, 'variable')}"
    check_memory(graphs * n * word_count(n) * 8 * _SETS_HELD, None, what, "reduce the file")


def check_order(variables: Sequence[str], order: Sequence[str]) -> None:
    """Refuse an order that does not have every variable once."""
    if sorted(variables) != sorted(order):
        raise InvalidOption("the new order must have every variable of the graph once, and no others")


def check_collection(names: object, what: str) -> None:
    """Refuse anything but a collection of names; a single string is not one."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidOption(f"{what} is {names!r}; it must be a collection of names")


def check_variables(
    variables: Sequence[str], expected: Sequence[str], owner: str, *, option: str | None = None
) -> None:
    """Refuse a structure that does not have the expected variables, and name one that it lacks, or has in addition.

    Parameters
    ----------
    variables : sequence of str
        The variables of the structure.
    expected : sequence of str
        The variables that it must have, in any order.
    owner : str
        What has them, for the message.
    option : str, optional
        The argument that gives the structure. Default: it is the known structure.

    Examples
    --------
    >>> check_variables(["rain", "snow"], ["rain", "street"], "the data", option="start")
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidOption: start does not have the variables of the data: it lacks 'street' and has 'snow'
    """
    present, wanted = set(variables), set(expected)
    missing = [name for name in expected if name not in present]
    extra = [name for name in variables if name not in wanted]
    if missing or extra:
        wrong = [f"{verb} {names[0]!r}" for verb, names in (("lacks", missing), ("has", extra)) if names]
        message = f"does not have the variables of {owner}: it {' and '.join(wrong)}"
        raise InvalidOption(message if option else f"the known structure {message}", option=option)
