"""Steps of a chain over networks, given a table that is complete: they leave the posterior given that table as it is.

*Exact steps* draw networks from the posterior, independent of the present one, through the table of all sets
(``posterior/forward_tables.py``). *Block steps* are sweeps of the moves of :func:`dagscape.chain`, from the present
network, and steps to families outside their lists. Lists are made anew for each table, from its scores alone: whatever
they leave out, the moves among the rest and the other steps keep their target.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core.resources import Budget
from dagscape.graphs.dag import Dag
from dagscape.graphs.words import Words, unpack, word_count
from dagscape.posterior.accuracy import score_error
from dagscape.posterior.forward_tables import draw_networks
from dagscape.results.score_info import ScoreInfo
from dagscape.sampling.chain_lists import complete_lists
from dagscape.sampling.chain_starts import listed_start, random_start
from dagscape.sampling.informed_steps import informed_steps
from dagscape.sampling.running_chains import block_chain
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.scoring import score_job
from dagscape.scores.scoring_job import ScoringJob, with_rows
from dagscape.scores.tables.lattice_scores import LatticeScores

# Up to so many variables, a table of all sets takes a few hundredths of a second.
MOST_EXACT = 14
# The networks that an exact step draws, for averages of edges, and the sweeps of a block step.
_NETWORKS = 16
_SWEEPS = 10


@dataclass(frozen=True, slots=True)
class Moved:
    """What a step returns.

    Attributes
    ----------
    words : array of uint64, variables × words
        The network.
    score : float
        The score of the network, a natural log.
    edges : array, n × n
        The average of edges over the step.
    error : float
        The error of the probabilities of the step.
    """

    words: Words
    score: float
    edges: NDArray[np.float64]
    error: float

    @property
    def parents(self) -> list[list[int]]:
        """The parents of each variable."""
        return [[u for u in range(len(self.words)) if mask >> u & 1] for mask in unpack(self.words)]


@dataclass(frozen=True, slots=True)
class NetworkSteps(ABC):
    """Steps over networks.

    Attributes
    ----------
    job : ScoringJob
        How tables are scored; that of another table.
    info : ScoreInfo
        What the scores say that they are.
    budget : Budget
        One thread, and the memory of a chain.
    """

    job: ScoringJob
    info: ScoreInfo
    budget: Budget

    @abstractmethod
    def move(self, table: ScoredData, parents: Sequence[Sequence[int]] | None, rng: np.random.Generator) -> Moved:
        """Take a step from a network, or from nowhere, given a complete table."""

    def scores(self, table: ScoredData) -> LatticeScores:
        """Return the scores of a complete table."""
        return score_job(with_rows(self.job, table), self.budget, info=self.info)


class ExactSteps(NetworkSteps):
    """Networks drawn from the posterior given the table; the last of several is the next."""

    __slots__ = ()

    def move(self, table: ScoredData, parents: Sequence[Sequence[int]] | None, rng: np.random.Generator) -> Moved:  # noqa: ARG002 (they do not matter)
        """Draw networks, whatever the present one is."""
        scores = self.scores(table)
        drawn = draw_networks(scores, "dags", _NETWORKS, rng, self.budget, None)
        members = np.arange(scores.n, dtype=np.uint64)
        edges = (drawn.parents[:, np.newaxis, :] >> members[:, np.newaxis] & np.uint64(1)).mean(axis=0)
        return Moved(drawn.parents[-1][:, np.newaxis], scores.unit.to_float(int(drawn.exact[-1])), edges, drawn.error)


class BlockSteps(NetworkSteps):
    """Sweeps of moves of blocks of variables."""

    __slots__ = ()

    def move(self, table: ScoredData, parents: Sequence[Sequence[int]] | None, rng: np.random.Generator) -> Moved:
        """Make some sweeps from the present network; without one, from the best families for a random order."""
        scores = self.scores(table)
        lists, n = complete_lists(scores), scores.n
        required = [sorted(own) for own in scores.constraints.required]
        present = required if parents is None else parents
        start = listed_start(lists, _dag(scores.variables, present))
        if parents is None:
            start = random_start(lists, scores, rng) or start
        chain = block_chain(lists, start, int(rng.integers(2**63)))
        if parents is not None:
            # Some of its families may not be listed.
            exact = [scores.family_exact(child, own) for child, own in enumerate(parents)]
            chain.restore([list(own) for own in parents], exact, chain.random_state)
        informed_steps(chain, scores, rng)
        words = np.zeros((1, n, word_count(n)), dtype=np.uint64)
        total, sums = np.zeros(1, dtype=np.int64), np.empty((n, n))
        chain.run(_SWEEPS, True, words, total)
        chain.take_edge_sums(sums)
        error = lists.lost + score_error(scores.rounding)
        return Moved(words[0], scores.unit.to_float(int(total[0])), sums / _SWEEPS, error)


def _dag(variables: Sequence[str], parents: Sequence[Sequence[int]]) -> Dag:
    return Dag.from_parents({v: [variables[u] for u in own] for v, own in zip(variables, parents, strict=True)})
