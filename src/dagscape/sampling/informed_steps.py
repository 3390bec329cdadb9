"""Steps of a Markov chain to families outside its lists, one parent at a time.

*Add or remove.* For one variable v with parents P, all families with one parent more or less are scored, P' among them
with weight w(P'). One is proposed with probability g(w(P') / w(P)) / Z(P), where g(t) = t / (1 + t) and Z(P) is the sum
of the g's, and accepted with probability min(1, Z(P) / Z(P')). Since g(t) = t g(1/t), the chain keeps its target
[zanella2020]_.

*Exchange.* One of the parents, any with the same probability, is replaced by a variable drawn from all that could take
its place, itself among them, with the weights of the families that result. This needs no acceptance step.

The descendants of v, which cannot be its parents, do not depend on P, so P is one step away from P' exactly if P' is
one step away from P.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.local_scores import LocalScores

Parents = tuple[int, ...]

# Of the variables, so many take a step between two draws.
_SHARE = 0.1
# The share of exchanges among the steps.
_EXCHANGES = 0.5


def informed_steps(chain: kernels.BlockChain, scores: LocalScores, rng: np.random.Generator) -> None:
    """Take a step of some variables, whatever the state."""
    for child in rng.choice(scores.n, size=max(int(_SHARE * scores.n), 1), replace=False).tolist():
        informed_step(chain, scores, child, rng)


def informed_step(chain: kernels.BlockChain, scores: LocalScores, child: int, rng: np.random.Generator) -> None:
    """Add, remove or exchange one parent of a variable."""
    present, exact = chain.family(child)
    parents = tuple(sorted(present))
    allowed = np.ones(scores.n, dtype=np.bool_)
    allowed[chain.descendants(child)] = False
    if rng.random() < _EXCHANGES:
        changed, score = _exchanged(scores, child, parents, allowed, rng)
    else:
        changed, score = _added_or_removed(scores, child, parents, exact, allowed, rng)
    if changed != parents:
        chain.set_parents(child, list(changed), score)


def _added_or_removed(
    scores: LocalScores,
    child: int,
    parents: Parents,
    exact: int,
    allowed: NDArray[np.bool_],
    rng: np.random.Generator,
) -> tuple[Parents, int]:
    neighbours, weights = _neighbours(scores, child, parents, exact, allowed)
    total = float(weights.sum())
    if total == 0:
        return parents, exact
    changed = tuple(sorted({*parents} ^ {int(neighbours[_drawn(weights, rng)])}))
    score = scores.family_exact(child, changed)
    _, back = _neighbours(scores, child, changed, score, allowed)
    return (changed, score) if rng.random() * float(back.sum()) < total else (parents, exact)


def _exchanged(
    scores: LocalScores, child: int, parents: Parents, allowed: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[Parents, int]:
    if not parents:
        return parents, 0
    place = int(rng.integers(len(parents)))
    rest = (*parents[:place], *parents[place + 1 :])
    exact = scores.additions_exact(child, rest, among=allowed)
    possible = np.flatnonzero(exact != IMPOSSIBLE)
    floats = scores.unit.to_floats(exact[possible])
    chosen = int(possible[_drawn(np.exp(floats - floats.max()), rng)])
    return tuple(sorted((*rest, chosen))), int(exact[chosen])


def _drawn(weights: NDArray[np.float64], rng: np.random.Generator) -> int:
    """Return a place, drawn with the given weights."""
    sums = np.cumsum(weights)
    return min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), len(weights) - 1)


def _neighbours(
    scores: LocalScores, child: int, parents: Parents, exact: int, allowed: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the variables that can be added or removed, and g of each."""
    added = scores.additions_exact(child, parents, among=allowed)
    joined = np.flatnonzero(added != IMPOSSIBLE)
    removed = scores.removals_exact(child, parents)
    possible = removed != IMPOSSIBLE
    neighbours = np.concatenate([joined, np.array(parents, dtype=np.int64)[possible]])
    gains = scores.unit.to_floats(np.concatenate([added[joined], removed[possible]]) - exact)
    with np.errstate(over="ignore"):
        return neighbours, 1 / (1 + np.exp(-gains))
