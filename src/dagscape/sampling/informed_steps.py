"""Steps of a Markov chain to families outside its lists, one parent at a time.

For one variable v with parents P, all families with one parent more or less are scored, P' among them with weight
w(P'). One is proposed with probability g(w(P') / w(P)) / Z(P), where g(t) = t / (1 + t) and Z(P) is the sum of the g's,
and accepted with probability min(1, Z(P) / Z(P')). Since g(t) = t g(1/t), the chain keeps its target [zanella2020]_. The
descendants of v, which cannot be its parents, do not depend on P, so P is one step away from P' exactly if P' is one
step away from P.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.local_scores import LocalScores


def informed_step(chain: kernels.BlockChain, scores: LocalScores, child: int, rng: np.random.Generator) -> bool:
    """Add or remove one parent of a variable; return whether it changed."""
    parents = tuple(sorted(chain.parents()[child]))
    exact = chain.family_scores()[child]
    allowed = np.ones(scores.n, dtype=np.bool_)
    allowed[chain.descendants(child)] = False
    neighbours, weights = _neighbours(scores, child, parents, exact, allowed)
    total = float(weights.sum())
    if total == 0:
        return False
    place = min(int(np.searchsorted(np.cumsum(weights), rng.random() * total, side="right")), len(weights) - 1)
    changed = tuple(sorted({*parents} ^ {int(neighbours[place])}))
    score = scores.family_exact(child, changed)
    _, back = _neighbours(scores, child, changed, score, allowed)
    if rng.random() * float(back.sum()) >= total:
        return False
    chain.set_parents(child, list(changed), score)
    return True


def _neighbours(
    scores: LocalScores, child: int, parents: tuple[int, ...], exact: int, allowed: NDArray[np.bool_]
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
