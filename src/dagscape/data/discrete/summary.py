"""Summaries of tables: levels, counts, missing cells, and likely mistakes.

Each warning is a sentence about a column: it is constant, empty or nearly unique, holds decimals, mixes decimals
with text, declares levels that do not occur, or has strings that probably mean the same level.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.version import __version__
from dagscape.core.wording import plural
from dagscape.data.discrete.identifiers import NEARLY_UNIQUE_VALUES, is_nearly_unique
from dagscape.data.discrete.levels import sort_levels
from dagscape.data.discrete.rows import group_rows, pack_words
from dagscape.data.tables.columns import Column
from dagscape.data.tables.numbers import Kind, kind_of, parse_numbers
from dagscape.data.tables.table import Table, listing
from dagscape.results.base import Provenance, Result, check_length
from dagscape.results.decoding import Count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from dagscape.data.discrete.dataset import Dataset

# What other programs write for missing cells. Not "None", which is a level in well-known data sets.
_LIKE_MISSING = frozenset({"NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null"})

# Of more levels than this, only those that occur are compared with each other.
_MANY_LEVELS = 100_000


@dataclass(frozen=True, slots=True)
class VariableSummary:
    """A summary of one column.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        ``"integers"``, ``"decimals"`` or ``"labels"``.
    distinct : int
        The number of distinct values.
    levels : tuple of str
        Its levels, including unobserved ones; empty for decimals, which have none before they are discretised.
    counts : tuple of int
        How many times each level occurs.
    missing : int
        The number of missing cells, as read.
    set_rows : int
        The number of rows in which it was set by intervention.
    """

    name: str
    kind: Kind
    distinct: Count
    levels: tuple[str, ...]
    counts: tuple[Count, ...]
    missing: Count
    set_rows: Count = 0


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DataSummary(Result):
    """A summary of a data set, or of a table as read.

    Attributes
    ----------
    rows, distinct_rows : int
        The number of rows, and of distinct rows.
    warnings : tuple of str
        Likely mistakes, one sentence each.
    columns : tuple of VariableSummary
        A summary of each column.
    experimental_rows : int
        The number of rows in which a variable was set by intervention.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> summary = Dataset.from_array([["a", 1], ["b", 1], ["a", 2]], levels={"X1": 3}).describe()
    >>> summary
    DataSummary(2 variables, 3 rows, 3 of them distinct, 1 warning)
    >>> summary.columns[0].levels, summary.columns[0].counts
    (('a', 'b'), (2, 1))
    """

    kind: ClassVar[str] = "data-summary"

    rows: Count
    distinct_rows: Count
    columns: tuple[VariableSummary, ...]
    experimental_rows: Count = 0

    def _check(self) -> None:
        super(DataSummary, self)._check()
        if self.variables != tuple(column.name for column in self.columns):
            raise InvalidData("columns does not have one entry for each variable, in the same order")
        for column in self.columns:
            check_length(f"the counts of {column.name!r}", column.counts, "its levels", len(column.levels))

    def __repr__(self) -> str:
        warned = plural(len(self.warnings), "warning")
        rows = f"{plural(self.rows, 'row')}, {self.distinct_rows:,} of them distinct"
        return f"DataSummary({plural(len(self.variables), 'variable')}, {rows}, {warned})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per variable: its kind, distinct values, missing cells, levels and counts."""
        import pandas as pd

        return pd.DataFrame(
            {
                "variable": list(self.variables),
                "kind": [column.kind for column in self.columns],
                "distinct": [column.distinct for column in self.columns],
                "missing": [column.missing for column in self.columns],
                "levels": [list(column.levels) for column in self.columns],
                "counts": [list(column.counts) for column in self.columns],
            }
        )


def summarize(dataset: Dataset) -> DataSummary:
    """Summarise a data set.

    Examples
    --------
    >>> from dagscape.data.bundled import load_dataset
    >>> summarize(load_dataset("tic-tac-toe")).columns[-1].counts
    (332, 626)
    """
    columns = []
    marks = np.zeros(dataset.codes.shape, np.bool_) if dataset.interventions is None else dataset.interventions
    for index, name in enumerate(dataset.variables):
        levels = dataset.levels[name]
        observed = slice(None) if dataset.holes is None else ~dataset.holes[:, index]
        cells, weights = dataset.codes[observed, index], dataset.weights[observed]
        # The weights sum to less than 2**32, so sums are exact in floating point.
        counts = np.bincount(cells, weights=weights, minlength=len(levels)).astype(np.int64)
        columns.append(
            VariableSummary(
                name=name,
                kind=kind_of(levels),
                distinct=int(np.count_nonzero(counts)),
                levels=levels,
                counts=tuple(counts.tolist()),
                missing=dataset.missing.get(name, 0),
                set_rows=int(dataset.weights[marks[:, index]].sum()),
            )
        )
    found = [*set_aside_warnings(dataset), *experiment_warnings(dataset)]
    for column in columns:
        if _was_numbering(dataset, column.name):
            found.append(_numbering_warning(column.name))
        found += _warnings(column, _compared_levels(column), dataset.m)
    found += [
        f"{name!r} mixes numbers or booleans with text: its levels are text, and so are predictions of it"
        for name in dataset.variables
        if dataset.types[name] == "mixed"
    ]
    return DataSummary(
        variables=dataset.variables,
        provenance=_provenance(),
        rows=dataset.m,
        distinct_rows=int(dataset.weights.size),
        columns=tuple(columns),
        warnings=tuple(found),
        experimental_rows=int(dataset.weights[marks.any(axis=1)].sum()),
    )


class HasSetAside(Protocol):
    """Data of any kind, with columns that are no variables."""

    @property
    def set_aside(self) -> Mapping[str, str]:
        """Columns that are no variables, with the reason."""


def set_aside_warnings(data: HasSetAside) -> list[str]:
    """Return a warning for each column of data of any kind that was set aside.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> set_aside_warnings(Dataset.from_array([[0, 1], [1, 1]]))
    ["'X1' has the same value, '1', in every row: it is set aside"]
    """
    return [f"{name!r} {reason}: it is set aside" for name, reason in data.set_aside.items()]


class HasExperiments(Protocol):
    """Data of any kind, with rows of experiments."""

    @property
    def m(self) -> int:
        """The number of rows."""

    @property
    def experimental_rows(self) -> int:
        """The number of rows in which some variable was set."""


def experiment_warnings(data: HasExperiments) -> list[str]:
    """Return a warning if some variable was set in every one of many rows: another column was probably meant.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> rows = [[i % 2, i % 3] for i in range(30)]
    >>> experiment_warnings(Dataset.from_array(rows, interventions=[1 + i % 2 for i in range(30)]))[0][:57]
    'an experiment set a variable in each of the 30 rows: is t'
    """
    if data.m <= NEARLY_UNIQUE_VALUES or data.experimental_rows < data.m:
        return []
    return [
        f"an experiment set a variable in each of the {data.m:,} rows: is the column of interventions "
        "the right one? No row says how the variables behave if none is set"
    ]


def summarize_table(table: Table) -> DataSummary:
    """Summarise a table as read, which may have missing cells and decimals.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> summary = summarize_table(table_from_array([[0.5, "a"], [1.5, None]]))
    >>> summary.columns[1].missing, summary.warnings
    (1, ("'X1' has the same value, 'a', in every row", "'X0' holds decimals: discretise it (--discretize, in Python
    discretize()), or declare its levels"))
    """
    columns: list[VariableSummary] = []
    found: list[str] = []
    for name, column in zip(table.names, table.columns, strict=True):
        columns.append(_summarize_column(name, column))
        # Decimals are not compared with each other: as strings, they would take much memory.
        levels = columns[-1].levels or column.kind != "decimals" or columns[-1].distinct == 1
        found += _warnings(columns[-1], column.values if levels else (), table.m, as_read=True)
    found += _decimals_warnings(columns)
    # One column at a time, because each is a copy.
    _, starts = group_rows(pack_words((column.groups() + 1, column.distinct + 1) for column in table.columns))
    return DataSummary(
        variables=table.names,
        provenance=_provenance(),
        rows=table.m,
        distinct_rows=int(starts.size),
        columns=tuple(columns),
        warnings=tuple(found),
    )


def identifier_warnings(dataset: Dataset) -> list[str]:
    """Return a warning for each variable that looks like an identifier; these are among those of the summary.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> identifier_warnings(Dataset.from_array([[i, i % 2] for i in range(30)], ["id", "x"]))[0][:53]
    "'id' has 30 distinct values in 30 rows: is it an iden"
    """
    found = []
    for index, name in enumerate(dataset.variables):
        if _was_numbering(dataset, name):
            found.append(_numbering_warning(name))
        # Without unobserved levels there may be fewer, but never more.
        elif is_nearly_unique(len(dataset.levels[name]), dataset.m):
            observed = slice(None) if dataset.holes is None else ~dataset.holes[:, index]
            distinct = np.unique(dataset.codes[observed, index]).size
            if is_nearly_unique(distinct, dataset.m):
                found.append(_nearly_unique_warning(name, distinct, dataset.m))
    return found


def _compared_levels(column: VariableSummary) -> Sequence[str]:
    """Return the levels that are compared with each other: of very many, those that occur."""
    if len(column.levels) <= _MANY_LEVELS:
        return column.levels
    return [level for level, count in zip(column.levels, column.counts, strict=True) if count]


def _was_numbering(dataset: Dataset, name: str) -> bool:
    fitted = {} if dataset.discretizer is None else dataset.discretizer.fitted
    return name in fitted and fitted[name].numbering


def _numbering_warning(name: str) -> str:
    return (
        f"{name!r} numbers the rows, with a different integer in each, and is cut into intervals: is it an identifier? "
        "Then leave it out"
    )


def _nearly_unique_warning(name: str, distinct: int, m: int) -> str:
    return (
        f"{name!r} has {distinct} distinct values in {m} rows: is it an identifier? A value that occurs once "
        "determines all other variables of its row, so that edges from and to it mean nothing: leave it out"
    )


def _provenance() -> Provenance:
    return Provenance(version=__version__, method="describe")


def _summarize_column(name: str, column: Column) -> VariableSummary:
    levels: tuple[str, ...] = ()
    if column.declared:
        levels = column.values
    elif column.kind != "decimals":
        levels = sort_levels(column.values)
    by_text = dict(zip(column.values, column.counts().tolist(), strict=True)) if levels else {}
    return VariableSummary(
        name=name,
        kind=column.kind,
        distinct=column.distinct,
        levels=levels,
        counts=tuple(by_text[level] for level in levels),
        missing=column.missing,
    )


def _warnings(column: VariableSummary, values: Sequence[str], m: int, *, as_read: bool = False) -> Iterator[str]:
    """Iterate over warnings about a column, given the strings that occur in it."""
    name = repr(column.name)
    # Missing cells may become a second level, and declared levels may be unobserved.
    constant = len(column.levels) < 2 and (column.distinct == 0 or not column.missing)
    consequence = ": it is set aside when the table is used" if as_read and constant else ""
    if column.distinct == 0:
        yield f"{name} has missing cells only{consequence}"
        return
    if column.distinct == 1:
        value = next((level for level, count in zip(column.levels, column.counts, strict=True) if count), values[0])
        yield f"{name} has the same value, {value!r}, in every row{consequence}"
    if column.kind == "decimals" and not column.levels:
        return
    if is_nearly_unique(column.distinct, m):
        yield _nearly_unique_warning(column.name, column.distinct, m)
    unobserved = [level for level, count in zip(column.levels, column.counts, strict=True) if not count]
    if unobserved:
        yield f"{name} declares levels that no row has: {listing(unobserved)}"
    yield from _text_warnings(column, values)


def _decimals_warnings(columns: Sequence[VariableSummary]) -> Iterator[str]:
    """Iterate over at most one warning: about all columns of decimals."""
    names = [column.name for column in columns if column.kind == "decimals" and not column.levels and column.distinct]
    remedy = "(--discretize, in Python discretize())"
    if len(names) == 1:
        yield f"{names[0]!r} holds decimals: discretise it {remedy}, or declare its levels"
    elif names:
        yield f"{listing(names)} hold decimals: discretise them {remedy}, or declare their levels"


def _text_warnings(column: VariableSummary, values: Sequence[str]) -> Iterator[str]:
    """Iterate over warnings about strings that look like typing errors."""
    if column.kind == "labels":
        decimal = [text for text in values if kind_of([text]) == "decimals"]
        other = [text for text in values if parse_numbers([text]) is None]
        if decimal and other and 2 * len(other) < len(values):
            yield (
                f"{column.name!r} mixes decimals such as {decimal[0]!r} with text such as {other[0]!r}: "
                "if that means a missing cell, declare it a missing value"
            )
        elif absent := [text for text in values if text in _LIKE_MISSING]:
            means = "if that means a missing cell, declare it a missing value"
            yield f"{column.name!r} has the level {absent[0]!r}: {means}"
        if sum(re.fullmatch(r"[+-]?\d+,\d+", text) is not None for text in values) * 2 > len(values):
            yield f"{column.name!r} holds numbers with a decimal comma, which are read as strings: use a decimal point"
    for first, second in _alike(column.kind, values):
        how = "in how a number is written" if column.kind == "integers" else "in case or white space"
        yield f"{column.name!r} has the values {first!r} and {second!r}, which differ only {how}"


def _alike(sort: Kind, values: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Iterate over pairs of strings that probably mean the same level."""
    seen: dict[object, str] = {}
    for text in values:
        key: object = Decimal(text) if sort == "integers" else "".join(text.split()).casefold()
        if seen.setdefault(key, text) != text:
            yield seen[key], text
