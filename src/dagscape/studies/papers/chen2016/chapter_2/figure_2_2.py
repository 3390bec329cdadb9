"""Figure 2.2 of [chen2016]: the distance to the true class by the number of rows, on four networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.studies.papers.chen2016.chapter_2.runs import (
    CURRICULUM,
    DID,
    DIFFERS,
    DOES,
    MMHC,
    PAPER,
    STUDY,
    chosen,
    tidy,
)
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

NETWORKS = ("andes", "hailfinder", "hepar2", "win95pts")


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Return the mean distances, and draw them."""
    import pandas as pd

    runs = tidy(frame)
    variants = {"CL": CURRICULUM, "MMHC": MMHC}
    found = {
        name: chosen(runs, variant)["shd"].groupby(["network", "rows"]).mean() for name, variant in variants.items()
    }
    means = pd.DataFrame(found)
    networks = [name for name in NETWORKS if name in means.index.unique("network")] or list(
        means.index.unique("network")
    )
    rows = [
        (network, method, *(f"{value:.1f}" for value in means.loc[network][method]))
        for network in networks
        for method in found
    ]
    sizes = list(means.index.unique("rows"))
    yield PaperTable.of("Mean SHD by the number of rows.", ("network", "", *map(str, sizes)), rows)

    def draw(figure: Figure) -> None:
        axes = figure.subplots(2, 2, squeeze=False).ravel()
        for panel, network in zip(axes, networks, strict=False):
            for method, marker in zip(found, "os", strict=True):
                panel.plot(sizes, means.loc[network][method], marker=marker, label=method)
            panel.set_xscale("log")
            panel.set_ylim(bottom=0)
            panel.set_title(network)
        for panel in axes[len(networks) :]:
            panel.remove()
        axes[0].set_ylabel("SHD")
        axes[0].legend()
        figure.supxlabel("rows")

    yield PaperPlot("", "Mean SHD of CL and MMHC by the number of rows.", draw, height=5.0)


ITEM = Item(
    PAPER,
    "Figure 2.2",
    "SHD of CL and MMHC on Andes, Hailfinder, Hepar2 and Win95pts",
    DID,
    DOES,
    (*DIFFERS, "The dissertation prints no numbers with the figure: compare the curves."),
    STUDY,
    show,
    (
        "CL is below MMHC on Andes and Hepar2 with every number of rows, and on Hailfinder except with 1000 rows.",
        "On Win95pts, MMHC is closer to the truth with 100 rows, and from 5000 rows on (45 against 62 with 50,000).",
    ),
)
