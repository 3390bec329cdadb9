"""The runs behind tables 1 to 4 of [munteanu2000]: five networks, thirty data sets each, three methods and two more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dagscape.scores.tables.on_demand import family_scores
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.measuring import TEST_SEED, bits, sample, structure_measures, timed_learning
from dagscape.studies.papers.sources import network_source

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.studies.papers.sources import Sources

PAPER = "munteanu2000"

# The methods of the paper, and two that are here for comparison.
METHODS = ("greedy", "tabu", "eq1", "ges", "order")
SAMPLES = 30

# The networks by their names in the paper: the source, and the number of rows.
NETWORKS = {
    "Cancer": ("javabayes_cancer", 1000),
    "Asia": ("javabayes_asia", 1000),
    "CarStarts": ("carstarts", 10_000),
    "Alarm": ("javabayes_alarm", 10_000),
    "Hailfinder": ("javabayes_hailfinder", 10_000),
}

DID = (
    "Five networks that come with JavaBayes, thirty data sets of each (1000 rows of Cancer and Asia, 10,000 of the "
    "others), the MDL score in bits. Of equally good moves one is drawn. TabuBN has a list of ten states and stops "
    "after ten steps without improvement."
)
DOES = "The same networks, sizes and score, with new data sets."
DIFFERS = (
    "The data sets: those of the paper are not published; these are drawn with seeds 0 to 29.",
    "All levels of a variable count in the score, whether or not the rows have them; the paper does not say.",
    "GES and the search over orders are not in the paper.",
)


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over the tasks: each network, data set and method."""
    quick = scale == "quick"
    for network in ("Cancer", "Asia") if quick else NETWORKS:
        for seed in range(3 if quick else SAMPLES):
            for method in METHODS:
                yield {"network": network, "seed": seed, "method": method}


def needs(task: RunTask) -> tuple[str, ...]:
    """Return the source of the network of a task."""
    return (network_source(NETWORKS[task["network"]][0]),)


def learn_one(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Learn one network: its description length on these rows and on as many others, its structure, and the time."""
    name, rows = NETWORKS[task["network"]]
    data = sample(sources, name, rows, task["seed"])
    found, seconds = timed_learning(data, task["method"], seed=task["seed"], score="mdl", threads=1)
    truth = sources.network(name)
    test = family_scores(truth.sample(rows, seed=TEST_SEED + task["seed"]), "mdl")
    return {
        "mdl": bits(found.score),
        "mdl_test": bits(test.network(found.network)),
        "seconds": seconds,
        **structure_measures(found.network, truth.dag),
    }


STUDY = Study("munteanu2000", tasks, learn_one, needs, alone=True, minutes=1.0)


def in_paper_order(frame: pd.DataFrame) -> list[str]:
    """Return the networks of the runs in the order of the paper."""
    present = set(frame["network"])
    return [network for network in NETWORKS if network in present]
