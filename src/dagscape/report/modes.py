"""Tables of modes: scores, distances and orderings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.ensembles.diversity import class_counts, distances, graphs_at, mean_distances
from dagscape.modes.result import Modes
from dagscape.report.best import agreement_parts
from dagscape.report.layout import format_factor, listed_names, plain, table_of

if TYPE_CHECKING:
    from rich.console import RenderableType

_ROWS_SHOWN = 10


def render_modes(
    found: Modes,
    rows: int = _ROWS_SHOWN,
    distinct_hint: str = "distinct='class'",
    level: str | None = None,
) -> RenderableType:
    """Render the modes and their distances to the best one and, if known, to the true network."""
    if not len(found):
        return plain(f"The search ran out of {found.stopped} before it proved any mode")
    level = level or found.truth_level or found.level
    graphs = graphs_at(found.networks, level)
    to_best, to_truth = distances(graphs, found.networks[0], level), found.distance_to_truth
    known_header = [] if to_truth is None else ["to truth"]
    headers = ["rank", "score", "times less", "edges", "to best", *known_header, "ordering"]
    table = table_of(*headers, right=range(len(headers) - 1))
    for i, (score, order) in enumerate(zip(found.scores, found.orders, strict=True)):
        less = format_factor(float(found.scores[0] - score))
        known = [] if to_truth is None else [str(to_truth[i])]
        edges = str(found.networks[i].edge_count)
        table.add_row(str(i + 1), f"{score:,.4f}", less, edges, str(to_best[i]), *known, listed_names(order))
    classes = plural(int(class_counts(found.cpdags)[-1]), "equivalence class", "equivalence classes")
    end = "; there are no others" if found.exhausted else "" if found.complete else f"; stopped for {found.stopped}"
    apart = f", {mean_distances(graphs)[-1]:.1f} edges apart on average" if len(found) > 1 else ""
    heading = f"{plural(len(found), 'mode')} (delta {found.delta}) of {classes}{apart}{end}"
    hint = []
    if level == "dags":
        hint = [plain(f"Directions count in distances and agreement{_reason(found)}.")]
    elif found.distinct == "network" and found.classes < len(found):
        hint = [plain(f"Some are equivalent: {distinct_hint} keeps one network of each class.")]
    return Group(plain(heading), *hint, plain(), table, plain(), *agreement_parts(found, rows, level))


def _reason(found: Modes) -> str:
    return ": the scores distinguish members of a class" if found.level == "dags" else ""
