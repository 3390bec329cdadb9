"""Tables of the probabilities of paths through a third variable."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.posterior.result import Posterior
from dagscape.report.layout import HALF_DIGIT, plain, shortened, table_of

if TYPE_CHECKING:
    from rich.console import RenderableType

Path = tuple[str, str, str]


def render_paths(post: Posterior, paths: Sequence[Path] = (), threshold: float = 0.0) -> RenderableType:
    """Render the probabilities of the given paths; by default those of all paths of at least ``threshold``."""
    if paths:
        shown, hidden = list(paths), 0
    else:
        every = list(itertools.permutations(post.variables, 3))
        shown = sorted(
            (path for path in every if post.via(*path) >= threshold - HALF_DIGIT), key=lambda path: -post.via(*path)
        )
        hidden = len(every) - len(shown)
    table = table_of("from", "via", "to", "path", right=(3,))
    for path in shown:
        table.add_row(*map(shortened, path), f"{post.via(*path):.4f}")
    footer = [plain(f"\n{plural(hidden, 'path')} below {threshold:g} not shown")] if hidden else []
    return Group(table, *footer)
