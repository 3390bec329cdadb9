"""Likely families that have more parent states than there are rows, and the warning about them.

The parents of a variable with r_u levels each have q = Π r_u joint states. If q exceeds the number of rows, most states
were never seen, and those that were were seen about once: nearly any table fits such rows, and the score of the family
says more about the prior of its parameters than about the data. Such families can be very probable all the same.

How many states do the likely parents of v have? The average of ln q over all structures follows from the probabilities
of edges alone, because it is a sum over the parents:

    E[ln q_v | D] = Σ_u P(u → v | D) ln r_u

For a single network the probabilities are 0 and 1, and exp(E[ln q]) is the number of parent states itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.errors import SparseFamilies, argument, function
from dagscape.core.wording import plural
from dagscape.results.score_info import ScoreInfo

_LIKELY = 0.5
_NAMES_SHOWN = 6


def parent_states(edges: ArrayLike, level_counts: Sequence[int]) -> NDArray[np.float64]:
    """Return the number of joint states of the parents of each variable, as a geometric mean over structures.

    Parameters
    ----------
    edges : array of shape (n, n)
        ``[u, v]`` is the probability of u → v; for a single network, 0 or 1.
    level_counts : sequence of int
        The number of levels of each variable.

    Examples
    --------
    >>> parent_states(np.array([[0, 1, 1], [0, 0, 0.5], [0, 0, 0]]), [3, 4, 2]).round(9).tolist()
    [1.0, 3.0, 6.0]
    """
    probabilities = np.asarray(edges, dtype=np.float64)
    logs = probabilities.T @ np.log(np.array(level_counts, dtype=np.float64))
    # A number beyond all doubles is infinite.
    with np.errstate(over="ignore"):
        states: NDArray[np.float64] = np.exp(logs)
    return states


def sparse_families(info: ScoreInfo, variables: Sequence[str], edges: ArrayLike) -> SparseFamilies | None:
    """Return a warning if likely parents have more joint states than there are rows.

    Nothing is known, and nothing said, about scores from files that do not record levels and rows.
    """
    if info.level_counts is None or not info.rows:
        return None
    probabilities = np.asarray(edges, dtype=np.float64)
    states = parent_states(probabilities, info.level_counts)
    # Logs and their exponentials are rounded: as many states as rows are not too many.
    sparse = np.flatnonzero(states > info.rows * (1 + 1e-9))
    if not len(sparse):
        return None
    worst = int(sparse[np.argmax(states[sparse])])
    message = _message(variables, probabilities[:, worst], worst, float(states[worst]), len(sparse), info.rows)
    return SparseFamilies(message)


def _message(
    variables: Sequence[str], probabilities: NDArray[np.float64], child: int, states: float, count: int, rows: int
) -> str:
    likely = [int(u) for u in np.argsort(-probabilities, kind="stable") if probabilities[u] > _LIKELY]
    shown = ", ".join(repr(variables[u]) for u in likely[:_NAMES_SHOWN])
    more = f" and {len(likely) - _NAMES_SHOWN} more" if len(likely) > _NAMES_SHOWN else ""
    named = f" ({shown}{more})" if likely else ""
    number = f"{states:,.0f}" if states < 1e15 else f"10^{math.log10(states):.0f}"
    about = "" if set(probabilities.tolist()) <= {0.0, 1.0} else "about "
    others = "" if count == 1 else f" (also too few for the parents of {plural(count - 1, 'other variable')})"
    seen = "is only 1 row" if rows == 1 else f"are only {rows:,} rows"
    return (
        f"the likely parents of {variables[child]!r}{named} have {about}{number} joint states, but there "
        f"{seen}{others}: "
        "the probabilities of such edges can depend on the settings more than on the data; set a lower "
        f"{argument('max_parents')}, or compare settings with {function('sensitivity')}"
    )
