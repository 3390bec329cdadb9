"""Small random problems for learners: data, a score and constraints."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import dagscape as ds
from scores.strategies import DISCRETE_SCORES

ALL_SCORES = tuple(DISCRETE_SCORES)


@st.composite
def problems(draw, max_variables=6, scores=ALL_SCORES):
    """Draw data, and options of scoring with constraints that some network meets."""
    n = draw(st.integers(1, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    data = random_data(n, rng)
    order = [data.variables[i] for i in rng.permutation(n)]
    forwards = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    backwards = [(b, a) for a, b in forwards]
    max_parents = draw(st.one_of(st.none(), st.integers(1, n)))
    required = _some(forwards, 0.1, rng)
    if max_parents is not None and any(sum(edge[1] == name for edge in required) > max_parents for name in order):
        required = []
    free = [edge for edge in forwards + backwards if edge not in required]
    options = {
        "score": draw(st.sampled_from(sorted(scores))),
        "max_parents": max_parents,
        "required": required,
        "forbidden": _some(free, draw(st.sampled_from([0, 0.2])), rng),
        "tiers": [order[: n // 2], order[n // 2 :]] if draw(st.booleans()) else None,
    }
    return data, options


def random_data(n, rng, rows=60):
    """Return rows of a random network, so that there are dependences to find; the columns are in random order."""
    columns = []
    for _ in range(n):
        column = rng.integers(0, 3, rows)
        for other in rng.permutation(len(columns))[:2]:
            column = np.where(rng.random(rows) < 0.6, columns[other], column)
        columns.append(column)
    names = [f"v{i}" for i in rng.permutation(n)]
    return ds.Dataset.from_array(np.column_stack(columns).astype(str), names, keep_constant=True)


def _some(edges, share, rng):
    return [edge for edge in edges if rng.random() < share]
