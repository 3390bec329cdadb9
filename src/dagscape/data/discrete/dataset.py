"""The data set that scores are computed from: discrete and immutable, with equal rows merged.

A :class:`Dataset` does not depend on the order of the original rows: it keeps the distinct rows, sorted, each
with the number of times it occurs.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from dagscape.core.checks import check_unicode
from dagscape.core.errors import InvalidData, InvalidOption, function, type_of
from dagscape.core.wording import plural
from dagscape.data.discrete.categories import level_categories
from dagscape.data.discrete.codes import check_codes, checked_weights
from dagscape.data.discrete.encoding import Encoded, EncodingOptions, Missing, encode_table
from dagscape.data.discrete.levels import LevelsOption, level_strings
from dagscape.data.discrete.rows import distinct_rows, merge_rows
from dagscape.data.discrete.summary import DataSummary, summarize
from dagscape.data.kinds.decisions import IGNORED, Wishes, with_levels
from dagscape.data.tables.chosen_variables import check_variable
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES
from dagscape.data.tables.columns import MISSING
from dagscape.data.tables.duplicate_names import DuplicateNames
from dagscape.data.tables.file_names import file_name
from dagscape.data.tables.frames import table_from_array, table_from_frame
from dagscape.data.tables.interventions import Marks
from dagscape.data.tables.remembering import Remembering
from dagscape.data.tables.selection import unused_columns
from dagscape.data.tables.table import Table, check_names, listing
from dagscape.data.tables.value_types import ValueType
from dagscape.results.base import frame_html, notebook_html

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import SupportsIndex, Unpack

    import pandas as pd

    from dagscape.data.discrete.discretizing import Discretizer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset(Remembering):
    """A table of discrete data, with equal rows merged.

    Make one with :func:`~dagscape.data.reading.read_data`, :meth:`from_frame`, :meth:`from_array`,
    :meth:`from_codes`, :func:`~dagscape.data.discrete.discretizing.discretize` or
    :func:`~dagscape.data.bundled.load_dataset`; the constructor does not check its arguments. Two data sets are
    equal if their variables, levels, rows and interventions are; the other attributes are not compared.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    levels : mapping of str to tuple of str
        The levels of each variable, in the order of their codes.
    codes : ndarray of uint8 or uint32
        Distinct rows × variables: the code of each cell. Rows are sorted lexicographically; 32 bits if any variable
        has more than 256 levels.
    weights : ndarray of int64
        How many times each distinct row occurs.
    interventions : ndarray of bool or None
        Distinct rows × variables: whether the variable was set in these rows; None if there are no interventions.
    missing : mapping of str to int
        The number of missing cells of each variable, as read.
    dropped : int
        The number of rows dropped because of missing cells.
    types : mapping of str to str
        The own type of each variable's values: ``"text"``, ``"integer"``, ``"number"``, ``"boolean"``, or ``"mixed"``
        for numbers among text, whose levels are text.
    set_aside : mapping of str to str
        The columns of the source that are no variables because they are constant or, if this was asked for, look like
        identifiers; with the reason.
    discretizer : Discretizer or None
        What cut its numbers; None if it was not discretised.
    holes : ndarray of bool or None
        Distinct rows × variables: whether the cell is missing, and its code, which is then 0, means nothing; None if no
        cell is. Only data made with ``missing="keep"`` have holes, and few methods can use them.
    source : str
        The name of the file they were read from, such as ``"poll.csv"`` or ``"builtin:iris"``; empty if they were not.
    weighted_by : str or None
        The column of the source that said how many times each row counts.

    Examples
    --------
    >>> data = Dataset.from_array([["no", "dry"], ["yes", "wet"], ["yes", "wet"]], ["rain", "street"])
    >>> data
    Dataset(2 variables, 3 rows, 2 of them distinct)
    >>> data.levels["street"], data.codes.tolist(), data.weights.tolist()
    (('dry', 'wet'), [[0, 0], [1, 1]], [1, 2])
    """

    variables: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
    weights: npt.NDArray[np.int64]
    interventions: Marks | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    dropped: int = 0
    types: Mapping[str, ValueType] = field(default_factory=dict)
    set_aside: Mapping[str, str] = field(default_factory=dict)
    discretizer: Discretizer | None = None
    holes: Marks | None = None
    source: str = ""
    weighted_by: str | None = None
    _known: dict[str, Any] = field(default_factory=dict, init=False)

    def __new__(cls, *parts: Any, **attributes: Any) -> Self:
        """Refuse a table, which :meth:`from_frame` or :meth:`from_array` would take."""
        if len(parts) == 1 and not attributes:
            raise InvalidOption(
                f"Dataset() does not take {type_of(parts[0])}: use Dataset.from_frame() for data frames, "
                f"Dataset.from_array() for arrays and {function('read_data')} for files"
            )
        return object.__new__(cls)

    def __post_init__(self) -> None:
        for array in (self.codes, self.weights, self.interventions, self.holes):
            if array is not None:
                array.flags.writeable = False
        for name, levels in self.levels.items():
            check_unicode([name], "the name of a variable")
            check_unicode(levels, f"a level of {name!r}")
        types = {name: self.types.get(name, "text") for name in self.variables}
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
        interventions: Any = None,
        weights: Any = None,
        randomised: Collection[str] = (),
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        duplicate_names: DuplicateNames = "error",
        columns: Collection[str] | None = None,
        drop: Collection[str] = (),
        nominal: Collection[str] = (),
        ignore: Collection[str] = (),
        keep_constant: bool = False,
        drop_suspicious: bool = False,
        max_memory: int | str | None = None,
    ) -> Dataset:
        """Make a data set from a data frame.

        Parameters
        ----------
        frame : data frame
            A frame of pandas, polars, pyarrow, modin or any other library that narwhals supports; not lazy. Categorical
            columns declare their levels, including unobserved ones: like the levels of factors in R, they
            change BDeu.
        missing : {"error", "level", "drop", "keep"}
            How to treat missing cells: raise an error, make them a level of their own, called ``?``, drop their rows,
            or keep them as :attr:`holes` for methods that can use them, such as predictions.
        levels : mapping of str to sequence or int, optional
            Declared levels by variable, in order, possibly unobserved; an integer k means the
            levels ``0``, ``1``, …, ``k - 1``.
        interventions : str, array-like or None
            The variables set in each row: the name of a column (which is then not a variable), one entry for
            each row, or a boolean matrix. An entry is empty (0, ``""``, ``none``, ``-``), the name or 1-based
            number of a variable, or several of these, separated by ``;`` or in a collection.
        weights : str, array-like of int or None
            How many times each row counts, as in a contingency table: the name of a column (which is then not a
            variable), or a count for each row. Rows with the weight 0 do not count. Survey weights, which are not
            counts, are refused.
        randomised : collection of str
            The variables whose value the experimenters assigned in every row, such as the arm of a randomised trial. No
            network has an edge into them.
        missing_values : collection of str
            Strings that mean a missing cell, besides null and NaN.
        duplicate_names : {"error", "rename"}
            What to do about columns of the same name: refuse them, unless all of them are left out; or call the second
            column ``x`` ``x.2``, the third ``x.3``, and so on.
        columns : collection of str, optional
            The columns to use, in this order. Default: all of them.
        drop : collection of str
            Columns not to use: all columns of these names. What they contain is not checked.
        nominal : collection of str
            Columns whose values are levels, in ascending order, even if they are decimals.
        ignore : collection of str
            Columns to set aside: as ``drop``, but recorded in :attr:`set_aside`.
        keep_constant : bool
            Keep columns with a single level. By default they are set aside, see :attr:`set_aside`.
        drop_suspicious : bool
            Set aside columns that look like identifiers: more than 20 distinct values, and more than half as many as
            there are rows. Columns in ``levels`` are kept. Numbers that are to be discretised may be nearly unique: of
            these, only integers that number the rows are set aside, one for each row, with few gaps or in order.
        max_memory : int or str, optional
            Limit on the memory of declared levels, such as ``"8GiB"``. Default: 80% of what is free.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"rain": ["no", "yes", None], "street": [0, 1, 1]})
        >>> data = Dataset.from_frame(frame, missing="level", levels={"street": 3})
        >>> dict(data.levels)
        {'rain': ('no', 'yes', '?'), 'street': ('0', '1', '2')}
        >>> Dataset.from_frame(pd.DataFrame({"rain": ["no", "yes"], "days": [250, 115]}), weights="days")
        Dataset(1 variable, 365 rows, 2 of them distinct)
        """
        wishes = Wishes.of(nominal, ignore=ignore)
        options: EncodingOptions = {
            "missing": missing,
            "levels": levels,
            "interventions": interventions,
            "weights": weights,
            "randomised": randomised,
            "columns": columns,
            "drop": drop,
            "keep_constant": keep_constant,
            "drop_suspicious": drop_suspicious,
            "max_memory": max_memory,
        }
        table = table_from_frame(
            frame, missing_values=missing_values, unused=unused_columns(options), duplicate_names=duplicate_names
        )
        wishes.check(table)
        return encode(table, nominal=wishes.nominal, ignore=wishes.ignore, **options)

    @classmethod
    def from_array(
        cls,
        array: npt.ArrayLike,
        variables: Sequence[str] | None = None,
        *,
        missing: Missing = "error",
        levels: LevelsOption | None = None,
        interventions: Any = None,
        weights: Any = None,
        randomised: Collection[str] = (),
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        columns: Collection[str] | None = None,
        drop: Collection[str] = (),
        keep_constant: bool = False,
        drop_suspicious: bool = False,
        max_memory: int | str | None = None,
    ) -> Dataset:
        """Make a data set from a two-dimensional array of integers, booleans, floats, strings or objects.

        Parameters
        ----------
        array : array-like
            Rows × variables.
        variables : sequence of str, optional
            Names. Default: ``X0``, ``X1``, ….
        missing, levels, interventions, weights, randomised, missing_values
            As in :meth:`from_frame`.
        columns, drop, keep_constant, drop_suspicious, max_memory
            Likewise.

        Examples
        --------
        >>> data = Dataset.from_array([[0, 1], [1, 1], [0, 1]])
        >>> data.weights.tolist(), data.variables, dict(data.set_aside)
        ([2, 1], ('X0',), {'X1': "has the same value, '1', in every row"})
        """
        return encode(
            table_from_array(array, variables, missing_values=missing_values),
            missing=missing,
            levels=levels,
            interventions=interventions,
            weights=weights,
            randomised=randomised,
            columns=columns,
            drop=drop,
            keep_constant=keep_constant,
            drop_suspicious=drop_suspicious,
            max_memory=max_memory,
        )

    @classmethod
    def from_codes(
        cls,
        codes: npt.ArrayLike,
        levels: Mapping[str, Sequence[object] | SupportsIndex],
        *,
        weights: npt.ArrayLike | None = None,
        interventions: npt.ArrayLike | None = None,
        missing: Mapping[str, int] | None = None,
        dropped: int = 0,
        types: Mapping[str, ValueType] | None = None,
        set_aside: Mapping[str, str] | None = None,
        discretizer: Discretizer | None = None,
        holes: npt.ArrayLike | None = None,
    ) -> Self:
        """Make a data set from level codes; rows may come in any order and more than once.

        Parameters
        ----------
        codes : array-like of int
            Rows × variables: the index of each cell's level.
        levels : mapping of str to sequence or int
            The variables in order, with their levels; an integer k means the levels ``0``, ``1``, …, ``k - 1``. A
            variable with a single level is kept.
        weights : array-like of int, optional
            How many times each row occurs, at least 1. Default: once.
        interventions : array-like of bool, optional
            Rows × variables: whether the variable was set.
        missing, dropped, types, set_aside, discretizer
            The attributes to record. Default: the types are those of the levels.
        holes : array-like of bool, optional
            Rows × variables: whether the cell is missing; its code is not used.

        Examples
        --------
        >>> data = Dataset.from_codes([[1], [0], [1]], {"rain": ["no", "yes"]}, weights=[2, 1, 1])
        >>> data.codes.tolist(), data.weights.tolist()
        ([[0], [1]], [1, 3])
        """
        strings, own = level_strings(levels)
        check_names(list(strings), "the data set")
        cells = np.asarray(codes)
        marks = None if interventions is None else np.asarray(interventions)
        gaps = None if holes is None else np.asarray(holes)
        for what, flags in (("interventions", marks), ("holes", gaps)):
            if flags is not None and (flags.shape != cells.shape or flags.dtype != np.bool_):
                raise InvalidData(f"the {what} must be a boolean array of the same shape as the codes")
        if gaps is not None:
            cells = np.where(gaps, 0, cells)
        check_codes(cells, strings)
        counts = checked_weights(weights, cells.shape[0])
        merged, counts, marks, gaps = merge_rows(cells, [len(strings[name]) for name in strings], counts, marks, gaps)
        about = (missing or dict.fromkeys(strings, 0), dropped, own if types is None else types, set_aside or {})
        return cls(tuple(strings), strings, merged, counts, marks, *about, discretizer, gaps)

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def m(self) -> int:
        """The number of rows."""
        return int(self.weights.sum())

    @property
    def arities(self) -> npt.NDArray[np.int64]:
        """The number of levels of each variable."""
        return np.array([len(self.levels[name]) for name in self.variables], dtype=np.int64)

    @property
    def has_missing(self) -> bool:
        """Whether cells are missing."""
        return self.holes is not None

    @property
    def experimental_rows(self) -> int:
        """The number of rows in which some variable was set."""
        return 0 if self.interventions is None else int(self.weights[self.interventions.any(axis=1)].sum())

    @property
    def fingerprint(self) -> str:
        """A SHA-256 digest of the content, in hexadecimal; it does not depend on the order of the rows."""
        return self.once("fingerprint", self._digest)

    def _digest(self) -> str:
        header = [self.variables, [self.levels[name] for name in self.variables], self.codes.shape]
        digest = hashlib.sha256(json.dumps(header).encode())
        digest.update(self.codes.astype("<u4").tobytes())
        digest.update(self.weights.astype("<i8").tobytes())
        if self.interventions is not None:
            digest.update(np.packbits(self.interventions).tobytes())
        if self.holes is not None:
            digest.update(b"holes")
            digest.update(np.packbits(self.holes).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, Dataset) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        aside = f", {len(self.set_aside)} set aside" if self.set_aside else ""
        rows = f"{plural(self.m, 'row')}, {self.weights.size:,} of them distinct"
        holes = 0 if self.holes is None else int(self.weights @ np.count_nonzero(self.holes, axis=1))
        missing = f", {plural(holes, 'missing cell')}" if holes else ""
        return f"Dataset({plural(self.n, 'variable')}{aside}, {rows}{missing})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the short form, and a summary of the first variables."""
        return notebook_html(self, frame_html(self.describe().to_frame()))

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        # Mapping proxies cannot be pickled.
        parts = (self.variables, dict(self.levels), self.codes, self.weights, self.interventions)
        about = (dict(self.missing), self.dropped, dict(self.types), dict(self.set_aside), self.discretizer)
        return type(self), (*parts, *about, self.holes, self.source, self.weighted_by)

    def select(self, variables: Iterable[str]) -> Dataset:
        """Return the data set of some variables, in the given order; rows that become equal are merged.

        Examples
        --------
        >>> data = Dataset.from_array([[0, 1], [1, 1], [0, 2]], ["a", "b"])
        >>> data.select(["a"]).weights.tolist()
        [2, 1]
        """
        if isinstance(variables, str):
            raise InvalidOption(f"is the string {variables!r}; it must be a collection of names", option="variables")
        names = list(variables)
        for name in names:
            self._check_variable(name)
        places = {name: place for place, name in enumerate(self.variables)}
        columns = [places[name] for name in names]
        if len(set(columns)) < len(columns):
            raise InvalidOption(f"a variable is selected more than once: {listing(names)}")
        selected = Dataset.from_codes(
            self.codes[:, columns],
            {name: self.levels[name] for name in names},
            weights=self.weights,
            interventions=None if self.interventions is None else self.interventions[:, columns],
            missing={name: self.missing.get(name, 0) for name in names},
            dropped=self.dropped,
            types={name: self.types[name] for name in names},
            set_aside=self.set_aside,
            discretizer=self.discretizer,
            holes=None if self.holes is None else self.holes[:, columns],
        )
        return replace(selected, source=self.source, weighted_by=self.weighted_by)

    def drop(self, variables: Iterable[str]) -> Dataset:
        """Return the data set without some variables; rows that become equal are merged.

        Examples
        --------
        >>> Dataset.from_array([[0, 1], [1, 1], [0, 2]], ["a", "b"]).drop(["b"]).weights.tolist()
        [2, 1]
        """
        if isinstance(variables, str):
            raise InvalidOption(f"is the string {variables!r}; it must be a collection of names", option="variables")
        unwanted = dict.fromkeys(variables)
        for name in unwanted:
            self._check_variable(name)
        return self.select(name for name in self.variables if name not in unwanted)

    def _check_variable(self, name: str) -> None:
        check_variable(name, self.variables, self.set_aside)

    def to_frame(self, expand: bool = True) -> pd.DataFrame:
        """Return the rows as a pandas data frame of categoricals, without interventions.

        The rows are sorted: a data set does not keep their order, nor the index of a frame. To compare rows one by one,
        use the original frame, and :meth:`Discretizer.transform` if its numbers were cut.

        The categories are values of the column's own type, see :attr:`types`. The level of missing cells is ``"?"``;
        missing cells that were kept are NaN.
        The levels of a text file that are written in another way, such as ``1.0`` or ``TRUE``, stay text, so that the
        frame has the same levels.

        Parameters
        ----------
        expand : bool
            Repeat each distinct row as often as it occurs; otherwise return it once, with a last column
            ``weight`` (``weight_`` if a variable has that name).

        Examples
        --------
        >>> print(Dataset.from_array([[0, 1], [1, 2], [0, 1]], ["a", "b"]).to_frame(expand=False))
           a  b  weight
        0  0  1       2
        1  1  2       1
        """
        import pandas as pd

        columns: dict[str, Any] = {}
        for i, name in enumerate(self.variables):
            cells = self.codes[:, i].astype(np.int64)
            if self.holes is not None:
                cells[self.holes[:, i]] = MISSING
            codes = np.repeat(cells, self.weights) if expand else cells
            columns[name] = pd.Categorical.from_codes(
                codes, categories=level_categories(self.levels[name], self.types[name])
            )
        if not expand:
            title = "weight"
            while title in columns:
                title += "_"
            columns[title] = self.weights
        return pd.DataFrame(columns)

    def with_ignored(self, ignore: Collection[str]) -> Dataset:
        """Return the data set with a record of columns that were left out because they are to be ignored.

        Examples
        --------
        >>> Dataset.from_array([[0, 1], [1, 0]]).with_ignored(["id"]).set_aside["id"]
        'is to be ignored'
        """
        return self.with_aside(dict.fromkeys(ignore, IGNORED))

    def with_aside(self, reasons: Mapping[str, str]) -> Dataset:
        """Return the data set with a record of more columns that were left out, and why."""
        if not reasons:
            return self
        aside = {**reasons, **self.set_aside}
        discretizer = self.discretizer and replace(self.discretizer, set_aside=aside)
        return replace(self, set_aside=aside, discretizer=discretizer)

    def describe(self) -> DataSummary:
        """Summarise the variables: levels, counts, missing cells, and warnings.

        Examples
        --------
        >>> Dataset.from_array([[0, 1], [1, 1]], ["a", "b"]).describe().warnings
        ("'b' has the same value, '1', in every row: it is set aside",)
        """
        return summarize(self)


def encode(
    table: Table,
    *,
    transform: Callable[[Table], Table] | None = None,
    measured: Collection[str] = (),
    nominal: Collection[str] = (),
    ignore: Collection[str] = (),
    **options: Unpack[EncodingOptions],
) -> Dataset:
    """Make the data set of a table.

    Parameters
    ----------
    table : Table
        The table as read.
    transform : callable, optional
        Applied to the rows that are kept, before levels are determined; for example discretising.
    measured : collection of str
        Columns that are not identifiers, because the user asked to transform them.
    nominal, ignore
        As in :meth:`Dataset.from_frame`.
    **options
        As in :meth:`Dataset.from_frame`.

    Examples
    --------
    >>> encode(table_from_array([["a", "?"], ["b", "c"], ["d", "e"]]), missing="drop").levels["X0"]
    ('b', 'd')
    """
    if nominal:
        table = with_levels(table, nominal)
    if ignore:
        drop = options.get("drop", ())
        options = {**options, "drop": [*drop, *(name for name in ignore if name not in drop)]}
    data = _dataset(encode_table(table, transform=transform, measured=measured, **options))
    return replace(data, source=file_name(table.source)).with_ignored(ignore)


def encode_rows(table: Table, *, levels: LevelsOption) -> tuple[Dataset, npt.NDArray[np.intp]]:
    """Make the data set of a table, and return the index of the distinct row that each row of the table became.

    Examples
    --------
    >>> data, places = encode_rows(table_from_array([["b"], ["a"], ["b"]]), levels={"X0": ["a", "b"]})
    >>> data.codes.tolist(), places.tolist()
    ([[0], [1]], [1, 0, 1])
    """
    encoded = encode_table(table, levels=levels, keep_constant=True)
    arities = [len(strings) for strings in encoded.levels.values()]
    return _dataset(encoded), distinct_rows(encoded.codes, arities)[1]


def _dataset(encoded: Encoded) -> Dataset:
    data = Dataset.from_codes(
        encoded.codes,
        encoded.levels,
        weights=encoded.weights,
        interventions=encoded.marks,
        holes=encoded.holes,
        missing=encoded.missing,
        dropped=encoded.dropped,
        types=encoded.types,
        set_aside=encoded.set_aside,
    )
    return replace(data, weighted_by=encoded.weighted_by)
