"""Learned networks: how they were found, their families, and how close they are to the truth."""

from __future__ import annotations

from collections.abc import Sequence

from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.report.blocks import Block, Heading, Name, Note, Paragraph, Row, Text, names, number, table
from dagscape.report.directions import direction_notes
from dagscape.search.result import Learned

_MEASURES = {
    "shd": "structural Hamming distance",
    "a_plus": "additional adjacencies",
    "a_minus": "missing adjacencies",
    "vs_plus": "additional v-structures",
    "vs_minus": "missing v-structures",
}


# Families that are shown by default: those of a small network, and a screen of others.
FAMILIES_SHOWN = 20


def render_learned(found: Learned, rows: int = FAMILIES_SHOWN) -> list[Block]:
    """Render a learned network: its score, the parents of variables, and the comparison with a known network."""
    families = _families(found.network, found.directions.undirected, rows)
    return [Heading(_heading(found)), *families, *direction_notes(found), *_comparison(found)]


def _families(network: Dag, reversible: Sequence[int], rows: int) -> list[Block]:
    """Return the table of the first variables with parents, and a line about those without.

    ``reversible`` has, for each variable, the neighbours by edges that can be reversed, as a set.
    """
    order = network.topological_order()
    children = [name for name in order if network.parents(name)]
    roots = [name for name in order if not network.parents(name)]
    hidden = len(children) - rows
    omitted = f"… {plural(hidden, 'family', 'families')} not shown" if hidden > 0 else ""
    headers = ["variable", "parents", *(["of these reversible"] if any(reversible) else [])]
    shown = [_family(network, reversible, name)[: len(headers)] for name in children[:rows]]
    families: list[Block] = [Note(omitted)] if omitted else []
    if shown:
        families = [table(headers, shown, omitted=omitted)]
    return [*families, Paragraph(_without_parents(roots, rows))]


def _family(network: Dag, reversible: Sequence[int], name: str) -> Row:
    """Return a variable, its parents, and those of them that other members of the class have as its children."""
    child = network.number(name)
    return (
        Name(name),
        names(network.parents(name)),
        names(network.names(network.parent_masks[child] & reversible[child])),
    )


def _without_parents(roots: Sequence[str], shown: int) -> Text:
    """Say which variables have no parents, or the first of them."""
    count = f"{plural(len(roots), 'variable')} without parents"
    more = f", … {len(roots) - shown:,} more" if len(roots) > shown else ""
    return (f"{count}: ", *names(roots[:shown]), more) if shown else count


def _heading(found: Learned) -> str:
    """Say what was found, and by how many steps, if the method counts them; not in what time, which varies."""
    size = f"{plural(found.network.n, 'variable')}, {plural(found.network.edge_count, 'edge')}"
    counts = {"step": found.details.get("steps"), "restart": found.details.get("restarts") or None}
    work = ", ".join(plural(count, what) for what, count in counts.items() if count is not None)
    end = "" if found.complete else f"; stopped by {found.stopped_by}"
    if found.details.get("proved_optimal"):
        end = "; no network has a higher score"
    after = f" after {work}" if work else ""
    return f"A network found by the method {found.method}: {size}, score {found.score:,.4f}{after}{end}"


def _comparison(found: Learned) -> list[Block]:
    if found.comparison is None:
        return []
    what = "equivalence classes" if found.comparison.level == "classes" else "DAGs"
    rows = [(name, number(found.comparison[name], ""), meaning) for name, meaning in _MEASURES.items()]
    return [
        Paragraph(f"Comparison with the known network ({what}):"),
        table(["measure", "value", ""], rows, numeric=[1]),
    ]
