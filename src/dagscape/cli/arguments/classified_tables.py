"""The tables of ``classify``: which of their columns and rows are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dagscape.cli.arguments.data_arguments import CHOSEN_COLUMNS, named_columns, weights_option
from dagscape.cli.arguments.options import check_table, take_reading
from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.core.resources import check_memory
from dagscape.data.discrete.encoding import identifier_columns
from dagscape.data.reading import read_table
from dagscape.data.tables.missing_cells import without_missing
from dagscape.data.tables.selection import chosen_columns
from dagscape.data.tables.table import Table
from dagscape.data.tables.weights import weighted

Command = TypeVar("Command", bound=Callable[..., Any])

# A code or a number, the copies of training and test, and what prediction needs.
_CELL_BYTES = 32

_MISSING = click.option(
    "--missing",
    type=click.Choice(["level", "drop"]),
    default="level",
    show_default=True,
    help="Missing cells: make them a level, or drop their rows.",
)

_WEIGHTS = weights_option("How many times each row counts: the column that says so; in --test, if it has that column.")


def classified_options(command: Command) -> Command:
    """Give a command the options of :func:`take_classified`."""
    for option in reversed([_MISSING, _WEIGHTS, *CHOSEN_COLUMNS]):
        command = option(command)
    return command


def take_classified(
    data: str, test: str | None, target: str, options: dict[str, Any], max_memory: str | None, out: Output
) -> tuple[Table, Table | None]:
    """Read the rows of training and of a test as the options say, and remove these; warn of what looks wrong."""
    reading, weights = take_reading(options), options.pop("weights")
    check_table(data)
    table = _repeated(read_table(data, **reading, max_memory=max_memory), weights, max_memory)
    columns, drop = (named_columns(options.pop(name), table, f"--{name}") for name in ("columns", "drop"))
    if target in table and target in drop:
        raise InvalidOption(f"--drop leaves out {target!r}, which is the target")
    # Those to use need not name the class.
    used = chosen_columns(table, [*columns, *({target} - {*columns})] if columns and target in table else None, drop)
    suspicious = identifier_columns(table.only([name for name in used if name != target]))
    aside = options.pop("drop_suspicious")
    for name, reason in suspicious.items():
        out.warn(f"{name!r} {reason}: " + ("it is set aside" if aside else f"leave it out with --drop {name!r}"))
    used = [name for name in used if not (aside and name in suspicious)]
    complete = options.pop("missing") == "drop"
    others = None
    if test is not None:
        others = read_table(test, **reading, max_memory=max_memory)
        others = _repeated(others, weights if weights in others else None, max_memory)
    # A table of the test may lack columns.
    known = None if others is None else others.only([name for name in used if name in others])
    return _chosen_rows(table.only(used), complete, out), known and _chosen_rows(known, complete, out)


def _repeated(table: Table, weights: str | None, max_memory: str | None) -> Table:
    """Return the rows, each as often as it counts: folds are made of rows."""
    counted = weighted(table, weights)
    if counted.counts is None:
        return counted
    what = f"the {counted.total:,} rows that the weights of {table.source} count"
    check_memory(counted.total * len(counted.names) * _CELL_BYTES, max_memory, what, "raise it, or use fewer columns")
    return counted.repeated()


def _chosen_rows(table: Table, complete: bool, out: Output) -> Table:
    """Return the rows to use, and say how many are dropped."""
    if not complete:
        return table
    kept = without_missing(table)
    if dropped := int((~kept).sum()):
        out.warn(f"{dropped:,} of {table.m:,} rows of {table.source} have missing cells and were dropped")
    return table.take(kept)
