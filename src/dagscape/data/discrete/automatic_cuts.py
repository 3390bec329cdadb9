"""Tables that are read automatically: their numbers cut in one way, or in the ways over which posteriors are averaged.

Which of the two a method takes, it decides itself: an average costs several sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

from dagscape.core.caveats import issue
from dagscape.core.wording import plural
from dagscape.data.discrete.common_cuts import AUTO, AVERAGED_CUTS, ComparedCuts, cut_table_in_ways, ways_of
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.discrete.encoding import EncodingOptions
from dagscape.data.discrete.interpreting import interpreted, table_of
from dagscape.data.discrete.notices import automatic_notice, notice_of
from dagscape.data.kinds.decisions import NO_WISHES, Wishes
from dagscape.data.sources import data_source
from dagscape.data.tables.table import Table, listing
from dagscape.results.data_source import GIVEN, joined_sources, words_of_ways


@dataclass(frozen=True, slots=True, eq=False)
class AutomaticCuts:
    """A table of which some columns are measured, and cut because nobody says otherwise.

    Attributes
    ----------
    one : Dataset
        The data set of the default way of cutting.
    in_ways : callable
        Returns those of the ways over which posteriors are averaged.
    """

    one: Dataset
    in_ways: Callable[[], ComparedCuts]

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.one.n


def automatic_cuts(
    table: Table,
    wishes: Wishes = NO_WISHES,
    *,
    discretizer: Discretizer | None = None,
    **options: Unpack[EncodingOptions],
) -> Dataset | AutomaticCuts:
    """Return the data set of a table, or how it is cut if columns are.

    Parameters
    ----------
    table : Table
        The table as read.
    wishes : Wishes
        What the user has decided.
    discretizer : Discretizer, optional
        The automatic one, with the cuts that the user has given for some columns.
    **options
        As in :meth:`Dataset.from_frame`.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> cuts = automatic_cuts(table_from_array([[i / 8, i % 2] for i in range(90)]))
    >>> cuts.one.levels["X0"], cuts.in_ways().ways
    (('(-inf,3.69]', '(3.69,7.44]', '(7.44,inf)'), ['quantile:2', 'quantile:3', 'quantile:4', 'quantile:5'])
    """
    found = discretizer or Discretizer(method=AUTO)
    one = interpreted(table, options, found, wishes, asked=False)
    given = {name: tuple(found.cuts[name]) for name in found.given or ()}
    if one.discretizer is None or not (one.discretizer.cuts.keys() & {*one.variables}) - given.keys():
        return one
    ways = ways_of(AVERAGED_CUTS, cuts=given or None)
    return AutomaticCuts(one, partial(cut_table_in_ways, table, ways, wishes, **options))


def read_cuts(source: Any) -> Dataset | AutomaticCuts:
    """Return the data set of a file or a data frame, or how it is cut if columns are; nothing is told yet.

    Parameters
    ----------
    source : str, path or data frame
        A file, as for :func:`dagscape.read_data`, or a frame, as for :meth:`dagscape.Dataset.from_frame`.
    """
    return automatic_cuts(table_of(source))


def tell_cuts(data: Dataset | ComparedCuts) -> None:
    """Issue a warning that says what was decided about the columns of a table: cut, and in which ways, or set aside."""
    if isinstance(data, Dataset):
        issue(automatic_notice(data))
    else:
        issue(notice_of([sentence_of_ways(data)], data.datasets[0].set_aside))


def sentence_of_ways(cuts: ComparedCuts) -> str:
    """Return which columns were cut in several ways, and in which.

    >>> from dagscape.data.tables.frames import table_from_array
    >>> sentence_of_ways(automatic_cuts(table_from_array([[i / 8, i % 2] for i in range(90)])).in_ways())
    "'X0' is measured, and cut in 4 ways (2, 3, 4 and 5 quantiles)"
    """
    source = joined_sources(map(data_source, cuts.datasets))
    cuttings = [] if source is None else [cutting for cutting in source.cuttings if cutting.method != GIVEN]
    ways = list(dict.fromkeys(cutting.words for cutting in cuttings))
    cut = {name for cutting in cuttings for name in cutting.cuts}
    names = [name for name in cuts.variables if name in cut]
    verb = "is" if len(names) == 1 else "are"
    return f"{listing(names)} {verb} measured, and cut in {plural(len(ways), 'way')} ({words_of_ways(ways)})"
