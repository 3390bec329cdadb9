"""What data share whose rows are rows of an array of numbers, one row for each row of the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dagscape.core.wording import plural
from dagscape.data.tables.row_order import row_order
from dagscape.results.base import frame_html, notebook_html

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from dagscape.data.tables.interventions import Marks
    from dagscape.data.tables.numbers import Floats


_Rows = TypeVar("_Rows", bound="NumberRows")


class NumberRows(ABC):
    """Rows of numbers, NaN where a cell is missing, and the variables that were set in each row."""

    __slots__ = ()

    variables: tuple[str, ...]
    values: Floats
    interventions: Marks | None
    set_aside: Mapping[str, str]

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A SHA-256 digest of the content, in hexadecimal; it does not depend on the order of the rows."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame."""

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def m(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def has_missing(self) -> bool:
        """Whether a cell is missing."""
        return bool(np.isnan(self.values).any())

    @property
    def experimental_rows(self) -> int:
        """The number of rows in which some variable was set."""
        return 0 if self.interventions is None else int(np.count_nonzero(self.interventions.any(axis=1)))

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def _short(self, kinds: str = "") -> str:
        """Return the short form, with what is to be said of the variables."""
        aside = f", {len(self.set_aside)} set aside" if self.set_aside else ""
        holes = int(np.count_nonzero(np.isnan(self.values)))
        missing = f", {plural(holes, 'missing cell')}" if holes else ""
        return f"{type(self).__name__}({plural(self.n, 'variable')}{kinds}{aside}, {plural(self.m, 'row')}{missing})"

    def __repr__(self) -> str:
        return self._short()

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the short form, and the first rows."""
        return notebook_html(self, frame_html(self.to_frame()))


def with_marks(data: _Rows, marks: Marks | None) -> _Rows:
    """Return the same rows in their order, with other marks of interventions; None if no variable was set."""
    record: Any = data
    if marks is not None and not marks.any():
        marks = None
    order = row_order(data.values, marks)
    marks = None if marks is None else marks[order]
    found: _Rows = replace(record, values=data.values[order], interventions=marks)
    return found
