"""The definition of a score.

To add a score, define a :class:`ScoreDefinition` in a file of its own and list it in ``registry.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from dagscape.data.discrete.dataset import Dataset
from dagscape.scores.definitions.parameter import Parameter
from dagscape.scores.definitions.set_functions import ScoreFacts, SetFunctions


@dataclass(frozen=True, slots=True)
class ScoreDefinition:
    """A decomposable score.

    Attributes
    ----------
    name, title : str
        The name that users type, and the title in tables.
    citation : str
        The key in ``docs/references.bib``.
    score_equivalent : bool
        Whether Markov-equivalent networks always have the same score.
    functions : callable
        ``functions(data, facts)``: the set functions of the score on a data set.
    data_type : type
        The kind of data that it scores.
    parameters : tuple of Parameter
        What a user can set.
    idle : callable or None
        ``idle(data)``: the names of those parameters that are without effect on some data. None: there are none.
    size_cost : callable or None
        ``size_cost(n, parents)``: the cost of a number of parents, in nats.
    is_evidence : bool
        Whether the exponential of a score is the probability of the data given the network, or approximates it, so that
        settings can be compared by their evidence.
    ruled_out : callable or None
        ``ruled_out(data)``: the edges, as pairs (parent, child) of names, that no network has under this score. They
        are forbidden like those that a user forbids.
    rule : str
        Which edges these are, as a clause that begins with a small letter.
    caution : callable or None
        ``caution(data)``: how the score approximates, and what that means for all networks, in such a clause; empty if
        there is nothing to say of these data.
    prior_columns : callable or None
        ``prior_columns(data)``: the number of columns that ``alpha_w``, the degrees of freedom of the prior, counts.
        With part of the variables, the same prior has as many fewer. None: the score has no such parameter.
    takes_missing : bool
        Whether it scores tables with missing cells as they are.
    why_no_posterior : str
        Why its exponential is no weight of a network, so that there is no posterior, as what is said of the score:
        ``"is …"``. Empty if it is one.
    """

    name: str
    title: str
    citation: str
    score_equivalent: bool
    functions: Callable[[Any, ScoreFacts], SetFunctions]
    data_type: type = Dataset
    parameters: tuple[Parameter, ...] = ()
    idle: Callable[[Any], Collection[str]] | None = None
    size_cost: Callable[[int, int], float] | None = None
    is_evidence: bool = True
    ruled_out: Callable[[Any], Iterable[tuple[str, str]]] | None = None
    rule: str = ""
    caution: Callable[[Any], str] | None = None
    prior_columns: Callable[[Any], int] | None = None
    takes_missing: bool = False
    why_no_posterior: str = ""

    def idle_on(self, data: Any) -> frozenset[str]:
        """Return the names of the parameters that are without effect on some data."""
        return frozenset() if self.idle is None else frozenset(self.idle(data))
