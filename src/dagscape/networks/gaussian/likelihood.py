"""The likelihood of data given a network: of each row, the product of the probabilities and densities of its cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.core.masks import bits
from dagscape.networks.discrete.families import table_entries
from dagscape.networks.gaussian.model import Floats, Integers, LinearModel
from dagscape.networks.gaussian.rows import rows_to_judge

if TYPE_CHECKING:
    from dagscape.networks.gaussian.base import MeasuredNetwork

_LOG_ROOT = 0.5 * math.log(2 * math.pi)


def log_likelihood(network: MeasuredNetwork, data: Any) -> float:
    """Return the log-likelihood; the work of :meth:`dagscape.GaussianNetwork.log_likelihood`.

    A variable with the standard deviation 0 contributes a factor of 1 where it has its value, and else 0.
    """
    rows = rows_to_judge(network.variables, network.levels, data)
    model = LinearModel.of(network)
    codes, terms = rows.codes, []
    for variable in range(network.n):
        free = np.ones(len(codes), dtype=np.bool_) if rows.chosen is None else ~rows.chosen[:, variable]
        logs = family_logs(model, variable, codes[free], rows.values[free])
        if np.isneginf(logs).any():
            return -math.inf
        terms.append(math.fsum(logs.tolist()))
    return math.fsum(terms)


def family_logs(model: LinearModel, variable: int, codes: Integers, values: Floats) -> Floats:
    """Return the logarithm of the probability or density of a variable given its parents, in each row."""
    # Squares of numbers that are far from all that is expected may overflow.
    with np.errstate(divide="ignore", over="ignore"):
        if variable not in model.regressions:
            parents = list(bits(model.parents[variable]))
            entries = table_entries(model.tables.cpts[variable], codes, parents, variable, model.arities)
            return np.asarray(np.log(entries))
        terms = model.terms(variable, {d: codes[:, d] for d in model.discrete_parents(variable)})
        mean = np.broadcast_to(terms.intercept, len(codes))
        for place, parent in enumerate(model.measured_parents(variable)):
            mean = mean + terms.coefficients[..., place] * values[:, parent]
        if not np.all(terms.sd):
            return np.where(values[:, variable] == mean, 0.0, -np.inf)
        error = (values[:, variable] - mean) / terms.sd
        return np.asarray(-0.5 * error * error - np.log(terms.sd) - _LOG_ROOT)
