"""``dagscape plan``: estimate the memory and time of a job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from dagscape.cli.arguments.numbers import IntRange
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
from dagscape.cli.program.output import Output
from dagscape.cli.program.wording import spelling
from dagscape.core.errors import InvalidOption
from dagscape.planning.plan import TASKS, spelled_plan
from dagscape.planning.registry import METHODS
from dagscape.posterior.places import PLANNED_BACKENDS


def _method_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that change what methods need."""
    for method in METHODS.values():
        for name, values in method.options.items():
            text = f"For --task {method.name}."
            command = click.option(f"--{name}", type=click.Choice(values), show_default=values[0], help=text)(command)
    return command


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@score_options
@click.option("--task", type=click.Choice(TASKS), default="scores", show_default=True, help="What the job computes.")
@_method_options
@click.option(
    "--backend",
    type=click.Choice(PLANNED_BACKENDS),
    show_default="cpu",
    help="For --task posterior: what does the sum.",
)
@click.option(
    "--ranks",
    type=IntRange(1),
    metavar="N",
    help="For --task posterior: plan for N ranks of MPI, each on a machine like this one.",
)
@click.option(
    "--card-memory",
    metavar="SIZE",
    help="For --task posterior: plan for a GPU with this memory, such as 80GiB; the time is that of an NVIDIA H200.",
)
@work_options
@output_options
def command(data: str, task: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Estimate the memory and time that a job will need, from short trials on this machine.

    The exit code is 4 if the job does not fit within the memory limit.
    """
    out = Output(as_json, quiet)
    for method in METHODS.values():
        for name in (*method.options, *method.places):
            if options[name] is None:
                del options[name]
            elif method.name != task:
                raise InvalidOption(f"--{name.replace('_', '-')} is for --task {method.name}")
    dataset = take_data(data, options, options["max_memory"])
    report_set_aside(dataset, out)
    planned = spelled_plan(dataset, task, spelling, **take_score_options(options, out))
    out.show(planned)
    if not planned.fits:
        raise click.exceptions.Exit(4)
