"""Options of subcommands that draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dagscape.cli.arguments.numbers import within
from dagscape.cli.program.output import checked_path
from dagscape.drawing.draw import drawing_format
from dagscape.drawing.edges import LINES
from dagscape.drawing.text import LABEL_WIDTH, LINE_LENGTH

Command = TypeVar("Command", bound=Callable[..., Any])

label_width = click.option(
    "--label-width",
    type=within(LABEL_WIDTH),
    metavar="N",
    show_default=str(LINE_LENGTH),
    help="Break names in drawings into lines of at most N characters.",
)

posterior_lines = click.option(
    "--lines",
    type=click.Choice(LINES),
    show_default=LINES[0],
    help="What a line in the drawing of a posterior is: a pair of variables, or an edge with its own probability.",
)


def picture_options(what: str) -> Callable[[Command], Command]:
    """Return the options of a subcommand that can draw its result; ``what`` says what is drawn."""

    def decorate(command: Command) -> Command:
        picture = click.option(
            "--draw",
            "picture",
            metavar="FILE",
            callback=checked_path(drawing_format),
            help=f"Draw {what} to a .svg, .png, .pdf or .dot file.",
        )
        return picture(label_width(command))

    return decorate
