"""Structures of networks for tables with measured columns, which predict any of their columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.mixed.mixed import MixedData, mixed_from_table
from dagscape.data.tables.table import Table, listing
from dagscape.graphs.dag import Dag
from dagscape.posterior.evidence import FIXED
from dagscape.scores.choice import AUTO_SCORE, DISCRETE_SCORE
from dagscape.scores.registry import find_score
from dagscape.search.learning import learn


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
