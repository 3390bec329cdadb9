"""Averages of one feature over a list of networks, highest first."""

from __future__ import annotations

from dagscape.core.wording import plural
from dagscape.ensembles.feature_averages import LIST_FEATURES, FeatureAverages
from dagscape.report.blocks import Block, Heading, Name, Note, Row, table
from dagscape.report.probabilities import probability

_ROWS_SHOWN = 20


def render_feature_averages(found: FeatureAverages, rows: int = _ROWS_SHOWN) -> list[Block]:
    """Render the most probable entries."""
    headers = [name.replace("_", " ") for name in LIST_FEATURES[found.feature]]
    columns = [found.probabilities, *([] if found.errors is None else [found.errors])]
    shown: list[Row] = [
        (*map(Name, entry), *(probability(float(column[row])) for column in columns))
        for row, entry in enumerate(found.entries[:rows])
    ]
    values = ["probability", "error"][: len(columns)]
    hidden = len(found.entries) - len(shown)
    blocks: list[Block] = [
        Heading(f"{found.feature.capitalize()}, averaged over the list"),
        table([*headers, *values], shown, numeric=range(len(headers), len(headers) + len(values))),
    ]
    return [*blocks, *([Note(f"{plural(hidden, 'entry', 'entries')} not shown")] if hidden else [])]
