"""Summaries of tables: levels, counts, missing cells, and likely mistakes.

Each warning is a sentence about a column: it is constant, empty or nearly unique, would be set aside, mixes decimals
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
from dagscape.data.discrete.column_uses import cuts_of, guess_variable, use_of
from dagscape.data.discrete.counting import count_findings
from dagscape.data.discrete.identifiers import is_nearly_unique
from dagscape.data.discrete.levels import sort_levels
from dagscape.data.discrete.related_columns import a_handful, relation_warnings, table_relations
from dagscape.data.discrete.rows import group_rows, pack_words, rows_differ
from dagscape.data.incomplete.missing_cells import MissingCells
from dagscape.data.incomplete.reports import missing_in_dataset, missing_in_table
from dagscape.data.kinds.decisions import IGNORED, Decision, Wishes, plan_columns
from dagscape.data.kinds.guessing import guess_from_profile
from dagscape.data.kinds.profile import profile_of_levels
from dagscape.data.kinds.written_numbers import written_numbers
from dagscape.data.kinds.zeros import zero_warnings
from dagscape.data.sources import data_source, table_source
from dagscape.data.tables.columns import Column
from dagscape.data.tables.interventions import FEW_ROWS, Marks, set_in_every_row
from dagscape.data.tables.numbers import Kind, kind_of, parse_numbers
from dagscape.data.tables.table import Table, listing
from dagscape.results.base import Provenance, Result, check_length
from dagscape.results.data_source import DataSource
from dagscape.results.decoding import Count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from dagscape.data.discrete.dataset import Dataset

# What other programs write for missing cells. Not "None", which is a level in well-known data sets.
_LIKE_MISSING = frozenset({"NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null"})

_COMMAS = "for a text file, use --decimal , (in Python decimal=',')"

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
    guess : str
        What it seems to hold: ``"measured"``, ``"ordered"``, ``"nominal"``, ``"identifier"``, ``"date"``,
        ``"free text"`` or ``"constant"``; empty in summaries of earlier versions, and so are the following.
    reason : str
        Why, in words.
    use : str
        What it is as a variable or, of a table as read, what it would become: its intervals or levels, or why it would
        be set aside.
    """

    name: str
    kind: Kind
    distinct: Count
    levels: tuple[str, ...]
    counts: tuple[Count, ...]
    missing: Count
    set_rows: Count = 0
    guess: str = ""
    reason: str = ""
    use: str = ""


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
    weighted_by : str or None
        The column that said how many times each row counts, and is no variable.
    missing_cells : MissingCells or None
        What is missing together, and tests of whether that depends on other columns; None if no cell of a
        column that was ever observed is missing, or if the missing cells of a data set became a level, or were dropped
        with their rows.

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
    weighted_by: str | None = None
    missing_cells: MissingCells | None = None

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
        """Return one row per variable: its kind, distinct values, missing cells, levels and counts, and the guess."""
        import pandas as pd

        return pd.DataFrame(
            {
                "variable": list(self.variables),
                "kind": [column.kind for column in self.columns],
                "distinct": [column.distinct for column in self.columns],
                "missing": [column.missing for column in self.columns],
                "levels": [list(column.levels) for column in self.columns],
                "counts": [list(column.counts) for column in self.columns],
                "guess": [column.guess for column in self.columns],
                "reason": [column.reason for column in self.columns],
                "use": [column.use for column in self.columns],
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
        guess = guess_variable(dataset, name, counts)
        columns.append(
            VariableSummary(
                name=name,
                kind=kind_of(levels),
                distinct=int(np.count_nonzero(counts)),
                levels=levels,
                counts=tuple(counts.tolist()),
                missing=dataset.missing.get(name, 0),
                set_rows=int(dataset.weights[marks[:, index]].sum()),
                guess=guess.kind,
                reason=guess.reason,
                use=plural(len(levels), "interval" if cuts_of(dataset, name) else "level"),
            )
        )
    found = [*set_aside_warnings(dataset), *experiment_warnings(dataset), *relation_warnings(dataset)]
    for column in columns:
        if _was_numbering(dataset, column.name):
            found.append(_numbering_warning(column.name))
        found += _warnings(column, _compared_levels(column), dataset.m)
    found += [*counting_warnings(dataset), *zero_findings(dataset)]
    found += [
        f"{name!r} mixes numbers or booleans with text: its levels are text, and so are predictions of it"
        for name in dataset.variables
        if dataset.types[name] == "mixed"
    ]
    return DataSummary(
        variables=dataset.variables,
        provenance=_provenance(data_source(dataset)),
        rows=dataset.m,
        distinct_rows=int(dataset.weights.size),
        columns=tuple(columns),
        warnings=tuple(found),
        experimental_rows=int(dataset.weights[marks.any(axis=1)].sum()),
        weighted_by=dataset.weighted_by,
        missing_cells=missing_in_dataset(dataset),
    )


class HasSetAside(Protocol):
    """Data of any kind, with columns that are no variables."""

    @property
    def set_aside(self) -> Mapping[str, str]:
        """Columns that are no variables, with the reason."""


def set_aside_warnings(data: HasSetAside) -> list[str]:
    """Return a warning for each column of data of any kind that was set aside, unless the user asked for that.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> set_aside_warnings(Dataset.from_array([[0, 1], [1, 1]]))
    ["'X1' has the same value, '1', in every row: it is set aside"]
    """
    aside = data.set_aside.items()
    return [f"{name!r} {reason}: it is set aside" for name, reason in aside if reason != IGNORED]


class HasExperiments(Protocol):
    """Data of any kind, with rows of experiments."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    def m(self) -> int:
        """The number of rows."""

    @property
    def experimental_rows(self) -> int:
        """The number of rows in which some variable was set."""

    @property
    def interventions(self) -> Marks | None:
        """Rows × variables: whether the variable was set; None if there are no interventions."""


def experiment_warnings(data: HasExperiments) -> list[str]:
    """Return a warning if each of many rows is of some experiment: another column was probably meant.

    A variable that was set in all rows is another matter: it is randomised.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> rows = [[i % 2, i % 3] for i in range(30)]
    >>> experiment_warnings(Dataset.from_array(rows, interventions=[1 + i % 2 for i in range(30)]))[0][:57]
    'an experiment set a variable in each of the 30 rows: is t'
    """
    if data.m <= FEW_ROWS or data.experimental_rows < data.m or set_in_every_row(data.variables, data.interventions):
        return []
    return [
        f"an experiment set a variable in each of the {data.m:,} rows: is the column of interventions "
        "the right one? No row says how the variables behave if none is set"
    ]


def summarize_table(table: Table, wishes: Wishes | None = None) -> DataSummary:
    """Summarise a table as read, which may have missing cells and decimals.

    Parameters
    ----------
    table : Table
        The table as read.
    wishes : Wishes, optional
        The columns for which the user has decided what they become.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> summary = summarize_table(table_from_array([[0.5, "a"], [1.5, None]]))
    >>> summary.columns[1].missing, summary.warnings
    (1, ("'X1' has the same value, 'a', in every row",))
    >>> summary.columns[0].guess, summary.columns[0].use
    ('measured', '2 intervals, cut at 1')
    """
    plan = plan_columns(table, wishes or Wishes())
    columns: list[VariableSummary] = []
    found: list[str] = []
    for name, column in zip(table.names, table.columns, strict=True):
        columns.append(_summarize_column(name, column, plan.decisions[name], table))
        # Decimals are not compared with each other: as strings, they would take much memory.
        levels = columns[-1].levels or column.kind != "decimals" or columns[-1].distinct == 1
        found += _warnings(columns[-1], column.values if levels else (), table.m, as_read=True)
        if plan.decisions[name].use == "intervals":
            found += zero_warnings(name, written_numbers(column))
    found += [f"{name!r} {reason}: it is set aside when the table is used" for name, reason in plan.aside.items()]
    if used := [*plan.kept, *plan.cut]:
        found += a_handful(table_relations(table.only([name for name in table.names if name in used])))
    kinds = [(column.name, column.kind) for column in columns]
    found += [finding.sentence for finding in count_findings(kinds, lambda name: rows_differ(table.without(name)))]
    # One column at a time, because each is a copy.
    _, starts = group_rows(pack_words((column.groups() + 1, column.distinct + 1) for column in table.columns))
    return DataSummary(
        variables=table.names,
        provenance=_provenance(table_source(table)),
        rows=table.m,
        distinct_rows=int(starts.size),
        columns=tuple(columns),
        warnings=tuple(found),
        missing_cells=missing_in_table(table, plan),
    )


def zero_findings(dataset: Dataset) -> list[str]:
    """Return a warning for each column whose zeros stood apart before it was cut, among those of the summary.

    Examples
    --------
    >>> from dagscape.data.discrete.interpreting import interpreted
    >>> from dagscape.data.kinds.decisions import Wishes
    >>> from dagscape.data.tables.frames import table_from_array
    >>> table = table_from_array([[0 if i < 9 else 60 + 1.5 * i, i % 2] for i in range(90)])
    >>> zero_findings(interpreted(table, {}, "auto", Wishes()))[0][:45]
    "'X0' is 0 in 9 rows and at least 73.5 in the "
    """
    return [finding.sentence for finding in dataset.findings if finding.about == "zeros"]


def counting_warnings(dataset: Dataset) -> list[str]:
    """Return a warning for each column that looks like counts of rows; these are among those of the summary.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> counting_warnings(Dataset.from_array([["u", 3], ["v", 5]], ["x", "Freq"]))[0][:30]
    "'Freq' looks like counts: if i"
    """

    def differ_without(name: str) -> bool:
        return dataset.m > 1 and dataset.drop([name]).weights.size == dataset.m

    kinds = [(name, kind_of(dataset.levels[name])) for name in dataset.variables]
    before = [finding for finding in dataset.findings if finding.about == "counts"]
    return [finding.sentence for finding in [*before, *count_findings(kinds, differ_without)]]


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
                found.append(_nearly_unique_warning(name, distinct, dataset.m, dataset.levels[name]))
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


def _nearly_unique_warning(name: str, distinct: int, m: int, levels: Sequence[str]) -> str:
    if guess_from_profile(profile_of_levels(levels, np.ones(len(levels), np.int64))).kind == "measured":
        return (
            f"{name!r} has {distinct:,} distinct values in {m:,} rows, as measurements have, and each is a level: cut "
            "them into intervals (--discretize, in Python discretize())"
        )
    return (
        f"{name!r} has {distinct} distinct values in {m} rows: is it an identifier? A value that occurs once "
        "determines all other variables of its row, so that edges from and to it mean nothing: leave it out"
    )


def _provenance(source: DataSource | None) -> Provenance:
    return Provenance(version=__version__, method="describe", source=source)


def _summarize_column(name: str, column: Column, decision: Decision, table: Table) -> VariableSummary:
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
        guess=decision.guess.kind,
        reason=decision.guess.reason,
        use=use_of(decision, name, table),
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
    # Of a table as read, columns that look like identifiers would be set aside.
    if not as_read and is_nearly_unique(column.distinct, m):
        yield _nearly_unique_warning(column.name, column.distinct, m, column.levels)
    unobserved = [level for level, count in zip(column.levels, column.counts, strict=True) if not count]
    if unobserved:
        yield f"{name} declares levels that no row has: {listing(unobserved)}"
    yield from _text_warnings(column, values)


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
            yield f"{column.name!r} holds numbers with a decimal comma, which are read as strings: {_COMMAS}"
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
