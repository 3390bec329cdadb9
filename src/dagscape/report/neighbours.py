"""Parents and children of each variable."""

from __future__ import annotations

from dagscape.core.wording import plural
from dagscape.report.blocks import Block, Heading, Name, names, table
from dagscape.search.independence_kinds import INDEPENDENCE_TESTS
from dagscape.search.parents_children import ParentsChildren


def render_neighbours(found: ParentsChildren) -> list[Block]:
    """Render the neighbours of each variable, the strongest first."""
    tests = plural(found.tests, f"{INDEPENDENCE_TESTS[found.test].title} test")
    heading = f"{plural(found.pair_count, 'pair')} of neighbours, by {tests} of independence at level {found.alpha:g}"
    rows = [(Name(name), names(found.neighbours(name)) or "(none)") for name in found.variables]
    title = INDEPENDENCE_TESTS[found.test].title
    reason = found.provenance.parameters.get("because")
    why = (f"{title} tests, because {reason} (--test)",) if reason else ()
    return [Heading(heading, why), table(["variable", "parents and children"], rows)]
