"""The parameters of regressions as a data frame, with what fitting says of their accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.networks.gaussian.base import MeasuredNetwork
    from dagscape.networks.gaussian.regression import Regression

INTERCEPT, SD = "(intercept)", "(sd)"

_COLUMNS = ["variable", "state", "term", "estimate", "standard_error", "t", "p"]


def coefficient_frame(network: MeasuredNetwork) -> pd.DataFrame:
    """Return the parameters of all regressions; the work of :meth:`dagscape.GaussianNetwork.coefficients`."""
    import pandas as pd
    from scipy.special import stdtr

    frame = pd.DataFrame(list(_records(network)), columns=[*_COLUMNS[:5], "freedom"])
    frame = frame.astype({"estimate": float, "standard_error": float, "freedom": float})
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["t"] = frame["estimate"] / frame["standard_error"]
    frame["p"] = 2 * stdtr(frame["freedom"], -frame["t"].abs())
    return frame[_COLUMNS]


def _records(network: MeasuredNetwork) -> Iterator[tuple[Any, ...]]:
    for name, regression in network.regressions.items():
        parents = network.dag.parents(name)
        discrete = [parent for parent in parents if parent in network.levels]
        terms = [INTERCEPT, *(parent for parent in parents if parent not in network.levels)]
        for state in product(*(range(len(network.levels[parent])) for parent in discrete)):
            levels = (
                f"{parent} = {network.levels[parent][code]}" for parent, code in zip(discrete, state, strict=True)
            )
            words = ", ".join(levels)
            yield from ((name, words, *row) for row in _rows(regression, state, terms))


def _rows(regression: Regression, state: tuple[int, ...], terms: list[str]) -> Iterator[tuple[Any, ...]]:
    estimates = [float(regression.intercept[state]), *regression.coefficients[state].tolist()]
    known = regression.standard_errors is not None and regression.freedom is not None
    errors = regression.standard_errors[state].tolist() if known else [np.nan] * len(estimates)
    freedom = float(regression.freedom[state]) if known else np.nan
    for term, estimate, error in zip(terms, estimates, errors, strict=True):
        yield term, estimate, error, freedom
    yield SD, float(regression.sd[state]), np.nan, np.nan
