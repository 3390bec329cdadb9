"""Options of subcommands that draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, Unpack

import click

from dagscape.cli.arguments.numbers import within
from dagscape.cli.program.output import Output, checked_path
from dagscape.core.constraints import A_PROBABILITY
from dagscape.drawing.draw import draw, drawing_format
from dagscape.drawing.edges import LINES, Drawable
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.drawing.page import LEAST_TEXT, page_of
from dagscape.drawing.text import LABEL_WIDTH, LINE_LENGTH
from dagscape.drawing.view import DEFAULT_STEPS, MOST_ISOLATED, STEPS, DrawOptions

Command = TypeVar("Command", bound=Callable[..., Any])

# Where the values of the options are kept, so that commands need not pass them on.
_VIEW_KEY = "dagscape.picture_view"


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value not in (None, ()):
        context.meta.setdefault(_VIEW_KEY, {})[parameter.name] = value


def _keep_page(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        page_of(value)
    _keep(context, parameter, value)


def picture_view() -> DrawOptions:
    """Return how to draw, as the options of the running subcommand say."""
    view: DrawOptions = click.get_current_context().meta.get(_VIEW_KEY, {})
    return view


_VIEW = (
    click.option(
        "--around",
        multiple=True,
        metavar="VARIABLE",
        expose_value=False,
        callback=_keep,
        help="Draw only this variable and those near it; may be repeated.",
    ),
    click.option(
        "--steps",
        type=within(STEPS),
        metavar="N",
        expose_value=False,
        callback=_keep,
        show_default=str(DEFAULT_STEPS),
        help="With --around: how many edges away a variable may be.",
    ),
    click.option(
        "--show-isolated/--hide-isolated",
        "isolated",
        default=None,
        expose_value=False,
        callback=_keep,
        show_default=f"shown if there are at most {MOST_ISOLATED}",
        help="Whether drawings have variables without edges.",
    ),
    click.option(
        "--page",
        metavar="SIZE",
        expose_value=False,
        callback=_keep_page,
        help=f"Fit the drawing to a page, such as 17cm or 17x24cm, with text of at least {LEAST_TEXT:g} points.",
    ),
    click.option(
        "--label-width",
        type=within(LABEL_WIDTH),
        metavar="N",
        expose_value=False,
        callback=_keep,
        show_default=str(LINE_LENGTH),
        help="Break names in drawings into lines of at most N characters.",
    ),
)


def view_options(command: Command) -> Command:
    """Add the options that say what a drawing shows of a graph, and how large."""
    for option in reversed(_VIEW):
        command = option(command)
    return command


posterior_lines = click.option(
    "--lines",
    type=click.Choice(LINES),
    show_default=LINES[0],
    help="What a line in the drawing of a posterior is: a pair of variables, or an edge with its own probability.",
)

direction_threshold_option = click.option(
    "--direction-threshold",
    type=within(A_PROBABILITY),
    metavar="P",
    expose_value=False,
    callback=_keep,
    show_default="that of edges",
    help="In the drawing of a posterior: an arrowhead where the direction has at least this probability.",
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
        return picture(view_options(command))

    return decorate


def draw_result(
    result: Drawable | OwnPicture, path: str | None, out: Output, **options: Unpack[DrawOptions]
) -> str | None:
    """Draw a result as the options of the subcommand say, and show the warnings about the drawing."""
    chosen: DrawOptions = {**picture_view(), **options}
    with out.showing_warnings():
        return draw(result, path, **chosen)
