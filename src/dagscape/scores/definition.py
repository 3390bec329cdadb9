"""What a score is made of.

A new score is one file that defines a :class:`ScoreDefinition`, and one line in ``registry.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dagscape.data.dataset import Dataset
from dagscape.scores.set_functions import ScoreFacts, SetFunctions


@dataclass(frozen=True, slots=True)
class ScoreDefinition:
    """A decomposable score.

    Attributes
    ----------
    name, title : str
        What the user types, and what a table shows.
    citation : str
        Key in ``docs/references.bib``.
    score_equivalent : bool
        Whether Markov-equivalent networks always get the same score.
    functions : callable
        ``functions(data, facts)``: the set functions of the score on some data.
    data_type : type
        The kind of data it takes.
    uses_ess : bool
        Whether the equivalent sample size matters.
    size_cost : callable or None
        ``size_cost(n, parents)``: nats charged to a family for its number of parents alone.
    """

    name: str
    title: str
    citation: str
    score_equivalent: bool
    functions: Callable[[Any, ScoreFacts], SetFunctions]
    data_type: type = Dataset
    uses_ess: bool = False
    size_cost: Callable[[int, int], float] | None = None
