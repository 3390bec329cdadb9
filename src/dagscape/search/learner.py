"""The record of a learner, which :func:`dagscape.learn`, the command line, documentation and tests read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dagscape.core.constraints import Constraints
from dagscape.search.job import Found


@dataclass(frozen=True, slots=True)
class Learner:
    """One method of :func:`dagscape.learn`.

    Attributes
    ----------
    name : str
        Its name.
    function : callable
        ``function(job, **options)`` takes a :class:`~dagscape.search.job.SearchJob` and returns a
        :class:`~dagscape.search.job.Found`. Its keyword-only arguments are the options of the method.
    citations : tuple of str
        Keys in ``docs/references.bib``.
    needs_data : bool
        Whether it needs the rows of the data, not only scores.
    constraints : mapping of str to Constraint
        What the options may be. They are checked before the search starts.
    """

    name: str
    function: Callable[..., Found]
    citations: tuple[str, ...] = ()
    needs_data: bool = False
    constraints: Constraints = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """One line for tables: the first of the function's documentation."""
        return (self.function.__doc__ or "").partition("\n")[0].rstrip(".")

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the method with their defaults."""
        parameters = inspect.signature(self.function).parameters.values()
        return {entry.name: entry.default for entry in parameters if entry.kind is entry.KEYWORD_ONLY}
