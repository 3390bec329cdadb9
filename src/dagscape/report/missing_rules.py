"""Rules for missing cells: the rows that count under each, and the pairs of variables whose probability changes."""

from __future__ import annotations

from dagscape.report.blocks import Block, Heading, Name, Note, Paragraph, Row, number, table
from dagscape.report.probabilities import probability
from dagscape.studies.missing_rules_result import OF_ONE_NETWORK, MissingRules

_ROWS_SHOWN = 10


def render_missing_rules(found: MissingRules, rows: int = _ROWS_SHOWN, threshold: float = 0.5) -> list[Block]:
    """Render the rules, and the adjacencies whose probability crosses a threshold between them."""
    counted = [(rule, number(m)) for rule, m in zip(found.rules, found.rows, strict=True)]
    summary = found.summary(threshold)
    blocks: list[Block] = [
        Heading("Rules for missing cells"),
        table(["rule", "rows"], counted, numeric=[1]),
        Paragraph(summary[0].upper() + summary[1:]),
    ]
    if one_network := [rule for rule in found.rules if rule in OF_ONE_NETWORK]:
        blocks.append(Note(_of_one_network(one_network)))
    frame = found.changes(threshold)
    if rows and len(frame):
        shown: list[Row] = [
            (Name(source), Name(target), *(probability(float(value)) for value in values))
            for source, target, _, _, _, *values in frame.head(rows).itertuples(index=False, name=None)
        ]
        omitted = f"… {len(frame) - rows:,} more" if len(frame) > rows else ""
        headers = ["between", "and", *found.rules]
        blocks.append(table(headers, shown, numeric=range(2, len(headers)), omitted=omitted))
    return blocks


def _of_one_network(rules: list[str]) -> str:
    """Say that some rules have no probabilities."""
    them = f"{' and '.join(rules)} {'is' if len(rules) == 1 else 'are'} one network{' each' if rules[1:] else ''}"
    price = "; pnal's price of an edge is high with few rows" if "pnal" in rules else ""
    return f"{them}, whose edges count 0, 1/2 or 1{price}"
