"""Structure priors: the prior probabilities of networks.

Each prior is modular, a product over families. Named priors depend only on the numbers of parents. Equivalent networks
have the same numbers of parents in another order, and therefore the same prior.

- ``uniform``: all DAGs are equally likely.
- ``per-size``: 1 / C(n − 1, |G|) for a family with parents G, which makes all *numbers* of parents of a single variable
  equally likely [koivisto2004]_.
- ``edge-penalty:K``: each edge costs K nats, a factor of exp(−K) in probability.

Others are log-odds of edges, and log weights of families (``prior_parts.py``). Several are added up.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption, brief, did_you_mean
from dagscape.data.tables.frames import is_frame
from dagscape.data.values import Frame
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.arithmetic.logarithms import natural_log
from dagscape.scores.arithmetic.rounding import term_rounding
from dagscape.scores.constraints import VariableNumbers
from dagscape.scores.prior_parts import (
    OPTION,
    FamilyWeights,
    ListedWeights,
    edge_odds,
)

# What users may give as a prior; a sequence of such priors is their product.
PriorOption = (
    str
    | NDArray[Any]
    | Frame
    | Mapping[tuple[str, Any], float]
    | Callable[[str, tuple[str, ...]], float]
    | Sequence[Any]
)


@dataclass(frozen=True, slots=True)
class StructurePrior:
    """A modular prior over structures.

    Attributes
    ----------
    name : str
        The name, with parameters, as users type it; or a description with a digest.
    log_weight : callable
        ``log_weight(n, parents)``: the log of the factor of a family with this number of parents.
    odds : array of float or None
        What the edge from u to v adds to the log of the factor of a family of v: ``odds[u, v]``; minus infinity where
        no network has the edge.
    families : tuple of FamilyWeights
        The log weights of families that are added to it.
    """

    name: str
    log_weight: Callable[[int, int], float]
    odds: NDArray[np.float64] | None = None
    families: tuple[FamilyWeights, ...] = ()

    @property
    def by_size(self) -> bool:
        """Whether it depends on the numbers of parents only."""
        return self.odds is None and not self.families

    @property
    def equivalent(self) -> bool:
        """Whether Markov-equivalent networks, which have the same edges but for directions, have the same prior.

        Networks with edges that are impossible do not count, as with constraints.
        """
        return not self.families and np.array_equal(self.finite_odds, self.finite_odds.T)

    @property
    def impossible(self) -> list[tuple[int, int]]:
        """The edges (parent, child) that no network has, by numbers."""
        return [] if self.odds is None else [(u, v) for u, v in np.argwhere(np.isneginf(self.odds)).tolist()]

    @property
    def finite_odds(self) -> NDArray[np.float64]:
        """The log-odds; in place of minus infinity, those of the other direction, or 0 if both are impossible."""
        if self.odds is None:
            return np.zeros((0, 0))
        reverse = np.where(np.isneginf(self.odds.T), 0.0, self.odds.T)
        return np.where(np.isneginf(self.odds), reverse, self.odds)

    def bound(self, max_parents: int) -> float:
        """Return a bound on what depends on more than the number of parents, in nats."""
        largest = np.sort(np.abs(self.finite_odds), axis=0)[::-1][:max_parents]
        return float(largest.sum(axis=0).max(initial=0.0)) + sum(weights.bound for weights in self.families)

    def rounding(self, unit: Unit, n: int, max_parents: int) -> float:
        """Return a bound on the rounding error of what depends on more than the numbers of parents, for a network."""
        # Each edge is rounded by itself; a DAG has at most one edge between two variables.
        edges = min(n * max_parents, n * (n - 1) // 2)
        odds = edges * term_rounding(unit, self.finite_odds.ravel().tolist())
        return odds + n * sum(term_rounding(unit, [weights.bound]) for weights in self.families)

    @property
    def functions(self) -> int:
        """How many functions are called for each family."""
        return sum(not isinstance(weights, ListedWeights) for weights in self.families)

    def first(self, n: int) -> StructurePrior:
        """Return the prior of the first variables."""
        return replace(self, odds=None if self.odds is None else self.odds[:n, :n])

    def times(self, copies: int) -> StructurePrior:
        """Return the prior whose logarithm is so many times that of this one; weights of families are not supported."""
        assert not self.families
        odds = None if self.odds is None else copies * self.odds
        return replace(self, log_weight=lambda n, parents: copies * self.log_weight(n, parents), odds=odds)

    def with_edge_penalty(self, penalty: float) -> StructurePrior:
        """Return the prior with a cost of each edge, in nats."""
        return replace(
            self,
            name=f"{self.name}, edge-penalty:{penalty:g}",
            log_weight=lambda n, parents: self.log_weight(n, parents) - penalty * parents,
        )


def _edge_penalty(penalty: float) -> StructurePrior:
    return StructurePrior(f"edge-penalty:{penalty:g}", lambda n, parents: -penalty * parents)


UNIFORM = StructurePrior("uniform", lambda n, parents: 0.0)
PER_SIZE = StructurePrior("per-size", lambda n, parents: -natural_log(math.comb(n - 1, parents)))

PRIORS: dict[str, str] = {
    "uniform": "all DAGs are equally likely",
    "per-size": "1/C(n-1, k) for k parents",
    "edge-penalty:K": "each edge costs K nats",
}


def find_prior(
    given: object, variables: Sequence[str], max_parents: int, set_aside: Mapping[str, str] | None = None
) -> StructurePrior:
    """Return the prior that a user describes.

    Parameters
    ----------
    given : str, array, data frame, mapping, callable, or list of these
        A name such as ``"uniform"`` or ``"edge-penalty:2.5"``, log-odds of edges, or log weights of families.
    variables : sequence of str
        The names of the variables.
    max_parents : int
        The largest number of parents of a family.
    set_aside : mapping of str to str, optional
        Columns that are no variables, and why; for messages.
    """
    if isinstance(given, StructurePrior):
        return given
    number = VariableNumbers(variables, set_aside or {})
    if not isinstance(given, list | tuple):
        return _single(given, number, max_parents)
    if not given:
        raise InvalidOption("is an empty list; it must hold a prior", option=OPTION)
    return _product([_single(part, number, max_parents) for part in given])


def _product(parts: Sequence[StructurePrior]) -> StructurePrior:
    named = [part for part in parts if part.name != UNIFORM.name] or [UNIFORM]
    if len(named) == 1:
        return named[0]
    odds = [part.odds for part in named if part.odds is not None]
    # Rounded once, so that symmetric log-odds stay symmetric whatever their order.
    added = np.vectorize(lambda *cells: math.fsum(cells), otypes=[np.float64])(*odds) if odds else None
    return StructurePrior(
        " + ".join(part.name for part in named),
        lambda n, parents: math.fsum(part.log_weight(n, parents) for part in named),
        added,
        tuple(weights for part in named for weights in part.families),
    )


def _single(given: object, number: VariableNumbers, max_parents: int) -> StructurePrior:
    if isinstance(given, str):
        return _named(given)
    if isinstance(given, np.ndarray):
        return _of_odds(edge_odds(given, number))
    if isinstance(given, Mapping):
        return _of_mapping(given, number)
    if callable(given):
        return _of_families(FamilyWeights(number, given, max_parents))
    if is_frame(given):
        return _of_odds(edge_odds(given, number))
    known = ", ".join(PRIORS)
    raise InvalidOption(
        f"is {brief(given)}; it must be one of {known}, a NumPy array or a data frame of log-odds of edges, a mapping, "
        "a callable, or a list of these",
        option=OPTION,
    )


def _of_mapping(given: Mapping[Any, Any], number: VariableNumbers) -> StructurePrior:
    """Return the prior of {(parent, child): log-odds} or {(child, parents): log weight}."""
    kinds = set()
    for key in given:
        second = key[1] if isinstance(key, tuple) and len(key) == 2 else None
        kinds.add("edge" if isinstance(second, str) else "family" if isinstance(second, tuple | frozenset) else "")
        if "" in kinds or len(kinds) > 1:
            raise InvalidOption(
                f"has the key {brief(key)}; all keys of a mapping must be edges (parent, child), or all of them "
                "families (child, (parent, ...))",
                option=OPTION,
            )
    if kinds == {"family"}:
        return _of_families(ListedWeights(number, given))
    return _of_odds(edge_odds(given, number))


def _of_odds(odds: NDArray[np.float64]) -> StructurePrior:
    # Zero has two signs.
    digest = hashlib.sha256((odds + 0.0).astype("<f8").tobytes()).hexdigest()[:8]
    odds.flags.writeable = False
    return StructurePrior(f"edge log-odds (sha {digest})", UNIFORM.log_weight, odds)


def _of_families(weights: FamilyWeights) -> StructurePrior:
    return StructurePrior(weights.name, UNIFORM.log_weight, families=(weights,))


def _named(name: str) -> StructurePrior:
    kind, _, parameter = name.partition(":")
    if kind == "uniform" and not parameter:
        return UNIFORM
    if kind == "per-size" and not parameter:
        return PER_SIZE
    if kind == "edge-penalty":
        try:
            penalty = float(parameter)
        except ValueError:
            penalty = math.nan
        if 0 <= penalty <= 1e6:
            return _edge_penalty(penalty)
        raise InvalidOption(f"is {name!r}; 'edge-penalty:' needs a number of nats between 0 and 1e6", option=OPTION)
    known = ", ".join(PRIORS) + did_you_mean(name, PRIORS)
    raise InvalidOption(f"is {name!r}; it must be one of {known}", option=OPTION)
