"""``dagscape describe``: summarise a table."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.options import (
    DATA_HELP,
    Output,
    data_argument,
    data_options,
    output_options,
    report_dropped_rows,
    take_data,
)
from dagscape.data.reading import read_table
from dagscape.data.summary import summarize_table


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@output_options
def command(data: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Summarise a table: its variables, their levels and counts, missing cells, and likely mistakes.

    By default the table is shown as read, including missing cells and decimals, which other commands refuse. With
    --missing, --levels, --interventions or --discretize it is shown as those commands would use it.
    """
    out = Output(as_json, quiet)
    shaping = ("missing", "levels", "interventions", "discretize", "class_column", "discretize_columns")
    if any(options[name] for name in shaping):
        dataset = take_data(data, options)
        report_dropped_rows(dataset, out)
        summary = dataset.describe()
    else:
        reading = {name: options[name] for name in ("separator", "missing_values")}
        summary = summarize_table(read_table(data, **reading))
    out.show(summary)
