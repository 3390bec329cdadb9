"""Forward sampling: draw every variable given its parents, in topological order.

A level is drawn by inverting the distribution function: given the cumulative probabilities c_0 <= c_1 <= … of a row of
the table and a uniform number u in [0, 1), level j is drawn if c_(j-1) <= u < c_j. A level of probability zero has
c_(j-1) = c_j and is never drawn. The cumulative probabilities are divided by the last one, so that c_j is exactly 1,
which u never reaches, from the last possible level on. All rows are searched at the same time, by bisection: a variable
with r levels costs log2(r) passes over the rows.

Every variable uses one uniform number per row, in topological order, so a seed gives the same data on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.core.constraints import Whole
from dagscape.core.masks import bits
from dagscape.core.randomness import random_generator
from dagscape.core.wording import plural
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.rows import code_type
from dagscape.data.tables.weights import MAX_ROWS
from dagscape.networks.discrete.families import check_available_memory, parent_states

if TYPE_CHECKING:
    from dagscape.networks.discrete.network import Network


ROWS = Whole(1, MAX_ROWS, said=f"an integer between 1 and {MAX_ROWS}")


def sample(network: Network, rows: int, seed: int | np.random.Generator | None) -> Dataset:
    """Draw independent rows from a network; the work of :meth:`dagscape.networks.discrete.network.Network.sample`.

    Examples
    --------
    >>> from dagscape.networks.bundled import load_network
    >>> sample(load_network("asia"), 1000, seed=1).m
    1000
    """
    ROWS.check(rows, "rows")
    count = int(rows)
    arities = [len(network.levels[name]) for name in network.variables]
    code_size = np.dtype(code_type(arities)).itemsize
    # The codes, their copy when equal rows are merged, and a few temporary words per row.
    check_available_memory(count * (3 * network.n * code_size + 128), plural(count, "row"), "draw fewer rows")
    generator = random_generator(seed)
    codes = np.empty((count, network.n), dtype=code_type(arities), order="F")
    for variable in network.dag.order_numbers():
        states = parent_states(codes, list(bits(network.dag.parent_masks[variable])), arities)
        table = thresholds(network.cpts[network.variables[variable]])
        codes[:, variable] = draw_levels(table, states, generator.random(count))
    return Dataset.from_codes(codes, network.levels, types=network.types)


def thresholds(cpt: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cumulative probabilities below every level but the first, padded to a width of 2**k - 1.

    Examples
    --------
    >>> thresholds(np.array([[0.25, 0.0, 0.75], [0.0, 1.0, 0.0]])).tolist()
    [[0.25, 0.25, inf], [0.0, 1.0, inf]]
    """
    arity = cpt.shape[-1]
    cumulative = np.cumsum(cpt.reshape(-1, arity), axis=1)
    cumulative /= cumulative[:, -1:]
    width = 2 ** (arity - 1).bit_length() - 1
    padded = np.full((cumulative.shape[0], width), np.inf)
    padded[:, : arity - 1] = cumulative[:, :-1]
    return padded


def draw_levels(
    table: NDArray[np.float64], states: NDArray[np.int64], uniforms: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the level of each row: the number of thresholds of its state that do not exceed its uniform number.

    Examples
    --------
    >>> table = thresholds(np.array([[0.25, 0.0, 0.75]]))
    >>> draw_levels(table, np.zeros(3, dtype=np.int64), np.array([0.0, 0.25, 0.99])).tolist()
    [0, 2, 2]
    """
    width = table.shape[1]
    flat = table.ravel()
    start = states * width - 1
    levels = np.zeros(states.size, dtype=np.int64)
    step = (width + 1) // 2
    while step:
        levels += step * (uniforms >= flat[start + levels + step])
        step //= 2
    return levels
