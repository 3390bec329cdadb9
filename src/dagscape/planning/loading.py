"""Results read back from JSON."""

from __future__ import annotations

import os
from typing import Any

from dagscape.core.errors import InvalidData, brief, function
from dagscape.core.files.documents import read_json
from dagscape.core.files.paths import path_text
from dagscape.data.discrete.summary import DataSummary
from dagscape.graphs.comparison import Comparison
from dagscape.networks.writing import KIND as NETWORK
from dagscape.planning.plan import Plan
from dagscape.planning.registry import METHODS
from dagscape.results.base import Result
from dagscape.scores.summary import ScoreSummary
from dagscape.search.parents_children import ParentsChildren
from dagscape.search.result import Learned
from dagscape.student.learning.parm import Parm
from dagscape.student.model.evaluation import Evaluation
from dagscape.student.model.model import StudentModel
from dagscape.studies.bootstrap_result import Bootstrap
from dagscape.studies.sensitivity_result import Sensitivity

# The results of methods and studies, and of functions that summarise data and scores, compare structures or make plans.
_CLASSES: tuple[type[Result], ...] = (
    *(method.result for method in METHODS.values()),
    Bootstrap,
    Comparison,
    DataSummary,
    Evaluation,
    Learned,
    ParentsChildren,
    Parm,
    Plan,
    ScoreSummary,
    Sensitivity,
    StudentModel,
)
RESULTS: dict[str, type[Result]] = {result.kind: result for result in _CLASSES}

# What reads the other kinds of JSON documents.
_READERS = {NETWORK: "read_network", "discretizer": "Discretizer.load"}


def load_result(path: str | os.PathLike[str], *, max_memory: int | str | None = None) -> Result:
    """Read a result that was written as JSON by its ``save`` method or by the command line, compressed or not.

    Parameters
    ----------
    path : path
        The file; ``"-"`` for standard input.
    max_memory : int, str or None
        The most memory for reading, such as ``"2GiB"``; by default 80% of what is available.
    """
    return result_of_document(read_json(path, max_memory=max_memory), path_text(path))


def kind_of(document: Any) -> Any:
    """Return the kind that a parsed JSON document says it is; None if it says none."""
    return document.get("kind") if isinstance(document, dict) else None


def result_of_document(document: Any, source: str) -> Result:
    """Rebuild a result from a parsed JSON document; ``source`` names it in messages."""
    kind = kind_of(document)
    if isinstance(kind, str) and kind in _READERS:
        raise InvalidData(f"{source!r} is a {kind}, not a result: read it with {function(_READERS[kind])}")
    if not isinstance(kind, str) or kind not in RESULTS:
        raise InvalidData(f"{source!r} is not a result of dagscape: its kind is none of {', '.join(RESULTS)}")
    schema, known = document.get("schema"), RESULTS[kind].schema
    if type(schema) is not int or not 1 <= schema <= known:
        raise InvalidData(
            f"{source!r} has schema {brief(schema)} of {kind!r}; this version of dagscape reads up to {known}"
        )
    try:
        return RESULTS[kind].from_dict(document)
    except InvalidData as error:
        raise InvalidData(f"{source!r} is not a complete {kind!r} result: {error}") from error
