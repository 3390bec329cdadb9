r"""Logarithms of tail probabilities, of numbers however small: p-values of strong dependence underflow.

.. math:: \ln P(|Z| ≥ z) = \ln 2 + \ln Φ(-z), \qquad
          \ln P(χ^2_d ≥ x) = \ln Q(d/2, x/2)

Where the regularised incomplete gamma function *Q(a, t)* itself would underflow, *t* is far larger than *a*, and
Legendre's continued fraction converges at once:

.. math:: Q(a, t) = \frac{e^{-t} t^a}{Γ(a)} \cdot
          \cfrac{1}{t + 1 - a - \cfrac{1 (1 - a)}{t + 3 - a - \cfrac{2 (2 - a)}{t + 5 - a - \cdots}}}
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Below this, probabilities lose digits.
_LEAST = 1e-290

# Terms of the continued fraction, far more than are needed where it is used.
_TERMS = 60


def log_normal_tails(values: Floats) -> Floats:
    """Return the log of the probability that a standard normal number is at least so far from 0, for values from 0.

    >>> np.exp(log_normal_tails(np.array([0.0, 1.959963984540054]))).round(12).tolist()
    [1.0, 0.05]
    """
    from scipy.special import log_ndtr

    found: Floats = math.log(2) + log_ndtr(-values)
    return found


def log_chi_square_tails(statistics: Floats, freedom: Floats) -> Floats:
    """Return the log of the probability that a χ² number with so many degrees of freedom, at least 1, is as large.

    >>> np.exp(log_chi_square_tails(np.array([3.841458820694124, -1.0]), np.array([1.0, 2.0]))).round(12).tolist()
    [0.05, 1.0]
    >>> log_chi_square_tails(np.array([5000.0]), np.array([2.0])).tolist()
    [-2500.0]
    """
    from scipy.special import gammaincc, gammaln

    t, a = np.maximum(statistics, 0.0) / 2, freedom / 2
    probabilities: Floats = gammaincc(a, t)
    small = probabilities < _LEAST
    found = np.log(np.where(small, 1.0, probabilities))
    if small.any():
        t, a = t[small], a[small]
        # From the last term to the first.
        rest = np.zeros_like(t)
        for k in range(_TERMS, 0, -1):
            rest = k * (k - a) / (t + (2 * k + 1) - a - rest)
        found[small] = a * np.log(t) - t - gammaln(a) - np.log(t + 1 - a - rest)
    return found
