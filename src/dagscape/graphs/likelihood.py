"""The likelihood of data given a network: every row's probability is the product of its entries in the tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.data.table import listing
from dagscape.errors import InvalidData
from dagscape.graphs.families import matching_columns, parent_states
from dagscape.graphs.masks import bits

if TYPE_CHECKING:
    from dagscape.data.dataset import Dataset
    from dagscape.graphs.network import Network


def log_likelihood(network: Network, data: Dataset) -> float:
    """Return the log-likelihood; the work of :meth:`dagscape.graphs.network.Network.log_likelihood`.

    Examples
    --------
    >>> from dagscape.graphs.bundled import load_network
    >>> network = load_network("earthquake")
    >>> log_likelihood(network, network.sample(10, seed=1)) < 0
    True
    """
    columns = matching_columns(network.variables, data)
    codes = np.empty((data.codes.shape[0], network.n), dtype=np.int64, order="F")
    for variable, column in enumerate(columns):
        name = network.variables[variable]
        lookup = _level_numbers(name, network.levels[name], data.levels[name], data.codes[:, column])
        codes[:, variable] = lookup[data.codes[:, column]]
    arities = [len(network.levels[name]) for name in network.variables]
    terms = []
    for variable, name in enumerate(network.variables):
        states = parent_states(codes, list(bits(network.dag.parent_masks[variable])), arities)
        entries = network.cpts[name].reshape(-1, arities[variable])[states, codes[:, variable]]
        weights = data.weights
        if data.interventions is not None:
            # A value that was set says nothing about the parents: the factor is 1.
            free = ~data.interventions[:, columns[variable]]
            entries, weights = entries[free], weights[free]
        if not entries.all():
            return -math.inf
        # Not a dot product: its rounding may depend on the number of threads.
        terms.append(float((weights * np.log(entries)).sum()))
    return math.fsum(terms)


def _level_numbers(
    name: str, levels: tuple[str, ...], texts: tuple[str, ...], cells: NDArray[Any]
) -> NDArray[np.int64]:
    """Return the network's number of each level of the data; -1 for levels that occur in no row and not in it."""
    number = {level: index for index, level in enumerate(levels)}
    lookup = np.array([number.get(text, -1) for text in texts], dtype=np.int64)
    unknown = [texts[code] for code in np.flatnonzero(np.bincount(cells, minlength=len(texts))) if lookup[code] < 0]
    if unknown:
        raise InvalidData(
            f"the data have levels of {name!r} that the network lacks: {listing(unknown)}; "
            f"the network's are {listing(levels)}"
        )
    return lookup
