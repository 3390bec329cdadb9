"""``dagscape plan``: estimate the memory and time of a job."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.options import (
    DATA_HELP,
    data_argument,
    data_options,
    output_options,
    report_set_aside,
    score_options,
    take_data,
    take_score_options,
    work_options,
)
from dagscape.cli.arguments.task_options import PLANNED, take_task_options, task_options
from dagscape.cli.program.output import Output
from dagscape.cli.program.wording import spelling
from dagscape.planning.plan import spelled_plan


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@score_options
@click.option("--task", type=click.Choice(PLANNED), default="scores", show_default=True, help="What the job computes.")
@task_options
@work_options
@output_options
def command(data: str, task: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Estimate the memory and time that a job will need, from short trials on this machine.

    The exit code is 4 if the job does not fit within the memory limit.
    """
    out = Output(as_json, quiet)
    take_task_options(options, task)
    dataset = take_data(data, options, options["max_memory"])
    report_set_aside(dataset, out)
    planned = spelled_plan(dataset, task, spelling, **take_score_options(options, out))
    out.show(planned)
    if not planned.fits:
        raise click.exceptions.Exit(4)
