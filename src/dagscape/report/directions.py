"""What the edges of one network say about directions: a class was found, and the network is a member of it."""

from __future__ import annotations

from dagscape.core.wording import plural
from dagscape.ensembles.one_network import OneNetwork
from dagscape.report.blocks import Block, Note


def direction_notes(found: OneNetwork) -> list[Block]:
    """Say how many edges of a network other members of its class have reversed; nothing if none."""
    reversible = len(found.reversible_edges)
    if not reversible:
        return []
    are = "is" if reversible == 1 else "are"
    return [
        Note(
            f"{reversible:,} of {plural(found.network.edge_count, 'edge')} {are} reversible: networks of the same "
            "equivalence class fit the data as well with the other direction"
        )
    ]
