"""The probabilities of paths through a third variable."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from dagscape.core.wording import plural
from dagscape.posterior.result import Posterior
from dagscape.report.blocks import Block, Name, Note, Row, table
from dagscape.report.probabilities import probability, shown_from

Path = tuple[str, str, str]


def render_paths(post: Posterior, paths: Sequence[Path] = (), threshold: float = 0.0) -> list[Block]:
    """Render the probabilities of the given paths; by default those of all paths of at least ``threshold``."""
    if paths:
        shown, hidden = list(paths), 0
    else:
        every = list(itertools.permutations(post.variables, 3))
        shown = sorted(
            (path for path in every if post.via(*path) >= shown_from(threshold)), key=lambda path: -post.via(*path)
        )
        hidden = len(every) - len(shown)
    rows: list[Row] = [(*map(Name, path), probability(post.via(*path))) for path in shown]
    notes = [Note(f"{plural(hidden, 'path')} below {threshold:g} not shown")] if hidden else []
    return [table(["from", "via", "to", "path"], rows, numeric=[3]), *notes]
