"""Checks of what a network is made of: its structure, names, levels, types and probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.checks import check_unicode
from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.data.tables.table import listing
from dagscape.data.tables.value_types import VALUE_TYPES, ValueType, type_of_text
from dagscape.graphs.dag import Dag

# How far the sum of a row may be from 1: published networks are rounded to a few digits.
SUM_TOLERANCE = 1e-6


def invalid_row(table: NDArray[np.float64]) -> tuple[int, str] | None:
    """Return the index of the first row of a table that is not a distribution, and what is wrong with it; None if none.

    Examples
    --------
    >>> invalid_row(np.array([[0.5, 0.5], [0.5, 0.4]]))
    (1, 'sum to 0.9, not to 1')
    """
    with np.errstate(invalid="ignore", over="ignore"):
        sums = table.sum(axis=1)
        fine = (np.abs(sums - 1) <= SUM_TOLERANCE) & (table >= 0).all(axis=1)
    if fine.all():
        return None
    row = int(np.argmin(fine))
    for value in table[row].tolist():
        # Also true for NaN, for which every comparison is false.
        if not 0 <= value < np.inf:
            return row, f"include {value!r}, which is not a probability"
    return row, f"sum to {float(sums[row]):.9g}, not to 1"


def checked_structure(graph: object) -> Dag:
    """Return a DAG, or the DAG of another network."""
    dag = getattr(graph, "dag", graph)
    if not isinstance(dag, Dag):
        raise InvalidOption(
            f"is {type_of(graph)}; it must be a Dag (use to_dag() of a Cpdag, or networks[0] of a list)", option="dag"
        )
    return dag


def check_variables(variables: tuple[str, ...]) -> None:
    """Check that there are variables, and that their names can be written to a file."""
    if not variables:
        raise InvalidData("the network has no variables; it must have at least one")
    if "" in variables:
        raise InvalidData("a variable of the network has an empty name: give every variable a name")
    check_unicode(variables, "the name of a variable")


def check_keys(variables: tuple[str, ...], given: Mapping[str, Any], what: str) -> None:
    """Check that a mapping has an entry for each variable, and no others."""
    absent = [name for name in variables if name not in given]
    if absent:
        raise InvalidData(f"the network has no {what} for {listing(absent)}")
    others = [name for name in given if name not in set(variables)] if len(given) > len(variables) else []
    if others:
        raise InvalidData(f"the network has {what} for {listing(others)}, which its graph lacks")


def checked_levels(name: str, levels: Sequence[str]) -> tuple[str, ...]:
    """Return the levels of a variable, after checking that they are distinct strings."""
    strings = tuple(levels)
    if isinstance(levels, str) or not all(isinstance(text, str) for text in strings):
        raise InvalidData(f"the levels of {name!r} must be a sequence of strings")
    if not strings:
        raise InvalidData(f"{name!r} has no levels; it must have at least one")
    check_unicode(strings, f"a level of {name!r}")
    if len(set(strings)) < len(strings):
        raise InvalidData(f"the levels of {name!r} are not distinct: {listing(strings)}")
    return strings


def checked_types(levels: Mapping[str, tuple[str, ...]], types: Mapping[str, ValueType]) -> dict[str, ValueType]:
    """Return the type of each variable; by default that of its levels in a text file."""
    for name, kind in types.items():
        if name not in levels:
            raise InvalidData(f"the network has a type for {name!r}, which its graph lacks")
        if kind not in VALUE_TYPES:
            known = ", ".join(map(repr, VALUE_TYPES))
            raise InvalidData(f"the type of {name!r} is {kind!r}; it must be one of {known}")
    return {name: types.get(name, type_of_text(strings)) for name, strings in levels.items()}


def checked_cpt(
    name: str, levels: tuple[str, ...], parents: Mapping[str, tuple[str, ...]], given: ArrayLike
) -> NDArray[np.float64]:
    """Return a table as a read-only array, after checking its shape and its rows."""
    try:
        cpt = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidData(f"the probabilities of {name!r} are not an array of numbers") from error
    arities = [len(strings) for strings in parents.values()]
    shape = (*arities, len(levels))
    if cpt.shape != shape:
        of = f" given {', '.join(map(repr, parents))}" if parents else ""
        raise InvalidData(f"the probabilities of {name!r}{of} have shape {cpt.shape}; it must be {shape}")
    found = invalid_row(cpt.reshape(-1, len(levels)))
    if found is not None:
        state = np.unravel_index(found[0], arities) if arities else ()
        pairs = zip(parents.items(), state, strict=True)
        where = ", ".join(f"{parent!r} = {strings[int(code)]!r}" for (parent, strings), code in pairs)
        raise InvalidData(f"the probabilities of {name!r}{' given ' if where else ''}{where} {found[1]}")
    # Turn negative zeros into zeros, so that equal tables have equal bytes.
    cpt += 0.0
    cpt.flags.writeable = False
    return cpt
