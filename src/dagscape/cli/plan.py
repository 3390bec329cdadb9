"""``dagscape plan``: memory and time, before a job starts."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

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
from dagscape.errors import InvalidOption
from dagscape.posterior.summing import SUMS
from dagscape.report.planning import TASKS, plan


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@score_options
@click.option(
    "--task", type=click.Choice(TASKS), default="scores", show_default=True, help="What the job is to give in the end."
)
@click.option("--over", type=click.Choice(list(SUMS)), default="dags", help="What a posterior sums over.")
@work_options
@output_options
def command(data: str, task: str, over: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Say how much memory and time a job will need, from short trials on this machine."""
    out = Output(as_json, quiet)
    if task != "posterior" and click.get_current_context().get_parameter_source("over") == ParameterSource.COMMANDLINE:
        raise InvalidOption("--over is for --task posterior")
    dataset = take_data(data, options)
    out.show(plan(dataset, task, over=over, **take_score_options(options, out)))
