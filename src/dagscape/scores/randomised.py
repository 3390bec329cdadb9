"""Randomised variables: those whose value the experimenters assigned in every row.

A coin that decides who gets a drug depends on nothing in the table. So no network has an edge into such a variable, and
the rows say nothing about its family: it is one that was set in every row.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from dagscape.core.errors import InvalidOption, argument, type_of
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.tables.interventions import Marks, check_randomised
from dagscape.data.tables.number_rows import with_marks
from dagscape.scores.constraints import VariableNumbers, variable_number
from dagscape.scores.definitions.set_functions import ScoredData


def randomised_data(data: ScoredData, names: Collection[str], *, perfect: bool = True) -> ScoredData:
    """Return the data with some variables marked as set in every row.

    Parameters
    ----------
    data : Dataset, NumericData or MixedData
        The data; data of another kind have no experiments.
    names : collection of str
        The variables.
    perfect : bool
        Whether experiments cut variables off from their parents, as randomising does.

    Examples
    --------
    >>> data = Dataset.from_array([[0, 1], [1, 1], [0, 0]], ["arm", "cured"])
    >>> randomised_data(data, ["arm"]).interventions.tolist()
    [[True, False], [True, False], [True, False]]
    """
    wanted = check_randomised(names)
    if not wanted:
        return data
    if not perfect:
        raise InvalidOption(
            f"names {wanted[0]!r}, but {argument('interventions', 'mechanism')} says that experiments left variables "
            f"their parents: leave {argument('randomised')} out, and forbid the edges into it instead",
            option="randomised",
        )
    if not isinstance(data, AnyData):
        raise InvalidOption(
            f"is for a Dataset, NumericData or MixedData, and the data are {type_of(data)}", option="randomised"
        )
    number = VariableNumbers(data.variables, data.set_aside)
    columns = [variable_number(number, name, "randomised") for name in wanted]
    if not isinstance(data, Dataset):
        return with_marks(data, _marked(data.interventions, data.values.shape, columns))
    return replace(_codes_set(data, columns), source=data.source, weighted_by=data.weighted_by)


def _codes_set(data: Dataset, columns: list[int]) -> Dataset:
    # Rows that differed only in these marks become equal.
    return Dataset.from_codes(
        data.codes,
        data.levels,
        weights=data.weights,
        interventions=_marked(data.interventions, data.codes.shape, columns),
        missing=data.missing,
        dropped=data.dropped,
        types=data.types,
        set_aside=data.set_aside,
        discretizer=data.discretizer,
        holes=data.holes,
    )


def _marked(marks: Marks | None, shape: tuple[int, ...], columns: list[int]) -> Marks:
    found = np.zeros(shape, np.bool_) if marks is None else marks.copy()
    found[:, columns] = True
    return found
