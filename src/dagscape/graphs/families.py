"""A variable and its parents in a table of codes: which row of a conditional probability table applies to which row.

The states of the parents are numbered in mixed radix, the last parent fastest, as the rows of a table in C order are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.data.dataset import Dataset
from dagscape.data.table import listing
from dagscape.errors import InvalidData, InvalidOption, TooLarge
from dagscape.resources import format_bytes, memory_limit

if TYPE_CHECKING:
    from collections.abc import Sequence


# A table has one axis for each parent and one for the child; NumPy allows 64.
MAX_PARENTS = 63


def parent_states(codes: NDArray[Any], parents: Sequence[int], arities: Sequence[int]) -> NDArray[np.int64]:
    """Return the number of the parents' joint state in each row.

    Parameters
    ----------
    codes : ndarray of int
        Rows × variables.
    parents : sequence of int
        The columns of the parents, the slowest first.
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


def matching_columns(variables: Sequence[str], data: Dataset) -> list[int]:
    """Return the column of each variable in a data set, which must have these variables and no others.

    Examples
    --------
    >>> from dagscape.data.dataset import Dataset
    >>> matching_columns(["a", "b"], Dataset.from_array([[0, 1]], ["b", "a"]))
    [1, 0]
    """
    if not isinstance(data, Dataset):
        raise InvalidOption(
            f"data is a {type(data).__name__}; make a Dataset of it first, with read_data() or Dataset.from_frame()"
        )
    column = {name: index for index, name in enumerate(data.variables)}
    absent = [name for name in variables if name not in column]
    if absent:
        raise InvalidData(f"the data lack variables of the network: {listing(absent)}")
    known = set(variables)
    others = [name for name in data.variables if name not in known]
    if others:
        raise InvalidData(
            f"the data have variables that the network lacks: {listing(others)}; leave them out with data.select()"
        )
    return [column[name] for name in variables]


def check_room(needed: int, what: str, remedy: str) -> None:
    """Refuse a job that needs more memory than there is."""
    limit = memory_limit(None)
    if needed > limit:
        raise TooLarge(f"{what} need {format_bytes(needed)}; {format_bytes(limit)} may be taken: {remedy}")
