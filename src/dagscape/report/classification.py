"""How well a classifier does: accuracy, log loss, and which classes it takes for which."""

from __future__ import annotations

import numpy as np

from dagscape.core.wording import plural
from dagscape.report.blocks import Block, Heading, Name, Row, number, table
from dagscape.studies.classifying import Classification


def render_classification(found: Classification) -> list[Block]:
    """Render the averages over the folds, and the confusion matrix."""
    measures = {"accuracy": found.accuracy, "accuracy of the baseline": found.baseline, "log loss": found.log_loss}
    several = len(found.accuracy) > 1
    rows: list[Row] = [
        (name, number(float(np.mean(values)), ".4f"), *([number(_error(values), ".4f")] if several else []))
        for name, values in measures.items()
    ]
    headers = ["measure", "mean", *(["standard error"] if several else [])]
    counts: list[Row] = [
        (Name(level), *(number(int(count), ",d") for count in line))
        for level, line in zip(found.levels, found.confusion, strict=True)
    ]
    classified = f"{plural(found.rows, 'row')} classified by networks of method {found.method!r}"
    where = f"in {plural(len(found.accuracy), 'fold')}" if several else "that they were not fitted to"
    return [
        Heading(f"{classified}, {where}"),
        table(headers, rows, numeric=range(1, len(headers))),
        Heading(f"{found.target}, and what it was classified as"),
        table([found.target, *found.levels], counts, numeric=range(1, len(found.levels) + 1)),
    ]


def _error(values: tuple[float, ...]) -> float:
    with np.errstate(invalid="ignore"):
        return float(np.std(values, ddof=1) / np.sqrt(len(values)))
