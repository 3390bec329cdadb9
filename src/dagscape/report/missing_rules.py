"""Rules for missing cells: the rows that count under each, and the pairs of variables that differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dagscape.report.blocks import Block, Heading, Name, Note, Paragraph, Row, number, table
from dagscape.report.probabilities import probability
from dagscape.studies.missing_rules_result import OF_ONE_NETWORK, MissingRules

if TYPE_CHECKING:
    import pandas as pd

_ROWS_SHOWN = 10


def render_missing_rules(found: MissingRules, rows: int = _ROWS_SHOWN, threshold: float = 0.5) -> list[Block]:
    """Render the rules, how many adjacencies cross a threshold between them, and those that differ most."""
    counted = [(rule, number(m)) for rule, m in zip(found.rules, found.rows, strict=True)]
    summary = found.summary(threshold)
    blocks: list[Block] = [
        Heading("Rules for missing cells"),
        table(["rule", "rows"], counted, numeric=[1]),
        Paragraph(summary[0].upper() + summary[1:]),
    ]
    if one_network := [rule for rule in found.rules if rule in OF_ONE_NETWORK]:
        blocks.append(Note(_of_one_network(one_network)))
    if found.verdict:
        blocks.append(Paragraph(f"Chains of sample: {found.verdict}"))
    frame = _crossing_first(found, threshold)
    if rows and len(frame):
        shown: list[Row] = [
            (Name(source), Name(target), *(probability(float(value)) for value in values))
            for source, target, _, _, _, *values in frame.head(rows).itertuples(index=False, name=None)
        ]
        omitted = f"… {len(frame) - rows:,} more" if len(frame) > rows else ""
        headers = ["between", "and", *found.rules]
        blocks.append(table(headers, shown, numeric=range(2, len(headers)), omitted=omitted))
    return blocks


def _crossing_first(found: MissingRules, threshold: float) -> pd.DataFrame:
    """Return the pairs, those that cross the threshold first, and then those that differ most."""
    frame = found.to_frame()
    crossing = (frame["lowest"] < threshold) & (frame["highest"] >= threshold)
    return frame.iloc[np.argsort(~crossing.to_numpy(), kind="stable")]


def _of_one_network(rules: list[str]) -> str:
    """Say that some rules have no probabilities."""
    them = f"{' and '.join(rules)} {'is' if len(rules) == 1 else 'are'} one network{' each' if rules[1:] else ''}"
    price = "; pnal's price of an edge is high with few rows" if "pnal" in rules else ""
    return f"{them}, whose edges count 0, 1/2 or 1{price}"
