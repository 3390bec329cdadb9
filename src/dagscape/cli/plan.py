"""``dagscape plan``: memory and time, before a job starts."""

from __future__ import annotations

from collections.abc import Callable
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
from dagscape.cli.wording import spelling
from dagscape.errors import InvalidOption
from dagscape.registry import METHODS
from dagscape.report.planning import TASKS, spelled_plan


def _method_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options on which the needs of the methods depend."""
    for method in METHODS.values():
        for name, values in method.options.items():
            text = f"For --task {method.name}; default: {values[0]}."
            command = click.option(f"--{name}", type=click.Choice(values), help=text)(command)
    return command


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@score_options
@click.option(
    "--task", type=click.Choice(TASKS), default="scores", show_default=True, help="What the job is to give in the end."
)
@_method_options
@work_options
@output_options
def command(data: str, task: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Say how much memory and time a job will need, from short trials on this machine."""
    out = Output(as_json, quiet)
    for method in METHODS.values():
        for name in method.options:
            if options[name] is None:
                del options[name]
            elif method.name != task:
                raise InvalidOption(f"--{name} is for --task {method.name}")
    dataset = take_data(data, options)
    out.show(spelled_plan(dataset, task, spelling, **take_score_options(options, out)))
