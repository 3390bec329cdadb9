"""Options that say how columns of numbers are cut: in one way, or in several that are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click
from click.core import ParameterSource

from dagscape.cli.program.wording import worded
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption
from dagscape.data.discrete.common_cuts import AUTO, AVERAGE, ways_of
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.discretizing import Discretizer

Decorator = Callable[[Any], Any]

_BINS = Whole(2)

# Options of the cuts, apart from those that name files.
CUTTING_NAMES = ("discretize", "class_column", "discretize_columns", "cuts", "initial_bins")

# The value of --discretize that reads columns strictly: integers are levels, and decimals are refused.
STRICT = "none"

# What overrules the guesses of --discretize auto.
OVERRULING: dict[str, str] = {
    "nominal": "Take the values of this column as levels, whatever they seem to be",
    "numeric": "Cut this column into intervals, or take its numbers in a mixed table, whatever it seems to hold",
    "ignore": "Set this column aside",
}


def _read_cuts(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for text in given:
        # The name of a column may contain the sign.
        name, sign, numbers = text.rpartition("=")
        try:
            cuts = [float(number) for number in numbers.split(",")]
        except ValueError:
            cuts = []
        if not (sign and name and cuts):
            raise InvalidOption(f"--cuts is {text!r}; it must be COLUMN=CUTS, such as age=30,50")
        if name in found:
            raise InvalidOption(
                f"--cuts is given twice for column {name!r}: give all its cuts at once, as in age=30,50"
            )
        found[name] = cuts
    return found


RULE_OPTIONS: list[Decorator] = [
    click.option(
        "--discretize",
        metavar="METHOD[:BINS]",
        multiple=True,
        show_default=AUTO,
        help=f"Discretise columns of numbers ({', '.join(CUT_RULES)}) into BINS intervals, by default 3. "
        f"{AUTO}: cut what is measured, and set aside identifiers, dates and free text; {STRICT}: take integers "
        f"as levels, and refuse decimals. The commands posterior and sensitivity take several, and {AVERAGE} for those "
        "that are averaged over, which is the default of posterior if it takes half a minute at most.",
    ),
    *(
        click.option(
            f"--{name}",
            metavar="COLUMN",
            multiple=True,
            help=f"{help_text}, or several columns separated by commas; may be repeated.",
        )
        for name, help_text in OVERRULING.items()
    ),
    click.option("--class-column", metavar="COLUMN", help="The class that --discretize mdl separates."),
    click.option(
        "--discretize-columns",
        metavar="COLUMN",
        multiple=True,
        help="The same as --numeric; may be repeated.",
    ),
    click.option(
        "--cuts",
        metavar="COLUMN=CUTS",
        multiple=True,
        callback=_read_cuts,
        help="Cut this column here: age=30,50 means up to 30, up to 50, and above; may be repeated.",
    ),
    click.option(
        "--initial-bins",
        type=int,
        metavar="N",
        show_default="20",
        help="The number of intervals that --discretize hartemink begins with.",
    ),
]


def is_strict(options: dict[str, Any]) -> bool:
    """Whether the options ask for no cuts at all."""
    return STRICT in options["discretize"]


def compares_ways(options: dict[str, Any]) -> bool:
    """Whether the options ask for several ways of cutting."""
    return len(options["discretize"]) > 1 or AVERAGE in options["discretize"]


def take_ways(options: dict[str, Any], default: Sequence[str] = ()) -> list[Discretizer]:
    """Return the ways of cutting among a subcommand's options, and remove these; none if nothing asks for cuts.

    Parameters
    ----------
    options : dict
        The options of the subcommand.
    default : sequence of str
        The ways if ``--discretize`` is not given. Columns that are named are for :class:`Wishes`.
    """
    given = {name: options.pop(name, None) for name in CUTTING_NAMES}
    ways = given["discretize"] or default
    if STRICT in ways:
        for name in (name for name in CUTTING_NAMES if name != "discretize" and given[name]):
            raise InvalidOption(f"--{name.replace('_', '-')} needs --discretize, and not {STRICT}")
        if len(ways) > 1:
            raise InvalidOption(f"--discretize {STRICT} goes with no other way of cutting")
        return []
    if given["class_column"] is not None and ways == (AUTO,):
        raise InvalidOption("--class-column needs --discretize mdl")
    for way in ways:
        _, colon, bins = way.partition(":")
        if colon and bins and not (bins.isdecimal() and _BINS.allows(int(bins))):
            raise InvalidOption(f"--discretize is {way!r}; BINS must be {_BINS.words}")
    try:
        return ways_of(
            [way.removesuffix(":") for way in ways],
            class_column=given["class_column"],
            cuts=given["cuts"],
            initial_bins=given["initial_bins"],
        )
    except InvalidOption as error:
        # Elsewhere, the method is that of a search.
        raise InvalidOption(worded(error, method="--discretize")) from None


def take_way(options: dict[str, Any]) -> Discretizer | None:
    """Return the only way of cutting among a subcommand's options, and remove these; None for a strict reading."""
    if compares_ways(options):
        asked = " ".join(f"--discretize {way}" for way in options["discretize"])
        raise InvalidOption(
            f"{asked} asks for several ways of cutting, which 'dagscape posterior' and 'dagscape sensitivity' compare: "
            "choose one"
        )
    ways = take_ways(options, default=(AUTO,))
    return ways[0] if ways else None


def cuts_given(options: dict[str, Any]) -> bool:
    """Whether an option says how numbers are cut, or that they are levels."""
    return any(options.get(name) for name in (*CUTTING_NAMES, "discretizer", "save_discretizer"))


def is_given(name: str) -> bool:
    """Whether an option of the subcommand was given on the command line."""
    return click.get_current_context().get_parameter_source(name) == ParameterSource.COMMANDLINE
