"""Fitting the probabilities of a network to data, given its structure.

With N_jk rows in which the parents are in state j and the child has level k, and a Dirichlet prior of α_jk, the
expected probability is

    (N_jk + α_jk) / Σ_k (N_jk + α_jk).

``bdeu`` takes α_jk = ess / (q r) for q parent states and r levels [heckerman1995]_, ``k2`` takes 1 [cooper1992]_, and
``none`` takes 0, which is maximum likelihood. Without rows and prior, levels are equally probable. Rows in which the
child was set do not count: they tell nothing about it given its parents [cooper1999]_.

Notation: j is a *state* of the parents, k a *level* of the child. The cost for each variable is one pass over the
distinct rows, plus the size of its table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import Number
from dagscape.core.errors import InvalidOption
from dagscape.core.masks import bits
from dagscape.networks.discrete.families import MAX_PARENTS, check_available_memory, matching_columns, parent_states

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.graphs.dag import Dag
    from dagscape.results.score_info import ScoreInfo

FitPrior = Literal["bdeu", "k2", "none"]

_ESS = Number(1e-9, 1e9)

# Counts, counts plus prior, and probabilities exist at the same time while a table is fitted; the network's copy is
# made after the counts are freed.
BYTES_PER_CELL = 24

# The Dirichlet prior of each cell, given ess and the number of cells in the table.
FIT_PRIORS: dict[FitPrior, Callable[[float, int], float]] = {
    "bdeu": lambda ess, cells: ess / cells,
    "k2": lambda ess, cells: 1.0,
    "none": lambda ess, cells: 0.0,
}


def fit_options(info: ScoreInfo | None) -> tuple[float, FitPrior]:
    """Return the equivalent sample size and the prior that match the scores of a network."""
    if info is None:
        return 1.0, "bdeu"
    return info.ess or 1.0, "k2" if info.score == "k2" else "bdeu"


def check_pseudocounts(prior: str, ess: float) -> None:
    """Refuse a prior that there is not, and an equivalent sample size that is no such number."""
    check_choice(prior, FIT_PRIORS, "prior")
    _ESS.check(ess, "ess")


@dataclass(frozen=True, slots=True, eq=False)
class FamilyFitter:
    """Data prepared for fitting families; variables are indices, and sets of parents are bit masks.

    Attributes
    ----------
    arities : list of int
        The number of levels of every variable.
    codes : ndarray of int
        Distinct rows × variables.
    weights : ndarray of int64
        How many times each row occurs.
    free : ndarray of bool or None
        Rows × variables: whether the variable was observed, not set; None if there are no interventions.
    pseudocount : callable
        The prior of each cell, given the number of cells.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> data = Dataset.from_array([[0, 0], [1, 1], [1, 1], [1, 0]], ["rain", "wet"])
    >>> fitter = FamilyFitter.of(["rain", "wet"], data, 1.0, "k2")
    >>> fitter.fit(1, 0b01).round(2).tolist()
    [[0.67, 0.33], [0.4, 0.6]]
    """

    arities: list[int]
    codes: NDArray[Any]
    weights: NDArray[np.int64]
    free: NDArray[np.bool_] | None
    pseudocount: Callable[[int], float]

    @classmethod
    def of(cls, variables: Sequence[str], data: Dataset, ess: float, prior: FitPrior) -> Self:
        """Prepare data, which must have these variables, in any order."""
        columns = matching_columns(variables, data)
        arities = [len(data.levels[name]) for name in variables]
        free = None if data.interventions is None else ~data.interventions[:, columns]
        return cls.of_codes(arities, data.codes[:, columns], data.weights, free, ess, prior)

    @classmethod
    def of_codes(
        cls,
        arities: Sequence[int],
        codes: NDArray[Any],
        weights: NDArray[np.int64],
        free: NDArray[np.bool_] | None,
        ess: float,
        prior: FitPrior,
    ) -> Self:
        """Prepare codes, rows × variables; the arguments are the attributes, and those of :func:`fit_cpts`."""
        check_pseudocounts(prior, ess)
        # Families are read column by column.
        columns = np.asfortranarray(codes)
        return cls(list(arities), columns, weights, free, partial(FIT_PRIORS[prior], float(ess)))

    def shape(self, child: int, parents: int) -> tuple[int, ...]:
        """Return the shape of a family's table: one axis for each parent, then one for the child."""
        return (*(self.arities[parent] for parent in bits(parents)), self.arities[child])

    def fit(self, child: int, parents: int) -> NDArray[np.float64]:
        """Return the fitted table of a family.

        Rows in which the variable was set are left out. If it was set in all of them, and has no parents, the table
        says how often the experimenters chose each level.
        """
        counts = self.counts(child, parents)
        return expected_table(counts, self.pseudocount(counts.size))

    def counts(self, child: int, parents: int) -> NDArray[np.float64]:
        """Return the number of rows in each cell of a family's table; see :meth:`fit`."""
        shape = self.shape(child, parents)
        cells = parent_states(self.codes, [*bits(parents), child], self.arities)
        weights = self.weights
        if self.free is not None and (self.free[:, child].any() or parents):
            cells, weights = cells[self.free[:, child]], weights[self.free[:, child]]
        counts = np.bincount(cells, weights=weights, minlength=math.prod(shape)).astype(np.float64, copy=False)
        return counts.reshape(shape)


def fit_cpts(dag: Dag, data: Dataset, ess: float, prior: FitPrior) -> dict[str, NDArray[np.float64]]:
    """Return the fitted tables; the work of :meth:`dagscape.networks.discrete.network.Network.fit`."""
    fitter = FamilyFitter.of(dag.variables, data, ess, prior)
    check_sizes(dag, fitter)
    families = zip(dag.variables, dag.parent_masks, strict=True)
    return {name: fitter.fit(variable, parents) for variable, (name, parents) in enumerate(families)}


def check_sizes(dag: Dag, fitter: FamilyFitter) -> None:
    """Refuse tables that do not fit in memory, or have too many axes."""
    cells = 0
    for variable, name in enumerate(dag.variables):
        parents = dag.parent_masks[variable]
        if parents.bit_count() > MAX_PARENTS:
            raise InvalidOption(f"{name!r} has {parents.bit_count()} parents; the limit is {MAX_PARENTS}")
        cells += math.prod(fitter.shape(variable, parents))
    check_available_memory(BYTES_PER_CELL * cells, f"tables of {cells} probabilities", "use a graph with fewer parents")


def expected_table(counts: NDArray[np.float64], pseudocount: float) -> NDArray[np.float64]:
    """Return the expected probabilities given counts, which may be fractions.

    >>> expected_table(np.array([[3.0, 1.0], [0.0, 0.0]]), 0.0).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    weights = counts + pseudocount
    totals = weights.sum(axis=-1, keepdims=True)
    uniform = 1 / counts.shape[-1]
    filled = np.divide(weights, totals, out=np.full(counts.shape, uniform), where=totals > 0)
    return cast("NDArray[np.float64]", filled)
