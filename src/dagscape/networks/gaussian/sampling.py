"""Forward sampling: draw every variable given its parents, in topological order.

Levels are drawn as in discrete networks (:mod:`dagscape.networks.discrete.sampling`); a measured variable is its mean
given its parents plus its standard deviation times a standard normal number. Every variable uses one number per row, in
topological order, so that a seed gives the same data on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits
from dagscape.core.randomness import random_generator
from dagscape.core.wording import plural
from dagscape.networks.discrete.families import check_available_memory, parent_states
from dagscape.networks.discrete.sampling import ROWS, draw_levels, thresholds
from dagscape.networks.gaussian.model import Floats, LinearModel

if TYPE_CHECKING:
    from dagscape.networks.gaussian.base import MeasuredNetwork

# The cells, their sorted copy, and a few numbers of each row.
_BYTES_PER_CELL = 24


def sampled_values(network: MeasuredNetwork, rows: int, seed: int | np.random.Generator | None) -> Floats:
    """Return independent rows: numbers of measured variables, and indices of levels of discrete ones.

    Examples
    --------
    >>> from dagscape.graphs.dag import Dag
    >>> from dagscape.networks.gaussian.gaussian import GaussianNetwork
    >>> from dagscape.networks.gaussian.regression import Regression
    >>> sampled_values(GaussianNetwork(Dag.from_edges(["x"]), {"x": Regression(5.0, [], 0.1)}), 3, 1).round(2).tolist()
    [[5.03], [5.08], [5.03]]
    """
    ROWS.check(rows, "rows")
    count = int(rows)
    needed = count * (_BYTES_PER_CELL * network.n + 128)
    check_available_memory(needed, plural(count, "row"), "draw fewer rows")
    generator, model = random_generator(seed), LinearModel.of(network)
    values = np.empty((count, network.n), order="F")
    codes: dict[int, NDArray[np.int64]] = {}
    for variable in model.order:
        if variable not in model.regressions:
            parents = list(bits(model.parents[variable]))
            arities = [model.arities[parent] for parent in parents]
            above = np.stack([codes[parent] for parent in parents], axis=1) if parents else np.empty((count, 0))
            states = parent_states(above, range(len(parents)), arities)
            table = thresholds(model.tables.cpts[variable])
            codes[variable] = draw_levels(table, states, generator.random(count))
            values[:, variable] = codes[variable]
            continue
        terms = model.terms(variable, codes)
        values[:, variable] = terms.intercept + terms.sd * generator.standard_normal(count)
        for place, parent in enumerate(model.measured_parents(variable)):
            values[:, variable] += terms.coefficients[..., place] * values[:, parent]
    return values
