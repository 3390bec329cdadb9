"""Figure 2.3 of [chen2016]: the distance from the target while a curriculum is learned."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.graphs.comparison import compare
from dagscape.graphs.dag import Dag
from dagscape.search.learning import learn
from dagscape.studies.papers.chen2016.chapter_2.runs import ESS, PAPER
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part, RunTask, Scale, Study
from dagscape.studies.papers.measuring import sample
from dagscape.studies.papers.sources import network_source

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from dagscape.studies.papers.sources import Sources


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over networks and step sizes."""
    quick = scale == "quick"
    for network in ("asia",) if quick else ("alarm", "hailfinder"):
        for seed in range(1 if quick else 3):
            yield {"network": network, "rows": 500 if quick else 5000, "seed": seed}


def needs(task: RunTask) -> tuple[str, ...]:
    """Return the source of the network of a task."""
    return (network_source(task["network"]),)


def stage_distances(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Return how many variables each stage of step size 1 has, and how far its network is from the truth.

    As in section 2.5.1.5, the variables that are not selected yet are joined to each other and to all others.
    """
    data = sample(sources, task["network"], task["rows"], task["seed"])
    found = learn(data, "curriculum", seed=task["seed"], ess=ESS, step_sizes=(1,), settings="fixed", threads=1)
    sequence, truth = found.details["sequence"], sources.network(task["network"]).dag
    order = np.random.default_rng(task["seed"]).permutation(found.variables).tolist()
    selected, distances = [], []
    for step in found.trace:
        if step.move[:2] == ("stage", "step size 1"):
            count = int(step.move[2].split()[0])
            graph = _completed(found.variables, sequence[:count], step.network or (), order)
            selected.append(count)
            distances.append(int(compare(graph, truth)["shd"]))
    return {"selected": selected, "distances": distances}


def _completed(variables: tuple[str, ...], inside: list[str], edges: Any, order: list[str]) -> Dag:
    """Return the edges between the selected variables, with all others joined to everything.

    The selected variables come first, so that no cycle arises.
    """
    chosen = set(inside)
    kept = [edge for edge in edges if chosen.issuperset(edge)]
    first = Dag.from_edges(inside, kept).topological_order()
    later = [variable for variable in order if variable not in chosen]
    joined = [(u, v) for i, v in enumerate(later) for u in (*first, *later[:i])]
    return Dag.from_edges(variables, [*kept, *joined])


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Return where the distance begins and ends and how often it rises, and draw it."""
    runs = frame.to_dict("records")
    rows = []
    for run in runs:
        distances = run["distances"]
        rises = sum(later > earlier for earlier, later in itertools.pairwise(distances))
        rows.append((run["network"], run["seed"], distances[0], distances[-1], len(distances), rises))
    headers = ("network", "seed", "SHD at the first stage", "at the last", "stages", "rises")
    yield PaperTable.of(
        "SHD from the target: at the first and last stage, and at how many stages it rises.", headers, rows
    )

    def draw(figure: Figure) -> None:
        networks = list(dict.fromkeys(run["network"] for run in runs))
        for panel, network in zip(figure.subplots(1, len(networks), squeeze=False).ravel(), networks, strict=True):
            for run in runs:
                if run["network"] == network:
                    panel.plot(run["selected"], run["distances"], label=f"seed {run['seed']}")
            panel.set_title(network)
            panel.set_xlabel("selected variables")
            panel.set_ylabel("SHD")
            panel.legend()

    yield PaperPlot("", "SHD from the target by the number of selected variables.", draw)


STUDY = Study("chen2016-stages", tasks, stage_distances, needs, minutes=0.1)

ITEM = Item(
    PAPER,
    "Figure 2.3",
    "SHD from the target network during curriculum learning",
    "The network of each stage on Alarm and Hailfinder, 5000 rows, with the variables that are not selected yet joined "
    "to each other and to all others in random order. The step size is not given.",
    "The same with step size 1, on three samples.",
    ("The dissertation prints no numbers with the figure, and shows one sample.",),
    STUDY,
    show,
    (
        "As in the dissertation, the distance falls with the stages: on six samples it never rises. It falls from 657 "
        "to between 21 and 23 on Alarm, and from 1537 to between 26 and 47 on Hailfinder.",
    ),
)
