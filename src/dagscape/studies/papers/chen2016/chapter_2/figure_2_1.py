"""Figure 2.1 of [chen2016] and the example of section 2.3.2: in which order a curriculum selects Asia's variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dagscape.networks.bundled import load_network
from dagscape.search.learning import learn
from dagscape.studies.papers.chen2016.chapter_2.runs import ESS, PAPER
from dagscape.studies.papers.item import Item, PaperTable, Part, RunTask, Scale, Study

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.studies.papers.sources import Sources

# The letters of the dissertation.
LETTERS = {
    "asia": "A", "smoke": "S", "tub": "T", "lung": "L", "bronc": "B", "either": "E", "xray": "X", "dysp": "D",
}  # fmt: skip
PRINTED = "S B D L E X A T"


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over samples of Asia."""
    for rows in (500,) if scale == "quick" else (500, 5000, 50_000):
        for seed in range(3 if scale == "quick" else 10):
            yield {"rows": rows, "seed": seed}


def sequence(task: RunTask, sources: Sources) -> dict[str, Any]:  # noqa: ARG001 # Asia is bundled
    """Return the order of the variables, and the stages of step size 3 as in the figure."""
    data = load_network("asia").sample(task["rows"], seed=task["seed"])
    found = learn(data, "curriculum", seed=task["seed"], ess=ESS, step_sizes=(3,), settings="fixed", threads=1)
    return {"sequence": " ".join(LETTERS[name] for name in found.details["sequence"])}


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Return how often each order comes out."""
    rows = [
        (size, order, count)
        for size, part in frame.groupby("rows")["sequence"]
        for order, count in Counter(part).most_common()
    ]
    yield PaperTable.of(
        f"Orders of the variables by average mutual information; example of the paper: {PRINTED}.",
        ("rows", "order", "samples"),
        rows,
    )


STUDY = Study("chen2016-sequence", tasks, sequence, minutes=0.1)

ITEM = Item(
    PAPER,
    "Figure 2.1",
    "An example of curriculum learning",
    "An illustration on Asia, with stages {S, B, D}, {S, B, D, L, E, X} and all variables. Section 2.3.2 gives the "
    f"order {PRINTED} as an example.",
    "The figure illustrates the text. The order that algorithm 2.1 gives on samples of Asia stands beside the example.",
    ("The example has no data.",),
    STUDY,
    show,
    (
        "On none of 30 samples does the order of the example come out: in 29 of them E (either) comes first, which is "
        "nearly determined by L and has the largest mutual information with the others. The example illustrates.",
    ),
)
