"""Student models of real answers: those of ECPE, and public sets in place of the Math data of [chen2016]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.core.errors import DagscapeWarning
from dagscape.student.learning.command import command
from dagscape.student.learning.parm import parm
from dagscape.studies.papers.item import RunTask, Scale, Study

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.studies.papers.sources import Sources

# Each with the number of random starts; TIMSS with its skills merged into the domains of its framework.
SETS = {"ecpe": 3, "fraction_subtraction": 3, "fraction15": 3, "timss07_g4:content": 3}
FOLDS = 10


def tasks(scale: Scale) -> Iterator[dict[str, Any]]:
    """Return the data sets, with and without refinement."""
    full = scale == "full"
    for name, restarts in SETS.items() if full else (("timss07_g4:content", 1),):
        for refine in (False, True):
            yield {"data": name, "restarts": restarts, "refine": refine, "folds": FOLDS if full else 2}


def needs(task: RunTask) -> Iterator[str]:
    """Return the files of a data set."""
    stem, _, merged = task["data"].partition(":")
    yield f"student/{stem}_items.csv"
    yield f"student/{stem}_qmatrix.csv"
    if merged:
        yield f"student/{stem}_skillinfo.csv"


def work(task: RunTask, sources: Sources) -> Mapping[str, Any]:
    """Learn the model of all students, cross-validate it, and find the pairs of PARM."""
    answers, q_matrix = data_set(task["data"], sources)
    options: dict[str, Any] = {"restarts": task["restarts"], "threads": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DagscapeWarning)
        model = command(answers, q_matrix, refine=task["refine"], **options)
        evaluation = model.evaluate(cv=task["folds"], seed=0, workers=1)
        rules = parm(answers, q_matrix, **options)
        independent = parm(answers, q_matrix, structure="empty", **options)
    return {
        "log_likelihood": model.log_likelihood,
        "score": model.score,
        "parameters": model.parameter_count,
        "mastery": dict(zip(model.variables, model.mastery_shares.tolist(), strict=True)),
        "edges": model.to_frame().to_numpy().tolist(),
        "tables": {skill: model.cpts[skill].round(4).to_dict("list") for skill in model.variables},
        "evaluation": evaluation.to_frame().replace(np.nan, None).to_dict("list"),
        "parm": list(map(list, rules.pairs)),
        "parm_independent": list(map(list, independent.pairs)),
    }


def data_set(name: str, sources: Sources) -> tuple[Any, pd.DataFrame]:
    """Return the answers, and the Q-matrix; ``timss07_g4:content`` has its skills merged by their description."""
    import pandas as pd

    stem, _, merged = name.partition(":")
    q_matrix = pd.read_csv(sources.path(f"student/{stem}_qmatrix.csv"), index_col="item")
    if merged:
        info = pd.read_csv(sources.path(f"student/{stem}_skillinfo.csv"), index_col="skill")
        groups = info.loc[q_matrix.columns, merged].to_numpy()
        q_matrix = q_matrix.T.groupby(groups, sort=False).max().T
    return sources.path(f"student/{stem}_items.csv"), q_matrix


STUDY = Study("chen2016-answers", tasks, work, needs, minutes=0.5)
