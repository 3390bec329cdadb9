"""Sampled networks: their edges, with Monte Carlo errors."""

from __future__ import annotations

from dagscape.core.wording import plural
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.report.blocks import Block, Heading, Name, Note, Row, number, table
from dagscape.report.edges import EDGES_SHOWN
from dagscape.report.probabilities import probability, shown_from

_HEADERS = {"edge": "edge", "edge_error": "± error", "ancestor": "ancestor", "adjacent": "adjacent"}
_HEADERS["compelled"] = "compelled"


def render_samples(found: SampledNetworks, threshold: float = EDGES_SHOWN) -> list[Block]:
    """Render the edges whose probability is at least ``threshold``."""
    drawn = plural(len(found), "independent network")
    if found.method == "chain":
        drawn = f"{plural(found.chains, 'chain')} of {plural(found.draws, 'network')}"
    heading = f"Samples over {found.over}: {drawn}, best score {found.best_score:,.4f}"
    frame = found.to_frame()
    shown = frame[frame["edge"] >= shown_from(threshold)]
    columns = [name for name in frame.columns[2:] if name in _HEADERS]
    rows: list[Row] = [
        (
            Name(row["source"]),
            Name(row["target"]),
            *(number(row[name], ".4f") if name == "edge_error" else probability(row[name]) for name in columns),
        )
        for row in shown.to_dict("records")
    ]
    headers = ["from", "to", *(_HEADERS[name] for name in columns)]
    blocks: list[Block] = [Heading(heading), table(headers, rows, numeric=range(2, len(headers)))]
    if hidden := len(frame) - len(shown):
        blocks.append(Note(f"{plural(hidden, 'edge')} below {threshold:g} not shown"))
    if found.diagnostics is not None:
        blocks.append(Note(found.diagnostics.verdict))
    else:
        blocks.append(Note(f"numerical error of the probabilities of samples: {found.error:.0e}"))
    return blocks
