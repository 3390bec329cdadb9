"""Comparisons of two structures, measure by measure."""

from __future__ import annotations

from dagscape.core.wording import plural
from dagscape.ensembles.compared_probabilities import ProbabilityComparison
from dagscape.graphs.comparison import Comparison
from dagscape.report.blocks import Block, Heading, Name, Note, Row, number, table

_MEANINGS = {
    "shd": "structural Hamming distance between the equivalence classes",
    "a_plus": "adjacencies that are only in the first",
    "a_minus": "adjacencies that are only in the second",
    "vs_plus": "v-structures that are only in the first",
    "vs_minus": "v-structures that are only in the second",
    "precision_adjacency": "share of the first's adjacencies that the second has",
    "recall_adjacency": "share of the second's adjacencies that the first has",
    "f1_adjacency": "their harmonic mean",
    "precision_orientation": "share of the first's compelled directions that the second has",
    "recall_orientation": "share of the second's compelled directions that the first has",
    "f1_orientation": "their harmonic mean",
}

_DAG_MEANINGS = {
    "shd": "structural Hamming distance between the DAGs: edges to add, remove or reverse",
    "precision_orientation": "share of the first's edges that the second has with the same direction",
    "recall_orientation": "share of the second's edges that the first has with the same direction",
    "reversed": "adjacencies of both with opposite directions",
    "same_direction": "share of the adjacencies of both that have the same direction",
}


def render_comparison(comparison: Comparison) -> list[Block]:
    """Render all measures with their meanings."""
    meanings = _MEANINGS | (_DAG_MEANINGS if comparison.level == "dags" else {})
    rows = [
        (name, number(value, "" if isinstance(value, int) else ".3f"), meanings[name])
        for name, value in comparison.items()
    ]
    return [table(["measure", "value", ""], rows, numeric=[1])]


PAIRS_SHOWN = 10

_FEATURES = {
    "adjacencies": "Adjacencies",
    "edges": "Directed edges",
    "ancestors": "Ancestor relations",
    "compelled": "Compelled edges",
}


def render_probabilities(found: ProbabilityComparison, show: int = PAIRS_SHOWN) -> list[Block]:
    """Render the pairs that differ most."""
    frame = found.to_frame()
    rows: list[Row] = [
        (
            Name(source),
            Name(target),
            number(first, ".4f"),
            number(second, ".4f"),
            number(difference, "+.4f"),
        )
        for source, target, first, second, difference in frame.head(show).itertuples(index=False, name=None)
    ]
    differences = f"mean difference {found.mean_difference:.4f}, largest {found.largest_difference:.4f}"
    heading = Heading(
        f"{_FEATURES[found.feature]} of two results, {plural(len(frame), 'pair')}: {differences}",
        (f"{plural(len(found.changed), 'pair')} on different sides of 1/2",),
    )
    shown = table(["from", "to", "first", "second", "difference"], rows, numeric=[2, 3, 4])
    hidden = len(frame) - len(rows)
    return [heading, shown, *([Note(f"{plural(hidden, 'pair')} with smaller differences not shown")] if hidden else [])]
