"""``dagscape describe``: what is in a table."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.options import DATA_HELP, Output, data_argument, output_options, table_options
from dagscape.data.reading import read_table
from dagscape.data.summary import summarize_table


@click.command(epilog=DATA_HELP)
@data_argument
@table_options
@output_options
def command(data: str, as_json: bool, quiet: bool, **reading: Any) -> None:
    """Show the variables of a table, their levels and counts, missing cells, and what looks wrong."""
    Output(as_json, quiet).show(summarize_table(read_table(data, **reading)))
