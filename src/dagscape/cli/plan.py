"""``dagscape plan``: memory and time, before a job starts."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.options import (
    DATA_HELP,
    Output,
    data_argument,
    data_options,
    output_options,
    score_options,
    take_data,
    take_score_options,
    work_options,
)
from dagscape.scores.planning import plan


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@score_options
@work_options
@output_options
def command(data: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Say how much memory and time the scoring of a table will need, from a short trial on this machine."""
    out = Output(as_json, quiet)
    dataset = take_data(data, options)
    out.show(plan(dataset, **take_score_options(options, out)))
