"""The tables of ``classify``: which of their columns and rows are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dagscape.cli.arguments.data_arguments import CHOSEN_COLUMNS, named_columns
from dagscape.cli.arguments.options import check_table
from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.data.discrete.encoding import identifier_columns
from dagscape.data.reading import read_table
from dagscape.data.tables.selection import chosen_columns, without_missing
from dagscape.data.tables.table import Table

Command = TypeVar("Command", bound=Callable[..., Any])

_MISSING = click.option(
    "--missing",
    type=click.Choice(["level", "drop"]),
    default="level",
    show_default=True,
    help="Missing cells: make them a level, or drop their rows.",
)


def classified_options(command: Command) -> Command:
    """Give a command the options of :func:`take_classified`."""
    for option in reversed([_MISSING, *CHOSEN_COLUMNS]):
        command = option(command)
    return command


def take_classified(
    data: str, test: str | None, target: str, options: dict[str, Any], max_memory: str | None, out: Output
) -> tuple[Table, Table | None]:
    """Read the rows of training and of a test as the options say, and remove these; warn of what looks wrong."""
    reading = {name: options.pop(name) for name in ("separator", "missing_values")}
    check_table(data)
    table = read_table(data, **reading, max_memory=max_memory)
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
    others = None if test is None else read_table(test, **reading, max_memory=max_memory)
    # A table of the test may lack columns.
    known = None if others is None else others.only([name for name in used if name in others])
    return _chosen_rows(table.only(used), complete, out), known and _chosen_rows(known, complete, out)


def _chosen_rows(table: Table, complete: bool, out: Output) -> Table:
    """Return the rows to use, and say how many are dropped."""
    if not complete:
        return table
    kept = without_missing(table)
    if dropped := int((~kept).sum()):
        out.warn(f"{dropped:,} of {table.m:,} rows of {table.source} have missing cells and were dropped")
    return table.take(kept)
