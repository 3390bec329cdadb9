"""The contract of back ends: what a sum returns, and what the record of its implementation says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import BackendUnavailable, DagscapeError, InvalidData, InvalidOption, argument
from dagscape.core.requirements import ProblemSize
from dagscape.core.resources import Budget
from dagscape.posterior.sum_plan import Automatic, Elsewhere, SumPlan, SumSize
from dagscape.posterior.weights import FamilyWeights
from dagscape.running.checkpoints import Checkpoint
from dagscape.running.sealed_states import State
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores

KernelProgress = Callable[[int, int], None] | None
Wanted = Literal["log_total", "total", "features", "ancestors", "paths"]
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
        The number of threads, of each process if there are several.
    progress : callable or None
        Called with the work done so far, and in total.
    checkpoint : Checkpoint or None
        Where the work is saved from time to time, by back ends that do so.
    wanted : {"log_total", "total", "features", "ancestors", "paths"}
        The logarithm of the total, whose error does not matter; the total; also the probabilities of edges and, if they
        come with those, of ancestor relations; also those of ancestor relations, if they cost more; or also those of
        paths through a third variable.
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


class WorkTogether(Protocol):
    """See :class:`Processes`."""

    def __call__(self, task: Callable[[], Value]) -> Value:
        """Run a task."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Processes, on one machine or many, that do sums together; all of them call the same functions.

    Attributes
    ----------
    launched : callable
        Returns how many of them a launcher has started; 1 if there is no launcher.
    threads : callable
        Returns how many threads each of them has by default.
    check_memory : callable
        ``check_memory(size, max_memory)``: raises an error if another machine has too little memory for a sum.
    work : callable
        ``work(task)``: runs a task on the first process, where its sums get the help of the others, and returns its
        result, or raises its error, on all.
    run_command : callable
        ``run_command(command)``: runs a command on the first process in the same way, and returns its exit code on all.
    end : callable
        ``end(code)``: ends all of them at once, with an exit code; only this one if they do not work together yet.
    unused : str
        What to say if only the first of several processes does a sum.
    """

    launched: Callable[[], int]
    threads: Callable[[], int]
    check_memory: Callable[[SumSize, int | str | None], None]
    work: WorkTogether
    run_command: Callable[[Callable[[], int]], int]
    end: Callable[[int], NoReturn]
    unused: str


@dataclass(frozen=True, slots=True)
class SumBackend:
    """An implementation of a sum over all structures.

    All other code asks the record: a new back end is a new record, and no line elsewhere.

    Attributes
    ----------
    over, name : str
        What is summed over, and the name of the back end.
    summary : str
        What does the work, as part of the help of the command line.
    run : callable
        The sum.
    paths : bool
        Whether it computes paths through a third variable.
    arrange : callable
        ``arrange(scores, n, prior_only, threads, limit)``: the weights of all families in the layout of the sum.
    table : callable
        ``table(n, max_parents)``: the number of weights.
    planned : callable
        ``planned(size, assumed)``: what a sum needs, with what ``elsewhere`` assumes, or with what is here if that is
        None. Other code calls :meth:`plan`.
    engine : callable
        Returns what does the work here, by its name and version.
    ancestors : bool
        Whether ancestor relations come with the edges.
    ancestors_asked : bool
        Whether it computes ancestor relations if they are asked for, although they cost more.
    order_weights : bool
        Whether it can give orders different weights.
    proved : bool
        Whether its error is a proved bound rather than an estimate.
    precision : str
        The precision of its numbers.
    widest : float
        The largest range of the scores of one variable that it supports, in nats.
    least_variables, most_variables : int
        The numbers of variables that it supports. If there are fewer, isolated variables are added as padding.
    resumable : bool
        Whether it writes checkpoints.
    missing : callable
        Returns why it cannot be used here, and the remedy; an empty string if it can.
    fallback : str
        The name of the back end that supports more variables or wider scores than this one, if there is one.
    automatic : Automatic or None
        How ``backend="auto"`` considers it; None if it does not.
    elsewhere : Elsewhere or None
        The option of plans for what is not here, if there is one.
    processes : Processes or None
        The processes that do a sum together, if there may be several.
    """

    over: str
    name: str
    summary: str
    run: SumFunction
    paths: bool
    arrange: Callable[[EnumerableScores, int, bool, int, int], FamilyWeights]
    table: Callable[[int, int], int]
    planned: Callable[[SumSize, Any], SumPlan]
    engine: Callable[[], str]
    ancestors: bool
    proved: bool
    precision: str
    widest: float
    least_variables: int
    most_variables: int
    resumable: bool
    ancestors_asked: bool = False
    order_weights: bool = False
    missing: Callable[[], str] = lambda: ""
    fallback: str = ""
    automatic: Automatic | None = None
    elsewhere: Elsewhere | None = None
    processes: Processes | None = None

    def check_available(self) -> None:
        """Raise an error if the back end cannot be used here."""
        if missing := self.missing():
            raise BackendUnavailable(f"{argument('backend', self.name)} cannot be used: {missing}")

    def threads(self, budget: Budget) -> int:
        """Return the number of threads to use, of each process if there are several."""
        return self.processes.threads() if self.processes and budget.given_threads is None else budget.threads

    def plan(
        self,
        size: ProblemSize,
        threads: int,
        *,
        with_paths: bool = False,
        with_ancestors: bool = False,
        weight_tables: int = 1,
        assumed: object = None,
    ) -> SumPlan:
        """Return what a sum needs.

        Parameters
        ----------
        size : ProblemSize
            The numbers of variables and of parents.
        threads : int
            The number of threads, of each process if there are several.
        with_paths : bool
            Whether paths through a third variable are wanted.
        with_ancestors : bool
            Whether ancestor relations are wanted that do not come with the edges.
        weight_tables : int
            How many tables of weights are held at the same time.
        assumed : object
            What ``elsewhere`` assumes; None for what is here.
        """
        plan = self.planned(SumSize(size.n, size.max_parents, threads, with_paths, with_ancestors), assumed)
        more_weights = 8 * (weight_tables - 1) * self.table(max(size.n, self.least_variables), size.max_parents)
        plan = replace(plan, memory=plan.memory + more_weights)
        if size.n <= self.most_variables:
            return plan
        # No number of machines helps, so this comes first.
        where = f" with {argument('backend', self.name)}" if self.fallback else ""
        most = f"exact sums over {self.over}{where} support up to {self.most_variables} variables; there are {size.n}"
        return replace(plan, refusal=most, remedy="", error=InvalidOption)

    def largest(
        self,
        size: ProblemSize,
        threads: int,
        limit: int,
        assumed: object = None,
        *,
        with_ancestors: bool = False,
    ) -> int:
        """Return the largest number of variables that fits, with the same limit on parents; 0 if none does."""
        limited = size.max_parents < size.n - 1
        for n in range(self.most_variables, 1, -1):
            most = min(size.max_parents, n - 1) if limited else n - 1
            shrunk = SearchSize.complete(n, most)
            if self.plan(shrunk, threads, with_ancestors=with_ancestors, assumed=assumed).fits(limit):
                return n
        return 0

    def weights(self, scores: EnumerableScores, threads: int, limit: int, *, prior_only: bool = False) -> FamilyWeights:
        """Return the weights of all families, or with ``prior_only`` those of the structure prior alone.

        Raise an error if the range of the scores calls for a layout that does not fit within ``limit`` bytes.
        """
        weights = self.arrange(scores, max(scores.n, self.least_variables), prior_only, threads, limit)
        if max(weights.spans(scores.unit)) > self.widest:
            other = f", or use {argument('backend', self.fallback)}" if self.fallback else ""
            raise ScoresTooWide(
                f"the scores of a variable span more than {self.widest:.0e} nats, the limit of sums: "
                f"write -inf for impossible families{other}"
            )
        return weights


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
