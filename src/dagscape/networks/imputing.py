r"""Multiple imputation: several completed copies of a table, for methods that need complete rows [rubin1987]_.

The missing cells of a row are drawn together, from their distribution given what the row shows: exactly, by the same
inference as that of EM. With *fixed* parameters, those of the network, the copies differ by the uncertainty of the
cells alone. *Proper* imputations also differ by that of the parameters: from the network's own, cells given parameters
and parameters given the completed table are drawn in turn [tanner1987]_, and a copy is taken every :data:`CYCLES`
rounds.
Parameters have the prior of fits: Dirichlet for tables, normal and inverse gamma for regressions
(:mod:`dagscape.networks.gaussian.fitting`).

What is estimated from each copy is averaged over them, and its variance is the average of the variances plus
(1 + 1/m) times the variance between the m copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import Whole
from dagscape.core.masks import mask_of
from dagscape.core.randomness import Seed, random_generator
from dagscape.data.discrete.categories import level_categories
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.values import as_mixed
from dagscape.networks.discrete.evidence import observed_rows
from dagscape.networks.discrete.fitting import FIT_PRIORS, FamilyFitter, check_pseudocounts
from dagscape.networks.discrete.incomplete import IncompleteCounter, IncompleteRows
from dagscape.networks.gaussian.incomplete import IncompleteMeasured
from dagscape.networks.gaussian.incomplete_fitting import IncompleteMeasuredFitter
from dagscape.networks.gaussian.model import LinearModel
from dagscape.networks.gaussian.priors import RegressionPrior
from dagscape.networks.gaussian.rows import rows_to_predict

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.networks.discrete.network import Network
    from dagscape.networks.gaussian.base import MeasuredNetwork

ImputedParameters = Literal["posterior", "fixed"]

PARAMETER_CHOICES: tuple[ImputedParameters, ...] = ("posterior", "fixed")

COPIES = Whole(1)

# The rounds between copies whose parameters are drawn, and before the first.
CYCLES = 10

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def impute_levels(
    network: Network, rows: Any, copies: int, parameters: ImputedParameters, ess: float, seed: Seed
) -> list[pd.DataFrame]:
    """Return completed copies of a discrete table; the work of :meth:`dagscape.Network.impute`."""
    _check(copies, parameters, ess)
    found = observed_rows(network.variables, network.levels, network.discretizer, rows, "")
    codes, chosen, index = found.codes[found.places], found.chosen[found.places], found.index
    if isinstance(rows, Dataset):
        codes, chosen = np.repeat(codes, rows.weights, axis=0), np.repeat(chosen, rows.weights, axis=0)
    marks = chosen if chosen.any() else None
    incomplete = IncompleteRows(codes, np.ones(len(codes), dtype=np.int64), marks)
    arities = [len(network.levels[name]) for name in network.variables]
    counter = IncompleteCounter(network.dag.parent_masks, arities, incomplete)

    def drawn_tables(completed: Integers, rng: np.random.Generator) -> list[Floats]:
        free = None if marks is None else ~marks
        fitter = FamilyFitter.of_codes(arities, completed, incomplete.weights, free, ess, "bdeu")
        counts = [fitter.counts(v, parents) for v, parents in enumerate(network.dag.parent_masks)]
        return [_dirichlet(count + FIT_PRIORS["bdeu"](ess, count.size), rng) for count in counts]

    own = [network.cpts[name] for name in network.variables]
    drawn = _copies(own, counter.draw, drawn_tables, copies, parameters, random_generator(seed))
    return [_frame(network, cells, rows, index) for cells in drawn]


def impute_measured(
    network: MeasuredNetwork, rows: Any, copies: int, parameters: ImputedParameters, ess: float, seed: Seed
) -> list[pd.DataFrame]:
    """Return completed copies of a table with measured columns; the work of :meth:`dagscape.GaussianNetwork.impute`."""
    _check(copies, parameters, ess)
    own_rows = as_mixed(rows) if isinstance(rows, Dataset) else rows
    found = rows_to_predict(network.variables, network.levels, own_rows, "")
    rng = random_generator(seed)
    if parameters == "fixed":
        measured = mask_of(network.dag.number(name) for name in network.regressions)
        model = LinearModel.of(network)
        parents = network.dag.parent_masks
        expectation = IncompleteMeasured(parents, model.arities, measured, found, network.variables)
        return [_frame(network, expectation.draw(model, rng), rows, found.index) for _ in range(copies)]
    fitter = IncompleteMeasuredFitter(network.dag, found, network.levels, "posterior-mean", ess, RegressionPrior())
    drawn = _copies(fitter.standardised(network), fitter.expectation.draw, fitter.drawn, copies, parameters, rng)
    return [_frame(network, cells * fitter.sds + fitter.means, rows, found.index) for cells in drawn]


def _check(copies: int, parameters: str, ess: float) -> None:
    COPIES.check(copies, "copies")
    check_choice(parameters, PARAMETER_CHOICES, "parameters")
    check_pseudocounts("bdeu", ess)


def _copies(
    own: Any,
    draw_cells: Callable[[Any, np.random.Generator], Any],
    draw_parameters: Callable[[Any, np.random.Generator], Any],
    copies: int,
    parameters: ImputedParameters,
    rng: np.random.Generator,
) -> Iterator[Any]:
    """Iterate over completed tables."""
    for _ in range(copies):
        for _ in range(CYCLES if parameters == "posterior" else 0):
            own = draw_parameters(draw_cells(own, rng), rng)
        yield draw_cells(own, rng)


def _dirichlet(weights: Floats, rng: np.random.Generator) -> Floats:
    """Return a draw for each row of a table of weights; a row of tiny weights has one level."""
    gammas = rng.standard_gamma(weights)
    totals = gammas.sum(axis=-1, keepdims=True)
    found = np.divide(gammas, totals, out=np.zeros(weights.shape), where=totals > 0)
    return np.asarray(np.where(totals > 0, found, np.eye(weights.shape[-1])[0]))


def _frame(network: Network | MeasuredNetwork, cells: NDArray[Any], rows: Any, index: Any) -> pd.DataFrame:
    """Return completed cells as a frame, with the other columns of a pandas frame as they are."""
    import pandas as pd

    columns: dict[Any, Any] = {}
    for place, name in enumerate(network.variables):
        if name in network.levels:
            categories = level_categories(network.levels[name], network.types[name])
            columns[name] = pd.Categorical.from_codes(cells[:, place].astype(np.int64), categories=categories)
        else:
            columns[name] = cells[:, place]
    found = pd.DataFrame(columns, index=index)
    if not isinstance(rows, pd.DataFrame):
        return found
    others = [name for name in rows.columns if name not in columns]
    whole = pd.concat([found, rows[others]], axis=1)
    return whole[[*(name for name in rows.columns), *(name for name in columns if name not in rows.columns)]]
