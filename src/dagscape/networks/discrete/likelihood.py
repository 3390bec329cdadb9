"""The likelihood of data given a network: the probability of a row is the product of its entries in the tables."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits
from dagscape.data.reading import read_table
from dagscape.data.tables.frames import is_frame
from dagscape.data.tables.table import Table, listing
from dagscape.data.values import encode_frame
from dagscape.networks.discrete.families import matching_codes, matching_columns, table_entries

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset
    from dagscape.data.values import Frame
    from dagscape.networks.discrete.network import Network


def log_likelihood(network: Network, data: Dataset | Frame) -> float:
    """Return the log-likelihood; the work of :meth:`dagscape.networks.discrete.network.Network.log_likelihood`.

    Examples
    --------
    >>> from dagscape.networks.bundled import load_network
    >>> network = load_network("earthquake")
    >>> log_likelihood(network, network.sample(10, seed=1)) < 0
    True
    """
    if isinstance(data, str | os.PathLike):
        data = read_table(data)
    data = _encoded(network, data) if isinstance(data, Table) or is_frame(data) else data
    columns = matching_columns(network.variables, data)
    codes = matching_codes(network.variables, network.levels, data, columns)
    arities = [len(network.levels[name]) for name in network.variables]
    terms = []
    for variable, name in enumerate(network.variables):
        parents = list(bits(network.dag.parent_masks[variable]))
        entries = table_entries(network.cpts[name], codes, parents, variable, arities)
        weights = data.weights
        if data.interventions is not None:
            # A value that was set tells nothing about the parents: its factor is 1.
            free = ~data.interventions[:, columns[variable]]
            entries, weights = entries[free], weights[free]
        if not entries.all():
            return -math.inf
        # A dot product could round differently for different numbers of threads.
        terms.append(float((weights * np.log(entries)).sum()))
    return math.fsum(terms)


def _encoded(network: Network, frame: Frame | Table) -> Dataset:
    """Return a frame or a table as a data set with the levels of the network; a column of it may well be constant."""
    data, _ = encode_frame(frame, network.levels, network.discretizer, "the data frame")
    if absent := [name for name in network.variables if name not in data.levels]:
        raise InvalidData(f"the data lack variables of the network: {listing(absent)}")
    return data
