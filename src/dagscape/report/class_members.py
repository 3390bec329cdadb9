"""The size and the members of an equivalence class."""

from __future__ import annotations

from dagscape.ensembles.class_members import ClassMembers
from dagscape.report.blocks import Block, Heading, Note, Paragraph, Row, arrow, joined, number, table


def render_class_members(found: ClassMembers) -> list[Block]:
    """Render the edges of the class, and for each listed member the directions that differ between members."""
    turned = {frozenset(edge) for edge in found.undirected}
    rows: list[Row] = [
        (number(i, "d"), joined([arrow(*edge) for edge in dag.edges if frozenset(edge) in turned]) or "(none)")
        for i, dag in enumerate(found.networks, start=1)
    ]
    directed = joined([arrow(*edge) for edge in found.directed]) or ("(none)",)
    undirected = ", ".join(f"{a} - {b}" for a, b in found.undirected) or "(none)"
    listed = [table(["member", "directions of these"], rows, numeric=[0])] if rows else []
    more = found.size - len(found.networks)
    return [
        Heading(f"Equivalence class of {found.size:,} {'DAG' if found.size == 1 else 'DAGs'}"),
        Paragraph(("The same in all: ", *directed)),
        Paragraph((f"Directions differ: {undirected}",)),
        *listed,
        *([Note(f"{more:,} more {'member' if more == 1 else 'members'} not shown")] if more and rows else []),
    ]
