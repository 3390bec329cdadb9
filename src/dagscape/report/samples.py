"""Sampled networks: their edges with Monte Carlo errors, and whether to trust them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagscape.core.wording import plural
from dagscape.ensembles.chain_diagnostics import ChainDiagnostics
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.dag import Dag
from dagscape.report.blocks import Block, Heading, Note
from dagscape.report.edges import CAUSES, EDGES_SHOWN, edge_blocks, shown_pairs

if TYPE_CHECKING:
    import pandas as pd

# The columns whose errors are stated below the table, which is wide enough.
_WITHOUT_ERRORS = ("ancestor", "adjacent", "compelled")


def render_samples(found: SampledNetworks, threshold: float = EDGES_SHOWN, consensus: Dag | None = None) -> list[Block]:
    """Render the pairs that are adjacent with a probability of ``threshold``, and the consensus network, if given."""
    drawn = plural(len(found), "independent network")
    if found.method == "chain":
        drawn = f"{plural(found.chains, 'chain')} of {plural(found.draws, 'network')}"
    heading = f"Samples over {found.over}: {drawn}, best score {found.best_score:,.4f}"
    reason = found.provenance.parameters.get("because")
    details: tuple[str, ...] = (f"by Markov chains, because {reason}",) if reason else ()
    if found.drawn_cells:
        details += (f"{plural(found.drawn_cells, 'missing cell')} drawn along with the networks",)
    if found.diagnostics is not None:
        details += (_diagnosed(found.diagnostics), found.diagnostics.verdict)
    frame = found.to_frame()
    shown = frame.drop(columns=[f"{name}_error" for name in _WITHOUT_ERRORS])
    blocks = edge_blocks(Heading(heading, details), shown, threshold, consensus)
    return [*blocks, Note(_about_errors(found, shown_pairs(frame, threshold))), Note(CAUSES)]


def _diagnosed(found: ChainDiagnostics) -> str:
    discarded = f"; {plural(found.burn_in, 'draw')} of burn-in left out" if found.burn_in else ""
    return (
        f"R-hat {found.r_hat_score:.3f} of the scores and up to {found.r_hat_edges:.3f} of edges, "
        f"effective size {found.ess_score:,.0f} of the scores and from {found.ess_edges:,.0f} of edges{discarded}"
    )


def _about_errors(found: SampledNetworks, shown: pd.DataFrame) -> str:
    meaning = "compelled: the edge holds in the whole equivalence class; errors are Monte Carlo standard errors"
    if len(shown):
        largest = [f"{shown[f'{name}_error'].max():.2g} ({name})" for name in _WITHOUT_ERRORS]
        meaning += f"; those of the other columns above: up to {', '.join(largest)}"
    if found.edge_means is not None:
        meaning += "; edges and adjacencies average all steps, the rest is from the networks kept"
    if not found.error:
        return meaning
    what = "numerical error of the sampling" if found.method == "exact" else "out of the reach of the chains"
    return f"{meaning}; {what}: {found.error:.0e}"
