"""The contract of a method: its name, function and result, and what it needs to run.

Each room of methods exports a :class:`Method` for each of its methods (``posterior/methods.py`` and so on), and
``registry.py`` lists them. Plans, the command line, :func:`dagscape.load_result`, the tables in the documentation and
the contract tests read these records, so a new method joins all of them with one line.

A method refuses a job by the same :class:`Requirements` that a plan shows, so the two agree as far as the size of the
problem determines what is needed. Few refusals depend on the scores themselves, such as those of a very wide range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dagscape.core import kernels
from dagscape.core.errors import InvalidOption
from dagscape.core.resources import check_memory
from dagscape.core.version import __version__
from dagscape.core.wording import plural
from dagscape.results.base import Provenance, Result

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


@dataclass(frozen=True, slots=True)
class Method:
    """The record of one method, read by everything that lists methods.

    Attributes
    ----------
    name : str
        The name in plans and on the command line.
    function : callable
        The public function. Its first argument is the local scores.
    result : type
        The class of its result.
    requirements : callable
        ``requirements(size, threads, limit, **options)``: what it needs, given ``limit`` bytes of memory.
    seconds : callable
        ``seconds(size, threads, limit, **options)``: estimated time on this machine, from a short trial.
    options : mapping
        The options that change what the method needs, each with its values, default first.
    places : tuple of str
        Options of plans that say where the method runs, and that have no list of values.
    largest : callable or None
        ``largest(size, threads, limit, **options)``: the largest numbers of variables that fit, by back end.
    citations : tuple of str
        Keys in ``docs/references.bib``.
    most_advised : int or None
        Plans of other methods do not advise this one for more variables, because its time cannot be predicted; None is
        no limit.
    """

    name: str
    function: Callable[..., Result]
    result: type[Result]
    requirements: Callable[..., Requirements]
    seconds: Callable[..., float]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    places: tuple[str, ...] = ()
    largest: Callable[..., dict[str, int]] | None = None
    citations: tuple[str, ...] = ()
    most_advised: int | None = None

    @property
    def summary(self) -> str:
        """One line for tables: the first of the function's documentation."""
        return (self.function.__doc__ or "").partition("\n")[0].rstrip(".")


def provenance_of(
    method: str,
    parameters: Mapping[str, Any],
    seconds: Mapping[str, float],
    threads: int,
    seed: int | None = None,
    *,
    backend: str = "cpu",
    engine: str | None = None,
) -> Provenance:
    """Return the record of how a result was made, with this version, this back end and this engine."""
    used = f"{backend}: {engine or kernels.name}, {plural(threads, 'thread')}"
    return Provenance(__version__, method, parameters, seed, seconds, used)
