"""The options of learners on the command line, made from their records: ``tabu_length`` becomes ``--tabu-length``.

A new learner needs no line here: its keyword-only arguments are its options, with the help of its documentation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from dagscape.errors import InvalidOption
from dagscape.search.learner import Learner
from dagscape.search.registry import LEARNERS

Command = TypeVar("Command", bound=Callable[..., Any])


def learner_options(command: Command) -> Command:
    """Give a command the options of all learners."""
    for name in reversed(_by_option()):
        owners = _by_option()[name]
        first = next(iter(owners.values()))
        option = click.option(
            f"--{name.replace('_', '-')}",
            name,
            metavar="VALUE",
            show_default=_default(first, name),
            help=f"{_listed(owners)}: {_meaning(first, name)}",
        )
        command = option(command)
    return command


def take_learner_options(options: dict[str, Any], method: str) -> dict[str, Any]:
    """Return the options of a learner that the user gave, and remove those of all learners."""
    context = click.get_current_context()
    taken = {}
    for name, owners in _by_option().items():
        value = options.pop(name)
        if context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        if method not in owners:
            raise InvalidOption(f"--{name.replace('_', '-')} is an option of {_listed(owners)}, not of {method}")
        taken[name] = _literal(value)
    return taken


def _literal(text: str) -> Any:
    """Return what a value means: a number, true, false, none, a list of these in brackets, or a word.

    >>> _literal("10"), _literal("[1, 2]"), _literal("none"), _literal("auto")
    (10, [1, 2], None, 'auto')
    """
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text


def _by_option() -> dict[str, dict[str, Learner]]:
    """Return, for each option, the learners that have it, by name."""
    found: dict[str, dict[str, Learner]] = {}
    for learner in LEARNERS.values():
        for name in learner.options:
            found.setdefault(name, {})[learner.name] = learner
    return found


def _listed(owners: Mapping[str, Learner]) -> str:
    return " and ".join(owners)


def _documented(learner: Learner, name: str) -> str:
    """Return the documentation of an option in the numpydoc of its function, on one line."""
    text = learner.function.__doc__ or ""
    found = re.search(rf"^ +{name} :[^\n]*\n(?P<lines>(?: {{8}}[^\n]*\n)+)", text, re.MULTILINE)
    return " ".join(found["lines"].split()) if found else ""


def _meaning(learner: Learner, name: str) -> str:
    """Return what an option means, in the words of its documentation, in which code is marked."""
    return _documented(learner, name).partition(" Default:")[0].replace("`", "")


def _default(learner: Learner, name: str) -> str:
    """Return the default of an option: its value or, if that is None, the words of its documentation."""
    value = learner.options[name]
    return str(value) if value is not None else _documented(learner, name).partition(" Default: ")[2].rstrip(".")
