"""What experiments with networks have in common: samples, learning in measured time, and measures of what was found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dagscape.data.notices import data_warnings
from dagscape.graphs.comparison import compare
from dagscape.graphs.dag import Dag
from dagscape.posterior.evidence import FIXED
from dagscape.scores.tables.on_demand import family_scores
from dagscape.search.learning import learn

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.search.result import Learned
    from dagscape.studies.papers.sources import Sources

Value = TypeVar("Value")

# Test sets are drawn with seeds from here on, those of training from 0.
TEST_SEED = 1_000_000


@lru_cache(maxsize=2)
def sample(sources: Sources, network: str, rows: int, seed: int) -> Dataset:
    """Return rows drawn from a network; all levels are declared.

    The rows are looked at for columns that copy each other, which is done once for each data set: otherwise the time of
    the method that comes first would include it.
    """
    data = sources.network(network).sample(rows, seed=seed)
    data_warnings(data)
    return data


def best_of(
    repeats: int, work: Callable[[], Value], clock: Callable[[], float] = time.process_time
) -> tuple[float, Value]:
    """Return the shortest of several times, in seconds, and the last value.

    The processor's time, the default, hardly depends on what else the machine does; it is that of all threads.
    """
    times = []
    for _ in range(repeats):
        start = clock()
        value = work()
        times.append(clock() - start)
    return min(times), value


def peak_memory() -> int:
    """Return the most memory that this process has had so far, in bytes (Linux)."""
    # The peak of getrusage() is that of the parent, too, if it was higher when this process was started.
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def timed_learning(data: Dataset, method: str, **options: Any) -> tuple[Learned, float]:
    """Return what a method finds, and the processor's seconds from the data to the network."""
    seconds, found = best_of(1, lambda: learn(data, method, settings=FIXED, **options))
    return found, seconds


def structure_measures(found: Dag, truth: Dag) -> dict[str, float]:
    """Return the differences from the true structure."""
    compared = compare(found, truth)
    return {name: compared[name] for name in ("shd", "a_plus", "a_minus", "vs_plus", "vs_minus")}


def row_measures(found: Dag, test: Dataset, ess: float) -> dict[str, float]:
    """Return BDeu, BIC and Σ MI(X, parents), all in nats, on separate rows.

    The last is what changes in the Kullback-Leibler divergence from the truth.
    """
    likelihood = family_scores(test, "loglik")
    gain = likelihood.network(found) - likelihood.network(Dag.from_edges(test.variables))
    return {
        "bdeu": family_scores(test, "bdeu", ess=ess).network(found),
        "bic": family_scores(test, "bic").network(found),
        "kl": gain / test.m,
    }


def paired_p(first: ArrayLike, second: ArrayLike, alternative: str = "two-sided") -> float:
    """Return p of the paired t-test of equal means."""
    from scipy import stats

    return float(stats.ttest_rel(first, second, alternative=alternative).pvalue)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the runs of a frame as mappings."""
    return [{str(name): run[name] for name in run} for run in frame.to_dict("records")]


def bits(score: float) -> float:
    """Return a description length in bits, from a score in nats."""
    return -score / math.log(2)
