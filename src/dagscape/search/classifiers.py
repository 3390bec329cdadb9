"""What classifiers have in common: the choice of a structure, and cells of new rows that training did not show."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.mixed.mixed import MixedData, mixed_from_table
from dagscape.data.tables.columns import MISSING, Column, TextColumn
from dagscape.data.tables.table import Table, listing
from dagscape.data.tables.value_types import LevelFinder
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.network import Network
from dagscape.networks.gaussian.base import MeasuredNetwork
from dagscape.posterior.evidence import FIXED
from dagscape.scores.choice import AUTO_SCORE, DISCRETE_SCORE
from dagscape.scores.registry import find_score
from dagscape.search.class_structures import naive_bayes_dag, tree_augmented_dag
from dagscape.search.learning import learn
from dagscape.search.registry import LEARNERS

# Structures that depend on the class, besides the methods of learn().
CLASS_STRUCTURES = ("naive", "tan")
STRUCTURES = (*CLASS_STRUCTURES, *LEARNERS)


def class_structure(
    data: Dataset,
    target: str,
    method: str,
    rng: np.random.Generator,
    threads: int | None,
    options: Mapping[str, Any],
) -> Dag:
    """Return the structure of a classifier.

    Parameters
    ----------
    data : Dataset
        The rows of training.
    target : str
        The class.
    method : str
        ``"naive"``, ``"tan"``, or a method of :func:`dagscape.learn`.
    rng : numpy.random.Generator
        Decides everything that is random.
    threads : int or None
        The number of threads.
    options : mapping
        Options of :func:`dagscape.learn`.
    """
    if method == "naive":
        return naive_bayes_dag(data, target)
    if method == "tan":
        return tree_augmented_dag(data, target, rng, threads)
    return learn(data, method, seed=rng, threads=threads, **{"settings": FIXED, **options}).network


def takes_numbers(options: Mapping[str, Any]) -> bool:
    """Whether options of :func:`dagscape.learn` ask for a score that takes measured columns as they are.

    Examples
    --------
    >>> takes_numbers({"ess": 2}), takes_numbers({"score": "bge"})
    (False, True)
    """
    score = str(options.get("score", DISCRETE_SCORE)).lower()
    return score == AUTO_SCORE or find_score(score).data_type is not Dataset


def mixed_rows(table: Table, numeric: Collection[str]) -> MixedData:
    """Return rows of training as mixed data, in which some columns are measured and all others discrete.

    Missing cells are a level of discrete columns. Columns with a single value are set aside.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> mixed_rows(table_from_array([[0.5, "a"], [1.5, "b"], [2.0, "a"]]), ["X0"]).measured
    ('X0',)
    """
    wishes = Wishes(nominal=tuple(name for name in table.names if name not in numeric), numeric=tuple(numeric))
    gappy = [name for name in numeric if table.missing[name]]
    if gappy:
        raise InvalidData(
            f"X has missing cells in {listing(gappy)}: measured columns must be complete in training; leave out these "
            "rows or columns, or let numbers be cut"
        )
    return mixed_from_table(table, wishes, missing="level")


def measured_structure(
    data: AnyData, method: str, rng: np.random.Generator, threads: int | None, options: Mapping[str, Any]
) -> Dag:
    """Return a structure for a network of measured and discrete variables: no measured parent of a discrete one.

    Parameters
    ----------
    data : MixedData, NumericData or Dataset
        The rows of training.
    method : str
        A method of :func:`dagscape.learn`.
    rng, threads, options
        As in :func:`class_structure`.
    """
    given = {"settings": FIXED, **options}
    if isinstance(data, MixedData):
        edges = [(source, target) for source in data.measured for target in data.discrete]
        given["forbidden"] = [*given.get("forbidden", ()), *edges]
    return learn(data, method, seed=rng, threads=threads, **given).network


def with_known_levels(network: Network | MeasuredNetwork, table: Table) -> Table:
    """Return new rows with missing cells in place of levels that training did not show."""
    cut = {} if isinstance(network, MeasuredNetwork) or network.discretizer is None else network.discretizer.cuts
    columns = [
        column if name in cut or name not in network.levels else _only(column, network.levels[name])
        for name, column in zip(table.names, table.columns, strict=True)
    ]
    return table.with_columns(table.names, columns)


def _only(column: Column, levels: tuple[str, ...]) -> Column:
    """Return a column with missing cells in place of strings that mean none of the levels."""
    find = LevelFinder(levels)
    known = np.array([*(find[text] in levels for text in column.values), False])
    return TextColumn(column.values, np.where(known[column.codes], column.codes, MISSING).astype(np.int32)).observed()
