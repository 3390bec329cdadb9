"""Lists of families as arrays: what the search over orders takes, and the blocks that they are joined from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Parent sets of one size, one per row, and their scores in units.
Block = tuple[NDArray[np.uint16], NDArray[np.int64]]


class FamilyArrays(NamedTuple):
    """Families of all children, as the kernel takes them.

    Attributes
    ----------
    first : array of int
        The families of child i are those from ``first[i]`` up to ``first[i + 1]``.
    scores : array of int
        Their scores, in units.
    parent_first : array of int
        The parents of family f are those from ``parent_first[f]`` up to ``parent_first[f + 1]``.
    parents : array of int
        The numbers of the parents.
    """

    first: NDArray[np.int64]
    scores: NDArray[np.int64]
    parent_first: NDArray[np.int64]
    parents: NDArray[np.uint16]

    @classmethod
    def from_blocks(cls, children: Sequence[Sequence[Block]]) -> FamilyArrays:
        """Join the blocks of each child."""
        blocks = [block for child in children for block in child]
        sizes = np.concatenate([np.full(len(sets), sets.shape[1]) for sets, _ in blocks])
        counts = [sum(len(sets) for sets, _ in child) for child in children]
        return cls(
            first=np.cumsum([0, *counts], dtype=np.int64),
            scores=np.concatenate([scores for _, scores in blocks]),
            parent_first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            parents=np.concatenate([sets.ravel() for sets, _ in blocks]),
        )
