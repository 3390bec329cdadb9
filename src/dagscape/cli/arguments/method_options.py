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

from dagscape.core.errors import InvalidOption
from dagscape.search.learner import Learner
from dagscape.search.mmpc import mmpc
from dagscape.search.registry import LEARNERS

Command = TypeVar("Command", bound=Callable[..., Any])


# Functions to whose documentation that of learners refers: "As in :func:`dagscape.mmpc`."
_REFERRED: dict[str, Callable[..., Any]] = {"mmpc": mmpc}


def learner_options(command: Command) -> Command:
    """Give a command the options of all learners."""
    owners = _by_option()
    for name in reversed(owners):
        option = click.option(
            _spelled(name),
            name,
            metavar="VALUE",
            show_default=_shared({method: _default(learner, name) for method, learner in owners[name].items()}),
            help=_help({method: _meaning(learner, name) for method, learner in owners[name].items()}),
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
            raise InvalidOption(f"{_spelled(name)} is an option of {' and '.join(owners)}, not of {method}")
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


def _spelled(name: str) -> str:
    return f"--{name.replace('_', '-')}" if len(name) > 1 else f"-{name}"


def _grouped(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the methods that share each text."""
    groups: dict[str, list[str]] = {}
    for method, text in texts.items():
        groups.setdefault(text, []).append(method)
    return groups


def _help(meanings: Mapping[str, str]) -> str:
    return " ".join(f"{', '.join(methods)}: {meaning}" for meaning, methods in _grouped(meanings).items())


def _shared(defaults: Mapping[str, str]) -> str:
    """Return the default of an option, of each method where they differ."""
    groups = _grouped(defaults)
    if len(groups) == 1:
        return next(iter(groups))
    return "; ".join(f"{', '.join(methods)}: {default}" for default, methods in groups.items())


def _documented(function: Callable[..., Any], name: str) -> str:
    """Return the documentation of an argument in the numpydoc of a function, on one line."""
    head = rf"^ +(?:\w+, )*{name}(?:, \w+)*(?: :[^\n]*)?\n"
    found = re.search(rf"{head}(?P<lines>(?: {{8}}[^\n]*\n)+)", function.__doc__ or "", re.MULTILINE)
    text = " ".join(found["lines"].split()) if found else ""
    elsewhere = re.fullmatch(r"As in :func:`dagscape\.(\w+)`\.", text)
    return _documented(_REFERRED[elsewhere[1]], name) if elsewhere else text


def _meaning(learner: Learner, name: str) -> str:
    """Return what an option means, in the words of its documentation without marks."""
    return _documented(learner.function, name).partition(" Default:")[0].replace("`", "")


def _default(learner: Learner, name: str) -> str:
    """Return the default of an option: its value or, if that is None, the words of its documentation."""
    value = learner.options[name]
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if value is not None:
        return str(value)
    return (
        _documented(learner.function, name).partition(" Default: ")[2].partition(". ")[0].rstrip(".").replace("`", "")
    )
