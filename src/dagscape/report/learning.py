"""Tables of learned networks: how they were found, their families, and how close they are to the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.report.layout import Name, listed_names, plain, table_of
from dagscape.search.result import Learned
from dagscape.wording import plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_MEASURES = {
    "shd": "structural Hamming distance",
    "a_plus": "additional adjacencies",
    "a_minus": "missing adjacencies",
    "vs_plus": "additional v-structures",
    "vs_minus": "missing v-structures",
}


def render_learned(found: Learned) -> RenderableType:
    """Render a learned network: its score, the parents of each variable, and the comparison with a known network."""
    table = table_of("variable", "parents")
    for name in found.network.topological_order():
        if parents := found.network.parents(name):
            table.add_row(Name(name), listed_names(parents))
    families: list[RenderableType] = [plain(), table] if found.network.edge_count else []
    return Group(plain(_heading(found)), *families, *_comparison(found))


def _heading(found: Learned) -> str:
    """Say what was found, and by how many steps, if the method counts them; not in what time, which varies."""
    size = f"{plural(found.network.n, 'variable')}, {plural(found.network.edge_count, 'edge')}"
    counts = {"step": found.details.get("steps"), "restart": found.details.get("restarts") or None}
    work = ", ".join(plural(count, what) for what, count in counts.items() if count is not None)
    end = "" if found.complete else "; stopped by the time limit"
    after = f" after {work}" if work else ""
    return f"A network found by the method {found.method}: {size}, score {found.score:,.4f}{after}{end}"


def _comparison(found: Learned) -> list[RenderableType]:
    if found.comparison is None:
        return []
    what = "equivalence classes" if found.comparison.level == "classes" else "DAGs"
    table = table_of("measure", "value", "", right=(1,))
    for name, meaning in _MEASURES.items():
        table.add_row(name, str(found.comparison[name]), meaning)
    return [plain(f"\nComparison with the known network ({what}):"), plain(), table]
