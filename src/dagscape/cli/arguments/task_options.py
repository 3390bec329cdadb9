"""The options of tasks that change what they need, made from the records: ``gpu_memory`` becomes ``--gpu-memory``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from dagscape.core.errors import InvalidOption
from dagscape.core.requirements import TaskOption
from dagscape.planning.registry import TASKS
from dagscape.scores.scoring_job import scoring_options

Command = TypeVar("Command", bound=Callable[..., Any])

_METAVARS = {str: "SIZE", int: "N", float: "X"}

PLANNED = tuple(name for name, task in TASKS.items() if task.planned)


def task_options(command: Command) -> Command:
    """Add the options of all tasks that plans know, except those that scores have too."""
    for name, owners in reversed(_owners().items()):
        if name not in scoring_options():
            command = _option(name, owners)(command)
    return command


def take_task_options(options: dict[str, Any], task: str) -> None:
    """Drop the options that are not given, and refuse those of other tasks."""
    for name, owners in _owners().items():
        if options[name] is None:
            del options[name]
        elif task not in owners and name not in scoring_options():
            raise InvalidOption(f"{_spelled(name)} is for --task {' or '.join(owners)}")


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
    first = next(iter(owners.values()))
    meanings: dict[str, list[str]] = {}
    for task, option in owners.items():
        meanings.setdefault(option.help, []).append(task)
    text = " ".join(f"For --task {' or '.join(tasks)}: {meaning}" for meaning, tasks in meanings.items())
    return click.option(
        _spelled(name),
        type=click.Choice(values) if values else first.type,
        metavar=None if values else _METAVARS[first.type],
        show_default=values[0] if values else first.default,
        help=text,
    )


def _spelled(name: str) -> str:
    return f"--{name.replace('_', '-')}"
