"""How strongly two discrete variables go together, and in which direction, from their joint distribution.

Of a joint distribution p with p[i, j] = P(u = i, v = j):

- *risk difference*, of two variables with two levels: P(v = 1 | u = 1) - P(v = 1 | u = 0); it differs for (v, u);
- *odds ratio*, of the same: p11 p00 / (p10 p01);
- *Cramér's V*, of any two: √(φ² / (min(r, c) - 1)), where φ² = Σ (p[i, j] - p[i, ·] p[·, j])² / (p[i, ·] p[·, j]) and
  levels without probability do not count. It is between 0 (independent) and 1 (each level of one goes with a level of
  the other). It is not corrected for bias: the distribution is that of a model, not a small sample;
- *Kendall's tau-b*, of two whose levels have an order: the probability that two independent draws are concordant, minus
  that of discordant ones, over √(P(u differs) P(v differs)). Of two variables with two levels it is the correlation φ,
  and its absolute value is Cramér's V.

A variable with two levels always has an order: that of its levels, except that "yes" comes after "no" and the like. Its
sign says what goes with the second one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dagscape.data.discrete.levels import level_of_missing
from dagscape.data.tables.value_types import ValueType, own_values

Table = NDArray[np.float64]

# Of two levels, one of these is the higher one, in any case.
_HIGHER = {"yes", "y", "true", "present", "positive"}

_INTERVAL = re.compile(r"\((-inf|-?[0-9.]+(?:e[+-]?[0-9]+)?),(inf|-?[0-9.]+(?:e[+-]?[0-9]+)?)[])]", re.IGNORECASE)


def risk_difference(joint: Table) -> float | None:
    """Return P(v = 1 | u = 1) - P(v = 1 | u = 0); None if u never has one of its two levels.

    >>> round(risk_difference(np.array([[0.4, 0.1], [0.1, 0.4]])), 4)
    0.6
    """
    low, high = joint.sum(axis=1).tolist()
    if not low or not high:
        return None
    return float(joint[1, 1] / high - joint[0, 1] / low)


def odds_ratio(joint: Table) -> float | None:
    """Return p11 p00 / (p10 p01); None if one of these is 0.

    >>> odds_ratio(np.array([[0.25, 0.25], [0.125, 0.375]])), odds_ratio(np.eye(2) / 2)
    (3.0, None)
    """
    (a, b), (c, d) = joint.tolist()
    found = a * d / (b * c) if b * c else math.inf
    return found if 0 < found < math.inf else None


def cramers_v(joint: Table) -> float:
    """Return Cramér's V; 0 if one of the variables is constant.

    >>> round(cramers_v(np.eye(3) / 3), 6), round(cramers_v(np.full((2, 3), 1 / 6)), 6)
    (1.0, 0.0)
    """
    used = joint[np.ix_(joint.sum(axis=1) > 0, joint.sum(axis=0) > 0)]
    smaller = min(used.shape)
    if smaller < 2:
        return 0.0
    expected = np.outer(used.sum(axis=1), used.sum(axis=0)) / used.sum()
    squared = float(((used - expected) ** 2 / expected).sum() / used.sum())
    return min(1.0, math.sqrt(squared / (smaller - 1)))


def tau_b(joint: Table) -> float | None:
    """Return Kendall's tau-b of levels in ascending order; None if one of the variables is constant.

    >>> round(tau_b(np.eye(3) / 3), 6), tau_b(np.array([[0.0, 0.5], [0.5, 0.0]]))
    (1.0, -1.0)
    """
    total = joint.sum()
    if not total:
        return None
    p = joint / total
    differ = (1 - float((p.sum(axis=1) ** 2).sum())) * (1 - float((p.sum(axis=0) ** 2).sum()))
    if differ <= 0:
        return None
    later = np.zeros((p.shape[0] + 1, p.shape[1] + 1))
    # later[i, j] is the probability of levels from i and from j on.
    later[:-1, :-1] = p[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    below = later[1:, :-1]
    concordant = float((p * later[1:, 1:]).sum())
    # A higher u with a lower v: all of the higher u without those whose v is not lower.
    discordant = float((p * (below[:, :1] - below)).sum())
    return max(-1.0, min(1.0, 2 * (concordant - discordant) / math.sqrt(differ)))


def level_order(levels: Sequence[str], kind: ValueType, *, declared: bool = False) -> tuple[int, ...] | None:
    """Return the codes of the levels of a variable in ascending order, without missing ones; None if they have none.

    Parameters
    ----------
    levels : sequence of str
        The levels.
    kind : str
        Their type, as in :attr:`Dataset.types`: numbers and booleans have an order, and so have intervals.
    declared : bool
        Whether the user says that the levels are in ascending order.

    Examples
    --------
    >>> level_order(["10", "9", "?"], "integer"), level_order(["(-inf,2]", "(2,inf)"], "text")
    ((1, 0), (0, 1))
    >>> level_order(["blue", "green", "red"], "text"), level_order(["Yes", "No"], "text")
    (None, (1, 0))
    >>> level_order(["present", "removed"], "text")
    (1, 0)
    """
    missing = level_of_missing(levels)
    known = [code for code, level in enumerate(levels) if level != missing]
    if not declared and kind not in ("text", "mixed"):
        values = dict(zip(known, own_values([levels[code] for code in known], kind), strict=True))
        if all(isinstance(value, int | float) for value in values.values()):
            return tuple(sorted(known, key=values.__getitem__))
    if not declared and len(known) == 2 and {levels[known[0]].lower()} <= _HIGHER:
        return tuple(sorted(known, key=lambda code: levels[code].lower() in _HIGHER))
    has_order = declared or len(known) == 2 or _are_intervals([levels[code] for code in known])
    return tuple(known) if has_order else None


def _are_intervals(levels: Sequence[str]) -> bool:
    """Whether levels are adjacent intervals in ascending order, as discretising makes them."""
    found = [_INTERVAL.fullmatch(level) for level in levels]
    ends = [(match[1], match[2]) for match in found if match]
    return len(ends) == len(levels) > 1 and all(high == low for (_, high), (low, _) in pairwise(ends))
