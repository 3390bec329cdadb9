"""What bootstraps share: samples that are learned from independently, and the shares of them that have an edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.clock import Clock
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption, StoppedEarly, argument
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator
from dagscape.core.wording import plural
from dagscape.ensembles.averaging import ancestor_average, edge_average
from dagscape.graphs.dag import Dag
from dagscape.graphs.lists import DagList
from dagscape.running.repetitions import Repetitions, worker_count

if TYPE_CHECKING:
    from concurrent.futures import Executor

SAMPLES = Whole(1)
DEFAULT_SAMPLES = 200

# Why samples were left out: a message lists no more reasons.
_MOST_REASONS = 3

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Sample:
    """The network of a sample, its score, and whether the search ended by itself."""

    network: Dag
    score: float
    complete: bool


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A sample without scores: these measured variables are constant, or linearly dependent, in its rows."""

    variables: tuple[str, ...]


class SampleStudy:
    """The samples of a bootstrap, after its arguments have been checked.

    Parameters
    ----------
    samples, max_seconds, executor, workers
        As for :func:`dagscape.bootstrap`.
    options : collection of str
        The names of the other options that the user gave.
    """

    def __init__(
        self,
        samples: int,
        max_seconds: float | None,
        executor: Executor | None,
        workers: int | None,
        options: Collection[str],
    ) -> None:
        self.clock = Clock(max_seconds)
        self._workers = worker_count(executor, workers)
        SAMPLES.check(samples, "samples")
        if "threads" in options:
            raise InvalidOption(f"is not an option here: choose the number of {argument('workers')}", option="threads")
        self.samples = int(samples)
        self._max_seconds = max_seconds
        self._executor = executor

    def run(
        self,
        function: Callable[..., Outcome],
        job: object,
        seed: Seed,
        progress: ProgressOption,
        *,
        doing: str,
        keeps: Callable[[Outcome], bool] = lambda _: True,
    ) -> tuple[list[Outcome], StoppedEarly | None]:
        """Learn from each sample; return the outcomes, and a warning if time did not suffice for all.

        Parameters
        ----------
        function : callable
            ``function(job, rng, seconds)`` draws a sample and learns from it.
        job : object
            What all samples have in common.
        seed, progress
            As for :func:`dagscape.bootstrap`.
        doing, keeps
            As for :class:`~dagscape.running.repetitions.Repetitions`.
        """
        tasks = [(rng,) for rng in random_generator(seed).spawn(self.samples)]
        with listening(progress) as listener:
            study = Repetitions(function, job, tasks, self.clock, listener, name="sample", doing=doing, keeps=keeps)
            study.run(self._executor, self._workers)
        return study.outcomes, self._unfinished(len(study.done))

    def _unfinished(self, done: int) -> StoppedEarly | None:
        """Refuse a study without any sample, and return a warning about one that lacks some."""
        if not done:
            limit = f"is {self._max_seconds:g}: no sample was finished by then; raise it"
            raise InvalidOption(limit, option="max_seconds")
        if done == self.samples:
            return None
        return StoppedEarly(f"the study reached {argument('max_seconds')} after {done:,} of {self.samples:,} samples")


def why_left_out(left_out: Sequence[LeftOut], samples: int) -> str:
    """Return how many samples were left out, and why; the most frequent reasons come first.

    >>> why_left_out([LeftOut(("z",)), LeftOut(("z",))], 20)
    "2 of 20 samples were left out, because 'z' has one value in them"
    >>> why_left_out([LeftOut(("x", "y")), LeftOut(("z",)), LeftOut(("z",))], 20)
    "3 of 20 samples were left out: 'z' has one value in 2 of them, 'x' and 'y' are linearly dependent in 1 of them"
    """
    counts = Counter(sample.variables for sample in left_out)
    reasons = sorted(counts.items(), key=lambda reason: (-reason[1], reason[0]))
    single = len(left_out) == 1
    begin = f"{len(left_out):,} of {plural(samples, 'sample')} {'was' if single else 'were'} left out"
    if len(reasons) == 1:
        return f"{begin}, because {_reason(reasons[0][0])} in {'it' if single else 'them'}"
    texts = [f"{_reason(variables)} in {count:,} of them" for variables, count in reasons[:_MOST_REASONS]]
    if len(reasons) > _MOST_REASONS:
        texts.append(f"and {plural(len(reasons) - _MOST_REASONS, 'other reason')}")
    return f"{begin}: {', '.join(texts)}"


def _reason(variables: Sequence[str]) -> str:
    *names, last = map(repr, variables)
    return f"{', '.join(names)} and {last} are linearly dependent" if names else f"{last} has one value"


def shares_of_samples(
    done: Sequence[Sample], *, classes: bool
) -> tuple[DagList, NDArray[np.float64], NDArray[np.float64]]:
    """Return the networks of all samples, and the shares of them with each edge and each ancestor relation.

    With ``classes``, each network counts as its whole class.
    """
    networks = DagList.from_dags(sample.network for sample in done)
    # Sums first: those of integer numbers of networks are exact.
    ones = np.ones(len(done))
    edges, ancestors = (
        np.clip(average(networks, ones, classes=classes) / len(done), 0.0, 1.0)
        for average in (edge_average, ancestor_average)
    )
    return networks, edges, ancestors
