"""Families in a table of codes: the row of a conditional probability table that applies to each row of data.

The states of the parents are numbered in mixed radix, with the last parent fastest, like the rows of a C-order array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, TooLarge, function, type_of
from dagscape.core.resources import format_bytes, memory_limit
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.tables.table import listing
from dagscape.data.tables.value_types import LevelFinder
from dagscape.data.values import FITTING_USE, check_complete

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


# A table has one axis for each parent and one for the child; NumPy allows 64.
MAX_PARENTS = 63


def parent_states(codes: NDArray[Any], parents: Sequence[int], arities: Sequence[int]) -> NDArray[np.int64]:
    """Return the index of the parents' joint state in each row.

    Parameters
    ----------
    codes : ndarray of int
        Rows × variables.
    parents : sequence of int
        The columns of the parents, slowest first.
    arities : sequence of int
        The number of levels of every variable.

    Examples
    --------
    >>> parent_states(np.array([[1, 0, 2], [0, 1, 1]]), [0, 2], [2, 2, 3]).tolist()
    [5, 1]
    """
    states = np.zeros(codes.shape[0], dtype=np.int64)
    for parent in parents:
        states *= arities[parent]
        states += codes[:, parent]
    return states


def table_entries(
    cpt: NDArray[np.float64], codes: NDArray[Any], parents: Sequence[int], child: int, arities: Sequence[int]
) -> NDArray[np.float64]:
    """Return the entry of a family's table that applies to each row.

    Parameters
    ----------
    cpt : ndarray of float64
        The table: one axis for each parent, then one for the child.
    codes, parents, arities
        As in :func:`parent_states`.
    child : int
        The column of the child.

    Examples
    --------
    >>> table_entries(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0, 1], [1, 1]]), [0], 1, [2, 2]).tolist()
    [0.1, 0.6]
    """
    return cpt.ravel()[parent_states(codes, [*parents, child], arities)]


def matching_columns(
    variables: Sequence[str], data: Dataset, ignored: Collection[str] = (), *, incomplete: bool = False
) -> list[int]:
    """Return the column of each variable in a data set, which must have these variables and no others.

    Parameters
    ----------
    variables : sequence of str
        The variables of the network.
    data : Dataset
        The data.
    ignored : collection of str
        Other variables that the data may have.
    incomplete : bool
        Whether cells may be missing.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> matching_columns(["a", "b"], Dataset.from_array([[0, 1], [1, 0]], ["b", "a"]))
    [1, 0]
    """
    if not isinstance(data, Dataset):
        raise InvalidOption(
            f"is {type_of(data)}; it must be a Dataset: use {function('read_data')} or Dataset.from_frame()",
            option="data",
        )
    if not incomplete:
        check_complete(data, "a network's tables", FITTING_USE)
    column = {name: index for index, name in enumerate(data.variables)}
    absent = [name for name in variables if name not in column]
    if absent:
        aside = "".join(
            f"; {name!r} was set aside, because it {data.set_aside[name]}" for name in absent if name in data.set_aside
        )
        raise InvalidData(f"the data lack variables of the network: {listing(absent)}{aside}")
    known = {*variables, *ignored}
    others = [name for name in data.variables if name not in known]
    if others:
        raise InvalidData(
            f"the data have variables that the network lacks: {listing(others)}; remove them with data.select()"
        )
    return [column[name] for name in variables]


def matching_codes(
    variables: Sequence[str], levels: Mapping[str, tuple[str, ...]], data: Dataset, columns: Sequence[int]
) -> NDArray[np.int64]:
    """Return the rows of a data set as codes of a network's levels, whose order may differ from that of the data.

    Parameters
    ----------
    variables : sequence of str
        The variables of the network.
    levels : mapping of str to tuple of str
        Their levels in the network.
    data : Dataset
        The data; levels that the network lacks must not occur. The codes of missing cells mean nothing.
    columns : sequence of int
        The column of each variable in the data.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> matching_codes(["a"], {"a": ("no", "yes")}, Dataset.from_codes([[0], [1]], {"a": ("yes", "no")}), [0]).tolist()
    [[1], [0]]
    """
    codes = np.empty((data.codes.shape[0], len(variables)), dtype=np.int64, order="F")
    for variable, (name, column) in enumerate(zip(variables, columns, strict=True)):
        observed = slice(None) if data.holes is None else ~data.holes[:, column]
        lookup = level_numbers(name, levels[name], data.levels[name], data.codes[observed, column])
        codes[:, variable] = lookup[data.codes[:, column]]
    return codes


def level_numbers(
    name: str, levels: tuple[str, ...], strings: tuple[str, ...], cells: NDArray[Any]
) -> NDArray[np.int64]:
    """Return the network's code of each level of the data; -1 for unobserved levels that the network lacks.

    Parameters
    ----------
    name : str
        The variable.
    levels, strings : tuple of str
        Its levels in the network, and in the data.
    cells : ndarray of int
        The codes that occur in the data.

    Examples
    --------
    >>> level_numbers("rain", ("no", "yes"), ("yes", "no", "maybe"), np.array([0, 1, 1])).tolist()
    [1, 0, -1]
    """
    number = {level: index for index, level in enumerate(levels)}
    find = LevelFinder(levels)
    lookup = np.array([number.get(find[text], -1) for text in strings], dtype=np.int64)
    unknown = [strings[code] for code in np.flatnonzero(np.bincount(cells, minlength=len(strings))) if lookup[code] < 0]
    if unknown:
        raise InvalidData(
            f"the data have levels of {name!r} that the network lacks: {listing(unknown)}; "
            f"the network has {listing(levels)}"
        )
    return lookup


def check_available_memory(needed: int, what: str, remedy: str) -> None:
    """Raise :class:`TooLarge` if a job needs more memory than is available."""
    limit = memory_limit(None)
    if needed > limit:
        raise TooLarge(f"{what} need {format_bytes(needed)}; the limit is {format_bytes(limit)}: {remedy}")
