"""``dagscape describe``: summarise a table."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.cutting_arguments import OVERRULING
from dagscape.cli.arguments.data_arguments import named_columns, take_wishes
from dagscape.cli.arguments.data_reports import report_decisions, report_dropped_rows
from dagscape.cli.arguments.options import (
    DATA_HELP,
    data_argument,
    data_options,
    memory_option,
    output_options,
    take_discrete,
    take_table,
)
from dagscape.cli.program.output import Output
from dagscape.data.discrete.summary import summarize_table
from dagscape.data.reading import READING_OPTIONS
from dagscape.data.tables.selection import chosen_columns

# Options with which the table is still shown as read.
_AS_READ = (*READING_OPTIONS, "columns", "drop", *OVERRULING, "discretize_columns")


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@memory_option
@output_options
def command(data: str, max_memory: str | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Summarise a table: its variables, their levels and counts, missing cells, and likely mistakes.

    By default the table is shown as read, including missing cells, which other commands refuse, and with what each
    column seems to hold and would be used as; --nominal, --numeric and --ignore overrule that. With --missing,
    --levels, --interventions, --randomised, --weights, --discretize, --discretizer, --drop-suspicious or
    --keep-constant it is shown as other commands would use it.
    """
    out = Output(as_json, quiet)
    if any(options[name] for name in options if name not in _AS_READ):
        dataset = take_discrete(data, options, max_memory)
        report_dropped_rows(dataset, out)
        report_decisions(dataset, out)
        summary = dataset.describe()
    else:
        table = take_table(data, options, max_memory)
        columns = named_columns(options["columns"], table, "--columns")
        drop = named_columns(options["drop"], table, "--drop")
        wishes = take_wishes(options, table)
        chosen = table.only(chosen_columns(table, columns or None, [*drop, *wishes.ignore]))
        summary = summarize_table(chosen, wishes)
    out.show(summary)
