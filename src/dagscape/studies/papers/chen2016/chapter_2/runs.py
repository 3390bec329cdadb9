"""The runs behind tables 2.2 and 2.3, figure 2.2 and section 2.6 of [chen2016]: curriculum learning, MMHC, and between.

The two methods differ in three parts, and each can be exchanged alone:

- the *search*: climbs in stages, of which the network with the best BDeu is taken, or one climb with a tabu list. One
  climb without stages, and without the list, is a candidate of the first (``greedy``);
- the *sets* of neighbours, from one MMPC: an edge is considered if ``either`` end is in the set of the other, or only
  if ``both`` are;
- the *penalty* for edges, a/m + n/b nats each, or none.

Curriculum learning is stages, either, penalty; MMHC is tabu, both, none.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dagscape.graphs.dag import Dag
from dagscape.scores.tables.on_demand import family_scores
from dagscape.search.learning import learn
from dagscape.search.mmpc import mmpc
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.measuring import TEST_SEED, row_measures, sample, structure_measures, timed_learning
from dagscape.studies.papers.sources import network_source

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.search.result import Learned
    from dagscape.studies.papers.sources import Sources

PAPER = "chen2016"
NETWORKS = ("alarm", "andes", "asia", "child", "hailfinder", "hepar2", "insurance", "sachs", "water", "win95pts")
ROWS = (100, 500, 1000, 5000, 10_000, 50_000)
TEST_ROWS = 5000
ESS = 10.0

# The constants of the penalty, equation (2.5).
A, B = 1000.0, 100.0

SAMPLES = 5
# The parts are exchanged with these numbers of rows, on the first samples.
CROSSED = {500: 5, 5000: 5, 50_000: 2}
# With 50,000 rows, tests of independence on these take most of the time of the study: one sample.
SLOW = ("andes", "hepar2")

# The results of a run in stages, by name.
STAGES = "stages"
GREEDY = "greedy"
RESTARTED = "tabu, equal time"
ALL_EDGES = "tabu over all edges, equal time"
# A run for single candidates: steps of one size, and as many climbs without stages as the curriculum has candidates.
SINGLE = "candidates"
STEPS = {size: f"steps of {size}" for size in (1, 2, 3)}
BEST_OF_FOUR = "best of four greedy climbs"
# A run in stages that ignore the other variables, and one with a tabu list.
IGNORING = "stages ignoring the others"
TABU = "tabu"

CURRICULUM = (STAGES, "either", True)
MMHC = (TABU, "both", False)

DID = (
    "Ten networks of the bnlearn repository, five samples each of 100 to 50,000 rows. BDeu with an equivalent sample "
    "size of 10; neighbours from the MMPC of Causal Explorer with its default settings. Curriculum learning (CL): "
    "steps of 1, 2 and 3 variables and no curriculum, the one with the best BDeu, a = 1000, b = 100. BDeu, BIC and the "
    "sum of mutual information with the parents (KL) on 5000 separate rows, SHD to the true class."
)
DOES = "The same networks, sizes, measures and settings, with new samples."
DIFFERS = (
    "The samples: those of the dissertation are not published; these are drawn with seeds 0 to 4, and the separate "
    "rows with another seed.",
    "With 50,000 rows, Andes and Hepar2 have one sample and not five, because of the time.",
    "MMPC is that of dagscape: G² tests at 0.05, at least 5 rows for each cell, as in Tsamardinos et al. (2006). "
    "Causal Explorer, a package for MATLAB, is not at hand.",
    "The dissertation does not say when two variables are neighbours. Here, for CL if either is in the set of the "
    "other (algorithm 2.2 finds the set of one variable at a time), for MMHC if both are (Tsamardinos et al.). Section "
    "2.6 shows both rules for both methods.",
    "The dissertation does not say whether the climb without a curriculum pays for edges. Here it does.",
    "All levels of a variable count in the scores, whether or not the rows have them; the dissertation does not say.",
    "Equal moves are drawn at random; MMHC has a tabu list of 100 DAGs and ends after 15 steps without a better one.",
)


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over the tasks: both methods, and MMHC with other parts, on every sample; all exchanges on some."""
    quick = scale == "quick"
    for rows in (100, 500) if quick else ROWS:
        for network in ("asia", "child") if quick else NETWORKS:
            for seed in range(1 if quick else _samples(network, rows)):
                # Andes with 50,000 rows would take as long as all others together.
                crossed = seed < CROSSED.get(rows, 0) and (network, rows) != ("andes", 50_000)
                for search, sets, penalty in _variants(crossed):
                    yield {
                        "network": network,
                        "rows": rows,
                        "seed": seed,
                        "search": search,
                        "sets": sets,
                        "penalty": penalty,
                    }


def _samples(network: str, rows: int) -> int:
    return 1 if rows > 10_000 and network in SLOW else SAMPLES


def _variants(crossed: bool) -> list[tuple[str, str, bool]]:
    if not crossed:
        return [CURRICULUM, MMHC, (TABU, "either", True), (TABU, "either", False)]
    every = [(search, sets, penalty) for search in (STAGES, TABU) for sets in ("either", "both") for penalty in (1, 0)]
    crossing = [(search, sets, bool(penalty)) for search, sets, penalty in every]
    return [*crossing, (IGNORING, "either", True), (SINGLE, "either", True)]


def needs(task: RunTask) -> tuple[str, ...]:
    """Return the source of the network of a task."""
    return (network_source(task["network"]),)


def learn_one(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Learn with one exchange of parts; a run in stages also gives its candidate without stages."""
    data = sample(sources, task["network"], task["rows"], task["seed"])
    options = {"seed": task["seed"], "ess": ESS, "threads": 1, "symmetric": task["sets"] == "both"}
    measured = _Measuring(task, sources, data)
    if task["search"] == SINGLE:
        return {"found": {name: measured(network, None) for name, network in _candidates(task, data).items()}}
    if task["search"] == TABU:
        found, seconds = timed_learning(data, "mmhc", **options, **_prior(task, data))
        return {"found": {TABU: measured(found.network, seconds)}}
    # A penalty of 1e-12 nats never decides.
    costs = {"a": A, "b": B} if task["penalty"] else {"a": 0.0, "b": 1e12}
    conditional = task["search"] == STAGES
    start = time.perf_counter()
    found, seconds = timed_learning(data, "curriculum", **options, **costs, conditional=conditional)
    elapsed = time.perf_counter() - start
    if not conditional:
        return {"found": {IGNORING: measured(found.network, seconds)}}
    results = {
        STAGES: measured(found.network, seconds) | {"winners": _winners(found)},
        GREEDY: measured(_without_stages(found), None),
    }
    if (STAGES, task["sets"], task["penalty"]) == CURRICULUM:
        results |= _in_equal_time(task, data, elapsed, measured)
    return {"found": results, "pairs": found.details["neighbour_pairs"]}


class _Measuring:
    """How good a network is: on separate rows, on these, and beside the truth."""

    def __init__(self, task: RunTask, sources: Sources, data: Dataset) -> None:
        self.truth = sources.network(task["network"])
        self.test = sample(sources, task["network"], TEST_ROWS, TEST_SEED)
        self.training = family_scores(data, "bdeu", ess=ESS)

    def __call__(self, network: Dag, seconds: float | None) -> dict[str, Any]:
        return {
            **row_measures(network, self.test, ESS),
            **structure_measures(network, self.truth.dag),
            "training": self.training.network(network),
            "edges": network.edge_count,
            "seconds": seconds,
        }


def _prior(task: RunTask, data: Dataset) -> dict[str, str]:
    """Return the penalty of the last stage as a prior."""
    return {"structure_prior": f"edge-penalty:{A / data.m + data.n / B!r}"} if task["penalty"] else {}


def _winners(found: Learned) -> list[int]:
    """Return the step sizes of the best candidates; 0 is no curriculum."""
    candidates = found.details["candidates"]
    best = max(candidate["score"] for candidate in candidates)
    return [candidate["step_size"] or 0 for candidate in candidates if candidate["score"] == best]


def _without_stages(found: Learned) -> Dag:
    """Return the candidate without a curriculum: same neighbours, climb and penalty, and one stage."""
    (network,) = (step.network for step in found.trace if step.move[:2] == ("stage", "no curriculum"))
    return Dag.from_edges(found.variables, network or ())


def _candidates(task: RunTask, data: Dataset) -> dict[str, Dag]:
    """Return the network of each step size, and the best by BDeu of four climbs that break ties otherwise."""
    options = {"seed": task["seed"], "ess": ESS, "settings": "fixed", "threads": 1}
    staged = learn(data, "curriculum", **options)
    last = {step.move[1]: step.network or () for step in staged.trace if step.move[0] == "stage"}
    found = {name: Dag.from_edges(data.variables, last[f"step size {size}"]) for size, name in STEPS.items()}
    scores = family_scores(data, "bdeu", ess=ESS)
    rules = _edge_rules(task, data)
    seeds = range(task["seed"], 4000 + task["seed"], 1000)
    climbs = [learn(data, "greedy", **options | {"seed": seed}, **rules).network for seed in seeds]
    return found | {BEST_OF_FOUR: max(climbs, key=scores.network)}


def _edge_rules(task: RunTask, data: Dataset) -> dict[str, Any]:
    """Return the neighbours and the penalty of the curriculum as options of any method."""
    near = mmpc(data, symmetric=False, seed=task["seed"], threads=1).adjacent
    names = data.variables
    far = [(u, v) for i, u in enumerate(names) for j, v in enumerate(names) if i != j and not near[i, j]]
    return {"forbidden": far, **_prior(task, data)}


def _in_equal_time(task: RunTask, data: Dataset, seconds: float, measured: _Measuring) -> dict[str, Any]:
    """Give tabu search with restarts the time that the stages took: over the same edges and cost, and over all edges.

    Limits count the time on the clock, and so it is that of the stages.
    The first does not pay for the tests, so that it has more time to climb than the stages.
    """
    options = {"seed": task["seed"], "ess": ESS, "threads": 1, "tabu_length": 100, "patience": 15}
    limits = {"max_seconds": seconds, "restarts": 1_000_000}
    same, first = timed_learning(data, "tabu", **options, **limits, **_edge_rules(task, data))
    free, second = timed_learning(data, "tabu", **options, **limits)
    return {RESTARTED: measured(same.network, first), ALL_EDGES: measured(free.network, second)}


STUDY = Study("chen2016-curriculum", tasks, learn_one, needs, minutes=36.0)


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each network that was learned: what ran, and its measures."""
    import pandas as pd

    lines = [
        {name: run[name] for name in ("network", "rows", "seed", "sets", "penalty")} | {"search": search, **measures}
        for run in frame.to_dict("records")
        for search, measures in run["found"].items()
    ]
    return pd.DataFrame(lines)


def chosen(runs: pd.DataFrame, variant: tuple[str, str, bool]) -> pd.DataFrame:
    """Return the runs of one variant, by number of rows, network and seed."""
    search, sets, penalty = variant
    part = runs[(runs["search"] == search) & (runs["sets"] == sets) & (runs["penalty"] == penalty)]
    return part.set_index(["rows", "network", "seed"]).sort_index()
