"""Whether Markov chains of networks have converged: diagnostics, and one sentence that says what to make of them.

Chains count as converged if all of these hold:

- the split R-hat of the scores, by ranks, is at most 1.01, as [vehtari2021]_ advise;
- the largest split R-hat of an edge is at most 1.05, and the smallest effective size of an edge, and that of the
  scores, is at least 100. These rules concern edges that between 5% and 95% of all draws have: of rarer ones, and of
  those that are nearly always there, chains of a reasonable length say too little. The bound of R-hat is higher than
  for the scores, because it is the largest of many, each with a random error;
- no two chains differ in the probability of an edge, any edge, by more than 0.05 and by more than five Monte Carlo
  errors of the difference.

The largest of many differences is larger than one error even if nothing is wrong. So the sentence says that chains
agree within their errors only if it is at most two errors. Up to what the largest of so many normal differences exceeds
in 5% of all cases, it says that they differ no more than by chance; and beyond that, that they differ somewhat more,
although they do not break the rule above.

If there is one chain only, its halves are compared. That cannot show what both of them missed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption
from dagscape.core.wording import plural
from dagscape.ensembles.monte_carlo import (
    FEWEST_DRAWS,
    Floats,
    batch_means,
    chain_share_errors,
    effective_size,
    split_r_hat,
)
from dagscape.ensembles.sample_averages import set_members
from dagscape.graphs.lists import DagList
from dagscape.results.decoding import Count, NotNegative

# The rules of this module.
LARGEST_SCORE_R_HAT = 1.01
LARGEST_EDGE_R_HAT = 1.05
SMALLEST_SIZE = 100
LARGEST_DIFFERENCE = 0.05
MOST_ERRORS = 5
_RARE = 0.05

# Differences up to so many errors are said to be within the errors.
_WITHIN_ERRORS = 2


@dataclass(frozen=True, slots=True)
class ChainDiagnostics:
    """What Markov chains say about their own convergence.

    Attributes
    ----------
    r_hat_score, r_hat_edges : float
        The split R-hat of the scores, by ranks, and the largest of an edge; infinite if chains are stuck.
    ess_score, ess_edges : float
        The effective size of the scores, and the smallest of an edge.
    largest_disagreement : float
        The largest difference between the probabilities of an edge in two chains; of one chain, in its halves. If some
        differences are too large for their errors, the largest of these.
    disagreement_edge : tuple of (parent, child) or None
        The edge; None if there is none.
    disagreement_error : float
        The Monte Carlo error of the difference.
    burn_in : int
        The number of draws that were discarded at the beginning of each chain.
    steps : int
        The number of steps of each chain, after these; 0 if unknown.
    converged : bool
        Whether the probabilities can be trusted, within their errors.
    verdict : str
        One sentence that says so, and why not.
    """

    r_hat_score: NotNegative
    r_hat_edges: NotNegative
    ess_score: NotNegative
    ess_edges: NotNegative
    largest_disagreement: NotNegative
    disagreement_edge: tuple[str, str] | None
    disagreement_error: NotNegative
    burn_in: Count
    steps: Count
    converged: bool
    verdict: str


class _Disagreement(NamedTuple):
    """The difference of two chains in an edge u → v, its error, and in how many edges chains differ at all."""

    difference: float
    error: float
    u: int
    v: int
    edges: int

    @property
    def too_large(self) -> bool:
        return self.difference > max(LARGEST_DIFFERENCE, MOST_ERRORS * self.error)


def diagnose(
    scores: NDArray[np.float64],
    networks: DagList,
    *,
    edge_means: Floats | None = None,
    edge_batches: Floats | None = None,
    burn_in: int = 0,
    steps: int = 0,
) -> ChainDiagnostics:
    """Return the diagnostics of Markov chains.

    Parameters
    ----------
    scores : array, chains × draws
        The log score of each draw.
    networks : DagList
        The draws, chain after chain.
    edge_means, edge_batches : array, optional
        Averages over all steps, as in :class:`~dagscape.SampledNetworks`; chains are compared by them. Default: by the
        draws.
    burn_in, steps : int
        To be recorded.

    Examples
    --------
    >>> import dagscape as ds
    >>> there, absent = ds.Dag.from_edges("ab", [("a", "b")]), ds.Dag("ab")
    >>> stuck = DagList.from_dags([there] * 50 + [absent] * 50)
    >>> print(diagnose(np.zeros((2, 50)), stuck).verdict.partition(";")[0])
    Do not rely on these probabilities: two chains differ by 1 (± 0.027) in the edge a → b
    """
    chains, draws = scores.shape
    if len(networks) != chains * draws:
        raise InvalidOption(f"there are {len(networks):,} networks for {chains:,} × {draws:,} scores")
    first, places = networks.distinct()
    ess_score = float(effective_size(scores)) if draws >= FEWEST_DRAWS else float(chains)
    r_hat_score = float(split_r_hat(scores)) if draws >= FEWEST_DRAWS else math.inf
    r_hat_edges, ess_edges = 1.0, float(chains * draws)
    worst = _Disagreement(0.0, 0.0, 0, 0, edges=0)
    for v, members, held in set_members(networks.parents[first], places):
        values = held.reshape(chains, draws, -1)
        if edge_means is None:
            worst = _worse(worst, batch_means(values), values.mean(axis=1), members, v, chains * draws, ess_score)
        shares = values.mean(axis=(0, 1))
        common = (shares >= _RARE) & (shares <= 1 - _RARE)
        if common.any() and draws >= FEWEST_DRAWS:
            r_hat_edges = max(r_hat_edges, float(split_r_hat(values[..., common], ranks=False).max()))
            ess_edges = min(ess_edges, float(effective_size(values[..., common]).min()))
    for v, batches, means in _all_steps(edge_means, edge_batches):
        worst = _worse(worst, batches, means, range(len(networks.variables)), v, None, ess_score)
    names = networks.variables
    edge = (names[worst.u], names[worst.v]) if worst.difference else None
    problems = _problems(r_hat_score, r_hat_edges, ess_score, ess_edges, chains, draws, worst, edge)
    return ChainDiagnostics(
        r_hat_score=r_hat_score,
        r_hat_edges=r_hat_edges,
        ess_score=ess_score,
        ess_edges=ess_edges,
        largest_disagreement=worst.difference,
        disagreement_edge=edge,
        disagreement_error=worst.error,
        burn_in=burn_in,
        steps=steps,
        converged=not problems,
        verdict=_verdict(problems, chains, worst, edge),
    )


def _all_steps(means: Floats | None, batches: Floats | None) -> Iterator[tuple[int, Floats, Floats]]:
    """Yield each child v with the averages of its edges over all steps, if they are given."""
    if means is not None:
        for v in range(means.shape[-1]):
            own = means[:, :, v]
            yield v, own[:, np.newaxis] if batches is None else batches[..., v], own


def _worse(
    worst: _Disagreement,
    batches: Floats,
    means: Floats,
    members: list[int] | range,
    v: int,
    draws: int | None,
    scores_size: float,
) -> _Disagreement:
    """Return the worse of a disagreement and those in the edges from some variables to v."""
    if len(means) == 1:
        half = batches.shape[1] // 2
        if not half:
            return worst
        batches = np.concatenate([batches[:, :half], batches[:, -half:]])
        means = batches.mean(axis=1)
    chains = len(means)
    own = None if draws is None else max(1, draws // chains)
    errors = np.stack(
        [
            chain_share_errors(batches[[c]], means[[c]], draws=own, scores_size=scores_size / chains)
            for c in range(chains)
        ]
    )
    highest, lowest = means.argmax(axis=0), means.argmin(axis=0)
    columns = np.arange(means.shape[1])
    differences = means[highest, columns] - means[lowest, columns]
    combined = np.hypot(errors[highest, columns], errors[lowest, columns])
    too_large = differences > np.maximum(LARGEST_DIFFERENCE, MOST_ERRORS * combined)
    # Those that are too large come first.
    at = int(np.lexsort((differences, too_large))[-1])
    found = _Disagreement(float(differences[at]), float(combined[at]), members[at], v, 0)
    edges = worst.edges + int(np.count_nonzero(differences))
    return max(worst, found, key=lambda each: (each.too_large, each.difference))._replace(edges=edges)


def _problems(
    r_hat_score: float,
    r_hat_edges: float,
    ess_score: float,
    ess_edges: float,
    chains: int,
    draws: int,
    worst: _Disagreement,
    edge: tuple[str, str] | None,
) -> list[str]:
    """Return what speaks against the chains, the most telling first."""
    if draws < FEWEST_DRAWS:
        return [f"{plural(draws, 'draw')} of each chain are too few to judge them"]
    found = []
    if worst.too_large and edge is not None:
        found.append(
            f"{_compared(chains)} differ by {worst.difference:.2g} (± {worst.error:.2g}) in the edge "
            f"{edge[0]} → {edge[1]}"
        )
    if r_hat_score > LARGEST_SCORE_R_HAT:
        found.append(f"R-hat of the scores is {_above(r_hat_score, LARGEST_SCORE_R_HAT)}")
    if r_hat_edges > LARGEST_EDGE_R_HAT and not worst.too_large:
        found.append(f"R-hat of an edge is {_above(r_hat_edges, LARGEST_EDGE_R_HAT)}")
    if not found and ess_score < SMALLEST_SIZE:
        found.append(f"the effective size of the scores is {math.floor(ess_score)}, below {SMALLEST_SIZE}")
    if not found and ess_edges < SMALLEST_SIZE:
        found.append(f"the effective size of an edge is {math.floor(ess_edges)}, below {SMALLEST_SIZE}")
    return found


def _above(value: float, limit: float) -> str:
    """Say that a value is above a limit, with as many digits as show it.

    >>> _above(1.0342, 1.01), _above(1.01003, 1.01)
    ('1.034, above 1.01', '1.01003, above 1.01')
    """
    for digits in range(4, 18):
        if float(text := f"{value:.{digits}g}") > limit:
            break
    return f"{text}, above {limit:g}"


def _verdict(problems: list[str], chains: int, worst: _Disagreement, edge: tuple[str, str] | None) -> str:
    if problems:
        remedy = "run the chains longer, with fewer parents or from another seed"
        return f"Do not rely on these probabilities: {', and '.join(problems[:2])}; {remedy}."
    subject = "The chains" if chains > 1 else "One chain cannot show what it has missed, but its halves"
    if edge is None:
        return f"{subject} agree in every edge."
    size = f"{worst.difference:.2g} (± {worst.error:.2g}), in the edge {edge[0]} → {edge[1]}"
    if worst.difference <= _WITHIN_ERRORS * worst.error:
        return f"{subject} agree within their errors: the largest difference between two is {size}."
    count = worst.edges * max(1, math.comb(chains, 2))
    largest = f"the largest of {plural(count, 'difference')} between two is {size}"
    if worst.difference <= _by_chance(count) * worst.error:
        return f"{subject} differ no more than by chance: {largest}, as chance gives among so many."
    limit = (
        f"at most {LARGEST_DIFFERENCE:g}"
        if worst.difference <= LARGEST_DIFFERENCE
        else f"at most {MOST_ERRORS} of its errors"
    )
    return f"{subject} differ somewhat more than by chance: {largest}, though {limit}."


def _by_chance(count: int) -> float:
    """Return how many errors the largest of so many normal differences hardly ever exceeds: in 5% of all cases or less.

    >>> round(_by_chance(1), 2), round(_by_chance(500), 2)
    (1.96, 3.89)
    """
    return NormalDist().inv_cdf(1 - 0.025 / count)


def _compared(chains: int) -> str:
    return "two chains" if chains > 1 else "the halves of the chain"
