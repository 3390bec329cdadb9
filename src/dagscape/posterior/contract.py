"""The contract of back ends: what a sum returns, and what the record of its implementation says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.errors import BackendUnavailable, DagscapeError, InvalidData, TooLarge, argument
from dagscape.core.resources import format_bytes, thread_count
from dagscape.core.wording import plural
from dagscape.posterior.weights import FamilyWeights, path_memory
from dagscape.running.checkpoints import Checkpoint
from dagscape.running.sealed_states import State
from dagscape.scores.tables.enumerable_scores import EnumerableScores

KernelProgress = Callable[[int, int], None] | None
Wanted = Literal["log_total", "total", "features", "paths"]
Value = TypeVar("Value")


class ScoresTooWide(InvalidData):
    """The range of the scores exceeds what a back end supports; another one may support it."""


@dataclass(frozen=True, slots=True)
class Sum:
    """The result of one sum.

    Attributes
    ----------
    mantissa, exponent : float
        The total is mantissa · 2^exponent, relative to the best families (``FamilyWeights.offset``).
    edges, ancestors, paths : array or None
        The probabilities; without meaning if the total alone was wanted.
    error : float
        The error of the probabilities and the relative error of the total, without the rounding of scores.
    condition : float
        The sum of the absolute values of the last terms, relative to the total; NaN if there are none.
    """

    mantissa: float
    exponent: float
    edges: NDArray[np.float64]
    ancestors: NDArray[np.float64] | None
    paths: NDArray[np.float64] | None
    error: float
    condition: float = math.nan

    @property
    def log_total(self) -> float:
        """The natural log of the total; minus infinity if the total is not positive."""
        return log_of(self.mantissa, self.exponent)

    @property
    def cancelled(self) -> bool:
        """Whether rounding errors exceed the total, although there are structures."""
        return self.mantissa <= 0 and not math.isnan(self.condition)

    def ratio(self, other: Sum) -> float:
        """Return the ratio of this total to another of the same families; exponents are subtracted as integers."""
        if self.mantissa <= 0:
            return 0.0
        return math.ldexp(self.mantissa / other.mantissa, int(max(self.exponent - other.exponent, -2000.0)))

    def to_state(self) -> State:
        """Return the numbers, to be saved in a checkpoint."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_state(cls, state: State) -> Sum:
        """Return the sum with saved numbers."""
        return cls(**state)

    def largest_ratio(self, other: Sum) -> float:
        """Return a bound on the ratio of a cancelled total: the ratio of the absolute values of its terms."""
        if self.mantissa == 0:
            return 1.0
        return min(1.0, -self.condition * replace(self, mantissa=-self.mantissa).ratio(other))


@dataclass(frozen=True, slots=True)
class Job:
    """How a sum is done, and what it returns.

    Attributes
    ----------
    unit_bits : int
        The bits of the unit of the weights.
    threads : int
        The number of threads, on each rank if there are several.
    progress : callable or None
        Called with the work done so far, and in total.
    checkpoint : Checkpoint or None
        Where the work is saved from time to time, by back ends that do so.
    wanted : {"log_total", "total", "features", "paths"}
        The logarithm of the total, whose error does not matter; the total; also the probabilities of edges and, if the
        back end has them, of ancestor relations; or also those of paths through a third variable.
    """

    unit_bits: int
    threads: int
    progress: KernelProgress = None
    checkpoint: Checkpoint | None = None
    wanted: Wanted = "features"

    @property
    def total_alone(self) -> bool:
        """Whether no probabilities are wanted."""
        return self.wanted in ("log_total", "total")


SumFunction = Callable[[FamilyWeights, Job], Sum]


@dataclass(frozen=True, slots=True)
class Device:
    """A device with its own memory, other than the processors of this machine.

    Attributes
    ----------
    missing : callable
        Returns why it cannot be used here, and the remedy; an empty string if it can.
    describe : callable
        Returns its name.
    free_memory : callable
        Returns how many bytes of its memory are free.
    memory_of_sum : callable
        ``memory_of_sum(n, max_parents)``: the bytes of its memory that a sum needs.
    preferred_from : int
        ``backend="auto"`` uses the device for at least this many variables; smaller sums are fast anywhere.
    """

    missing: Callable[[], str]
    describe: Callable[[], str]
    free_memory: Callable[[], int]
    memory_of_sum: Callable[[int, int], int]
    preferred_from: int


class WorkTogether(Protocol):
    """See :class:`Ranks`."""

    def __call__(self, task: Callable[[], Value]) -> Value:
        """Run a task."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Processes, on one machine or many, that do a sum together; all of them call the same functions.

    Attributes
    ----------
    missing : callable
        Returns why they cannot be used here, and the remedy; an empty string if they can.
    describe : callable
        Returns how many there are, and what connects them.
    threads : callable
        Returns how many threads each of them has by default.
    check_size : callable
        ``check_size(n, max_parents)``: raises an error if their number does not suit a sum.
    check_memory : callable
        ``check_memory(n, max_parents, threads, max_memory)``: raises an error if another machine has too little memory.
    work : callable
        ``work(task)``: runs a task on the first process, where its sums get the help of the others, and returns its
        result, or raises its error, on all.
    """

    missing: Callable[[], str]
    describe: Callable[[], str]
    threads: Callable[[], int]
    check_size: Callable[[int, int], None]
    check_memory: Callable[[int, int, int, int | str | None], None]
    work: WorkTogether


@dataclass(frozen=True, slots=True)
class SumBackend:
    """An implementation of a sum over all structures.

    Attributes
    ----------
    over, name : str
        What is summed over, and the name of the back end.
    run : callable
        The sum.
    paths : bool
        Whether it computes paths through a third variable.
    arrange : callable
        ``arrange(scores, n, prior_only, threads, limit)``: the weights of all families in the layout of the sum.
    table : callable
        ``table(n, max_parents)``: the number of weights.
    memory_of_sum : callable
        ``memory_of_sum(n, max_parents, threads)``: the bytes that the sum needs, including the weights.
    ancestors : bool
        Whether it computes ancestor relations.
    proved : bool
        Whether its error is a proved bound rather than an estimate.
    precision : str
        The precision of its numbers.
    widest : float
        The largest range of the scores of one variable that it supports, in nats.
    least_variables, most_variables : int
        The numbers of variables that it supports. If there are fewer, isolated companions are added.
    resumable : bool
        Whether it writes checkpoints.
    device : Device or None
        Where it runs, if not on the processors of this machine.
    ranks : Ranks or None
        The processes that do it together, if there may be several.
    """

    over: str
    name: str
    run: SumFunction
    paths: bool
    arrange: Callable[[EnumerableScores, int, bool, int, int], FamilyWeights]
    table: Callable[[int, int], int]
    memory_of_sum: Callable[[int, int, int], int]
    ancestors: bool
    proved: bool
    precision: str
    widest: float
    least_variables: int
    most_variables: int
    resumable: bool
    device: Device | None = None
    ranks: Ranks | None = None

    @property
    def missing(self) -> str:
        """Why the back end cannot be used here, and the remedy; an empty string if it can."""
        needed = self.device or self.ranks
        return "" if needed is None else needed.missing()

    @property
    def engine(self) -> str:
        """What does the work: the kernels of the processor, on one or more ranks, or the device."""
        if self.ranks is not None:
            return f"{self.ranks.describe()}, {kernels.name}"
        return kernels.name if self.device is None else self.device.describe()

    def thread_count(self, threads: int | None) -> int:
        """Return the number of threads to use, on each rank if there are several."""
        return self.ranks.threads() if threads is None and self.ranks is not None else thread_count(threads)

    def device_memory(self, n: int, max_parents: int) -> int:
        """Return how many bytes of the memory of its device a sum needs."""
        return 0 if self.device is None else self.device.memory_of_sum(max(n, self.least_variables), max_parents)

    def check_device(self, n: int, max_parents: int) -> None:
        """Raise an error if the device is missing, if its memory is too small, or if the ranks do not suit the sum."""
        if self.ranks is not None:
            self.ranks.check_size(n, max_parents)
        if self.device is None:
            return
        if missing := self.missing:
            raise BackendUnavailable(f"{argument('backend', self.name)} cannot be used: {missing}")
        needed, free = self.device_memory(n, max_parents), self.device.free_memory()
        if needed > free:
            raise TooLarge(
                f"sums over {self.over} of {plural(n, 'variable')} need {format_bytes(needed)} on the card; "
                f"{format_bytes(free)} of {self.device.describe()} are free: use fewer variables, "
                f"or {argument('backend', 'cpu')}"
            )

    def is_preferred(self, n: int, max_parents: int) -> bool:
        """Whether ``backend="auto"`` uses the device: it is there, the sum is large, and it fits."""
        if self.device is None or not self.device.preferred_from <= n <= self.most_variables or self.missing:
            return False
        return self.device_memory(n, max_parents) <= self.device.free_memory()

    def weights(self, scores: EnumerableScores, threads: int, limit: int, *, prior_only: bool = False) -> FamilyWeights:
        """Return the weights of all families, or with ``prior_only`` those of the structure prior alone.

        Raise an error if the range of the scores calls for a layout that does not fit within ``limit`` bytes.
        """
        weights = self.arrange(scores, max(scores.n, self.least_variables), prior_only, threads, limit)
        if max(weights.spans(scores.unit)) > self.widest:
            other = "" if self.device is None else f", or use {argument('backend', 'cpu')}"
            raise ScoresTooWide(
                f"the scores of a variable span more than {self.widest:.0e} nats, the limit of sums: "
                f"write -inf for impossible families{other}"
            )
        return weights

    def memory(
        self, n: int, max_parents: int, threads: int, *, with_paths: bool = False, weight_tables: int = 1
    ) -> int:
        """Return how many bytes a sum needs, with or without paths, and with this many tables of weights."""
        n = max(n, self.least_variables)
        needed = self.memory_of_sum(n, max_parents, threads) + 8 * (weight_tables - 1) * self.table(n, max_parents)
        return needed + path_memory(n, threads) if with_paths else needed


def check_total(found: Sum) -> None:
    """Raise an error if there is nothing to sum, or if all digits were lost to cancellation."""
    if found.cancelled:
        raise DagscapeError(
            f"the sum lost all its digits to cancellation: use {argument('over', 'orders')}, where nothing cancels"
        )
    if found.log_total == -math.inf:
        raise InvalidData("every structure has an impossible family: there is nothing to sum")


def check_agreement(disagreement: float, error: float) -> None:
    """Raise an error if the totals of the two passes of a sum over orders differ by more than their errors."""
    if disagreement > 2 * error:
        raise DagscapeError(
            f"the totals of the two passes differ by {disagreement:.2g} of their value, more than the error "
            f"{error:.2g}: a checkpoint is damaged, or this is a defect of dagscape"
        )


def log_of(mantissa: float, exponent: float) -> float:
    """Return the natural log of mantissa · 2^exponent; minus infinity if it is not positive."""
    return math.log(mantissa) + exponent * math.log(2) if mantissa > 0 else -math.inf
