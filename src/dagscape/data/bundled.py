"""Bundled data sets: those of the papers that dagscape follows.

They are data sets of the UCI Machine Learning Repository, under CC BY 4.0; ``sets/README.md`` has the sources. The
boards of tic-tac-toe are generated, the others are stored.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.data.discrete.dataset import Dataset, encode
from dagscape.data.discrete.intervals import cut_column, fit_intervals
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES, column_from_strings
from dagscape.data.tables.columns import Column
from dagscape.data.tables.table import Table
from dagscape.data.tic_tac_toe import final_boards

PREFIX = "builtin:"

# The folder of the stored tables.
SETS = Path(__file__).parent / "sets"

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class BundledSet:
    """A bundled data set.

    Attributes
    ----------
    summary : str
        What its rows and columns are, in a few words.
    citation : str
        The key of its source in ``docs/references.bib``.
    rows : callable
        Returns the names of its columns, then its published cells, row by row.
    cuts : mapping of str to tuple of float
        Where :func:`load_dataset` cuts columns of numbers; empty if all columns are discrete.
    """

    summary: str
    citation: str
    rows: Callable[[], Rows]
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


def _stored(file: str) -> Rows:
    with (SETS / file).open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


# The thirds of each range, as in the experiments of [liao2019].
_IRIS_CUTS = {
    "sepal_length": (5.5, 6.7),
    "sepal_width": (2.8, 3.6),
    "petal_length": (2.97, 4.93),
    "petal_width": (0.9, 1.7),
}

# The two levels of the experiments of [liao2019].
_WINE_CUTS = {
    "alcohol": (12.9,),
    "malic_acid": (2.2,),
    "ash": (2.365,),
    "alcalinity_of_ash": (19.8,),
    "magnesium": (98.5,),
    "total_phenols": (2.33,),
    "flavanoids": (2.12,),
    "nonflavanoid_phenols": (0.395,),
    "proanthocyanins": (1.555,),
    "color_intensity": (7.15,),
    "hue": (1.095,),
    "od280_od315_of_diluted_wines": (2.64,),
    "proline": (977.5,),
}

BUNDLED: dict[str, BundledSet] = {
    "tic-tac-toe": BundledSet(
        "final boards of tic-tac-toe when x moves first, and whether x has won", "aha1991", final_boards
    ),
    "votes": BundledSet(
        "16 votes of each member of the US House of Representatives in 1984, and the party; 392 cells missing",
        "schlimmer1987",
        partial(_stored, "votes.csv"),
    ),
    "zoo": BundledSet("traits of animals, and their type", "forsyth1990", partial(_stored, "zoo.csv")),
    "wine": BundledSet(
        "13 measurements of wines, and the cultivar", "aeberhard1992", partial(_stored, "wine.csv"), _WINE_CUTS
    ),
    "iris": BundledSet(
        "4 measurements of iris flowers, and the species", "fisher1936", partial(_stored, "iris.csv"), _IRIS_CUTS
    ),
}


def bundled_table(name: str, missing_values: Collection[str] = DEFAULT_MISSING_VALUES) -> Table:
    """Return the published table of a bundled data set, by its name in :data:`BUNDLED`.

    Examples
    --------
    >>> table = bundled_table("iris")
    >>> table.m, table.column("petal_width").values[:3]
    (150, ('0.2', '0.4', '0.3'))
    """
    if name not in BUNDLED:
        known = did_you_mean(name, BUNDLED) or f"; there are {', '.join(map(repr, BUNDLED))}"
        raise InvalidOption(f"there is no bundled data set {name!r}{known}")
    header, *cells = BUNDLED[name].rows()
    columns = [
        column_from_strings(strings, missing_values=missing_values, own=None) for strings in zip(*cells, strict=True)
    ]
    places = np.arange(len(cells), dtype=np.int64)
    return Table(tuple(header), tuple(columns), places, "row", f"'{PREFIX}{name}'")


def load_dataset(name: str) -> Dataset:
    """Load a bundled data set, in the form that published results use.

    Missing cells are a level of their own, ``?``; measurements are cut into intervals. To get the published
    table, pass ``"builtin:NAME"`` to :func:`~dagscape.data.reading.read_data` or
    :func:`~dagscape.data.discrete.discretizing.discretize` with your own options.

    Parameters
    ----------
    name : str
        ``"tic-tac-toe"``
            10 variables, 958 rows: the final boards of the game when x moves first, and whether x has won
            [aha1991]_.
        ``"votes"``
            17 variables, 435 rows: 16 votes in the US House of Representatives in 1984 (``y``, ``n`` or ``?``),
            and the party [schlimmer1987]_.
        ``"zoo"``
            17 variables, 101 rows: traits of animals, and their type [forsyth1990]_.
        ``"wine"``
            14 variables, 178 rows: 13 measurements of wines, each cut in two as in [liao2019]_, and the cultivar
            [aeberhard1992]_.
        ``"iris"``
            5 variables, 150 rows: 4 measurements of flowers, each range cut into thirds, and the species
            [fisher1936]_.

    Examples
    --------
    >>> load_dataset("tic-tac-toe")
    Dataset(10 variables, 958 rows, 958 of them distinct)
    >>> load_dataset("votes").levels["crime"]
    ('n', 'y', '?')
    >>> load_dataset("iris").levels["petal_width"]
    ('(-inf,0.9]', '(0.9,1.7]', '(1.7,inf)')
    """
    table = bundled_table(name)
    cuts = BUNDLED[name].cuts
    columns = [
        _cut_at(column, cuts[variable]) if variable in cuts else column
        for variable, column in zip(table.names, table.columns, strict=True)
    ]
    return encode(table.with_columns(table.names, columns), missing="level")


def _cut_at(column: Column, cuts: Sequence[float]) -> Column:
    numbers = column.numbers()
    assert numbers is not None, "only columns of numbers have cuts"
    intervals = fit_intervals(np.unique(numbers), np.array(cuts))
    return cut_column(numbers, intervals.cuts, intervals.labels)
