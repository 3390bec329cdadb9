"""Results read back from JSON."""

from __future__ import annotations

import json
import os

from dagscape.data.summary import DataSummary
from dagscape.errors import InvalidData
from dagscape.files import open_text
from dagscape.graphs.comparison import Comparison
from dagscape.registry import METHODS
from dagscape.report.planning import Plan
from dagscape.results import Result
from dagscape.scores.summary import ScoreSummary
from dagscape.studies.sensitivity_result import Sensitivity

# The results of methods and studies, and of functions that summarise data and scores, compare structures or make plans.
_CLASSES: tuple[type[Result], ...] = (
    *(method.result for method in METHODS.values()),
    Comparison,
    DataSummary,
    Plan,
    ScoreSummary,
    Sensitivity,
)
RESULTS: dict[str, type[Result]] = {result.kind: result for result in _CLASSES}


def load_result(path: str | os.PathLike[str]) -> Result:
    """Read a result that was written as JSON by its ``save`` method or by the command line, compressed or not."""
    source = os.fspath(path)
    with open_text(path) as text:
        try:
            document = json.load(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InvalidData(f"{source!r} is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("kind") not in RESULTS:
        raise InvalidData(f"{source!r} is not a result of dagscape: its kind is none of {', '.join(RESULTS)}")
    schema, known = document.get("schema"), RESULTS[document["kind"]].schema
    if schema not in range(1, known + 1):
        raise InvalidData(
            f"{source!r} has schema {schema} of {document['kind']!r}; this version of dagscape reads up to {known}"
        )
    try:
        return RESULTS[document["kind"]].from_dict(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InvalidData):
            raise
        raise InvalidData(f"{source!r} is not a complete {document['kind']!r} result: {error}") from error
