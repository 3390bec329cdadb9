"""Fitting the probabilities of a network to data, the structure given.

With N_jk rows in which the parents are in state j and the child has level k, and a Dirichlet prior of α_jk, the
expected probability is

    (N_jk + α_jk) / Σ_k (N_jk + α_jk).

``bdeu`` takes α_jk = ess / (q r) for q parent states and r levels [heckerman1995]_, ``k2`` takes 1 [cooper1992]_, and
``none`` takes 0, which is maximum likelihood. Where neither rows nor the prior say anything, levels are equally
probable. Rows in which the child was set do not count: they say nothing about it given its parents [cooper1999]_.

Notation: j is a *state* of the parents, k a *level* of the child; the cost is one pass over the distinct rows for each
variable, and the size of its table.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import NDArray

from dagscape.checks import is_between
from dagscape.errors import InvalidOption
from dagscape.graphs.families import MAX_PARENTS, check_room, matching_columns, parent_states
from dagscape.graphs.masks import bits

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagscape.data.dataset import Dataset
    from dagscape.graphs.dag import Dag

FitPrior = Literal["bdeu", "k2", "none"]

# The Dirichlet prior of every cell, from ess and the number of cells in the table.
FIT_PRIORS: dict[FitPrior, Callable[[float, int], float]] = {
    "bdeu": lambda ess, cells: ess / cells,
    "k2": lambda ess, cells: 1.0,
    "none": lambda ess, cells: 0.0,
}


def fit_cpts(dag: Dag, data: Dataset, ess: float, prior: FitPrior) -> dict[str, NDArray[np.float64]]:
    """Return the fitted tables; the work of :meth:`dagscape.graphs.network.Network.fit`.

    Examples
    --------
    >>> from dagscape.data.dataset import Dataset
    >>> from dagscape.graphs.dag import Dag
    >>> data = Dataset.from_array([[0, 0], [1, 1], [1, 1], [1, 0]], ["rain", "wet"])
    >>> dag = Dag.from_edges(["rain", "wet"], [("rain", "wet")])
    >>> fit_cpts(dag, data, 1.0, "k2")["rain"].round(2).tolist()
    [0.33, 0.67]
    """
    if prior not in FIT_PRIORS:
        raise InvalidOption(f"prior is {prior!r}; it must be {', '.join(map(repr, FIT_PRIORS))}")
    if not is_between(ess, 1e-9, 1e9):
        raise InvalidOption(f"ess is {ess!r}; it must be a number between 1e-9 and 1e9")
    ess = float(ess)
    columns = matching_columns(dag.variables, data)
    arities = [len(data.levels[name]) for name in dag.variables]
    _check_sizes(dag, arities)
    codes = data.codes[:, columns]
    cpts = {}
    for variable, name in enumerate(dag.variables):
        parents = list(bits(dag.parent_masks[variable]))
        shape = (*(arities[parent] for parent in parents), arities[variable])
        cells = parent_states(codes, [*parents, variable], arities)
        weights = data.weights
        if data.interventions is not None:
            free = ~data.interventions[:, columns[variable]]
            cells, weights = cells[free], weights[free]
        counts = np.bincount(cells, weights=weights, minlength=math.prod(shape)).astype(np.float64, copy=False)
        cpts[name] = _expected(counts.reshape(shape), FIT_PRIORS[prior](ess, counts.size))
    return cpts


def _check_sizes(dag: Dag, arities: list[int]) -> None:
    cells = 0
    for variable, name in enumerate(dag.variables):
        parents = list(bits(dag.parent_masks[variable]))
        if len(parents) > MAX_PARENTS:
            raise InvalidOption(f"{name!r} has {len(parents)} parents; a table can have {MAX_PARENTS}")
        cells += arities[variable] * math.prod(arities[parent] for parent in parents)
    # Counts and probabilities beside each other, and the network's own copy.
    check_room(24 * cells, f"tables of {cells} probabilities", "take a graph with fewer parents")


def _expected(counts: NDArray[np.float64], pseudocount: float) -> NDArray[np.float64]:
    weights = counts + pseudocount
    totals = weights.sum(axis=-1, keepdims=True)
    uniform = 1 / counts.shape[-1]
    filled = np.divide(weights, totals, out=np.full(counts.shape, uniform), where=totals > 0)
    return cast("NDArray[np.float64]", filled)
