"""Networks after an intervention: the variables that were set have their values, and no parents [pearl2009]_."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.evidence import level_code
from dagscape.networks.discrete.mutilation import cut_off
from dagscape.networks.gaussian.queries import measured_value
from dagscape.networks.gaussian.regression import Regression

if TYPE_CHECKING:
    from dagscape.networks.gaussian.base import MeasuredNetwork


class Mutilated(NamedTuple):
    """What a network consists of after an intervention."""

    dag: Dag
    cpts: dict[str, NDArray[np.float64]]
    regressions: dict[str, Regression]


def mutilated(network: MeasuredNetwork, values: Mapping[str, Any]) -> Mutilated:
    """Return the structure and the distributions after variables were set.

    Parameters
    ----------
    network : GaussianNetwork or ConditionalGaussianNetwork
        The network.
    values : mapping of str to value
        The value of each variable that is set.
    """
    dag = cut_off(network.dag, values)
    cpts, regressions = dict(network.cpts), dict(network.regressions)
    for name, value in values.items():
        if name in cpts:
            levels = network.levels[name]
            cpts[name] = np.eye(len(levels))[level_code(name, value, levels, option="do")]
        else:
            regressions[name] = Regression(measured_value(name, value, "do"), [], 0.0)
    return Mutilated(dag, cpts, regressions)
