"""The columns of numbers that stand for variables: one for a measured variable, indicators for a discrete one.

A variable with *k* observed levels becomes *k* − 1 columns, each 1 in the rows of a level and 0 elsewhere. The level
without a column is the most frequent one, the first of several: the correlations of the others are then far from
singular. No score depends on this choice, because another one multiplies the columns by a matrix with the determinant
1 or −1, and adds constants.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dagscape.data.mixed.mixed import MixedData
from dagscape.data.tables.numbers import Floats
from dagscape.scores.arithmetic.scatter import IntegerColumns


# What follows from indicators for all networks.
def normal_levels(data: MixedData) -> str:
    """Return what is to be said of networks where columns stand for levels; nothing where there are none."""
    if not data.discrete:
        return ""
    return "levels are taken for normal numbers, which is an approximation: directions are weak evidence"


@dataclass(frozen=True, slots=True)
class VariableColumns:
    """The columns of all variables.

    Attributes
    ----------
    columns : IntegerColumns
        The columns, as integers.
    first : tuple of int
        The first column of each variable, and the number of columns.
    indicators : ndarray of bool
        Whether the columns of a variable are those of its levels.
    """

    columns: IntegerColumns
    first: tuple[int, ...]
    indicators: NDArray[np.bool_]

    @classmethod
    def of_numbers(cls, values: Floats, more: Floats | None = None) -> VariableColumns:
        """Return the columns of measured variables; rows of a second table follow those of the first."""
        n = values.shape[1]
        return cls(IntegerColumns.of(_joined(values, more)), tuple(range(n + 1)), np.zeros(n, dtype=np.bool_))

    @classmethod
    def of_mixed(cls, data: MixedData, more: MixedData | None = None) -> VariableColumns:
        """Return the columns of mixed data, with one for each level; :meth:`independent` leaves out one of each.

        Rows of a second table with the same levels follow those of the first.

        Examples
        --------
        >>> from dagscape.data.discrete.dataset import Dataset
        >>> from dagscape.data.mixed.converting import mixed_from_dataset
        >>> found = VariableColumns.of_mixed(mixed_from_dataset(Dataset.from_array([["a"], ["b"], ["c"], ["b"]])))
        >>> found.first, found.independent().columns.integers.tolist()
        ((0, 3), [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
        """
        values = _joined(data.values, None if more is None else more.values)
        parts = [
            IntegerColumns.of_integers((cells[:, np.newaxis] == np.arange(levels)).astype(np.float64))
            if levels
            else IntegerColumns.of(cells[:, np.newaxis])
            for cells, levels in zip(values.T, data.level_counts, strict=True)
        ]
        first = np.cumsum([0, *(len(part.exponents) for part in parts)]).tolist()
        return cls(IntegerColumns.joined(parts), tuple(first), data.is_discrete)

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.indicators)

    @property
    def owners(self) -> list[int]:
        """The variable of each column."""
        return [v for v in range(self.n) for _ in range(self.first[v], self.first[v + 1])]

    def of_variable(self, variable: int) -> range:
        """Return the columns of a variable."""
        return range(self.first[variable], self.first[variable + 1])

    def vary(self, variable: int) -> bool:
        """Whether a variable has more than one value; of indicators, if one level is left out."""
        integers = self.columns.integers[:, list(self.of_variable(variable))]
        return bool((integers != integers[0]).any())

    def of_rows(self, rows: slice) -> VariableColumns:
        """Return the columns of some rows, as the same integers."""
        return VariableColumns(replace(self.columns, integers=self.columns.integers[rows]), self.first, self.indicators)

    def independent(self, rows: NDArray[np.bool_] | None = None) -> VariableColumns:
        """Return the columns without those of one level of each discrete variable, and of levels without rows.

        Parameters
        ----------
        rows : ndarray of bool, optional
            The rows that count. Default: all of them.
        """
        if not self.indicators.any():
            return self
        integers = self.columns.integers if rows is None else self.columns.integers[rows]
        kept: list[int] = []
        first = [0]
        for v in range(self.n):
            columns = [*self.of_variable(v)]
            if self.indicators[v]:
                counts = integers[:, columns].sum(axis=0)
                reference = columns[int(np.argmax(counts))]
                columns = [i for i, count in zip(columns, counts, strict=True) if count and i != reference]
            kept += columns
            first.append(len(kept))
        return VariableColumns(self.columns.only(kept), tuple(first), self.indicators)


def _joined(values: Floats, more: Floats | None) -> Floats:
    return values if more is None else np.concatenate([values, more])
