"""Discretising: replacing numbers by intervals, in the data at hand and in new rows.

A :class:`Discretizer` chooses the cuts of each column of numbers (:mod:`dagscape.data.discrete.cut_rules`), and keeps
them with the levels of all other columns. Applied to new rows, it gives a data set with the same levels: numbers fall
on the same side of the same cuts, those beyond the range of the first data belong to the first or last interval, and a
level that the first data did not have is an error.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, Unpack, cast

import numpy as np

from dagscape.core.caveats import issue
from dagscape.core.checks import check_choice, check_unicode
from dagscape.core.errors import InvalidData, InvalidOption, argument, brief, type_of
from dagscape.core.files.documents import read_json
from dagscape.core.files.writing import replace_file
from dagscape.core.version import __version__
from dagscape.core.wording import plural
from dagscape.data.discrete.column_intervals import (
    INITIAL_BINS,
    ColumnCuts,
    checked_cuts,
    checked_initial_bins,
)
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.cutting import bins_by_column, checked_bins, choose_columns, cut_table
from dagscape.data.discrete.dataset import Dataset, encode
from dagscape.data.discrete.encoding import EncodingOptions, Missing
from dagscape.data.discrete.findings import with_findings
from dagscape.data.discrete.identifiers import numbers_the_rows
from dagscape.data.discrete.intervals import Intervals
from dagscape.data.discrete.notices import notice_of_choices
from dagscape.data.kinds.decisions import Plan, Wishes, plan_columns, with_levels
from dagscape.data.reading import FILE_OPTIONS, FileOptions
from dagscape.data.table_sources import as_table
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES
from dagscape.data.tables.frames import table_from_frame
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.selection import chosen_columns, unused_columns
from dagscape.data.tables.table import Table, listing
from dagscape.data.tables.value_types import ValueType
from dagscape.results.decoding import Finite, Positive, decode_fields

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.data.discrete.levels import LevelsOption

_KIND = "discretizer"

# The version of the JSON document. It increases when older versions of dagscape cannot read it any more.
_SCHEMA = 1


class _FittingOptions(EncodingOptions, FileOptions, total=False):
    pass


@dataclass(frozen=True, slots=True)
class FittedColumn:
    """A column as a discretizer keeps it.

    Attributes
    ----------
    levels : tuple of str
        Its levels: the intervals, if it was cut.
    type : str
        The own type of its levels.
    cuts : tuple of float or None
        The cuts; None if it was not cut.
    numbering : bool
        Whether its integers numbered the rows, as identifiers do.
    widths : tuple of float
        The widths of its intervals (:mod:`dagscape.data.discrete.interval_widths`); empty if it was not cut, or by an
        earlier version.
    """

    levels: tuple[str, ...]
    type: ValueType
    cuts: tuple[Finite, ...] | None = None
    numbering: bool = False
    widths: tuple[Positive, ...] = ()

    def check(self, name: str) -> None:
        """Raise :class:`InvalidData` if it cannot be the column with this name of a fitted discretizer."""
        check_unicode([name, *self.levels], f"the name or a level of column {name!r}")
        if not self.levels or len(set(self.levels)) < len(self.levels):
            raise InvalidData(f"the levels of column {name!r} are not distinct, or there are none")
        if self.cuts is None:
            return
        if len(self.cuts) >= len(self.levels) or any(not low < high for low, high in pairwise(self.cuts)):
            raise InvalidData(f"the cuts of column {name!r} are not ascending numbers, fewer than its levels")
        if self.widths and len(self.widths) != len(self.cuts) + 1:
            raise InvalidData(f"the widths of column {name!r} are not one more than its cuts")


@dataclass(frozen=True, slots=True)
class _Document:
    """What a document of a discretizer holds."""

    method: str
    bins: Any
    columns: tuple[str, ...] | None
    class_column: str | None
    fitted: Mapping[str, FittedColumn]
    set_aside: Mapping[str, str] = field(default_factory=dict)
    # Earlier files lack them.
    cuts: Any = None
    initial_bins: int | None = None
    nominal: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Discretizer:
    """Cuts columns of numbers into intervals, always at the same places.

    It is immutable: :meth:`fit` returns a new one, which has the cuts.

    Parameters
    ----------
    method : {"auto", "quantile", "width", "mdl", "hartemink"}
        Automatic, equal frequency, equal width, the entropy method of Fayyad and Irani [fayyad1993]_, or merging many
        intervals so that all columns keep as much pairwise information as they can [hartemink2001]_. ``"auto"`` also
        tells what each column holds, as :meth:`Dataset.describe` shows: it cuts what is measured into intervals of
        equal frequency, in which a value with more than its share of the rows has one of its own, and sets aside what
        looks like identifiers, dates and free text.
    bins : int or mapping of str to int
        The number of intervals, at least 2, for all columns or by column. There are fewer if there are too few
        distinct values, if ties prevent it, or if an interval of equal width is empty. ``"mdl"`` chooses the
        number itself.
    columns : collection of str, optional
        Columns to discretise in addition to those that always are: columns of decimals, and of integers with
        more than 20 distinct values. Columns with declared levels are not discretised.
    nominal : collection of str
        Columns not to discretise, and not to set aside: their values are levels, even if they are decimals.
    class_column : str, optional
        The class, for ``"mdl"`` only: a discrete column, which is not changed. Rows without a class do not
        count.
    cuts : mapping of str to sequence of float, optional
        Where to cut some columns, such as ``{"age": [30, 50]}``: up to 30, up to 50, and above. The method cuts the
        other columns. All these intervals are levels, also those without rows. A fitted discretizer has the cuts of
        all columns of numbers, as arrays.
    initial_bins : int, optional
        The number of intervals of equal frequency that ``"hartemink"`` begins with. Default: 20, or ``bins`` if that is
        more.
    given : tuple of str, optional
        The columns whose ``cuts`` were given. Default: all that have them.
    fitted : mapping of str to FittedColumn
        The columns it was fitted to; :meth:`fit` fills it.
    set_aside : mapping of str to str
        The columns that are left out because they are constant, are not cut or, if this was asked for, look like
        identifiers; with the reason. :meth:`fit` fills it.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"size": [0.5, 1.5, 2.5, 9.5], "kind": ["a", "a", "b", "b"]})
    >>> discretizer = Discretizer(method="quantile", bins=2).fit(train)
    >>> discretizer
    Discretizer('quantile', 2 columns, 1 of them cut)
    >>> discretizer.cuts["size"].tolist(), discretizer.levels["kind"]
    ([2.0], ('a', 'b'))
    >>> data = discretizer.apply(pd.DataFrame({"size": [2.0, -1.0, 99.0], "kind": ["b", "b", "b"]}))
    >>> data.levels["kind"], data.to_frame()["size"].tolist()
    (('a', 'b'), ['(-inf,2]', '(-inf,2]', '(2,inf)'])
    """

    method: str = "quantile"
    bins: SupportsIndex | Mapping[str, SupportsIndex] = 3
    columns: Collection[str] | None = None
    nominal: Collection[str] = ()
    class_column: str | None = None
    cuts: Mapping[str, Floats | Sequence[float]] = field(default_factory=dict)
    initial_bins: int | None = None
    given: tuple[str, ...] | None = None
    fitted: Mapping[str, FittedColumn] = field(default_factory=dict)
    set_aside: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice(self.method, CUT_RULES, "method")
        if CUT_RULES[self.method].needs_class and self.class_column is None:
            raise InvalidOption(
                f"{argument('method', self.method)} needs {argument('class_column')}, the name of a discrete column"
            )
        if self.class_column is not None and not CUT_RULES[self.method].needs_class:
            raise InvalidOption(
                f"is {self.class_column!r}, but {argument('method', self.method)} does not use a class",
                option="class_column",
            )
        if isinstance(self.columns, str):
            raise InvalidOption(f"is {self.columns!r}; it must be a collection of names", option="columns")
        object.__setattr__(self, "columns", None if self.columns is None else tuple(self.columns))
        wishes = Wishes.of(self.nominal, self.columns or ())
        object.__setattr__(self, "nominal", wishes.nominal)
        bins, cuts = checked_bins(self.bins), checked_cuts(self.cuts)
        initial = checked_initial_bins(self.initial_bins, CUT_RULES[self.method], self.method, bins)
        object.__setattr__(self, "bins", bins)
        object.__setattr__(self, "initial_bins", initial)
        object.__setattr__(self, "given", tuple(cuts if self.given is None else self.given))
        cuts = {name: cuts[name] for name in self.given or ()}
        cuts |= {name: column.cuts for name, column in self.fitted.items() if column.cuts is not None}
        object.__setattr__(self, "cuts", {name: _fixed(found) for name, found in cuts.items()})
        object.__setattr__(self, "fitted", MappingProxyType(dict(self.fitted)))
        object.__setattr__(self, "set_aside", MappingProxyType(dict(self.set_aside)))

    def fit(
        self,
        source: Any,
        *,
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        **options: Unpack[_FittingOptions],
    ) -> Discretizer:
        """Choose the cuts, and return a discretizer that has them.

        Parameters
        ----------
        source : data frame, NumPy array, Table, str or path
            The data; a file is read as by :func:`~dagscape.data.reading.read_data`.
        missing_values, **options
            As in :meth:`Dataset.from_frame`, and what a file is like, as in
            :func:`~dagscape.data.discrete.discretizing.discretize`. With ``missing="drop"``, rows are dropped before
            cuts are chosen, and a row counts as often as its weight says.
        """
        given: dict[str, Any] = dict(options)
        reading = cast("FileOptions", {name: given.pop(name) for name in FILE_OPTIONS if name in given})
        encoding = cast("EncodingOptions", given)
        unused, limit = unused_columns(encoding), options.get("max_memory")
        table = as_table(source, missing_values, unused, limit, reading, dates=self.method == "auto")
        fitted = self.learn(table, encoding).discretizer
        assert fitted is not None
        return fitted

    def learn(self, table: Table, options: EncodingOptions, plan: Plan | None = None) -> Dataset:
        """Fit a table, and return its data set, which has the fitted discretizer.

        Parameters
        ----------
        table : Table
            The table as read.
        options : mapping
            As for :meth:`fit`.
        plan : Plan, optional
            What becomes of its columns with ``method="auto"``. Default: :meth:`planned`.
        """
        found: dict[str, tuple[tuple[float, ...], bool, tuple[float, ...]]] = {}
        declared = _declared(options)
        Wishes.of(self.nominal).check(table)
        asked, kept, aside = {*(self.columns or ())}, frozenset(self.nominal), {}
        if self.method == "auto":
            plan = plan or self.planned(table, options)
            asked, kept, aside = {*plan.cut}, frozenset(plan.kept), plan.aside
            options = {**options, "columns": plan.left(table), "drop": ()}
        chooser = replace(self, columns=tuple(asked), nominal=()) if self.method == "auto" else self
        asked |= {*(self.bins if isinstance(self.bins, Mapping) else ()), *self._given_cuts}

        def transform(table: Table) -> Table:
            chosen = chooser._choose_intervals(table, declared | kept, options.get("max_memory"))
            for name, intervals in chosen.items():
                numbering = name not in asked and table.total == table.m and numbers_the_rows(table.column(name))
                found[name] = intervals.cuts, numbering, intervals.widths
            cut = cut_table(table, {name: (intervals.cuts, intervals.labels) for name, intervals in chosen.items()})
            return with_levels(cut, kept)

        measured = asked if self.class_column is None else {*asked, self.class_column}
        data = encode(table, transform=transform, measured=measured, **options)
        fitted = {
            name: FittedColumn(data.levels[name], data.types[name], *found.get(name, ())) for name in data.variables
        }
        left_out = {**aside, **data.set_aside}
        return replace(
            data, set_aside=left_out, discretizer=replace(self, fitted=fitted, set_aside=MappingProxyType(left_out))
        )

    def planned(self, table: Table, options: EncodingOptions) -> Plan:
        """Return what becomes of the columns of a table with ``method="auto"``."""
        rest = table
        for other in (options.get("interventions"), options.get("weights")):
            if isinstance(other, str) and other in rest:
                rest = rest.without(other)
        used = rest.only(chosen_columns(rest, options.get("columns"), options.get("drop", ())))
        given = [name for name in self._given_cuts if name in used]
        wishes = Wishes(tuple(self.nominal), tuple(dict.fromkeys([*(self.columns or ()), *given])))
        wishes.check(used)
        return plan_columns(used, wishes, _declared(options))

    def apply(
        self,
        source: Any,
        *,
        missing: Missing = "error",
        interventions: Any = None,
        weights: Any = None,
        randomised: Collection[str] = (),
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        max_memory: int | str | None = None,
        **reading: Unpack[FileOptions],
    ) -> Dataset:
        """Return the data set of new rows, with the levels of the rows that the discretizer was fitted to.

        A number that equals a cut belongs to the interval on its left. Columns that the discretizer does not know are
        ignored, and those that the rows lack are left out. Columns that were set aside in fitting are set aside again.

        Parameters
        ----------
        source, missing, interventions, weights, randomised, missing_values, max_memory, **reading
            As in :func:`~dagscape.data.discrete.discretizing.discretize`.
        """

        def unused(name: str) -> bool:
            return name not in self.fitted and not any(
                isinstance(other, str) and name == other for other in (interventions, weights)
            )

        table = as_table(source, missing_values, unused, max_memory, reading)
        known = [name for name in self._columns if name in table.names]
        if not known:
            raise InvalidData(f"{table.source} has none of the discretizer's columns {listing(self._columns)}")
        levels = {name: self.fitted[name].levels for name in known if self.fitted[name].cuts is None}
        data = encode(
            table.matched(levels),
            missing=missing,
            levels=levels,
            interventions=interventions,
            weights=weights,
            randomised=randomised,
            columns=known,
            keep_constant=True,
            max_memory=max_memory,
            transform=partial(cut_numbers, self),
        )
        types = {name: self.fitted[name].type for name in known}
        aside = {name: reason for name, reason in self.set_aside.items() if name in table.names}
        return replace(data, types=types, set_aside=aside, discretizer=self)

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a data frame with numbers replaced by intervals, and all else as it is: rows, index, other columns.

        A :class:`Dataset` does not keep the order of the rows; this frame does, for example to compare predictions
        with a target that was cut.

        Parameters
        ----------
        frame : DataFrame
            New rows. Missing cells stay missing. Columns that the discretizer cuts may be absent.

        Examples
        --------
        >>> import pandas as pd
        >>> fitted = Discretizer(method="quantile", bins=2).fit(pd.DataFrame({"x": [0.5, 1.5, 2.5, 9.5]}))
        >>> fitted.transform(pd.DataFrame({"x": [7.5, None, 1.0], "note": ["a", "b", "c"]}, index=[5, 3, 4]))
                  x note
        5   (2,inf)    a
        3       NaN    b
        4  (-inf,2]    c
        """
        import pandas as pd

        if not isinstance(frame, pd.DataFrame):
            raise InvalidOption(f"is {type_of(frame)}; it must be a pandas data frame", option="frame")
        names = [name for name in self.cuts if name in frame.columns]
        if not names or frame.empty:
            return frame.copy()
        table = cut_numbers(self, table_from_frame(frame[names]))
        labels = {
            name: pd.Series(np.array([*column.values, None], dtype=object)[column.codes], index=frame.index)
            for name, column in zip(table.names, table.columns, strict=True)
        }
        return frame.assign(**labels)

    @property
    def _given_cuts(self) -> dict[str, tuple[float, ...]]:
        return {name: tuple(map(float, self.cuts[name])) for name in self.given or ()}

    @property
    def way(self) -> str:
        """The method and, if it has one for all columns, the number of bins: ``"quantile:3"``."""
        numbered = isinstance(self.bins, int) and not CUT_RULES[self.method].needs_class
        way = f"{self.method}:{self.bins}" if numbered else self.method
        return f"{way} and given cuts" if self.given else way

    def bins_of(self, name: str) -> int | None:
        """Return the number of intervals that was asked for in a column; None if the method chooses it."""
        if CUT_RULES[self.method].needs_class:
            return None
        bins = self.bins.get(name) if isinstance(self.bins, Mapping) else self.bins
        return None if bins is None else operator.index(bins)

    @property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The levels of all columns."""
        return {name: column.levels for name, column in self._columns.items()}

    @property
    def _columns(self) -> Mapping[str, FittedColumn]:
        if not self.fitted:
            raise InvalidOption("the discretizer is not fitted: use the one that its method fit() returns")
        return self.fitted

    def to_dict(self) -> dict[str, Any]:
        """Return the discretizer as a JSON document."""
        return {
            "kind": _KIND,
            "schema": _SCHEMA,
            "version": __version__,
            "method": self.method,
            "bins": dict(self.bins) if isinstance(self.bins, Mapping) else self.bins,
            "columns": None if self.columns is None else list(self.columns),
            "class_column": self.class_column,
            "cuts": {name: list(cuts) for name, cuts in self._given_cuts.items()},
            "initial_bins": self.initial_bins,
            "fitted": {
                name: {
                    "levels": list(column.levels),
                    "type": column.type,
                    "cuts": None if column.cuts is None else list(column.cuts),
                    "numbering": column.numbering,
                    "widths": list(column.widths),
                }
                for name, column in self.fitted.items()
            },
            "set_aside": dict(self.set_aside),
            "nominal": list(self.nominal),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a discretizer from a document of :meth:`to_dict`."""
        if not isinstance(document, Mapping) or document.get("kind") != _KIND:
            raise InvalidData(f"the document is not a discretizer: its kind is not {_KIND!r}")
        if document.get("schema") != _SCHEMA:
            raise InvalidData(
                f"the discretizer has schema {brief(document.get('schema'))}; this version of dagscape reads {_SCHEMA}"
            )
        fields = decode_fields(_Document, document)
        for name, column in fields["fitted"].items():
            column.check(name)
        try:
            return cls(**fields)
        except InvalidOption as error:
            raise InvalidData(str(error)) from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the discretizer as JSON."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        with replace_file(path) as stream:
            stream.write(text.encode() + b"\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a discretizer that :meth:`save` wrote."""
        document = read_json(path)
        try:
            return cls.from_dict(document)
        except InvalidData as error:
            raise InvalidData(f"{os.fspath(path)!r} cannot be used: {error}") from error

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Discretizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        if not self.fitted:
            return f"Discretizer({self.method!r}, not fitted)"
        cut = sum(bool(column.cuts) for column in self.fitted.values())
        aside = f", {len(self.set_aside)} set aside" if self.set_aside else ""
        return f"Discretizer({self.method!r}, {plural(len(self.fitted), 'column')}, {cut} of them cut{aside})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        # Mapping proxies cannot be pickled.
        return type(self).from_dict, (self.to_dict(),)

    def _key(self) -> str:
        return json.dumps(self.to_dict() | {"version": ""})

    def _choose_intervals(
        self, table: Table, declared: frozenset[str], max_memory: int | str | None
    ) -> dict[str, Intervals]:
        """Return the intervals of each column to discretise."""
        given = self._given_cuts
        columns = None if self.columns is None and not given else [*dict.fromkeys((*(self.columns or ()), *given))]
        chosen = choose_columns(table, columns, self.class_column, declared)
        ruled = [name for name in chosen if name not in given]
        sizes = bins_by_column(checked_bins(self.bins), ruled, table)
        classes = None if self.class_column is None else table.column(self.class_column)
        initial = max([self.initial_bins or INITIAL_BINS, *sizes.values()])
        return ColumnCuts(CUT_RULES[self.method], sizes, given, initial).fit(table, classes, max_memory)


def _fixed(cuts: Sequence[float]) -> Floats:
    """Return cuts as an array that cannot be changed."""
    array = np.array(cuts)
    array.flags.writeable = False
    return array


def cut_numbers(discretizer: Discretizer, table: Table) -> Table:
    """Return a table with the numbers of its columns replaced by intervals; other columns are unchanged."""
    levels = discretizer.levels
    known = discretizer.fitted.items()
    return cut_table(table, {name: (fit.cuts, levels[name]) for name, fit in known if fit.cuts is not None})


def discretize(
    source: Any,
    *,
    method: str = "quantile",
    bins: SupportsIndex | Mapping[str, SupportsIndex] = 3,
    columns: Collection[str] | None = None,
    nominal: Collection[str] = (),
    numeric: Collection[str] = (),
    ignore: Collection[str] = (),
    class_column: str | None = None,
    cuts: Mapping[str, Sequence[float]] | None = None,
    initial_bins: int | None = None,
    missing: Missing = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    weights: Any = None,
    randomised: Collection[str] = (),
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    drop: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,
    max_memory: int | str | None = None,
    **reading: Unpack[FileOptions],
) -> Dataset:
    """Discretise columns of numbers, and make a data set.

    Parameters
    ----------
    source : data frame, NumPy array, Table, str or path
        The data; a file is read as by :func:`~dagscape.data.reading.read_data`.
    method, bins, columns, nominal, class_column, cuts, initial_bins
        As in :class:`Discretizer`. What ``"auto"`` decided is told by a warning, :class:`~dagscape.AutomaticReading`.
    numeric : collection of str
        The same as ``columns``: what is cut, whatever it seems to hold.
    ignore : collection of str
        Columns to set aside, whatever they hold.
    missing, levels, interventions, weights, randomised, missing_values
        As in :meth:`Dataset.from_frame`.
    drop, keep_constant, drop_suspicious, max_memory
        As in :meth:`Dataset.from_frame` and, for files, :func:`~dagscape.data.reading.read_data`. With
        ``missing="drop"``, rows are dropped before cuts are chosen.
    **reading
        What a file is like: ``separator``, ``decimal``, ``encoding``, ``sheet`` and ``duplicate_names``, as in
        :func:`~dagscape.data.reading.read_data`.

    Returns
    -------
    Dataset
        The levels of a discretised variable are its intervals, in order. Its attribute ``discretizer`` cuts new rows
        at the same places. A column with a single interval is set aside, like all columns with a single level.

    Examples
    --------
    >>> data = discretize(np.array([[0.5], [1.5], [2.5], [9.5]]), method="quantile", bins=2)
    >>> data.levels["X0"], data.discretizer.cuts["X0"].tolist()
    (('(-inf,2]', '(2,inf)'), [2.0])
    >>> discretize(np.array([[23], [31], [64]]), cuts={"X0": [30, 50]}).levels["X0"]
    ('(-inf,30]', '(30,50]', '(50,inf)')
    """
    wishes = Wishes.of(nominal, numeric, ignore)
    forced = columns if not numeric else tuple(dict.fromkeys([*(columns or ()), *numeric]))
    discretizer = Discretizer(
        method=method,
        bins=bins,
        columns=forced,
        nominal=nominal,
        class_column=class_column,
        cuts=cuts or {},
        initial_bins=initial_bins,
    )
    options: EncodingOptions = {
        "missing": missing,
        "levels": levels,
        "interventions": interventions,
        "weights": weights,
        "randomised": randomised,
        "drop": [*drop, *(name for name in wishes.ignore if name not in drop)] if wishes.ignore else drop,
        "keep_constant": keep_constant,
        "drop_suspicious": drop_suspicious,
        "max_memory": max_memory,
    }
    unused = unused_columns(options)
    table = as_table(source, missing_values, unused, max_memory, reading, dates=method == "auto")
    data = with_findings(discretizer.learn(table, options), table, weights).with_ignored(wishes.ignore)
    issue(notice_of_choices(data))
    return data


def _declared(options: EncodingOptions) -> frozenset[str]:
    """Return the columns whose levels the user declares; what is no mapping is refused when levels are read."""
    levels = options.get("levels")
    return frozenset(levels if isinstance(levels, Mapping) else ())
