"""What one step of a job needs to run, known before it starts.

A method refuses a job by the same :class:`Requirements` that a plan shows, so the two agree as far as the size of the
problem determines what is needed. Few refusals depend on the scores themselves, such as those of a very wide range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dagscape.core.errors import InvalidOption
from dagscape.core.resources import check_memory

# The limit on the number of parents that messages and plans mean by "few parents".
FEW_PARENTS = 4


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
    values : tuple of str
        Its values, default first; empty if it takes any value of its type.
    type : type
        The type of its values: str, int or float.
    default : str
        What is assumed by default, in words, if it has no list of values.
    varied : bool
        Whether it says what is computed, so that a plan may advise another value, and tests try all of them. Other
        options say how much is computed, or where.
    """

    help: str
    values: tuple[str, ...] = ()
    type: type = str
    default: str = ""
    varied: bool = False


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
    """

    step: str
    work: str
    memory: int
    subject: str
    remedy: str
    refusal: str = ""

    def fits(self, limit: int) -> bool:
        """Whether the step can run with ``limit`` bytes of memory."""
        return not self.refusal and self.memory <= limit

    def check(self, max_memory: int | str | None) -> None:
        """Raise an error if the step cannot run."""
        if self.refusal:
            raise InvalidOption(self.refusal)
        check_memory(self.memory, max_memory, self.subject, self.remedy)
