"""Predictions of new rows, averaged over networks instead of relying on one [chen2014]_.

For networks G with weights w_G that sum to 1, usually their posterior probabilities, and training data D, a new row x
has the probability

    P(x | D) = Σ_G w_G Π_i P(x_i | x_pa(i), D)

where the parameters have their posterior means (:mod:`dagscape.networks.discrete.fitting`), which makes P(x | G, D)
exact for one row. Each row is predicted separately, without the other new rows. One variable t is predicted from the
rest by

    P(x_t = l | x without x_t, D) = P(x with x_t = l | D) / Σ_l' P(x with x_t = l' | D)

so that networks which explain the rest of the row better have more weight. Under BDeu, equivalent networks give the
same probabilities [heckerman1995]_: one member of a class, with the weight of the class, represents all. A value that
was set has the factor 1 [cooper1999]_.

Networks share families: each family is fitted and evaluated once, as a row of logarithms, and a network is the sum of
its rows. Cost: one pass over the training rows and the new rows for each of F families, then k n m additions; F ≤ k n,
and usually far less. To predict t, m is multiplied by the number of levels of t. Memory: 8 F m bytes, and a little for
the networks, which are processed in chunks.

Notation: k networks, n variables, m distinct new rows; i is a variable and pa(i) its parents in G; l is a *level*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.checks import check_names
from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.core.masks import bits
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.graphs.equivalence import cpdags
from dagscape.graphs.words import Words, checked_graphs, distinct
from dagscape.networks.discrete.families import matching_codes, matching_columns, table_entries
from dagscape.networks.discrete.fitting import BYTES_PER_CELL, FamilyFitter, FitPrior
from dagscape.networks.discrete.queries import check_one_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagscape.data.discrete.dataset import Dataset

# Numbers in a chunk of networks × rows: few enough for the cache, enough to amortise the calls.
_CHUNK = 2**17


def log_predictive(
    variables: Sequence[str],
    parents: Words,
    log_weights: ArrayLike,
    train: Dataset,
    rows: Dataset,
    ess: float = 1.0,
    prior: FitPrior = "bdeu",
    *,
    max_memory: int | str | None = None,
) -> NDArray[np.float64]:
    """Return the log-probability of each new row, given training data, averaged over networks.

    Parameters
    ----------
    variables : sequence of str
        The variables.
    parents : array of uint64, networks × variables × words
        The parents of each variable in each network, as sets: variable *u* is bit *u* mod 64 of word *u* div 64. Up to
        64 variables may have the shape networks × variables.
    log_weights : array-like of float
        The natural logarithm of each network's weight, up to a constant; minus infinity for a weight of zero.
    train : Dataset
        The data to fit the networks to; they define the levels, including unobserved ones.
    rows : Dataset
        The new rows; variables and levels are matched by name, in any order. A value that was set counts as given,
        with the factor 1.
    ess, prior
        As in :meth:`dagscape.networks.discrete.network.Network.fit`.
    max_memory : int or str, optional
        The memory limit, such as ``"8GiB"``. Default: most of the available memory.

    Returns
    -------
    ndarray of float64
        The natural logarithm of each distinct row's probability, in the order of ``rows.codes``, because a data set
        does not keep the order of its source. ``rows.to_frame(expand=False)`` has the same order, so that a column
        added to it can be joined to other tables; ``np.repeat(result, rows.weights)`` has one entry for each row
        of ``rows.to_frame()``; ``(rows.weights * result).sum()`` is the sum over all rows. Minus infinity for an
        impossible row.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> train = Dataset.from_array([[0, 0], [1, 1], [1, 1], [1, 0]], ["rain", "wet"])
    >>> rows = Dataset.from_array([[1, 1], [0, 0], [1, 1]], ["rain", "wet"])
    >>> empty, joined = [0, 0], [0, 0b01]
    >>> found = log_predictive(["rain", "wet"], np.array([empty, joined]), np.log([1, 3]), train, rows)
    >>> found.round(3).tolist()
    [-1.492, -0.856]
    >>> np.repeat(found, rows.weights).round(3).tolist()
    [-1.492, -0.856, -0.856]
    """
    mixture = Mixture.of(variables, parents, log_weights)
    fitter = FamilyFitter.of(variables, train, ess, prior)
    columns = matching_columns(variables, rows)
    _check_memory(mixture, fitter, len(rows.codes), max_memory)
    codes = matching_codes(variables, train.levels, rows, columns)
    chosen = None if rows.interventions is None else rows.interventions[:, columns]
    return mixture.log_probabilities(_log_factors(mixture.families, fitter, codes, chosen))


def predict(
    variables: Sequence[str],
    parents: Words,
    log_weights: ArrayLike,
    train: Dataset,
    rows: Dataset,
    target: str,
    ess: float = 1.0,
    prior: FitPrior = "bdeu",
    *,
    max_memory: int | str | None = None,
) -> NDArray[np.float64]:
    """Return the probability of each level of one variable, given the others in each new row, averaged over networks.

    Parameters
    ----------
    variables, parents, log_weights, train, ess, prior, max_memory
        As in :func:`log_predictive`.
    rows : Dataset
        The new rows, with all variables but the target. If they have the target, it is ignored, and so is whether it
        was set.
    target : str
        The variable to predict.

    Returns
    -------
    ndarray of float64, rows × levels
        The probabilities of the target's levels in the order of ``train.levels[target]``, for each distinct row in the
        order of ``rows.codes``; :func:`log_predictive` explains how to get other orders. They sum to 1; if the rest
        of a row is impossible under every network, all levels are equally probable.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> train = Dataset.from_array([[0, 0], [1, 1], [1, 1], [1, 0]], ["rain", "wet"])
    >>> rows = Dataset.from_array([[1], [0]], ["wet"])
    >>> empty, joined = [0, 0], [0, 0b01]
    >>> predict(["rain", "wet"], np.array([empty, joined]), np.log([1, 3]), train, rows, "rain").round(3).tolist()
    [[0.45, 0.55], [0.15, 0.85]]
    """
    mixture = Mixture.of(variables, parents, log_weights)
    check_one_target(target)
    if target not in variables:
        raise InvalidOption(f"is {target!r}, which is not a variable{did_you_mean(target, variables)}", option="target")
    fitter = FamilyFitter.of(variables, train, ess, prior)
    others = [name for name in variables if name != target]
    columns = matching_columns(others, rows, ignored=[target])
    codes = matching_codes(others, train.levels, rows, columns)
    chosen = None if rows.interventions is None else rows.interventions[:, columns]
    return level_shares(log_joint(mixture, fitter, list(variables).index(target), codes, chosen, max_memory=max_memory))


def log_joint(
    mixture: Mixture,
    fitter: FamilyFitter,
    target: int,
    others: NDArray[np.int64],
    chosen: NDArray[np.bool_] | None,
    *,
    max_memory: int | str | None = None,
) -> NDArray[np.float64]:
    """Return ln P(x with x_t = l | D) for each row and each level l of a target, given the codes of all others."""
    arity = fitter.arities[target]
    _check_memory(mixture, fitter, len(others), max_memory, levels=arity)
    codes = _with_levels(others, target, np.arange(arity))
    marks = None if chosen is None else _with_levels(chosen, target, np.zeros(arity, dtype=np.bool_))
    return mixture.log_probabilities(_log_factors(mixture.families, fitter, codes, marks)).reshape(-1, arity)


def level_shares(joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of levels from the logarithms of their joint probabilities with the rest of each row.

    Examples
    --------
    >>> level_shares(np.log([[0.1, 0.3]])).round(2).tolist(), level_shares(np.full((1, 2), -np.inf)).tolist()
    ([[0.25, 0.75]], [[0.5, 0.5]])
    """
    possible = np.isfinite(joint).any(axis=1)
    found = np.full(joint.shape, 1 / joint.shape[1])
    found[possible] = np.exp(joint[possible] - log_sum(joint[possible], axis=1)[:, np.newaxis])
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Networks with weights that sum to 1, as lists of families.

    Attributes
    ----------
    families : list of (int, int)
        The distinct families, each a child and the set of its parents.
    places : array of int, networks × variables
        The families that each network is made of, as indices into the list.
    log_weights : array of float64
        The logarithms of the weights; the weights sum to 1.
    """

    families: list[tuple[int, int]]
    places: NDArray[np.intp]
    log_weights: NDArray[np.float64]

    @classmethod
    def of(cls, variables: Sequence[str], parents: Words, log_weights: ArrayLike) -> Self:
        """Check networks and weights, as :func:`log_predictive` takes them, and collect the families."""
        check_names(variables)
        shape = np.shape(parents)
        if len(shape) not in (2, 3) or shape[0] == 0 or shape[1] != len(variables):
            raise InvalidData(
                f"parents has the shape {shape}; it must be networks × {len(variables)} variables, "
                "with at least one network"
            )
        graphs = checked_graphs(parents)
        # Refuse cycles, because the products of their factors would not sum to 1.
        cpdags(graphs)
        weights = _checked_weights(log_weights, len(graphs))
        graphs, weights = graphs[weights > -np.inf], weights[weights > -np.inf]
        families: list[tuple[int, int]] = []
        places = np.empty(graphs.shape[:2], dtype=np.intp)
        for child in range(graphs.shape[1]):
            masks, inverse = distinct(graphs[:, child])
            places[:, child] = inverse + len(families)
            families += [(child, mask) for mask in masks]
        return cls(families, places, weights - log_sum(weights, axis=0))

    def log_probabilities(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logarithms of the averaged probabilities of rows, from those of the families (families × rows)."""
        total = np.full(factors.shape[1], -np.inf)
        size = _chunk_size(factors.shape[1])
        for start in range(0, len(self.places), size):
            chunk = slice(start, start + size)
            products = np.repeat(self.log_weights[chunk, np.newaxis], factors.shape[1], axis=1)
            for places in self.places[chunk].T:
                products += factors[places]
            total = np.logaddexp(total, log_sum(products, axis=0))
        return total


def _checked_weights(log_weights: ArrayLike, count: int) -> NDArray[np.float64]:
    weights = np.asarray(log_weights)
    if weights.shape != (count,) or weights.dtype.kind not in "iuf":
        raise InvalidData(f"log_weights must be {count} numbers, one for each network")
    weights = weights.astype(np.float64)
    if not (weights < np.inf).all():
        raise InvalidData("log_weights has NaN or infinity among its numbers; a weight must be finite")
    if not (weights > -np.inf).any():
        raise InvalidData("log_weights is minus infinity for every network: at least one must have a weight")
    return weights


def _check_memory(
    mixture: Mixture, fitter: FamilyFitter, rows: int, max_memory: int | str | None, *, levels: int = 1
) -> None:
    """Refuse tables, or factors of rows with each level, that would need too much memory."""
    cells = max(math.prod(fitter.shape(child, parents)) for child, parents in mixture.families)
    table = BYTES_PER_CELL * cells
    check_memory(table, max_memory, f"tables of {cells} probabilities", "use networks with fewer parents")
    count, n = mixture.places.shape
    # For each row: its factors, up to three copies of its codes, and a few words for its state and its sum. For each
    # row and network of a chunk: the product, its factors, and temporaries of its sum. For each training row: its
    # state, and its weight in two types.
    filled = rows * levels
    words = filled * (len(mixture.families) + 3 * n + 4 + 4 * min(count, _chunk_size(filled)))
    needed = table + 8 * (words + count * n + 4 * len(fitter.codes))
    what = f"the factors of {plural(len(mixture.families), 'family', 'families')} in {plural(rows, 'row')}"
    if levels > 1:
        what += f" with each of {plural(levels, 'level')}"
    check_memory(needed, max_memory, what, "raise the limit, or give fewer rows or networks at a time")


def _chunk_size(rows: int) -> int:
    """Return the number of networks in a chunk."""
    return max(1, _CHUNK // rows)


def _log_factors(
    families: Sequence[tuple[int, int]],
    fitter: FamilyFitter,
    codes: NDArray[np.int64],
    chosen: NDArray[np.bool_] | None,
) -> NDArray[np.float64]:
    """Return ln P(x_i | x_pa(i), D) for every family and every row; 0 where the child was set."""
    factors = np.empty((len(families), len(codes)))
    for row, (child, parents) in zip(factors, families, strict=True):
        row[:] = table_entries(fitter.fit(child, parents), codes, list(bits(parents)), child, fitter.arities)
        if chosen is not None:
            row[chosen[:, child]] = 1
    with np.errstate(divide="ignore"):
        return np.log(factors, out=factors)


def _with_levels(others: NDArray[Any], column: int, values: NDArray[Any]) -> NDArray[Any]:
    """Return every row once with each of some values in a new column."""
    rows, n = len(others) * len(values), others.shape[1] + 1
    # Families are read column by column.
    table = np.empty((rows, n), dtype=others.dtype, order="F")
    table[:, np.arange(n) != column] = np.repeat(others, len(values), axis=0)
    table[:, column] = np.tile(values, len(others))
    return table


def log_sum(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return ln Σ exp along an axis, without overflow; minus infinity if all values are."""
    top = values.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        sums: NDArray[np.float64] = np.log(np.exp(values - top).sum(axis=axis))
    return sums + top.squeeze(axis)
