"""From a table to an array of numbers and levels: what each column holds, and which columns and rows are used.

Columns are told apart as when numbers are cut automatically (:mod:`dagscape.data.kinds.decisions`): what is measured
stays a number, labels and few integers are levels, and identifiers, dates and free text are set aside. So are columns
with a single value or level.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, argument
from dagscape.core.wording import plural
from dagscape.data.continuous.cells import column_numbers
from dagscape.data.continuous.measuring import KEEP_CELLS, constant_columns, repeated_rows, without_columns
from dagscape.data.discrete.encoding import (
    KEEP_AS_LEVEL,
    MISSING_CHOICES,
    Missing,
    check_observed,
    columns_of_one_level,
    hopeless_columns,
    own_type,
)
from dagscape.data.discrete.levels import (
    Declaration,
    EncodedColumn,
    LevelsOption,
    check_declarations,
    check_strings,
    encode_column,
)
from dagscape.data.kinds.decisions import NO_WISHES, Plan, Wishes, plan_columns, with_levels
from dagscape.data.kinds.written_numbers import written_numbers
from dagscape.data.tables.columns import MISSING
from dagscape.data.tables.interventions import Marks, split_interventions
from dagscape.data.tables.missing_cells import check_no_missing, without_missing
from dagscape.data.tables.numbers import Floats
from dagscape.data.tables.selection import MarkedTable, SelectionOptions, check_set_cells, chosen_columns
from dagscape.data.tables.table import Table, listing
from dagscape.data.tables.value_types import ValueType
from dagscape.data.tables.weights import weighted


class ComposingOptions(SelectionOptions, total=False):
    """The arguments of :func:`compose_table`, which are those of :meth:`dagscape.MixedData.from_frame`."""

    missing: Missing
    levels: LevelsOption | None


@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """The rows of a table as numbers and levels: what mixed data are made of.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    values : ndarray of float64
        Rows × variables: numbers, and the indices of levels; NaN for a missing cell.
    levels : dict of str to tuple of str
        The levels of each discrete variable.
    marks : ndarray of bool or None
        Rows × variables: whether the variable was set.
    missing : dict of str to int
        The number of missing cells of each variable, before rows were dropped.
    dropped : int
        The number of dropped rows.
    types : dict of str to str
        The own type of each discrete variable.
    set_aside : dict of str to str
        The columns that are no variables, and why.
    guessed : tuple of str
        The discrete variables whose levels are numbers, by what they seem to hold.
    weighted_by : str or None
        The column that said how often each row is repeated.
    """

    variables: tuple[str, ...]
    values: Floats
    levels: dict[str, tuple[str, ...]]
    marks: Marks | None
    missing: dict[str, int]
    dropped: int
    types: dict[str, ValueType]
    set_aside: dict[str, str]
    guessed: tuple[str, ...] = ()
    weighted_by: str | None = None


def compose_table(
    table: Table,
    *,
    wishes: Wishes = NO_WISHES,
    missing: Missing = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    weights: Any = None,
    randomised: Collection[str] = (),
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,  # noqa: ARG001 (as data of all kinds take it; such columns are set aside anyway)
    max_memory: int | str | None = None,
) -> Composed:
    """Read the cells of a table as numbers and levels.

    Parameters
    ----------
    table : Table
        The table as read.
    wishes : Wishes
        What the user has decided about columns.
    missing, levels, interventions, weights, randomised, columns, drop, keep_constant, max_memory
        As in :meth:`dagscape.MixedData.from_frame`.
    drop_suspicious : bool
        Without effect: columns that look like identifiers are set aside in any case.
    """
    check_choice(missing, MISSING_CHOICES, "missing")
    wishes.check(table)
    # Numbers in a column of interventions count all columns, so that it is read first.
    marked = MarkedTable(*split_interventions(weighted(table, weights), interventions, randomised)).counted()
    declarations = check_declarations(levels, marked.table, max_memory)
    unwanted = [*drop, *(name for name in wishes.ignore if name not in drop)]
    marked = marked.only(chosen_columns(marked.table, columns, unwanted))
    plan = plan_columns(marked.table, wishes, declarations)
    absent, aside = marked.table.missing, plan.aside
    marked = marked.only(plan.left(marked.table))
    numbers = {name: measured_numbers(marked.table, name) for name in plan.cut}
    if not keep_constant and missing != "error":
        # Before rows are dropped: a column that is set aside should not cost any.
        aside |= _hopeless(marked.table, plan, numbers, declarations, level=missing == "level")
        marked = without_columns(marked, aside)
    _check_missing(marked.table, plan, missing)
    all_rows = marked.table
    if missing == "drop" and any(absent[name] for name in all_rows.names):
        kept = without_missing(all_rows, level=not _gappy(all_rows, plan))
        marked = marked.take(kept)
        numbers = {name: column[kept] for name, column in numbers.items()}
    marked = MarkedTable(with_levels(marked.table, plan.kept), marked.marks)
    encoded = _encoded(marked.table, plan, declarations, missing, max_memory)
    if not keep_constant:
        aside |= columns_of_one_level(marked.table, encoded, all_rows)
        left = {name: numbers[name] for name in marked.table.names if name in numbers}
        aside |= constant_columns(left, dropped=all_rows.m > marked.table.m)
        marked = without_columns(marked, aside)
    encoded = {name: encoded[name] for name in marked.table.names if name in encoded}
    if missing == "keep":
        check_observed(marked.table, encoded)
    few = _few_numbers(all_rows, plan, {*wishes.nominal, *declarations})
    values, marks = _assembled(marked, numbers, encoded, max_memory)
    return Composed(
        variables=marked.table.names,
        values=values,
        levels={name: levels for name, (levels, _) in encoded.items()},
        marks=marks,
        missing={name: absent[name] for name in marked.table.names},
        dropped=all_rows.total - marked.table.total,
        types={name: own_type(marked.table.column(name), *found) for name, found in encoded.items()},
        set_aside=aside,
        guessed=tuple(name for name in encoded if name in few),
        weighted_by=marked.table.counted_by,
    )


def _few_numbers(table: Table, plan: Plan, decided: Collection[str]) -> frozenset[str]:
    """Return the columns that have levels because their numbers are few, unless the user decided about them."""
    return frozenset(
        name
        for name, column in zip(table.names, table.columns, strict=True)
        if name not in decided and not column.declared and column.kind != "labels"
        if plan.decisions[name].guess.kind == "ordered" and name in plan.kept
    )


def measured_numbers(table: Table, name: str) -> Floats:
    """Return the numbers of a measured column, which may be percentages or amounts of money."""
    column = table.column(name)
    if column.numbers() is None and not column.declared:
        written = written_numbers(column)
        if written is not None and not np.isinf(written).any():
            return written + 0.0
    return column_numbers(table, name)


def _hopeless(
    table: Table, plan: Plan, numbers: Mapping[str, Floats], declarations: Mapping[str, Declaration], *, level: bool
) -> dict[str, str]:
    """Return the columns with missing cells that are constant without them, unless these are a level."""
    found = constant_columns({name: column for name, column in numbers.items() if table.column(name).missing})
    discrete = [name for name in table.names if name in plan.kept]
    return found if level or not discrete else found | hopeless_columns(table.only(discrete), declarations)


def _gappy(table: Table, plan: Plan) -> list[str]:
    """Return the measured columns that have missing cells."""
    return [name for name in table.names if name in plan.cut and table.column(name).missing]


def _check_missing(table: Table, plan: Plan, missing: Missing) -> None:
    gappy = _gappy(table, plan)
    if missing == "error":
        check_no_missing(table, KEEP_CELLS if gappy else KEEP_AS_LEVEL)
    if missing == "level" and gappy:
        cells = sum(table.missing[name] for name in gappy)
        one = len(gappy) == 1
        raise InvalidData(
            f"{table.source} has {plural(cells, 'missing cell')} in the measured column{'' if one else 's'} "
            f"{listing(gappy)}, which {'has' if one else 'have'} no levels: use {argument('missing', 'drop')} to leave "
            f"out their rows, or leave the column{'' if one else 's'} out with {argument('drop', gappy)}"
        )


def _encoded(
    table: Table, plan: Plan, declarations: Mapping[str, Declaration], missing: Missing, max_memory: int | str | None
) -> dict[str, EncodedColumn]:
    """Return the levels and codes of each discrete column."""
    found = {}
    for name in table.names:
        if name in plan.kept:
            check_strings(table, name, max_memory)
            found[name] = encode_column(table, name, declarations.get(name), level_of_gaps=missing != "keep")
    return found


def _assembled(
    marked: MarkedTable,
    numbers: Mapping[str, Floats],
    encoded: Mapping[str, EncodedColumn],
    max_memory: int | str | None,
) -> tuple[Floats, Marks | None]:
    """Return the rows, each as often as it counts, and the marks of their interventions."""
    table = marked.table
    values = np.empty((table.m, len(table.names)))
    for place, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if name in encoded:
            codes = encoded[name][1][column.codes]
            values[:, place] = np.where(codes == MISSING, np.nan, codes)
        else:
            values[:, place] = numbers[name]
    check_set_cells(table, marked.marks, np.isnan(values))
    return repeated_rows(values, marked, max_memory)
