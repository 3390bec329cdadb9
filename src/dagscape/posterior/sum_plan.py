"""What back ends answer when they are asked about a sum of some size, before it starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

from dagscape.core.errors import DagscapeError, InvalidOption
from dagscape.core.requirements import TaskOption


@dataclass(frozen=True, slots=True)
class SumSize:
    """The size of a sum.

    Attributes
    ----------
    n, max_parents : int
        The number of variables, and the largest number of parents of each.
    threads : int
        The number of threads, of each process if there are several.
    with_paths : bool
        Whether paths through a third variable are wanted.
    with_ancestors : bool
        Whether ancestor relations are wanted that do not come with the edges.
    """

    n: int
    max_parents: int
    threads: int
    with_paths: bool = False
    with_ancestors: bool = False

    def padded(self, least: int) -> Self:
        """Return the size with as many variables as a back end needs at least."""
        return self if self.n >= least else replace(self, n=least)


@dataclass(frozen=True, slots=True)
class SumPlan:
    """What a sum needs: here, or with what a plan assumes to be elsewhere.

    Attributes
    ----------
    memory : int
        The bytes that it needs on each machine.
    seconds : callable
        Estimates its time, including the preparation of the weights; this may take a short trial.
    where : str
        Where it runs, if not on the processors of one machine: "on 8 ranks".
    note : str
        What a plan says about it besides the number of steps.
    refusal : str
        Why it cannot be done there with any amount of memory on each machine; empty if it can.
    remedy : str
        What to do about a refusal if the sum is to run here.
    error : type
        The kind of error that a refusal is.
    """

    memory: int
    seconds: Callable[[], float]
    where: str = ""
    note: str = ""
    refusal: str = ""
    remedy: str = ""
    error: type[DagscapeError] = InvalidOption

    def fits(self, limit: int) -> bool:
        """Whether the sum can be done with ``limit`` bytes of memory on each machine."""
        return not self.refusal and self.memory <= limit


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The option by which a plan says what a back end has on machines other than this one.

    Attributes
    ----------
    name : str
        Its name.
    option : TaskOption
        What it means, and the type of its values.
    assumed : callable
        Checks a value, and returns what the back end plans with. None stands for what is here: if plans need a value,
        it raises an error.
    usual : tuple of (str, value)
        What may be elsewhere, in words and as a value, from the smallest: advice names the first that is enough.
    """

    name: str
    option: TaskOption
    assumed: Callable[[Any], Any]
    usual: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Automatic:
    """How ``backend="auto"`` considers a back end.

    Attributes
    ----------
    installed : callable
        Tells at once whether the back end may be there, without starting anything.
    least_variables : int
        Sums of fewer variables are so quick anywhere that no time is estimated for them.
    least_seconds : float
        Sums that another back end does in less time are not worth the start of this one, so that it is not even asked.
    """

    installed: Callable[[], bool]
    least_variables: int
    least_seconds: float
