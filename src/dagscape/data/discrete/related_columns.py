"""Warnings about columns that copy or determine each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagscape.data.discrete.levels import sort_levels
from dagscape.data.kinds.findings import Finding
from dagscape.data.kinds.relations import MOST_CELLS, MOST_COLUMNS, Relations, find_relations, relation_findings
from dagscape.data.tables.columns import MISSING, Column
from dagscape.data.tables.table import Table

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset

# So many findings are shown.
_SHOWN = 5


def relation_warnings(dataset: Dataset) -> list[str]:
    """Return a warning for each group of variables that copy or determine each other, up to a handful.

    What numbers showed before they were cut comes first, and does not count again. Of what only the intervals show, the
    sentence says so.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> relation_warnings(Dataset.from_array([[i % 2, 1 - i % 2, i % 3] for i in range(30)]))[0][:43]
    "'X0' and 'X1' say the same in every row: le"
    """
    before = [finding for finding in dataset.findings if finding.about == "relation"]
    known = {frozenset(finding.columns) for finding in before}
    relations = dataset.once("relations", lambda: _relations(dataset))
    found = relation_findings(relations, dataset.variables, cut_columns(dataset))
    return a_handful([*before, *(finding for finding in found if frozenset(finding.columns) not in known)])


def cut_columns(dataset: Dataset) -> list[str]:
    """Return the variables that were cut into intervals.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> cut_columns(Dataset.from_array([[0, 1], [1, 1]]))
    []
    """
    fitted = {} if dataset.discretizer is None else dataset.discretizer.fitted
    return [name for name in dataset.variables if name in fitted and fitted[name].cuts is not None]


def _relations(dataset: Dataset) -> Relations:
    codes = dataset.codes
    if dataset.holes is not None:
        codes = np.where(dataset.holes, 0, codes.astype(np.int64) + 1)
    return find_relations(codes, dataset.weights)


def table_relations(table: Table) -> list[Finding]:
    """Return such findings about columns of a table as read.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> table_relations(table_from_array([[i % 2, "ab"[i % 2]] for i in range(30)]))[0].columns
    ('X0', 'X1')
    """
    if len(table.names) > MOST_COLUMNS or table.m * len(table.names) > MOST_CELLS:
        return []
    codes = np.stack([_groups(column) + 1 for column in table.columns], axis=1)
    counts = np.ones(table.m, dtype=np.int64) if table.counts is None else table.counts
    return list(relation_findings(find_relations(codes, counts), table.names))


def _groups(column: Column) -> npt.NDArray[Any]:
    """Return a number for each row that is equal for equal cells; of two values, the second in order has the larger."""
    if column.distinct != 2:
        return column.groups()
    observed = column.observed()
    values = sort_levels(observed.values)
    places = np.array([*(values.index(value) for value in observed.values), MISSING])
    return places[observed.codes]


def a_handful(found: Sequence[Finding]) -> list[str]:
    """Return the sentences of the first findings, and how many more there are."""
    sentences = [finding.sentence for finding in found]
    more = len(sentences) - _SHOWN
    return [*sentences[:_SHOWN], *([f"{more} more relations between columns like these"] if more > 0 else [])]
