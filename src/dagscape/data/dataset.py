"""The data set that scores are computed from: discrete, complete and immutable, with equal rows merged.

A :class:`Dataset` does not depend on the order of the original rows: it keeps the distinct rows, sorted, each
with the number of times it occurs.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from dagscape.data.frames import table_from_array, table_from_frame
from dagscape.data.interventions import Marks, split_interventions
from dagscape.data.levels import LevelsOption, check_declarations, encode_column
from dagscape.data.rows import code_type, group_rows, merge_rows, pack_words
from dagscape.data.summary import DataSummary, summarize
from dagscape.data.table import DEFAULT_MISSING_VALUES, MISSING, Table, check_names, listing
from dagscape.errors import InvalidData, InvalidOption, argument
from dagscape.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd


Missing = Literal["error", "level", "drop"]

MISSING_CHOICES: tuple[Missing, ...] = ("error", "level", "drop")

# The kernels count rows in 32 bits.
MAX_ROWS = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """A table of discrete data, with equal rows merged.

    Make one with :func:`~dagscape.data.reading.read_data`, :meth:`from_frame`, :meth:`from_array`,
    :meth:`from_codes`, :func:`~dagscape.data.discretizing.discretize` or
    :func:`~dagscape.data.bundled.load_dataset`; the constructor does not check its arguments. Two data sets are
    equal if their variables, levels, rows and interventions are; ``missing`` and ``dropped`` are not compared.

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

    def __post_init__(self) -> None:
        for array in (self.codes, self.weights, self.interventions):
            if array is not None:
                array.flags.writeable = False
        object.__setattr__(self, "levels", MappingProxyType(dict(self.levels)))
        object.__setattr__(self, "missing", MappingProxyType(dict(self.missing)))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        missing: Missing = "error",
        levels: LevelsOption | None = None,
        interventions: Any = None,
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    ) -> Dataset:
        """Make a data set from a data frame.

        Parameters
        ----------
        frame : data frame
            A frame of pandas, polars, pyarrow, modin or any other library that narwhals supports; not lazy. Categorical
            columns declare their levels, including unobserved ones: like the levels of factors in R, they
            change BDeu.
        missing : {"error", "level", "drop"}
            How to treat missing cells: raise an error, make them a level of their own, called ``?``, or drop
            their rows.
        levels : mapping of str to sequence or int, optional
            Declared levels by variable, in order, possibly unobserved; an integer k means the
            levels ``0``, ``1``, …, ``k - 1``.
        interventions : str, array-like or None
            The variables set in each row: the name of a column (which is then not a variable), one entry for
            each row, or a boolean matrix. An entry is empty (0, ``""``, ``none``, ``-``), the name or 1-based
            number of a variable, or several of these, separated by ``;`` or in a collection.
        missing_values : collection of str
            Strings that mean a missing cell, besides null and NaN.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"rain": ["no", "yes", None], "street": [0, 1, 1]})
        >>> data = Dataset.from_frame(frame, missing="level", levels={"street": 3})
        >>> dict(data.levels)
        {'rain': ('no', 'yes', '?'), 'street': ('0', '1', '2')}
        """
        table = table_from_frame(frame, missing_values=missing_values)
        return encode(table, missing=missing, levels=levels, interventions=interventions)

    @classmethod
    def from_array(
        cls,
        array: npt.ArrayLike,
        variables: Sequence[str] | None = None,
        *,
        missing: Missing = "error",
        levels: LevelsOption | None = None,
        interventions: Any = None,
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    ) -> Dataset:
        """Make a data set from a two-dimensional array of integers, booleans, floats, strings or objects.

        Parameters
        ----------
        array : array-like
            Rows × variables.
        variables : sequence of str, optional
            Names. Default: ``X0``, ``X1``, ….
        missing, levels, interventions, missing_values
            As in :meth:`from_frame`.

        Examples
        --------
        >>> Dataset.from_array([[0, 1], [1, 1], [0, 1]]).weights.tolist()
        [2, 1]
        """
        table = table_from_array(array, variables, missing_values=missing_values)
        return encode(table, missing=missing, levels=levels, interventions=interventions)

    @classmethod
    def from_codes(
        cls,
        codes: npt.ArrayLike,
        levels: Mapping[str, Sequence[str]],
        *,
        weights: npt.ArrayLike | None = None,
        interventions: npt.ArrayLike | None = None,
        missing: Mapping[str, int] | None = None,
        dropped: int = 0,
    ) -> Self:
        """Make a data set from level codes; rows may come in any order and more than once.

        Parameters
        ----------
        codes : array-like of int
            Rows × variables: the index of each cell's level.
        levels : mapping of str to sequence of str
            The variables in order, with their levels.
        weights : array-like of int, optional
            How many times each row occurs, at least 1. Default: once.
        interventions : array-like of bool, optional
            Rows × variables: whether the variable was set.
        missing, dropped
            The numbers of missing cells and dropped rows to record.

        Examples
        --------
        >>> data = Dataset.from_codes([[1], [0], [1]], {"rain": ["no", "yes"]}, weights=[2, 1, 1])
        >>> data.codes.tolist(), data.weights.tolist()
        ([[0], [1]], [1, 3])
        """
        strings = {name: tuple(levels[name]) for name in levels}
        check_names(list(strings), "the data set")
        cells = np.asarray(codes)
        _check_codes(cells, strings)
        counts = _check_weights(weights, cells.shape[0])
        marks = None if interventions is None else np.asarray(interventions)
        if marks is not None and (marks.shape != cells.shape or marks.dtype != np.bool_):
            raise InvalidData("the interventions must be a boolean array of the same shape as the codes")
        merged, counts, marks = merge_rows(cells, [len(strings[name]) for name in strings], counts, marks)
        return cls(tuple(strings), strings, merged, counts, marks, missing or dict.fromkeys(strings, 0), dropped)

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
    def experimental_rows(self) -> int:
        """The number of rows in which some variable was set."""
        return 0 if self.interventions is None else int(self.weights[self.interventions.any(axis=1)].sum())

    @property
    def fingerprint(self) -> str:
        """A SHA-256 digest of the content, in hexadecimal; it does not depend on the order of the rows."""
        header = [self.variables, [self.levels[name] for name in self.variables], self.codes.shape]
        digest = hashlib.sha256(json.dumps(header).encode())
        digest.update(self.codes.astype("<u4").tobytes())
        digest.update(self.weights.astype("<i8").tobytes())
        if self.interventions is not None:
            digest.update(np.packbits(self.interventions).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, Dataset) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Dataset({plural(self.n, 'variable')}, {plural(self.m, 'row')}, {self.weights.size:,} of them distinct)"

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        # Mapping proxies cannot be pickled.
        parts = (self.variables, dict(self.levels), self.codes, self.weights, self.interventions)
        return type(self), (*parts, dict(self.missing), self.dropped)

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
            if name not in self.levels:
                raise InvalidOption(f"there is no variable {name!r}: the variables are {listing(self.variables)}")
        columns = [self.variables.index(name) for name in names]
        if len(set(columns)) < len(columns):
            raise InvalidOption(f"a variable is selected more than once: {listing(names)}")
        return Dataset.from_codes(
            self.codes[:, columns],
            {name: self.levels[name] for name in names},
            weights=self.weights,
            interventions=None if self.interventions is None else self.interventions[:, columns],
            missing={name: self.missing.get(name, 0) for name in names},
            dropped=self.dropped,
        )

    def to_frame(self, expand: bool = True) -> pd.DataFrame:
        """Return the rows as a pandas data frame of categoricals, without interventions.

        Parameters
        ----------
        expand : bool
            Repeat each distinct row as often as it occurs; otherwise return it once, with a last column
            ``weight`` (``weight_`` if a variable has that name).

        Examples
        --------
        >>> print(Dataset.from_array([[0, 1], [1, 1], [0, 1]], ["a", "b"]).to_frame(expand=False))
           a  b  weight
        0  0  1       2
        1  1  1       1
        """
        import pandas as pd

        codes = np.repeat(self.codes, self.weights, axis=0) if expand else self.codes
        columns: dict[str, Any] = {
            name: pd.Categorical.from_codes(
                codes[:, i].astype(np.int64), categories=pd.Index(self.levels[name], dtype=object)
            )
            for i, name in enumerate(self.variables)
        }
        if not expand:
            title = "weight"
            while title in columns:
                title += "_"
            columns[title] = self.weights
        return pd.DataFrame(columns)

    def describe(self) -> DataSummary:
        """Summarise the variables: levels, counts, missing cells, and warnings.

        Examples
        --------
        >>> Dataset.from_array([[0, 1], [1, 1]], ["a", "b"]).describe().warnings
        ("'b' has the same value, '1', in every row",)
        """
        return summarize(self)


def encode(
    table: Table,
    *,
    missing: Missing = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    transform: Callable[[Table], Table] | None = None,
) -> Dataset:
    """Make the data set of a table.

    Parameters
    ----------
    table : Table
        The table as read.
    missing, levels, interventions
        As in :meth:`Dataset.from_frame`.
    transform : callable, optional
        Applied to the rows that are kept, before levels are determined; for example discretising.

    Examples
    --------
    >>> encode(table_from_array([["a", "?"], ["b", "c"]]), missing="drop").levels["X0"]
    ('b',)
    """
    codes, found, about = _encoded(table, missing, levels, interventions, transform)
    return Dataset.from_codes(codes, found, **about)


def encode_rows(table: Table, *, levels: LevelsOption) -> tuple[Dataset, npt.NDArray[np.int64]]:
    """Make the data set of a table, and return the index of the distinct row that each row of the table became.

    Examples
    --------
    >>> data, places = encode_rows(table_from_array([["b"], ["a"], ["b"]]), levels={"X0": ["a", "b"]})
    >>> data.codes.tolist(), places.tolist()
    ([[0], [1]], [1, 0, 1])
    """
    codes, found, about = _encoded(table, "error", levels, None, None)
    data = Dataset.from_codes(codes, found, **about)
    order, starts = group_rows(pack_words((codes[:, i], len(found[name])) for i, name in enumerate(found)))
    places = np.empty(len(codes), dtype=np.int64)
    places[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(codes))))
    return data, places


def _encoded(
    table: Table,
    missing: Missing,
    levels: LevelsOption | None,
    interventions: Any,
    transform: Callable[[Table], Table] | None,
) -> tuple[npt.NDArray[Any], dict[str, tuple[str, ...]], dict[str, Any]]:
    """Return the codes of all rows, the levels, and the other arguments of ``Dataset.from_codes``."""
    if missing not in MISSING_CHOICES:
        raise InvalidOption(f"is {missing!r}; it must be 'error', 'level' or 'drop'", option="missing")
    table, marks = split_interventions(table, interventions)
    declarations = check_declarations(levels, table)
    absent = {name: column.missing for name, column in zip(table.names, table.columns, strict=True)}
    kept = _rows_to_keep(table, missing, absent)
    dropped = int(table.m - np.count_nonzero(kept))
    if dropped:
        table = table.take(kept)
        marks = None if marks is None else marks[kept]
    if transform is not None:
        table = transform(table)
    encoded = {name: encode_column(table, name, declarations.get(name)) for name in table.names}
    found = {name: strings for name, (strings, _) in encoded.items()}
    codes = np.empty((table.m, len(found)), dtype=code_type(map(len, found.values())))
    for index, (name, (_, lookup)) in enumerate(encoded.items()):
        codes[:, index] = lookup[table.column(name).codes]
    return codes, found, {"interventions": marks, "missing": absent, "dropped": dropped}


def _rows_to_keep(table: Table, missing: Missing, absent: Mapping[str, int]) -> npt.NDArray[np.bool_]:
    """Return which rows to keep, given how missing cells are treated."""
    kept = np.ones(table.m, dtype=np.bool_)
    if missing == "level" or not any(absent.values()):
        return kept
    for column in table.columns:
        kept &= column.codes != MISSING
    if missing == "error":
        row = int(np.argmin(kept))
        pairs = zip(table.names, table.columns, strict=True)
        name = next(name for name, column in pairs if column.codes[row] == MISSING)
        raise InvalidData(
            f"{table.source} has {sum(absent.values())} missing cells, the first in column {name!r} at "
            f"{table.where(row)}: use {argument('missing', 'level')} to make them a level of their own, "
            f"or {argument('missing', 'drop')} to leave out their rows"
        )
    if not kept.any():
        raise InvalidData(
            f"{table.source} has a missing cell in every row: {argument('missing', 'drop')} would drop all of them"
        )
    return kept


def _check_codes(codes: npt.NDArray[Any], levels: Mapping[str, tuple[str, ...]]) -> None:
    if codes.ndim != 2 or codes.shape[1] != len(levels) or codes.dtype.kind not in "iu":
        raise InvalidData(f"the codes must be a two-dimensional array of integers with {plural(len(levels), 'column')}")
    if codes.shape[0] == 0:
        raise InvalidData("the data set has no rows; it must have at least one")
    for index, (name, strings) in enumerate(levels.items()):
        if len(set(strings)) < len(strings):
            raise InvalidData(f"the levels of {name!r} are not distinct: {listing(strings)}")
        low, high = int(codes[:, index].min()), int(codes[:, index].max())
        if low < 0 or high >= len(strings):
            raise InvalidData(f"the codes of {name!r} run from {low} to {high}; it has {plural(len(strings), 'level')}")


def _check_weights(weights: npt.ArrayLike | None, rows: int) -> npt.NDArray[np.int64]:
    counts = np.ones(rows, dtype=np.int64) if weights is None else np.asarray(weights)
    if counts.shape != (rows,) or counts.dtype.kind not in "iu" or int(counts.min()) < 1:
        raise InvalidData(f"the weights must be {rows} positive integers, one for each row")
    # A sum of floats cannot overflow, and is exact up to the limit.
    total = int(counts.sum(dtype=np.float64))
    if total > MAX_ROWS:
        raise InvalidData(f"the data have {total} rows; the limit is {MAX_ROWS}")
    return counts.astype(np.int64)
