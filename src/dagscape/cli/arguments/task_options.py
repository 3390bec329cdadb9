"""The options of tasks that change what they need, made from the records: ``gpu_memory`` becomes ``--gpu-memory``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from dagscape.cli.arguments.numbers import within
from dagscape.core.constraints import Flag, Number, Whole
from dagscape.core.errors import InvalidOption
from dagscape.core.requirements import TaskOption
from dagscape.planning.registry import TASKS
from dagscape.scores.scoring_job import scoring_options

Command = TypeVar("Command", bound=Callable[..., Any])

PLANNED = tuple(name for name, task in TASKS.items() if task.planned)


def task_options(command: Command) -> Command:
    """Add the options of all tasks that plans know, except those that scores have, too."""
    for name, owners in reversed(_owners().items()):
        if name not in scoring_options():
            command = _option(name, owners)(command)
    return command


def take_task_options(options: dict[str, Any], task: str, *, without: Collection[str] = ()) -> None:
    """Drop the options of tasks that are not given, and refuse those that a task does not have.

    Parameters
    ----------
    options : dict
        The command's options.
    task : str
        The name of the task.
    without : collection of str
        Options of other kinds that the task does not have.
    """
    context, owners, own = click.get_current_context(), _owners(), TASKS[task].plan_options
    of_scores = set(scoring_options()) - {*without, *own}
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in {*owners, *without} - of_scores:
            continue
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            del options[name]
        elif name not in own:
            others = "" if name in scoring_options() else ", ".join(owners.get(name, ()))
            why = f"is for --task {others}" if others else f"has no effect with --task {task}: leave it out"
            raise InvalidOption(f"{parameter.opts[0]} {why}")


def _owners() -> dict[str, dict[str, TaskOption]]:
    """Return, for each option, the tasks that have it, by name."""
    found: dict[str, dict[str, TaskOption]] = {}
    for task in PLANNED:
        for name, option in TASKS[task].plan_options.items():
            found.setdefault(name, {})[task] = option
    return found


def _option(name: str, owners: Mapping[str, TaskOption]) -> Callable[[Command], Command]:
    """Return the option of some tasks; what it means is said once where they agree."""
    values = tuple(dict.fromkeys(value for option in owners.values() for value in option.values))
    constraint = next(iter(owners.values())).constraint
    number = constraint if isinstance(constraint, Whole | Number) else None
    meanings: dict[str, list[str]] = {}
    for task, option in owners.items():
        meaning = f"{option.help}  [default: {option.default or option.values[0]}]"
        meanings.setdefault(meaning, []).append(task)
    told = " ".join(f"For --task {', '.join(tasks)}: {meaning}" for meaning, tasks in meanings.items())
    if isinstance(constraint, Flag):
        return click.option(f"--{name.replace('_', '-')}", is_flag=True, help=told)
    return click.option(
        f"--{name.replace('_', '-')}",
        type=click.Choice(values) if values else str if number is None else within(number),
        metavar=None if values else "SIZE" if number is None else "N" if isinstance(number, Whole) else "X",
        help=told,
    )
