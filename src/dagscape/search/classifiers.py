"""What classifiers have in common: the choice of a structure, and cells of new rows that training did not show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dagscape.data.discrete.dataset import Dataset
from dagscape.data.tables.columns import MISSING, Column, TextColumn
from dagscape.data.tables.table import Table
from dagscape.data.tables.value_types import LevelFinder
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.network import Network
from dagscape.networks.gaussian.base import MeasuredNetwork
from dagscape.posterior.evidence import BEST
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
    return learn(data, method, seed=rng, threads=threads, **{"settings": BEST, **options}).network


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
