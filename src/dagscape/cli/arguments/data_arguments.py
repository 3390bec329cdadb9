"""Options that say which columns of a table are used, and how its numbers are cut; and the data set they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from dagscape.cli.program.output import output_path
from dagscape.cli.program.wording import worded
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.data.continuous.measuring import NUMERIC_MISSING_CHOICES
from dagscape.data.continuous.numeric import NumericData, numeric_from_table
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.dataset import Dataset, encode
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.discrete.encoding import EncodingOptions, Missing
from dagscape.data.tables.table import Table, listing

Decorator = Callable[[Any], Any]

_BINS = Whole(2)

# Options that describe columns and levels, which a saved discretizer already knows.
_KNOWN_TO_DISCRETIZER = (
    "levels",
    "columns",
    "drop",
    "keep_constant",
    "drop_suspicious",
    "discretize",
    "class_column",
    "discretize_columns",
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

COLUMN_OPTIONS: list[Decorator] = [
    *CHOSEN_COLUMNS,
    click.option(
        "--keep-constant", is_flag=True, help="Keep columns with a single level; by default they are set aside."
    ),
]

CUTTING_OPTIONS: list[Decorator] = [
    click.option(
        "--discretize",
        metavar="METHOD[:BINS]",
        help=f"Discretise columns of numbers ({', '.join(CUT_RULES)}) into BINS intervals, by default 3.",
    ),
    click.option("--class-column", metavar="COLUMN", help="The class that --discretize mdl separates."),
    click.option(
        "--discretize-columns",
        metavar="COLUMN",
        multiple=True,
        help="Also discretise this column, besides those of decimals or many integers; may be repeated.",
    ),
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
    discretizer = _take_discretizer(options)
    target = options.pop("save_discretizer")
    if target is not None and discretizer is None:
        raise InvalidOption("--save-discretizer needs --discretize")
    encoding: EncodingOptions = {
        "missing": options.pop("missing") or "error",
        "levels": options.pop("levels"),
        "interventions": options.pop("interventions"),
        "columns": named_columns(options.pop("columns"), table, "--columns") or None,
        "drop": named_columns(options.pop("drop"), table, "--drop"),
        "keep_constant": options.pop("keep_constant"),
        "drop_suspicious": options.pop("drop_suspicious"),
        "max_memory": max_memory,
    }
    if discretizer is None:
        return encode(table, **encoding)
    data = discretizer.learn(table, encoding)
    if target is not None and data.discretizer is not None:
        data.discretizer.save(target)
    return data


def measured_table(table: Table, options: dict[str, Any], max_memory: int | str | None) -> NumericData:
    """Make the numeric data of a table as the options say, and remove those options."""
    for name in ("levels", "discretize", "discretize_columns", "class_column", "save_discretizer", "discretizer"):
        if options.pop(name):
            raise InvalidOption(
                f"--{name.replace('_', '-')} is for discrete data, and --score {options['score']} takes numbers"
            )
    missing = options.pop("missing") or "error"
    if missing not in NUMERIC_MISSING_CHOICES:
        raise InvalidOption(f"--missing {missing} is for discrete data: use --missing drop")
    return numeric_from_table(
        table,
        missing=missing,
        interventions=options.pop("interventions"),
        columns=named_columns(options.pop("columns"), table, "--columns") or None,
        drop=named_columns(options.pop("drop"), table, "--drop"),
        keep_constant=options.pop("keep_constant"),
        drop_suspicious=options.pop("drop_suspicious"),
        max_memory=max_memory,
    )


def _applied(discretizer: Discretizer, table: Table, options: dict[str, Any], max_memory: int | str | None) -> Dataset:
    for name in _KNOWN_TO_DISCRETIZER:
        if options.pop(name):
            raise InvalidOption(f"--discretizer fixes columns, levels and cuts: remove --{name.replace('_', '-')}")
    missing: Missing = options.pop("missing") or "error"
    interventions = options.pop("interventions")
    return discretizer.apply(table, missing=missing, interventions=interventions, max_memory=max_memory)


def _take_discretizer(options: dict[str, Any]) -> Discretizer | None:
    cutting = options.pop("discretize")
    columns = options.pop("discretize_columns")
    class_column = options.pop("class_column")
    if cutting is None:
        if columns or class_column is not None:
            raise InvalidOption("--discretize-columns and --class-column need --discretize")
        return None
    method, _, bins = cutting.partition(":")
    if bins and not (bins.isdecimal() and _BINS.allows(int(bins))):
        raise InvalidOption(f"--discretize is {cutting!r}; BINS must be {_BINS.words}")
    count: dict[str, Any] = {"bins": int(bins)} if bins else {}
    try:
        return Discretizer(method=method, columns=columns or None, class_column=class_column, **count)
    except InvalidOption as error:
        # Elsewhere, the method is that of a search.
        raise InvalidOption(worded(error, method="--discretize")) from None
