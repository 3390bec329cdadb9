"""Figure 5.6 of [chen2016]: the accepted network of the cytometry data, and what was learned beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.graphs.dag import Dag
from dagscape.studies.papers.chen2016.chapter_5.cytometry import CODINGS, RELATIONS, STUDY, above
from dagscape.studies.papers.chen2016.chapter_5.runs import PAPER
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part
from dagscape.studies.papers.measuring import records
from dagscape.studies.papers.plotting import draw_graph, on_a_circle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Draw the accepted network and that of probable edges, and count what they share."""
    published = CODINGS["as published"]
    run = next(r for r in records(frame) if tuple(r["set"]) == published and r["kind"] == "perfect")
    accepted = {(source, target) for source, target in run["consensus"]}
    learned = above(run, "edges", 0.5)
    places = on_a_circle(run["variables"])
    reversed_edges = {(target, source) for source, target in accepted}

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        draw_graph(left, places, dict.fromkeys(sorted(accepted), ""))
        left.set_title("accepted", fontsize=9)
        colours = {edge: "C2" if edge in accepted else "C1" if edge in reversed_edges else "0.6" for edge in learned}
        draw_graph(right, places, dict.fromkeys(sorted(learned), ""), style=colours)
        right.set_title("edges above 0.5: accepted, reversed (orange), others (grey)", fontsize=9)

    caption = (
        "The accepted network, and the edges with a probability above 0.5 under the published coding: green if they "
        "are accepted, orange if in the other direction, grey otherwise."
    )
    yield PaperPlot("", caption, draw, width=9.5, height=4.6)
    dag = Dag.from_edges(run["variables"], sorted(accepted))
    known = {(source, sink) for sink in run["variables"] for source in dag.ancestors(sink)}
    here = above(run, "ancestors", 0.95)
    rows = [
        ("edges above 0.5, here", len(learned), len(learned & accepted), len(accepted)),
        ("ancestor relations, here", len(here), len(here & known), len(known)),
        ("ancestor relations, paper", len(RELATIONS), len(RELATIONS & known), len(known)),
    ]
    yield PaperTable.of("What is in the accepted network.", ("", "found", "accepted of these", "accepted in all"), rows)


ITEM = Item(
    PAPER,
    "Figure 5.6",
    "The accepted network of the cytometry data",
    "The classical model, drawn after Sachs et al. (2005), with the interventions.",
    "The network of 20 edges in the R package sparsebn, and the edges that were learned.",
    (
        "The paper's picture has proteins between those measured; edges through them are direct ones here.",
        "What is accepted: here the relations in sparsebn's network. The paper prints in bold which of its 42 "
        "relations are in its own; the copy at hand has lost the bold type. The spaces around its commas suggest 13 to "
        "16, and that Akt is not below Raf, Mek or PKC, as it is in sparsebn's network by Erk → Akt; this is "
        "uncertain.",
    ),
    STUDY,
    show,
    (
        "Of the 20 accepted edges, 16 are found with their directions, but only 21 of the 45 ancestor relations are "
        "accepted (18 of the paper's 42), by sparsebn's network: as the paper says, a few edges decide about many "
        "relations.",
    ),
)
