"""Options that say which columns of a table are used, and how its numbers are cut; and the data set they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from dagscape.cli.arguments.cutting_arguments import (
    CUTTING_NAMES,
    OVERRULING,
    RULE_OPTIONS,
    STRICT,
    is_strict,
    take_way,
)
from dagscape.cli.program.output import output_path
from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.data.continuous.measuring import NUMERIC_MISSING_CHOICES
from dagscape.data.continuous.numeric import NumericData, numeric_from_table
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.discrete.encoding import EncodingOptions, Missing
from dagscape.data.discrete.interpreting import interpreted
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.mixed.mixed import MixedData, mixed_from_table
from dagscape.data.tables.table import Table, listing

Decorator = Callable[[Any], Any]

# Options that describe columns and levels, which a saved discretizer already knows.
_KNOWN_TO_DISCRETIZER = (
    "levels",
    "columns",
    "drop",
    "keep_constant",
    "drop_suspicious",
    *CUTTING_NAMES,
    *OVERRULING,
    "save_discretizer",
)

# Which columns of a table are used.
CHOSEN_COLUMNS: list[Decorator] = [
    click.option(
        "--columns",
        metavar="COLUMN",
        multiple=True,
        help="Use this column, or several separated by commas; may be repeated. Default: all.",
    ),
    click.option(
        "--drop",
        metavar="COLUMN",
        multiple=True,
        help="Do not use this column, or several separated by commas; may be repeated.",
    ),
    click.option(
        "--drop-suspicious",
        is_flag=True,
        help="Set aside columns that look like identifiers: more than 20 values, and more than half as many as rows.",
    ),
]


def weights_option(text: str) -> Decorator:
    """Return the option of the column of weights, with its help."""
    return click.option("--weights", metavar="COLUMN", help=text)


COLUMN_OPTIONS: list[Decorator] = [
    *CHOSEN_COLUMNS,
    click.option(
        "--keep-constant", is_flag=True, help="Keep columns with a single level; by default they are set aside."
    ),
]

CUTTING_OPTIONS: list[Decorator] = [
    *RULE_OPTIONS,
    click.option(
        "--save-discretizer",
        metavar="FILE",
        callback=output_path,
        help="Write the cuts of --discretize and all levels to a JSON file.",
    ),
    click.option(
        "--discretizer", metavar="FILE", help="Cut numbers, and take levels, as in a file of --save-discretizer."
    ),
]


def named_columns(given: Sequence[str], table: Table, option: str) -> list[str]:
    """Return the columns that an option names; a name may be several, separated by commas, that the table has.

    >>> from dagscape.data.tables.frames import table_from_array
    >>> named_columns(["X1,X0", "X1"], table_from_array([[1, 2]]), "--columns")
    ['X1', 'X0']
    """
    found: list[str] = []
    for name in given:
        parts = [part.strip() for part in name.split(",")]
        if name in table.names or len(parts) == 1:
            found.append(name)
            continue
        for part in parts:
            if part not in table.names:
                known = did_you_mean(part, table.names) or f": its columns are {listing(table.names)}"
                raise InvalidOption(
                    f"{option} is {name!r}, and {table.source} has no column of that name, nor {part!r}{known}"
                )
        found += parts
    # A name that is given twice is not a mistake here.
    return list(dict.fromkeys(found))


def needed_columns(given: Sequence[str]) -> list[str]:
    """Return all names that an option may mean, before the table is read."""
    return list(dict.fromkeys(part for name in given for part in (name, *map(str.strip, name.split(",")))))


def encoded_table(table: Table, options: dict[str, Any], max_memory: int | str | None) -> Dataset:
    """Make the data set of a table as the options say, and remove those options."""
    saved = options.pop("discretizer")
    if saved is not None:
        return _applied(Discretizer.load(saved), table, options, max_memory)
    asked = bool(options["discretize"] or options["cuts"] or options["initial_bins"])
    strict = is_strict(options)
    target = options.pop("save_discretizer")
    if target is not None and strict:
        raise InvalidOption(f"--save-discretizer needs --discretize, and not {STRICT}")
    wishes = take_wishes(options, table)
    discretizer = take_way(options)
    encoding = encoding_options(table, options, max_memory)
    data = interpreted(table, encoding, discretizer, wishes, asked=asked or target is not None)
    if target is not None and data.discretizer is not None:
        data.discretizer.save(target)
    return data


def encoding_options(table: Table, options: dict[str, Any], max_memory: int | str | None) -> EncodingOptions:
    """Return how a table becomes a data set as the options say, and remove those options."""
    return {
        "missing": options.pop("missing") or "error",
        "levels": options.pop("levels"),
        "interventions": options.pop("interventions"),
        "weights": options.pop("weights"),
        "randomised": named_columns(options.pop("randomised"), table, "--randomised"),
        "columns": named_columns(options.pop("columns"), table, "--columns") or None,
        "drop": named_columns(options.pop("drop"), table, "--drop"),
        "keep_constant": options.pop("keep_constant"),
        "drop_suspicious": options.pop("drop_suspicious"),
        "max_memory": max_memory,
    }


def mixed_table(table: Table, options: dict[str, Any], max_memory: int | str | None) -> MixedData:
    """Make the mixed data of a table as the options say, and remove those options."""
    if is_strict(options):
        options["discretize"] = ()
    wishes = take_wishes(options, table)
    _refuse_cuts(options, "mixed tables")
    return mixed_from_table(table, wishes, **encoding_options(table, options, max_memory))


def _refuse_cuts(options: dict[str, Any], taken: str, *others: str) -> None:
    """Remove options that cut numbers, and others, and refuse those given; ``taken`` is what the score takes."""
    for name in (*others, *CUTTING_NAMES, "save_discretizer", "discretizer"):
        if options.pop(name, None):
            raise InvalidOption(
                f"--{name.replace('_', '-')} is for discrete data, and --score {options['score']} takes {taken}"
            )


def measured_table(table: Table, options: dict[str, Any], max_memory: int | str | None) -> NumericData:
    """Make the numeric data of a table as the options say, and remove those options."""
    if is_strict(options):
        options["discretize"] = ()
    # Columns may be ignored, whatever they hold.
    _refuse_cuts(options, "numbers", "levels", *(name for name in OVERRULING if name != "ignore"))
    missing = options.pop("missing") or "error"
    if missing not in NUMERIC_MISSING_CHOICES:
        raise InvalidOption(f"--missing {missing} is for discrete data: use --missing drop")
    return numeric_from_table(
        table,
        missing=missing,
        interventions=options.pop("interventions"),
        weights=options.pop("weights"),
        randomised=named_columns(options.pop("randomised"), table, "--randomised"),
        columns=named_columns(options.pop("columns"), table, "--columns") or None,
        drop=named_columns(options.pop("drop"), table, "--drop"),
        ignore=named_columns(options.pop("ignore"), table, "--ignore"),
        keep_constant=options.pop("keep_constant"),
        drop_suspicious=options.pop("drop_suspicious"),
        max_memory=max_memory,
    )


def _applied(discretizer: Discretizer, table: Table, options: dict[str, Any], max_memory: int | str | None) -> Dataset:
    for name in _KNOWN_TO_DISCRETIZER:
        if options.pop(name):
            raise InvalidOption(f"--discretizer fixes columns, levels and cuts: remove --{name.replace('_', '-')}")
    missing: Missing = options.pop("missing") or "error"
    interventions, weights = options.pop("interventions"), options.pop("weights")
    randomised = named_columns(options.pop("randomised"), table, "--randomised")
    return discretizer.apply(
        table,
        missing=missing,
        interventions=interventions,
        weights=weights,
        randomised=randomised,
        max_memory=max_memory,
    )


def take_wishes(options: dict[str, Any], table: Table) -> Wishes:
    """Return what the user has decided about columns, and remove those options."""
    columns = named_columns(options.pop("discretize_columns"), table, "--discretize-columns")
    given = {name: named_columns(options.pop(name), table, f"--{name}") for name in OVERRULING}
    numeric = [*dict.fromkeys([*given.pop("numeric"), *columns])]
    if numeric and is_strict(options):
        raise InvalidOption(f"--numeric and --discretize-columns need --discretize, and not {STRICT}")
    wishes = Wishes.of(numeric=numeric, **given)
    wishes.check(table)
    return wishes
