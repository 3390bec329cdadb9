"""Tables of learned networks: how they were found, their families, and how close they are to the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.report.layout import Name, listed_names, plain, table_of
from dagscape.search.result import Learned

if TYPE_CHECKING:
    from rich.console import RenderableType

_MEASURES = {
    "shd": "structural Hamming distance",
    "a_plus": "additional adjacencies",
    "a_minus": "missing adjacencies",
    "vs_plus": "additional v-structures",
    "vs_minus": "missing v-structures",
}


# Families that are shown by default: those of a small network, and a screen of others.
FAMILIES_SHOWN = 20


def render_learned(found: Learned, rows: int = FAMILIES_SHOWN) -> RenderableType:
    """Render a learned network: its score, the parents of variables, and the comparison with a known network."""
    return Group(plain(_heading(found)), *_families(found.network, rows), *_comparison(found))


def _families(network: Dag, rows: int) -> list[RenderableType]:
    """Return the table of the first variables with parents, and a line about those without."""
    order = network.topological_order()
    children = [name for name in order if network.parents(name)]
    roots = [name for name in order if not network.parents(name)]
    table = table_of("variable", "parents")
    for name in children[:rows]:
        table.add_row(Name(name), listed_names(network.parents(name)))
    parts: list[RenderableType] = [plain(), table] if children[:rows] else []
    if len(children) > rows:
        parts.append(plain(f"… {plural(len(children) - rows, 'family', 'families')} not shown"))
    return [*parts, plain(), plain(_without_parents(roots, rows))]


def _without_parents(roots: Sequence[str], shown: int) -> str:
    """Say which variables have no parents, or the first of them."""
    more = f", … {len(roots) - shown:,} more" if len(roots) > shown else ""
    names = f": {listed_names(roots[:shown])}{more}" if shown else ""
    return f"{plural(len(roots), 'variable')} without parents{names}"


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
