"""The same table cut in several ways, to compare them or to average over them.

All columns of numbers are cut by the same rule, a *way*, such as 3 quantiles; all ways have the same variables. Which
of them suits the numbers, their evidence says (:mod:`dagscape.data.discrete.interval_widths`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidOption, type_of
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.discrete.encoding import EncodingOptions
from dagscape.data.discrete.findings import findings_of
from dagscape.data.discrete.notices import notice_of_choices
from dagscape.data.kinds.decisions import IGNORED, NO_WISHES, Wishes, plan_columns
from dagscape.data.table_sources import as_table
from dagscape.data.tables.selection import unused_columns
from dagscape.data.tables.table import Table

# Over which posteriors are averaged; chosen by calibration (``benchmarks/cuts.py``).
AVERAGE = "average"
AUTO = "auto"
AVERAGED_CUTS = ("quantile:2", "quantile:3", "quantile:4", "quantile:5")

# Which ways a study of sensitivity compares.
COMPARED_CUTS = ("quantile:2", "quantile:3", "quantile:5", "width:3", "width:5")


@dataclass(frozen=True, slots=True)
class ComparedCuts:
    """The data sets of one table, cut in several ways; they have the same variables and rows.

    Attributes
    ----------
    datasets : tuple of Dataset
        One for each way, with its discretizer.
    """

    datasets: tuple[Dataset, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of all of them."""
        return self.datasets[0].variables

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def ways(self) -> list[str]:
        """The ways in words, all different."""
        names = ["" if data.discretizer is None else data.discretizer.way for data in self.datasets]
        again = [names[:place].count(name) for place, name in enumerate(names)]
        return [f"{name} ({count + 1})" if count else name for name, count in zip(names, again, strict=True)]

    def only_one(self) -> Dataset | ComparedCuts:
        """Return the data set if there is one only, or if no column is cut, and else this."""
        discretizer = self.datasets[0].discretizer
        cut = discretizer is not None and any(column.cuts is not None for column in discretizer.fitted.values())
        return self if cut and len(self.datasets) > 1 else self.datasets[0]


def measured_columns(table: Table, wishes: Wishes = NO_WISHES) -> tuple[str, ...]:
    """Return the columns of a table that are cut without being asked for.

    >>> from dagscape.data.tables.frames import table_from_array
    >>> measured_columns(table_from_array([[i % 2, i / 8] for i in range(30)]))
    ('X1',)
    """
    return plan_columns(table, wishes).cut


def discretizer_of(way: str, **options: Any) -> Discretizer:
    """Return the discretizer of a way of cutting, ``METHOD`` or ``METHOD:BINS``.

    Parameters
    ----------
    way : str
        The method, and the number of intervals.
    **options
        Other arguments of :class:`~dagscape.Discretizer`.

    Examples
    --------
    >>> discretizer_of("width:5").way
    'width:5'
    """
    method, colon, bins = way.partition(":")
    if colon and not (bins.isdecimal() and int(bins) >= 2):
        raise InvalidOption(
            f"is {way!r}; it must be METHOD or METHOD:BINS, with at least 2 bins, such as 'quantile:3'",
            option="discretize",
        )
    if colon:
        options["bins"] = int(bins)
    return Discretizer(method=method, **options)


def ways_of(given: Any, **options: Any) -> list[Discretizer]:
    """Return the discretizers that a user asks for: one, several, or those that are averaged over; each once.

    Parameters
    ----------
    given : str, Discretizer or sequence of them
        Ways such as ``"quantile:3"``; ``"average"`` means the usual ones.
    **options
        Other arguments of :class:`~dagscape.Discretizer`, for the ways that are strings. The class column and the
        number of initial intervals are those of the ways that take them.

    Examples
    --------
    >>> [discretizer.way for discretizer in ways_of(["quantile:3", "quantile", "width:5"])]
    ['quantile:3', 'width:5']
    """
    own = {name: value for name, value in options.items() if value is not None}
    listed = [given] if isinstance(given, str | Discretizer) or not isinstance(given, Iterable) else list(given)
    found: dict[Discretizer, None] = {}
    for way in listed:
        if not isinstance(way, str | Discretizer):
            raise InvalidOption(
                f"is {type_of(way)}; it must be a way of cutting such as 'quantile:3', a Discretizer, or several",
                option="discretize",
            )
        names: Sequence[str | Discretizer] = AVERAGED_CUTS if way == AVERAGE else [way]
        for name in names:
            found.setdefault(discretizer_of(name, **_used(name, listed, own)) if isinstance(name, str) else name)
    if not found:
        raise InvalidOption(
            "is empty; it must be a way of cutting such as 'quantile:3', or several", option="discretize"
        )
    return list(found)


def _used(way: str, ways: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a way, without those that only other ways take."""
    rules = [CUT_RULES.get(other.partition(":")[0]) for other in ways if isinstance(other, str)]
    rule = CUT_RULES.get(way.partition(":")[0])
    others = {
        "class_column": any(other is not None and other.needs_class for other in rules),
        "initial_bins": any(other is not None and other.merges for other in rules),
    }
    takes = {"class_column": rule is not None and rule.needs_class, "initial_bins": rule is not None and rule.merges}
    return {
        name: value
        for name, value in options.items()
        # What no way takes is refused by the first.
        if takes.get(name, True) or not others[name]
    }


def cut_table_in_ways(
    table: Table, ways: Sequence[Discretizer], wishes: Wishes = NO_WISHES, **options: Unpack[EncodingOptions]
) -> ComparedCuts:
    """Return the data sets of a table, cut in several ways.

    All ways cut the same columns: those that are measured, unless the user has decided otherwise. Identifiers, dates
    and free text are set aside. A column that is cut in some ways only, because all its numbers are in one interval in
    the others, is a variable in all of them: with a single level in the others.

    Parameters
    ----------
    table : Table
        The table.
    ways : sequence of Discretizer
        The ways.
    wishes : Wishes
        The columns for which the user has decided.
    **options
        As in :meth:`Dataset.from_frame`.
    """
    if wishes.ignore:
        options["drop"] = [*options.get("drop", ()), *wishes.ignore]
    named = [name for way in ways for name in (*(way.columns or ()), *(way.given or ())) if name in table]
    numeric = tuple(dict.fromkeys([*wishes.numeric, *named]))
    plan = Discretizer(method=AUTO, columns=numeric, nominal=wishes.nominal).planned(table, options)
    chosen: EncodingOptions = {**options, "columns": plan.left(table), "drop": ()}
    cutting = [
        replace(way, columns=plan.cut, nominal=tuple(name for name in plan.kept if name not in (way.given or ())))
        for way in ways
    ]
    datasets = [way.learn(table, chosen) for way in cutting]
    kept = set().union(*(data.variables for data in datasets))
    names = [name for name in chosen["columns"] or () if name in kept]
    whole: EncodingOptions = {**chosen, "keep_constant": True}
    found = [
        data if list(data.variables) == names else way.learn(table, whole).select(names)
        for way, data in zip(cutting, datasets, strict=True)
    ]
    aside = {**dict.fromkeys(wishes.ignore, IGNORED), **plan.aside}
    # What is constant in all ways is no variable in any.
    aside |= {name: reason for name, reason in datasets[0].set_aside.items() if name not in kept}
    shown = findings_of(table, names, plan.cut, options.get("weights"))
    return ComparedCuts(tuple(replace(data.with_aside(aside), findings=shown) for data in found))


def cut_in_ways(source: Any, ways: Sequence[Discretizer], **options: Unpack[EncodingOptions]) -> ComparedCuts:
    """Return the data sets of a data frame or of a file, cut in several ways; a warning says what is set aside.

    Parameters
    ----------
    source : data frame, NumPy array, Table, str or path
        The data.
    ways : sequence of Discretizer
        The ways.
    **options
        As in :meth:`Dataset.from_frame`.

    Examples
    --------
    >>> import numpy as np
    >>> cut = cut_in_ways(np.arange(12).reshape(6, 2) + 0.5, ways_of(["quantile:2", "quantile:3"]))
    >>> [data.arities.tolist() for data in cut.datasets]
    [[2, 2], [3, 3]]
    """
    found = cut_table_in_ways(as_table(source, unused=unused_columns(options), dates=True), ways, **options)
    issue(notice_of_choices(found.datasets[0]))
    return found
