"""Data of which some variables are numbers and others have levels: immutable, with the rows in a fixed order.

A *measured* variable has numbers, and a *discrete* one levels, which are stored as their indices. The rows are sorted,
as those of :class:`~dagscape.NumericData`, so that nothing depends on the order in which they were read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
import numpy.typing as npt

from dagscape.core.caveats import issue
from dagscape.core.checks import check_unicode
from dagscape.core.errors import InvalidOption, function, type_of
from dagscape.data.discrete.categories import level_categories
from dagscape.data.discrete.encoding import Missing
from dagscape.data.discrete.levels import LevelsOption
from dagscape.data.kinds.decisions import IGNORED, NO_WISHES, Wishes
from dagscape.data.mixed.composing import ComposingOptions, compose_table
from dagscape.data.mixed.notices import mixed_choices, mixed_notice
from dagscape.data.tables.chosen_variables import all_but, chosen_places
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES
from dagscape.data.tables.columns import MISSING
from dagscape.data.tables.duplicate_names import DuplicateNames
from dagscape.data.tables.file_names import file_name
from dagscape.data.tables.frames import table_from_frame
from dagscape.data.tables.interventions import Marks
from dagscape.data.tables.number_rows import NumberRows, with_marks
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.remembering import Remembering
from dagscape.data.tables.selection import unused_columns
from dagscape.data.tables.table import Table
from dagscape.data.tables.value_types import ValueType

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MixedData(NumberRows, Remembering):
    """A table of measured and discrete variables.

    Make one with :meth:`from_frame`, ``read_data(kind="mixed")``, or from data of other kinds
    (``converting.py``); the constructor does not check its arguments. Two are equal if their variables, levels,
    rows and interventions are; the other attributes are not compared.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    values : ndarray of float64
        Rows × variables, read-only: a number of a measured variable, the index of a level of a discrete one, and NaN
        where a cell is missing. Rows are sorted lexicographically, missing cells last.
    levels : mapping of str to tuple of str
        The levels of each discrete variable, in the order of their indices.
    interventions : ndarray of bool or None
        Rows × variables: whether the variable was set in this row; None if there are no interventions.
    types : mapping of str to str
        The own type of the values of each discrete variable, as in :attr:`Dataset.types`.
    missing : mapping of str to int
        The number of missing cells of each variable, as read.
    dropped : int
        The number of rows dropped because of missing cells.
    set_aside : mapping of str to str
        The columns of the source that are no variables because they are constant, or look like identifiers, dates or
        free text; with the reason.
    source : str
        The name of the file they were read from; empty if they were not.
    weighted_by : str or None
        The column of the source that said how many times each row counts.
    guessed : tuple of str
        The discrete variables whose levels are numbers because these are few, and not because somebody said so.

    Examples
    --------
    >>> import pandas as pd
    >>> data = MixedData.from_frame(pd.DataFrame({"height": [1.5, 2.5, 0.5], "colour": ["red", "blue", "red"]}))
    >>> data
    MixedData(2 variables, 1 of them measured, 3 rows)
    >>> data.levels["colour"], data.values.tolist()
    (('blue', 'red'), [[0.5, 1.0], [1.5, 1.0], [2.5, 0.0]])
    """

    variables: tuple[str, ...]
    values: Floats
    levels: Mapping[str, tuple[str, ...]]
    interventions: Marks | None = None
    types: Mapping[str, ValueType] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    dropped: int = 0
    set_aside: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    weighted_by: str | None = None
    guessed: tuple[str, ...] = ()
    _known: dict[str, Any] = field(default_factory=dict, init=False)

    def __new__(cls, *parts: Any, **attributes: Any) -> Self:
        """Refuse a table, which :meth:`from_frame` would take."""
        if len(parts) == 1 and not attributes:
            raise InvalidOption(
                f"MixedData() does not take {type_of(parts[0])}: use MixedData.from_frame() for data frames and "
                f"{function('read_data')} for files"
            )
        return object.__new__(cls)

    def __post_init__(self) -> None:
        check_unicode(self.variables, "the name of a variable")
        for name, levels in self.levels.items():
            check_unicode(levels, f"a level of {name!r}")
        for array in (self.values, self.interventions):
            if array is not None:
                array.flags.writeable = False
        types = {name: self.types.get(name, "text") for name in self.levels}
        object.__setattr__(self, "types", MappingProxyType(types))
        for name in ("levels", "missing", "set_aside"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        missing: Missing = "error",
        levels: LevelsOption | None = None,
        nominal: Collection[str] = (),
        numeric: Collection[str] = (),
        ignore: Collection[str] = (),
        interventions: Any = None,
        weights: Any = None,
        randomised: Collection[str] = (),
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        duplicate_names: DuplicateNames = "error",
        columns: Collection[str] | None = None,
        drop: Collection[str] = (),
        keep_constant: bool = False,
        max_memory: int | str | None = None,
    ) -> MixedData:
        """Make mixed data from a data frame.

        Columns are told apart by what they hold, as :meth:`Dataset.describe` shows: what is measured stays a number;
        text, categories and few different integers are levels; identifiers, dates and free text are set aside, with a
        warning (:class:`~dagscape.AutomaticReading`).

        Parameters
        ----------
        frame : data frame
            A frame of pandas, polars, pyarrow, modin or any other library that narwhals supports; not lazy.
        missing : {"error", "level", "drop", "keep"}
            How to treat missing cells: raise an error, make those of discrete columns a level of their own, called
            ``?`` (measured columns must then have none), drop their rows, or keep them as NaN for methods that can use
            them.
        levels : mapping of str to sequence or int, optional
            Declared levels by variable, as in :meth:`Dataset.from_frame`; these variables are discrete.
        nominal : collection of str
            Columns whose values are levels, in ascending order, whatever they seem to hold.
        numeric : collection of str
            Columns that are measured, whatever they seem to hold.
        ignore : collection of str
            Columns to set aside: as ``drop``, but recorded in :attr:`set_aside`.
        interventions : str, array-like or None
            The variables set in each row, as in :meth:`Dataset.from_frame`.
        weights : str, array-like of int or None
            How many times each row counts, as in :meth:`Dataset.from_frame`; it is then there as often.
        randomised : collection of str
            The variables whose value the experimenters assigned in every row, as in :meth:`Dataset.from_frame`.
        missing_values : collection of str
            Strings that mean a missing cell, besides null and NaN.
        duplicate_names : {"error", "rename"}
            What to do about columns of the same name, as in :meth:`Dataset.from_frame`.
        columns : collection of str, optional
            The columns to use, in this order. Default: all of them.
        drop : collection of str
            Columns not to use. What they contain is not checked.
        keep_constant : bool
            Keep columns with a single value or level. By default they are set aside, see :attr:`set_aside`.
        max_memory : int or str, optional
            Limit on memory, such as ``"8GiB"``. Default: 80% of what is free.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"size": [1.5, 0.5, 2.5, 4.5, 3.5], "doors": [2, 4, 4, 2, 4], "year": [1, 2, 3, 4, 5]})
        >>> MixedData.from_frame(frame, numeric=["year"]).measured
        ('size', 'year')
        """
        options: ComposingOptions = {
            "missing": missing,
            "levels": levels,
            "interventions": interventions,
            "weights": weights,
            "randomised": randomised,
            "columns": columns,
            "drop": drop,
            "keep_constant": keep_constant,
            "max_memory": max_memory,
        }
        wishes = Wishes.of(nominal, numeric, ignore)
        table = table_from_frame(
            frame,
            missing_values=missing_values,
            unused=unused_columns(options),
            duplicate_names=duplicate_names,
            dates=True,
        )
        return told_of_mixed(table, wishes, **options)

    @property
    def discrete(self) -> tuple[str, ...]:
        """The variables that have levels."""
        return tuple(name for name in self.variables if name in self.levels)

    @property
    def measured(self) -> tuple[str, ...]:
        """The variables that are numbers."""
        return tuple(name for name in self.variables if name not in self.levels)

    @property
    def is_discrete(self) -> npt.NDArray[np.bool_]:
        """Whether each variable has levels."""
        return np.array([name in self.levels for name in self.variables], dtype=np.bool_)

    @property
    def level_counts(self) -> tuple[int, ...]:
        """The number of levels of each variable; 0 for a measured one."""
        return tuple(len(self.levels.get(name, ())) for name in self.variables)

    @property
    def indicator_count(self) -> int:
        """The number of columns that stand for levels: one fewer than a discrete variable has observed levels."""
        return sum(len(np.unique(self.values[:, v])) - 1 for v in np.flatnonzero(self.is_discrete))

    @property
    def fingerprint(self) -> str:
        """A SHA-256 digest of the content, in hexadecimal; it does not depend on the order of the rows."""
        return self.once("fingerprint", self._digest)

    def _digest(self) -> str:
        levels = [self.levels.get(name) for name in self.variables]
        digest = hashlib.sha256(json.dumps(["mixed", self.variables, levels, self.values.shape]).encode())
        digest.update(np.ascontiguousarray(self.values, dtype="<f8").data)
        if self.interventions is not None:
            digest.update(np.packbits(self.interventions).data)
        return digest.hexdigest()

    def __repr__(self) -> str:
        measured = len(self.measured)
        return self._short(f", {measured if 0 < measured < self.n else 'all' if measured else 'none'} of them measured")

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        # Mapping proxies cannot be pickled.
        parts = (self.variables, self.values, dict(self.levels), self.interventions, dict(self.types))
        about = (dict(self.missing), self.dropped, dict(self.set_aside), self.source, self.weighted_by, self.guessed)
        return type(self), (*parts, *about)

    def select(self, variables: Iterable[str]) -> MixedData:
        """Return the data of some variables, in the given order.

        Examples
        --------
        >>> import pandas as pd
        >>> data = MixedData.from_frame(pd.DataFrame({"size": [1.5, 0.5], "colour": ["red", "blue"]}))
        >>> data.select(["size"])
        MixedData(1 variable, all of them measured, 2 rows)
        """
        names, columns = chosen_places(variables, self.variables, self.set_aside)
        chosen = replace(
            self,
            variables=names,
            values=self.values[:, columns],
            levels={name: self.levels[name] for name in names if name in self.levels},
            interventions=None if self.interventions is None else self.interventions[:, columns],
            types={name: self.types[name] for name in names if name in self.types},
            missing={name: self.missing.get(name, 0) for name in names},
            guessed=tuple(name for name in self.guessed if name in names),
        )
        return with_marks(chosen, chosen.interventions)

    def drop(self, variables: Iterable[str]) -> MixedData:
        """Return the data without some variables.

        Examples
        --------
        >>> import pandas as pd
        >>> data = MixedData.from_frame(pd.DataFrame({"size": [1.5, 0.5], "colour": ["red", "blue"]}))
        >>> data.drop(["size"]).variables
        ('colour',)
        """
        return self.select(all_but(variables, self.variables, self.set_aside))

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame, sorted, without interventions; missing cells are NaN.

        Measured columns are floats, and discrete ones categoricals, whose categories are values of the column's own
        type, as in :meth:`Dataset.to_frame`.

        Examples
        --------
        >>> import pandas as pd
        >>> data = MixedData.from_frame(pd.DataFrame({"size": [1.5, 0.5], "colour": ["red", "blue"]}))
        >>> print(data.to_frame())
           size colour
        0   0.5   blue
        1   1.5    red
        """
        import pandas as pd

        columns: dict[str, Any] = {}
        for place, name in enumerate(self.variables):
            cells = self.values[:, place]
            if name in self.levels:
                codes = np.where(np.isnan(cells), MISSING, cells).astype(np.int64)
                categories = level_categories(self.levels[name], self.types[name])
                columns[name] = pd.Categorical.from_codes(codes, categories=categories)
            else:
                columns[name] = cells.copy()
        return pd.DataFrame(columns)


def mixed_from_table(table: Table, wishes: Wishes = NO_WISHES, **options: Unpack[ComposingOptions]) -> MixedData:
    """Make mixed data from a table.

    Parameters
    ----------
    table : Table
        The table as read.
    wishes : Wishes
        What the user has decided about columns.
    **options
        As in :meth:`MixedData.from_frame`.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> mixed_from_table(table_from_array([["0.5", "a"], ["?", "b"], ["1.5", "b"]]), missing="keep")
    MixedData(2 variables, 1 of them measured, 3 rows, 1 missing cell)
    """
    found = compose_table(table, wishes=wishes, **options)
    whole = MixedData(
        variables=found.variables,
        values=found.values,
        levels=found.levels,
        interventions=found.marks,
        types=found.types,
        missing=found.missing,
        dropped=found.dropped,
        set_aside={**dict.fromkeys(wishes.ignore, IGNORED), **found.set_aside},
        source=file_name(table.source),
        weighted_by=found.weighted_by,
        guessed=found.guessed,
    )
    return with_marks(whole, whole.interventions)


def told_of_mixed(
    table: Table, wishes: Wishes = NO_WISHES, *, asked: bool = True, **options: Unpack[ComposingOptions]
) -> MixedData:
    """Return mixed data as :func:`mixed_from_table` does, after a warning of what was decided about its columns.

    Whoever asked for the data has them, and need not be told of columns that are constant and nothing else.
    """
    data = mixed_from_table(table, wishes, **options)
    issue(mixed_choices(data) if asked else mixed_notice(data))
    return data
