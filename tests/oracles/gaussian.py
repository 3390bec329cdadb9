"""The Gaussian BIC by its definition: one regression per family."""

from __future__ import annotations

import math

import numpy as np


def gaussian_bic(values: np.ndarray, child: int, parents: list[int]) -> float:
    """The log-likelihood of a regression with intercept, with the unbiased variance, minus ln(m)/2 per parameter."""
    m, p = len(values), len(parents)
    design = np.column_stack([np.ones(m), *(values[:, u] for u in parents)])
    coefficients, *_ = np.linalg.lstsq(design, values[:, child], rcond=None)
    residuals = values[:, child] - design @ coefficients
    variance = float(residuals @ residuals) / (m - p - 1)
    likelihood = -m / 2 * math.log(2 * math.pi * variance) - float(residuals @ residuals) / (2 * variance)
    return likelihood - math.log(m) / 2 * (p + 2)
