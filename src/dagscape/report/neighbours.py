"""Parents and children of each variable as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.report.layout import listed_names, plain, shortened, table_of
from dagscape.search.parents_children import ParentsChildren

if TYPE_CHECKING:
    from rich.console import RenderableType


def render_neighbours(found: ParentsChildren) -> RenderableType:
    """Render the neighbours of each variable, the strongest first."""
    table = table_of("variable", "parents and children")
    for name in found.variables:
        table.add_row(shortened(name), listed_names(found.neighbours(name)) or "(none)")
    heading = (
        f"{plural(found.pair_count, 'pair')} of neighbours, by {plural(found.tests, 'test')} of independence "
        f"at level {found.alpha:g}"
    )
    return Group(plain(heading), plain(), table)
