"""Tables that are given to methods with ways of cutting their numbers."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from dagscape.core.errors import InvalidOption, argument, type_of
from dagscape.data.discrete.common_cuts import ComparedCuts, cut_in_ways, ways_of
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.tables.frames import is_frame
from dagscape.data.tables.table import Table
from dagscape.scores.choice import AUTO_SCORE
from dagscape.scores.registry import find_score


def is_raw(data: object) -> bool:
    """Whether data are a table whose numbers may still be cut: a frame, an array or a file."""
    return isinstance(data, str | os.PathLike | np.ndarray | Table) or is_frame(data)


def cut_data(data: Any, discretize: Any, score: str) -> Dataset | ComparedCuts:
    """Return a table with its numbers cut as a user asks: one data set, or one for each way.

    Parameters
    ----------
    data : data frame, array, path or ComparedCuts
        The table.
    discretize : str, Discretizer or sequence of them
        The ways.
    score : str
        The score, which must be for discrete data.
    """
    ways = ways_of(discretize)
    if not is_raw(data):
        raise InvalidOption(
            f"cuts the numbers of a table, but the data are {type_of(data)}: give a data frame or the path of a file",
            option="discretize",
        )
    if score != AUTO_SCORE and find_score(score).data_type is not Dataset:
        raise InvalidOption(f"is for discrete data, and {argument('score', score)} takes numbers", option="discretize")
    return cut_in_ways(data, ways).only_one()


def check_averaged(score: str) -> None:
    """Refuse to weigh ways of cutting by scores that are no probabilities of the data."""
    if not find_score(score).is_evidence:
        raise InvalidOption(
            f"is 'evidence', which the score {score!r} is not: use {argument('cut_weights', 'equal')}, or a score such "
            "as 'bdeu'",
            option="cut_weights",
        )
