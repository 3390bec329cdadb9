"""Sorting the rows of a table of small integers, and merging equal ones.

Comparing rows cell by cell is slow. Instead, the cells of a row are packed into a few 63-bit words, in mixed
radix with the first column most significant. The words then compare as the rows do, and a stable sort by each
word, last word first, sorts the rows lexicographically. The cost is one pass over the table and one sort per
word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagscape.data.tables.table import Table

Flags = npt.NDArray[np.bool_]

_WORD_LIMIT = 2**63


def pack_words(columns: Iterable[tuple[npt.NDArray[np.generic], int]]) -> list[npt.NDArray[np.int64]]:
    """Pack columns of small integers into words that compare as the rows do.

    Parameters
    ----------
    columns : iterable of (array, int)
        The values of each column, at least 0, and their exclusive upper bound, at most 2**63.

    Returns
    -------
    list of ndarray of int64
        The words, most significant first; empty for a table without columns, in which all rows are equal.

    Examples
    --------
    >>> [word.tolist() for word in pack_words([(np.array([1, 0]), 2), (np.array([2, 2]), 3)])]
    [[5, 2]]
    """
    words: list[npt.NDArray[np.int64]] = []
    span = 1
    for values, radix in columns:
        if not words or span * radix > _WORD_LIMIT:
            words.append(values.astype(np.int64))
            span = radix
        else:
            words[-1] *= radix
            words[-1] += values.astype(np.int64, copy=False)
            span *= radix
    return words


def group_rows(
    words: list[npt.NDArray[np.int64]],
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the sorted order of the rows, and where in it each group of equal rows starts.

    Examples
    --------
    >>> order, starts = group_rows([np.array([7, 3, 7])])
    >>> order.tolist(), starts.tolist()
    ([1, 0, 2], [0, 1])
    """
    order = np.lexsort(words[::-1])
    changes = np.zeros(order.size, dtype=np.bool_)
    changes[:1] = True
    for word in words:
        ranked = word[order]
        changes[1:] |= ranked[1:] != ranked[:-1]
    return order, np.flatnonzero(changes)


def distinct_rows(codes: npt.NDArray[Any], arities: Sequence[int]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return where each distinct row occurs first, and the distinct row of each row.

    Examples
    --------
    >>> [array.tolist() for array in distinct_rows(np.array([[1], [0], [1]]), [2])]
    [[1, 0], [1, 0, 1]]
    """
    if not arities:
        return np.zeros(min(1, len(codes)), dtype=np.intp), np.zeros(len(codes), dtype=np.intp)
    order, starts = group_rows(pack_words((codes[:, i], arity) for i, arity in enumerate(arities)))
    places = np.empty(len(codes), dtype=np.intp)
    places[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(codes))))
    return order[starts], places


def rows_differ(table: Table) -> bool:
    """Whether a table has several rows, which all differ.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> rows_differ(table_from_array([[0, 1], [0, 2]])), rows_differ(table_from_array([[0, 1], [0, 1]]))
    (True, False)
    """
    _, starts = group_rows(pack_words((column.groups() + 1, column.distinct + 1) for column in table.columns))
    return starts.size == table.m > 1


def code_type(arities: Iterable[int]) -> type[np.uint8] | type[np.uint32]:
    """Return the type of level codes: 8 bits if all variables allow it, otherwise 32.

    Examples
    --------
    >>> code_type([2, 256]).__name__, code_type([2, 257]).__name__
    ('uint8', 'uint32')
    """
    return np.uint8 if max(arities) <= 256 else np.uint32


def merge_rows(
    codes: npt.NDArray[Any],
    arities: Sequence[int],
    weights: npt.NDArray[np.int64],
    marks: Flags | None,
    holes: Flags | None = None,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], Flags | None, Flags | None]:
    """Sort rows by codes, then by marks and holes, and merge those that agree in all, adding their weights.

    Parameters
    ----------
    codes : ndarray of int
        Rows × variables.
    arities : sequence of int
        The number of levels of each variable, greater than all of its codes.
    weights : ndarray of int64
        How many times each row occurs.
    marks : ndarray of bool or None
        Rows × variables: whether it was set. If no mark is set, None is returned for the marks.
    holes : ndarray of bool or None
        Rows × variables: whether the cell is missing; likewise.

    Examples
    --------
    >>> codes, weights, _, _ = merge_rows(np.array([[1], [0], [1]]), [2], np.array([1, 1, 1]), None)
    >>> codes.tolist(), weights.tolist()
    ([[0], [1]], [1, 2])
    """
    columns = [(codes[:, index], arity) for index, arity in enumerate(arities)]
    marks, holes = (None if flags is None or not flags.any() else flags for flags in (marks, holes))
    for flags in (marks, holes):
        columns += [] if flags is None else [(flags[:, index], 2) for index in range(flags.shape[1])]
    order, starts = group_rows(pack_words(columns))
    first = order[starts]
    merged = np.ascontiguousarray(codes[first], dtype=code_type(arities))
    counts = np.add.reduceat(weights[order], starts)
    return merged, counts, None if marks is None else marks[first], None if holes is None else holes[first]
