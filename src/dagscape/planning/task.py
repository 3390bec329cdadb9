"""The record of a task: what the program can compute, said once for everything that lists tasks.

A record names functions and classes by where they are defined, ``"studies.posterior:posterior"``, and imports them
when they are needed. The command line can therefore list all tasks without loading any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from dagscape.core.references import loaded

if TYPE_CHECKING:
    from dagscape.core.requirements import Alternative, Requirements, TaskOption

# What a task takes: rows; rows and the options of `local_scores`; scores of any kind; those of all families; answers of
# students and a Q-matrix; rows and their class; one structure or two; probabilities of edges and a structure; a list of
# networks, alone or with a structure; a student model.
Taken = Literal[
    "data",
    "data to score",
    "scores",
    "all scores",
    "answers",
    "rows with a class",
    "structure",
    "structures",
    "edge probabilities",
    "two results with edge probabilities",
    "list of networks",
    "lists of networks",
    "network and rows",
    "structure and rows",
    "list of networks and rows",
    "student model",
]


@dataclass(frozen=True, slots=True)
class Task:
    """The record of one task, read by plans, the command line, ``load_result``, the documentation and the tests.

    Attributes
    ----------
    name : str
        Its name, in plans and tables.
    takes : tuple of str
        What its function takes: the usual kind first, and others that will do.
    function_at, result_at : str
        Where its public function and the class of its result are defined: "module:name", without "dagscape.".
    command, help : str
        The subcommand that runs it, and what the list of subcommands says of that. Two tasks may share a subcommand;
        one of them says what it does.
    citations : tuple of str
        Keys in ``docs/references.bib``.
    requirements_at, seconds_at : str
        Where the functions are that say what it needs: ``requirements(given, threads, limit, **options)`` returns its
        :class:`~dagscape.core.requirements.Requirements` with ``limit`` bytes of memory, and ``seconds``, with the same
        arguments, its estimated time on this machine. ``given`` is what the task takes: for scores of all families, the
        size of the problem; for data to score, the scoring job; for answers, the answers with their Q-matrix. Empty if
        a plan does not know the task.
    options_at : str
        Where its options are that change what it needs: a mapping of :class:`~dagscape.core.requirements.TaskOption`.
    largest_at : str
        Where the function is, with the same arguments, that returns the largest numbers of variables that fit, by back
        end.
    elsewhere_at : str
        Where the function is that returns, for the options that say what is computed, where else the task may run:
        lists of :class:`~dagscape.core.requirements.Alternative`, each from the smallest.
    most_advised : int or None
        Plans of other tasks do not advise this one for more variables, because its time cannot be predicted; None is no
        limit.
    quick : mapping
        Options that make it quick, for tests.

    Examples
    --------
    >>> from dagscape.planning.registry import TASKS
    >>> TASKS["best"].function.__name__, TASKS["best"].result.kind, TASKS["best"].command
    ('k_best', 'k-best', 'best')
    """

    name: str
    takes: tuple[Taken, ...]
    function_at: str
    result_at: str
    command: str = ""
    help: str = ""
    citations: tuple[str, ...] = ()
    requirements_at: str = ""
    seconds_at: str = ""
    options_at: str = ""
    largest_at: str = ""
    elsewhere_at: str = ""
    most_advised: int | None = None
    quick: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def function(self) -> Callable[..., Any]:
        """The public function."""
        found: Callable[..., Any] = loaded(self.function_at)
        return found

    @property
    def function_name(self) -> str:
        """The name of the public function, such as "k_best" or "Dataset.describe"."""
        return self.function_at.partition(":")[2]

    @property
    def result(self) -> type[Any]:
        """The class of the result; most are a :class:`~dagscape.results.base.Result`."""
        found: type[Any] = loaded(self.result_at)
        return found

    @property
    def planned(self) -> bool:
        """Whether plans know the task."""
        return bool(self.requirements_at)

    @property
    def requirements(self) -> Callable[..., Requirements]:
        """The function that returns what the task needs."""
        found: Callable[..., Requirements] = loaded(self.requirements_at)
        return found

    @property
    def seconds(self) -> Callable[..., float]:
        """The function that estimates its time."""
        found: Callable[..., float] = loaded(self.seconds_at)
        return found

    @property
    def largest(self) -> Callable[..., dict[str, int]] | None:
        """The function that returns the largest numbers of variables that fit; None if there is none."""
        found: Callable[..., dict[str, int]] | None = loaded(self.largest_at) if self.largest_at else None
        return found

    def elsewhere(self, **options: Any) -> list[list[Alternative]]:
        """Return where else the task may run, with options that say what is computed."""
        found: list[list[Alternative]] = loaded(self.elsewhere_at)(**options) if self.elsewhere_at else []
        return found

    @property
    def plan_options(self) -> Mapping[str, TaskOption]:
        """All options that change what the task needs."""
        found: Mapping[str, TaskOption] = loaded(self.options_at) if self.options_at else {}
        return found

    @property
    def options(self) -> dict[str, tuple[str, ...]]:
        """The options that say what is computed, each with its values, default first."""
        return {name: option.values for name, option in self.plan_options.items() if option.varied}

    @property
    def other_options(self) -> dict[str, TaskOption]:
        """The other options, which say how much is computed, and where."""
        return {name: option for name, option in self.plan_options.items() if not option.varied}

    @property
    def summary(self) -> str:
        """One line for tables: the first of the function's documentation."""
        return (self.function.__doc__ or "").partition("\n")[0].rstrip(".")
