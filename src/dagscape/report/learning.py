"""Tables of learned networks: how they were found, their families, and how close they are to the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Group

from dagscape.report.layout import Name, listed_names, plain, table_of
from dagscape.search.result import Learned
from dagscape.wording import format_seconds, plural

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
    size = f"{plural(found.network.n, 'variable')}, {plural(found.network.edge_count, 'edge')}"
    taken = format_seconds(sum(found.provenance.seconds.values()))
    end = "" if found.complete else "; the time limit ended the search"
    return f"A network found by the method {found.method}: {size}, score {found.score:,.4f}\n{_work(found)}{taken}{end}"


def _work(found: Learned) -> str:
    """Say how long the search was, if the method counts its steps."""
    words: dict[str, Callable[[Any], str]] = {
        "steps": lambda count: plural(count, "step"),
        "restarts": lambda count: plural(count, "restart") if count else "",
    }
    parts = [words[name](found.details[name]) for name in words if name in found.details]
    return "".join(f"{part}, " for part in parts if part)


def _comparison(found: Learned) -> list[RenderableType]:
    if found.comparison is None:
        return []
    what = "equivalence classes" if found.comparison["level"] == "classes" else "DAGs"
    table = table_of("measure", "value", "", right=(1,))
    for name, meaning in _MEASURES.items():
        table.add_row(name, str(found.comparison[name]), meaning)
    return [plain(f"\nComparison with the known network ({what}):"), plain(), table]
