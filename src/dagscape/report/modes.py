"""Modes: scores, distances and orderings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core.wording import plural
from dagscape.ensembles.diversity import class_counts, distances, graphs_at, mean_distances
from dagscape.modes.result import Modes
from dagscape.report.best import agreement_blocks
from dagscape.report.blocks import Block, Heading, Row, Table, factor, names, number, table

_ROWS_SHOWN = 10


def render_modes(
    found: Modes,
    rows: int = _ROWS_SHOWN,
    distinct_hint: str = "distinct='class'",
    level: str | None = None,
) -> list[Block]:
    """Render the modes and their distances to the best one and, if known, to the true network."""
    if not len(found):
        return [Heading(f"The search ran out of {found.stopped} before it proved any mode")]
    level = level or found.truth_level or found.level
    graphs = graphs_at(found.networks, level)
    classes = plural(int(class_counts(found.cpdags)[-1]), "equivalence class", "equivalence classes")
    end = "; there are no others" if found.exhausted else "" if found.complete else f"; stopped for {found.stopped}"
    apart = f", {mean_distances(graphs)[-1]:.1f} edges apart on average" if len(found) > 1 else ""
    heading = f"{plural(len(found), 'mode')} (delta {found.delta}) of {classes}{apart}{end}"
    listed = _ranking(found, distances(graphs, found.networks[0], level))
    return [Heading(heading, _hint(found, distinct_hint, level)), listed, *agreement_blocks(found, rows, level)]


def _ranking(found: Modes, to_best: NDArray[np.int64]) -> Table:
    to_truth = found.distance_to_truth
    known_header = [] if to_truth is None else ["to truth"]
    headers = ["rank", "score", "times less", "edges", "to best", *known_header, "ordering"]
    rows: list[Row] = [
        (
            number(i + 1, "d"),
            number(float(score), ",.4f"),
            factor(float(found.scores[0] - score)),
            number(found.networks[i].edge_count, "d"),
            number(int(to_best[i]), "d"),
            *([] if to_truth is None else [number(to_truth[i], "d")]),
            names(order),
        )
        for i, (score, order) in enumerate(zip(found.scores, found.orders, strict=True))
    ]
    return table(headers, rows, numeric=range(len(headers) - 1))


def _hint(found: Modes, distinct_hint: str, level: str) -> tuple[str, ...]:
    if level == "dags":
        reason = ": the scores distinguish members of a class" if found.level == "dags" else ""
        return (f"Directions count in distances and agreement{reason}.",)
    if found.distinct == "network" and found.classes < len(found):
        return (f"Some are equivalent: {distinct_hint} keeps one network of each class.",)
    return ()
