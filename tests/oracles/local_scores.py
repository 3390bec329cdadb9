"""Local scores straight from their textbook formulas, one family at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import mpmath


def counts(rows: Sequence[Sequence[int]], child: int, parents: Sequence[int]) -> dict[tuple[int, ...], Counter[int]]:
    """For each observed state of the parents, the count of each level of the child."""
    found: dict[tuple[int, ...], Counter[int]] = {}
    for row in rows:
        state = tuple(row[parent] for parent in parents)
        found.setdefault(state, Counter())[row[child]] += 1
    return found


def bdeu(rows, arities, child, parents, ess=1.0, lgamma=math.lgamma):
    states = math.prod(arities[parent] for parent in parents)
    per_state, per_cell = ess / states, ess / (states * arities[child])
    score = 0
    for cells in counts(rows, child, parents).values():
        score += lgamma(per_state) - lgamma(cells.total() + per_state)
        score += sum(lgamma(count + per_cell) - lgamma(per_cell) for count in cells.values())
    return score


def bdeu_in_high_precision(rows, arities, child, parents, ess=1):
    """BDeu in 50 digits."""
    with mpmath.workdps(50):
        return bdeu(rows, arities, child, parents, mpmath.mpf(ess), mpmath.loggamma)


def k2(rows, arities, child, parents, ess=None):
    score = 0.0
    for cells in counts(rows, child, parents).values():
        score += math.log(math.factorial(arities[child] - 1))
        score -= math.lgamma(cells.total() + arities[child])
        score += sum(math.lgamma(count + 1) for count in cells.values())
    return score


def loglik(rows, arities, child, parents, ess=None):
    return sum(
        count * math.log(count / cells.total())
        for cells in counts(rows, child, parents).values()
        for count in cells.values()
    )


def parameters(arities, child, parents):
    return (arities[child] - 1) * math.prod(arities[parent] for parent in parents)


def bic(rows, arities, child, parents, ess=None):
    return loglik(rows, arities, child, parents) - math.log(len(rows)) / 2 * parameters(arities, child, parents)


def aic(rows, arities, child, parents, ess=None):
    return loglik(rows, arities, child, parents) - parameters(arities, child, parents)


def mdl(rows, arities, child, parents, ess=None):
    """Minus the description length of Munteanu & Cau, section 5, with N·H(X|Pa) from the entropy's own definition."""
    n, total = len(arities), len(rows)
    entropy = 0.0
    for cells in counts(rows, child, parents).values():
        for count in cells.values():
            entropy -= count / total * math.log(count / cells.total())
    length = math.log(n) + math.log(math.comb(n, len(parents)))
    length += parameters(arities, child, parents) * math.log(total) / 2
    return -(length + total * entropy)


def changed_mechanism(score, rows, marks, arities, child, parents, ess=1.0):
    """Score a family on the rows in which the child was free, and, apart from them, on those in which it was not."""
    samples = [[row for row, marked in zip(rows, marks, strict=True) if marked[child] == given] for given in (0, 1)]
    scores = [ORACLES[score](sample, arities, child, parents, ess) for sample in samples if sample]
    # The code length of the structure counts once.
    n = len(arities)
    twice = score == "mdl" and len(scores) == 2
    return sum(scores) + twice * (math.log(n) + math.log(math.comb(n, len(parents))))


ORACLES = {"bdeu": bdeu, "k2": k2, "loglik": loglik, "bic": bic, "aic": aic, "mdl": mdl}


def from_joint(counts, child, parents, price, dps=50):
    """The penalised log-likelihood of a family of binary variables, from the counts of all joint states."""
    with mpmath.workdps(dps):
        cells: Counter[tuple[int, ...]] = Counter()
        states: Counter[tuple[int, ...]] = Counter()
        for state, count in enumerate(counts):
            above = tuple(state >> parent & 1 for parent in parents)
            cells[*above, state >> child & 1] += mpmath.mpf(float(count))
            states[above] += mpmath.mpf(float(count))
        fit = sum(count * mpmath.log(count / states[cell[:-1]]) for cell, count in cells.items() if count > 0)
        return fit - price * 2 ** len(parents)
