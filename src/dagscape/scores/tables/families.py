"""Families with their scores, as shown to users."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from dagscape.core.wording import plural
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.tables.lattice import Members

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Family:
    """A child, a set of parents, and their local score (natural log, higher is better)."""

    child: str
    parents: tuple[str, ...]
    score: float


class FamilyList(Sequence[Family]):
    """Families of one child, best first. Ties are ordered by number of parents, then by the order of the variables.

    Attributes
    ----------
    child : str
        The child.
    scores : array of float
        The local scores of the families.
    """

    def __init__(
        self,
        variables: Sequence[str],
        child: int,
        sets: Sequence[Members],
        exact: NDArray[np.int64],
        unit: Unit,
    ) -> None:
        """Sort the families of ``sets``, arrays of parent sets by increasing size, by their ``exact`` scores."""
        # A stable sort keeps tied families in their given order: by size, then by mask.
        order = np.argsort(-exact, kind="stable")
        starts = np.cumsum([0, *map(len, sets)])
        self.child = variables[child]
        self.exact = exact[order]
        self.scores = unit.to_floats(self.exact)
        self._variables = variables
        self._sets = sets
        self._block = np.searchsorted(starts, order, side="right") - 1
        self._row = order - starts[self._block]

    def __len__(self) -> int:
        return len(self.exact)

    @overload
    def __getitem__(self, index: int) -> Family: ...
    @overload
    def __getitem__(self, index: slice) -> list[Family]: ...
    def __getitem__(self, index: int | slice) -> Family | list[Family]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        parents = self.members(index)
        return Family(self.child, tuple(self._variables[p] for p in parents), float(self.scores[index]))

    def first(self, count: int) -> FamilyList:
        """Return the ``count`` best of these families."""
        shorter = copy(self)
        shorter.exact, shorter.scores = self.exact[:count], self.scores[:count]
        shorter._block, shorter._row = self._block[:count], self._row[:count]
        return shorter

    def members(self, index: int) -> tuple[int, ...]:
        """Return the numbers of the parents of one family."""
        return tuple(self._sets[self._block[index]][self._row[index]].tolist())

    def __repr__(self) -> str:
        best = f", best {self[0].parents} {self[0].score:.4f}" if len(self) else ""
        return f"FamilyList({self.child!r}: {plural(len(self), 'family', 'families')}{best})"

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per family."""
        import pandas as pd

        return pd.DataFrame({"child": self.child, "parents": [family.parents for family in self], "score": self.scores})
