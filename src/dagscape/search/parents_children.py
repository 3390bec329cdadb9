"""The result of :func:`dagscape.mmpc`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural
from dagscape.results.base import Result, check_shape
from dagscape.results.decoding import Between, Count, Share
from dagscape.search.independence_kinds import INDEPENDENCE_TESTS, TestName

if TYPE_CHECKING:
    import pandas as pd

# Largest finite double.
_LARGEST = float(np.finfo(np.float64).max)

Strengths = Annotated[NDArray[np.float64], Between(0, _LARGEST)]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ParentsChildren(Result):
    """The likely parents and children of each variable, not told apart.

    Attributes
    ----------
    strengths : array of float
        ``strengths[i, j]`` is the strength of the dependence of two neighbours: minus the natural log of the largest
        p-value of all tests of the two, whatever was conditioned on. Tests count in the search for the neighbours of
        *i* and in that for *j*; with ``symmetric=False``, only in those of the two that found the other variable. It
        is 0 if the two are not neighbours. The matrix is symmetric.
    alpha : float
        The level of the tests.
    tests : int
        The number of tests that were made.
    test : str
        The test: ``"g2"`` of discrete data, ``"fisher-z"`` of measured ones, or ``"mi-cg"`` of mixed ones.
    """

    kind: ClassVar[str] = "parents-and-children"

    strengths: Strengths
    alpha: Share
    tests: Count
    # Earlier files lack it.
    test: TestName = "g2"

    @property
    def adjacent(self) -> NDArray[np.bool_]:
        """Whether two variables are neighbours, for every two variables."""
        return self.strengths > 0

    @property
    def pair_count(self) -> int:
        """The number of pairs of neighbours."""
        return int(np.count_nonzero(self.strengths)) // 2

    def neighbours(self, variable: str) -> tuple[str, ...]:
        """Return the parents and children of a variable, the strongest first."""
        row = self.strengths[self._number(variable)]
        order = np.argsort(-row, kind="stable")
        return tuple(self.variables[i] for i in order[: np.count_nonzero(row)])

    def _check(self) -> None:
        super(ParentsChildren, self)._check()
        n = len(self.variables)
        check_shape("strengths", self.strengths, (n, n))
        if np.any(self.strengths != self.strengths.T) or np.any(np.diagonal(self.strengths)):
            raise InvalidData("strengths is not a symmetric matrix with zeros on the diagonal")

    def to_frame(self) -> pd.DataFrame:
        """Return the pairs of neighbours, one per row, the strongest first."""
        import pandas as pd

        first, second = np.nonzero(np.triu(self.strengths))
        columns = {
            "variable": [self.variables[i] for i in first],
            "neighbour": [self.variables[j] for j in second],
            "strength": self.strengths[first, second],
        }
        return pd.DataFrame(columns).sort_values("strength", ascending=False, kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        size = f"{plural(len(self.variables), 'variable')}, {plural(self.pair_count, 'pair')}"
        tests = plural(self.tests, f"{INDEPENDENCE_TESTS[self.test].title} test")
        return f"ParentsChildren({size} of neighbours, {tests}, alpha {self.alpha:g})"
