"""Tables of edge probabilities, and the consensus network below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.posterior.result import Posterior
from dagscape.report.layout import HALF_DIGIT, Name, listed_names, plain, table_of
from dagscape.studies.bootstrap_result import Bootstrap

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

EDGES_SHOWN = 0.05


def render_posterior(post: Posterior, threshold: float = EDGES_SHOWN, consensus: Dag | None = None) -> RenderableType:
    """Render the edges whose probability is at least ``threshold``, and the consensus network, if given."""
    evidence = "" if post.prior else f"log evidence {post.log_evidence:,.4f}, "
    heading = f"{'Prior' if post.prior else 'Posterior'} over {post.over}: {evidence}error estimate {post.error:.0e}"
    return _edges(heading, post.to_frame(), threshold, consensus)


def render_bootstrap(found: Bootstrap, threshold: float = EDGES_SHOWN, consensus: Dag | None = None) -> RenderableType:
    """Render the edges with a confidence of at least ``threshold``, and the consensus network, if given."""
    done = "" if found.complete else f"{len(found):,} of "
    heading = f"Networks learned by {found.method!r} from {done}{plural(found.samples, 'sample')} of the rows"
    return _edges(heading, found.to_frame(), threshold, consensus)


def _edges(heading: str, frame: pd.DataFrame, threshold: float, consensus: Dag | None) -> RenderableType:
    # A probability that is shown as 1.0000 is not hidden by the threshold 1.
    shown = frame[frame["edge"] >= threshold - HALF_DIGIT]
    headers = ["from", "to", *frame.columns[2:]]
    table = table_of(*headers, right=range(2, len(headers)))
    for row in shown.itertuples(index=False):
        table.add_row(Name(row[0]), Name(row[1]), *(f"{value:.4f}" for value in row[2:]))
    hidden = len(frame) - len(shown)
    footer = [plain(f"\n{plural(hidden, 'edge')} below {threshold:g} not shown")] if hidden else []
    if consensus is not None:
        arrows = [f"{listed_names([u])} → {listed_names([v])}" for u, v in consensus.edges]
        listed = ", ".join(arrows) or "(none)"
        footer.append(plain(f"\nConsensus network ({plural(consensus.edge_count, 'edge')}): {listed}"))
    return Group(plain(heading), plain(), table, *footer)
