"""What a table shows before its numbers are cut, and a data set no more: copies, counts, and zeros that mean nothing.

A dose that determines the arm of a trial does so no longer as three intervals, and nobody would take these for counts.
So what is found in the table is kept with the data set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from dagscape.data.discrete.counting import count_findings
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.related_columns import cut_columns, table_relations
from dagscape.data.discrete.rows import rows_differ
from dagscape.data.kinds.findings import Finding
from dagscape.data.kinds.written_numbers import written_numbers
from dagscape.data.kinds.zeros import zero_warnings
from dagscape.data.tables.table import Table
from dagscape.data.tables.weights import weighted, without_uncounted


def with_findings(data: Dataset, table: Table, weights: Any = None) -> Dataset:
    """Return a data set with what its table shows of the columns that were cut.

    Parameters
    ----------
    data : Dataset
        The data set.
    table : Table
        The table as read, of which it was made.
    weights : str, array-like of int or None
        How many times each row counts, as in :meth:`dagscape.Dataset.from_frame`.

    Examples
    --------
    >>> from dagscape.data.discrete.discretizing import Discretizer
    >>> from dagscape.data.tables.frames import table_from_array
    >>> table = table_from_array([[i % 9 + 0.5, "ab"[i % 9 in (2, 5, 7)]] for i in range(90)])
    >>> with_findings(Discretizer(method="auto").learn(table, {}), table).findings[0].sentence[:24]
    "'X0' determines 'X1': le"
    """
    cut = cut_columns(data)
    return replace(data, findings=findings_of(table, data.variables, cut, weights)) if cut else data


def findings_of(table: Table, names: Sequence[str], cut: Collection[str], weights: Any) -> tuple[Finding, ...]:
    """Return what a table shows of its variables, if columns that are cut are among them.

    Parameters
    ----------
    table : Table
        The table as read.
    names, cut : collection of str
        The variables, and those that are cut.
    weights : str, array-like of int or None
        As in :func:`with_findings`.
    """
    counted = weighted(table, weights)
    rows = without_uncounted(counted.counts)
    used = (counted if rows is None else counted.take(rows)).only(names)
    kinds = [(name, column.kind) for name, column in zip(used.names, used.columns, strict=True)]
    # With weights, rows are counted already.
    counts = () if weights is not None else count_findings(kinds, lambda name: rows_differ(used.without(name)))
    found = [*table_relations(used), *counts, *_zeros(used, cut)]
    return tuple(finding for finding in found if not {*cut}.isdisjoint(finding.columns))


def _zeros(table: Table, cut: Collection[str]) -> Iterator[Finding]:
    """Iterate over findings about zeros of columns that are cut."""
    for name, column in zip(table.names, table.columns, strict=True):
        if name in cut:
            for sentence in zero_warnings(name, written_numbers(column)):
                yield Finding("zeros", sentence, (name,))
