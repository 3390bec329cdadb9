"""The score that suits what the variables are: ``score="auto"``.

Discrete data have BDeu, measured ones BGe, and mixed ones the score that is named here. A file or a data frame is read
as a mixed table, which tells apart what its columns hold.
"""

from __future__ import annotations

from typing import Any

from dagscape.data.any_data import what_variables_are
from dagscape.data.continuous.measuring import NumericMissing
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.converting import simplest
from dagscape.data.values import as_mixed

# What users write.
AUTO_SCORE = "auto"

# The scores of discrete, measured and mixed data.
DISCRETE_SCORE, MEASURED_SCORE, MIXED_SCORE = "bdeu", "bge", "dg-bge"

# That of mixed data whose networks are to have tables and regressions: discrete variables have discrete parents only.
CONDITIONAL_SCORE = "cg"


class ChosenScore(str):
    """The name of a score that was chosen by what the data hold, and why, as a clause.

    Examples
    --------
    >>> chosen = ChosenScore("bge", "all variables are measured")
    >>> chosen == "bge", chosen.why
    (True, 'all variables are measured')
    """

    why: str

    def __new__(cls, name: str, why: str = "") -> ChosenScore:
        """Return the name with the reason."""
        chosen = super().__new__(cls, name)
        chosen.why = why
        return chosen


def with_score(
    data: Any, score: str, mixed_score: str = MIXED_SCORE, *, missing: NumericMissing = "error"
) -> tuple[Any, str]:
    """Return data and the score to use: the one that is given or, for ``"auto"``, one that suits the variables.

    Parameters
    ----------
    data : data set, ComparedCuts, data frame, str or path
        The data. They are read if the score depends on what they hold, and else returned as they are.
    score : str
        The name of a score, or ``"auto"``.
    mixed_score : str
        The score of mixed data.
    missing : {"error", "drop", "keep"}
        How the missing cells of a file or a frame are treated.

    Examples
    --------
    >>> import pandas as pd
    >>> with_score(pd.DataFrame({"height": [1.5, 1.7, 1.6], "weight": [60.5, 72.5, 66.0]}), "auto")
    (NumericData(2 variables, 3 rows), 'bge')
    """
    if str(score).lower() != AUTO_SCORE:
        return data, score
    if isinstance(data, ComparedCuts):
        return data, ChosenScore(DISCRETE_SCORE, "numbers are cut into intervals")
    if not isinstance(data, Dataset | NumericData):
        data = simplest(as_mixed(data, missing=missing))
    chosen = {Dataset: DISCRETE_SCORE, NumericData: MEASURED_SCORE}.get(type(data), mixed_score)
    return data, ChosenScore(chosen, what_variables_are(data))
