r"""What a score is made of.

Every decomposable score of this package is a difference of sums over the cells (the observed joint states) of a set:

.. math:: local\_score(i, G) = J(G ∪ \{i\}) - J_i'(G) + c(|G|)

The functions :math:`J` and :math:`J'` are sums, over the cells, of a :class:`CellTerm` of the number of rows in the
cell, less a penalty for each possible state. For scores that give equivalent networks the same value they are the
same function. A new score is one file that defines a :class:`ScoreDefinition`, and one line in ``registry.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum


class TermKind(IntEnum):
    """The functions of a cell's count that the kernels know (``native/include/dagscape/cell_terms.hpp``)."""

    DIRICHLET_SHARED = 0
    DIRICHLET_CONSTANT = 1
    ENTROPY = 2


@dataclass(frozen=True, slots=True)
class CellTerm:
    """A sum over the cells of a set.

    Attributes
    ----------
    kind : TermKind
        The function of the count N: lnΓ(N + alpha/q) − lnΓ(alpha/q), lnΓ(N + alpha) − lnΓ(alpha), or N ln N, where q
        is the number of joint states of the set.
    alpha : float
        The Dirichlet parameter; 1 where there is none.
    penalty : float
        What each of the q states costs, in nats.
    """

    kind: TermKind
    alpha: float = 1.0
    penalty: float = 0.0


@dataclass(frozen=True, slots=True)
class ChildFacts:
    """What the terms of a child's families may depend on.

    Attributes
    ----------
    rows : int
        The number of rows its families are fitted to.
    arity : int
        The number of its levels.
    ess : float
        The equivalent sample size.
    """

    rows: int
    arity: int
    ess: float


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
    terms : callable
        ``terms(child)``: the term of a family's own set, and that of the parents alone.
    uses_ess : bool
        Whether the equivalent sample size matters.
    size_cost : callable or None
        ``size_cost(n, parents)``: nats charged to a family for its number of parents alone.
    """

    name: str
    title: str
    citation: str
    score_equivalent: bool
    terms: Callable[[ChildFacts], tuple[CellTerm, CellTerm]]
    uses_ess: bool = False
    size_cost: Callable[[int, int], float] | None = None


def same_for_parents(
    term: Callable[[ChildFacts], CellTerm],
) -> Callable[[ChildFacts], tuple[CellTerm, CellTerm]]:
    """The terms of a score in which a family and its parents are measured alike: a score-equivalent one."""
    return lambda child: (term(child), term(child))
