"""Options for the parameters of scores, one for each that a score declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.scores.definitions.parameter import Parameter
from dagscape.scores.registry import SCORES

Command = TypeVar("Command", bound=Callable[..., Any])

# By name; scores that share a parameter declare the same one.
PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter for definition in SCORES.values() for parameter in definition.parameters
}


def listed(
    kind: Callable[[str], Any], name: str
) -> Callable[[click.Context, click.Parameter, str | None], list[Any] | None]:
    """Return a callback that reads values separated by commas; ``name`` says what they are."""

    def read(context: click.Context, parameter: click.Parameter, text: str | None) -> list[Any] | None:
        if text is None:
            return None
        try:
            return [kind(part.strip()) for part in text.split(",")]
        except ValueError as error:
            raise InvalidOption(f"{parameter.opts[0]} is {text!r}; it must be {name} separated by commas") from error

    return read


def shown(values: tuple[Any, ...]) -> str:
    """Return values separated by commas, as a user writes them."""
    return ",".join(
        "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value) for value in values
    )


class _Value(click.types.StringParamType):
    """A number, or a word that a parameter allows."""

    def __init__(self, parameter: Parameter) -> None:
        self._words = parameter.words
        self.name = "float" if not parameter.words else "value"

    def read(self, text: str) -> float | str:
        return text if text in self._words else float(text)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.read(value) if isinstance(value, str) else value
        except ValueError:
            allowed = " or ".join([*map(repr, self._words), "a number"])
            self.fail(f"{value!r} is not {allowed}." if self._words else f"{value!r} is not a valid float.", param, ctx)


def parameter_options(command: Command) -> Command:
    """Add an option for each parameter of a score."""
    for parameter in reversed(PARAMETERS.values()):
        option = click.option(
            _spelled(parameter.name), parameter.name, type=_Value(parameter),
            show_default=f"{shown((parameter.default,))}, unless --settings chooses it",
            help=f"{_meaning(parameter)}.",
        )  # fmt: skip
        command = option(command)
    return command


def parameter_lists(command: Command) -> Command:
    """Add an option for each parameter of a score that takes several values, separated by commas."""
    for parameter in reversed(PARAMETERS.values()):
        option = click.option(
            _spelled(parameter.name), parameter.name, metavar="LIST",
            callback=listed(_Value(parameter).read, "values" if parameter.words else "numbers"),
            show_default=shown(parameter.compared or (parameter.default,)),
            help=f"{_meaning(parameter)}, several separated by commas.",
        )  # fmt: skip
        command = option(command)
    return command


def take_parameters(options: dict[str, Any], out: Output) -> dict[str, Any]:
    """Remove the parameters from a subcommand's options and return those given; warn about those without effect."""
    used = {parameter.name for parameter in SCORES[options["score"]].parameters}
    given = {name: value for name in PARAMETERS if (value := options.pop(name, None)) is not None}
    for name in given:
        if name not in used:
            out.warn(f"{_spelled(name)} has no effect with --score {options['score']}")
    return {name: value for name, value in given.items() if name in used}


def _spelled(name: str) -> str:
    return "--" + name.replace("_", "-")


def _meaning(parameter: Parameter) -> str:
    titles = [score.title for score in SCORES.values() if parameter in score.parameters]
    return f"{parameter.meaning[0].upper()}{parameter.meaning[1:]} of {', '.join(titles)}"
