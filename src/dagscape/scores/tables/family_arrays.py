"""Local scores in the layouts of the kernels.

Two layouts are arrays with a row for each child and a column for each set of parents: *by mask*, all 2^(n−1) sets of
the other variables; and *by size*, the sets of at most ``max_parents`` of all variables, as tiled walks over the
lattice need (``native/include/dagscape/sets/tiles.hpp``). The third is a *list*, for few families.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.graphs.words import word_count
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.lattice import Members, SetIndex, set_count

# Tiled walks are faster if there are few parents.
_FEW_PARENTS = 5

Layout = Literal["mask", "size", "list"]


def suits_tiles(n: int, max_parents: int) -> bool:
    """Whether families can be walked in tiles, and are few enough for this to be faster."""
    return can_be_tiled(n, max_parents) and max_parents <= _FEW_PARENTS


def can_be_tiled(n: int, max_parents: int) -> bool:
    """Whether families can be walked in tiles."""
    return n >= kernels.LEAST_TILED and max_parents < n


def families_by_mask(scores: EnumerableScores, n: int | None = None, *, prior_only: bool = False) -> NDArray[np.int64]:
    """Return the scores, in units, of all parent sets, by bit mask without the child's bit.

    Parameters
    ----------
    scores : EnumerableScores
        The scores.
    n : int, optional
        The number of rows. If it exceeds the number of variables, isolated variables are added as padding.
    prior_only : bool
        Return the structure prior of each possible family in place of its score.
    """
    n = scores.n if n is None else n
    values = np.empty((n, 1 << (n - 1)), dtype=np.int64)
    for child in range(scores.n):
        row = scores.score_row(child)
        values[child, : len(row)] = scores.prior_row(child, row) if prior_only else row
        values[child, len(row) :] = IMPOSSIBLE
    values[scores.n :] = IMPOSSIBLE
    values[scores.n :, 0] = 0
    return values


def families_by_size(scores: EnumerableScores, n: int | None = None, *, prior_only: bool = False) -> NDArray[np.int64]:
    """Return the scores, in units, of all sets of at most ``max_parents`` variables, by size, then by mask.

    The parameters are those of :func:`families_by_mask`.
    """
    n = scores.n if n is None else n
    values = np.empty((n, set_count(n, scores.max_parents)), dtype=np.int64)
    own, index = SetIndex(scores.n, scores.max_parents), SetIndex(n, scores.max_parents)
    values[scores.n :] = IMPOSSIBLE
    values[scores.n :, 0] = 0
    for child in range(scores.n):
        listed = scores.scores_by_size(child)
        if prior_only:
            listed = scores.prior_by_size(child, listed)
        for size in range(scores.max_parents + 1):
            exact = listed[own.of_size(size)]
            # Of the sets of one size, those without padding come first.
            row = values[child, index.of_size(size)]
            row[: len(exact)] = exact
            row[len(exact) :] = IMPOSSIBLE
    return values


def family_list(scores: EnumerableScores) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]:
    """Return the possible families as a list: where each child's families begin, their parent sets, their scores.

    Scores are in units. Sets are rows of 64-bit words (:mod:`dagscape.graphs.words`); for up to 64 variables, where one
    word is enough, they are single numbers, as the kernels expect.
    """
    words = word_count(scores.n)
    first, masks, values = [0], [np.empty((0, words), dtype=np.uint64)], [np.empty(0, dtype=np.int64)]
    for child in range(scores.n):
        count = 0
        for sets in scores.family_sets(child):
            exact = scores.exact_scores(child, sets)
            keep = exact != IMPOSSIBLE
            masks.append(_as_words(sets[keep], words))
            values.append(exact[keep])
            count += int(keep.sum())
        first.append(first[-1] + count)
    listed = np.concatenate(masks)
    return np.array(first, dtype=np.int64), listed[:, 0] if words == 1 else listed, np.concatenate(values)


def _as_words(sets: Members, words: int) -> NDArray[np.uint64]:
    """Convert sets of one size from rows of members to rows of words."""
    masks = np.zeros((len(sets), words), dtype=np.uint64)
    rows = np.arange(len(sets))
    for members in sets.T:
        masks[rows, members // 64] |= np.left_shift(np.uint64(1), (members % 64).astype(np.uint64))
    return masks


def kernel_families(scores: EnumerableScores, layout: Layout) -> kernels.Families:
    """Return the families as a kernel expects them."""
    if layout == "mask":
        return kernels.Families.by_mask(families_by_mask(scores))
    if layout == "size":
        return kernels.Families.by_size(families_by_size(scores), scores.max_parents)
    return kernels.Families.listed(*family_list(scores))
