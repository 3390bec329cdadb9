"""What one step of a job needs to run, known before it starts.

A method refuses a job by the same :class:`Requirements` that a plan shows, so the two agree as far as the size of the
problem determines what is needed. Few refusals depend on the scores themselves, such as those of a very wide range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dagscape.core.constraints import Constraint, OneOf
from dagscape.core.errors import DagscapeError, InvalidOption, function
from dagscape.core.resources import check_within

# The limit on the number of parents that messages and plans mean by "few parents".
FEW_PARENTS = 4

# Limits on the number of parents that advice tries, highest first.
FEWER_PARENTS = (5, 4, 3, 2)

# It is of no use to advise more memory than this.
LARGE_MACHINE = 2**42

# What takes more variables than any exact method, in the words of all messages and plans.
LEARNED = f"{function('learn')} finds one good network of hundreds of variables"
CONFIDENCE = f"{function('bootstrap')} how stable its edges are"
SAMPLED = f"{function('chain')} samples DAGs of hundreds of variables"
MANY_VARIABLES = f"{SAMPLED}; {LEARNED}, and {CONFIDENCE}"


def fitting_parents(asked: int, fits: Callable[[int], bool]) -> int | None:
    """Return the highest limit on the number of parents below the one asked for that fits; None if none does.

    >>> fitting_parents(9, lambda most: most < 4), fitting_parents(3, lambda most: True), fitting_parents(2, bool)
    (3, 2, None)
    """
    return next((most for most in FEWER_PARENTS if most < asked and fits(most)), None)


class ProblemSize(Protocol):
    """The size of a problem, on which the requirements of a method depend."""

    @property
    def n(self) -> int:
        """The number of variables."""

    @property
    def max_parents(self) -> int:
        """The largest number of parents of a variable."""

    @property
    def family_count(self) -> int:
        """The number of families."""


@dataclass(frozen=True, slots=True)
class TaskOption:
    """An option that changes what a task needs.

    Attributes
    ----------
    help : str
        What it means, as the help of an option of the command line.
    constraint : Constraint or None
        What it may be; None if the task itself checks it. The first of several values is the default.
    default : str
        What is assumed by default, in words, if it is not the first of several values.
    varied : bool
        Whether it says what is computed, so that a plan may advise another value, and tests try all of them. Other
        options say how much is computed, or where.
    asks_for_more : bool
        Whether it asks for results that the task does not have without it, so that advice keeps it.
    """

    help: str
    constraint: Constraint | None = None
    default: str = ""
    varied: bool = False
    asks_for_more: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """Its values, default first; empty if they cannot be listed."""
        return tuple(self.constraint.choices) if isinstance(self.constraint, OneOf) else ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """Where a task may also run.

    Attributes
    ----------
    where : str
        The machines or devices, in words: "8 machines like this one".
    assumed : mapping
        The options of a plan for them.
    options : mapping
        The options of the task itself that make it run there.
    """

    where: str
    assumed: Mapping[str, Any]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Requirements:
    """What one step of a job needs to run.

    Attributes
    ----------
    step, work : str
        What is computed, and how much of it, in a few words.
    memory : int
        Peak memory, in bytes.
    subject : str
        What needs the memory, as the start of an error message: "sums over DAGs of 31 variables".
    remedy : str
        What to do if the memory is not enough, as the end of the message.
    refusal : str
        Why the method cannot do the job with any amount of memory; empty if it can.
    error : type
        The kind of error that a refusal is.
    instead : str
        What can do the job, as the end of the message of a refusal.
    at_most : bool
        Whether the time that is estimated is an upper bound, because the data decide how much less it is.
    """

    step: str
    work: str
    memory: int
    subject: str
    remedy: str
    refusal: str = ""
    error: type[DagscapeError] = InvalidOption
    instead: str = ""
    at_most: bool = False

    def fits(self, limit: int) -> bool:
        """Whether the step can run with ``limit`` bytes of memory."""
        return not self.refusal and self.memory <= limit

    def check(self, limit: int) -> None:
        """Raise an error if the step cannot run with ``limit`` bytes of memory."""
        if self.refusal:
            raise self.error(": ".join(filter(None, (self.refusal, self.instead))))
        check_within(self.memory, limit, self.subject, self.remedy)
