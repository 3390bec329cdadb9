r"""The joint distribution of a Gaussian network.

With :math:`x_v = a_v + \sum_u b_{vu} x_u + s_v z_v` and independent standard normal errors *z*, parents first, the
means follow from those of the parents, and :math:`x = μ + A z`, where the row of *A* of a variable is the sum of the
rows of its parents times the coefficients, plus its own standard deviation. The covariance matrix is :math:`A A^T`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.networks.gaussian.model import LinearModel

if TYPE_CHECKING:
    from dagscape.networks.gaussian.gaussian import GaussianNetwork

Floats = NDArray[np.float64]


def means_of(network: GaussianNetwork) -> Floats:
    """Return the mean of each variable."""
    model = LinearModel.of(network)
    means = np.zeros(network.n)
    for v in model.order:
        terms = model.terms(v, {})
        means[v] = terms.intercept + terms.coefficients @ means[model.measured_parents(v)]
    return means


def covariance_of(network: GaussianNetwork) -> Floats:
    """Return the covariance matrix."""
    model = LinearModel.of(network)
    root = np.zeros((network.n, network.n))
    for v in model.order:
        terms = model.terms(v, {})
        root[v] = terms.coefficients @ root[model.measured_parents(v)]
        root[v, v] += terms.sd
    return np.asarray(root @ root.T)
