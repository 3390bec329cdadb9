"""What a drawing shows of a network with measured variables: standardised coefficients on its edges.

A standardised coefficient is the coefficient times the standard deviation of the parent, divided by that of the child:
by how many of its standard deviations the child changes with one standard deviation of the parent, if the other parents
do not. Where discrete parents decide the coefficient, the smallest and the largest are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dagscape.core.errors import TooLarge
from dagscape.drawing.effects import SignedGraph
from dagscape.networks.gaussian.inference import Question
from dagscape.networks.gaussian.mixtures import mixture_moments
from dagscape.networks.gaussian.model import Floats, LinearModel

if TYPE_CHECKING:
    from dagscape.networks.gaussian.base import MeasuredNetwork

_MEANING = "standardised coefficients: by how many of its standard deviations the child changes with one of the parent"
_STATES = "; two numbers: the least and the most over the states of discrete parents"
_MINUS = "\N{MINUS SIGN}"


def signed_graph(network: MeasuredNetwork) -> SignedGraph:
    """Return the structure of a network with standardised coefficients on its edges."""
    texts, sizes = {}, {}
    for edge, numbers in standardised(network).items():
        low, high = float(numbers.min()), float(numbers.max())
        shown = _signed(low) if _signed(low) == _signed(high) else f"{_signed(low)} …\n{_signed(high)}"
        texts[frozenset(edge)] = shown
        sizes[frozenset(edge)] = min(1.0, max(abs(low), abs(high)))
    several = _STATES if any("…" in text for text in texts.values()) else ""
    return SignedGraph(network.dag, texts, sizes, f"+ {_MINUS}: {_MEANING}{several}")


def standardised(network: MeasuredNetwork) -> dict[tuple[str, str], Floats]:
    """Return the standardised coefficients of each edge between measured variables, one for each discrete state.

    A network that is too large for its standard deviations has none.
    """
    try:
        sds = {name: marginal_sd(network, name) for name in network.regressions}
    except TooLarge:
        return {}
    found = {}
    for name, regression in network.regressions.items():
        above = [parent for parent in network.dag.parents(name) if parent in network.regressions]
        for place, parent in enumerate(above):
            found[parent, name] = np.asarray(regression.coefficients[..., place] * (sds[parent] / sds[name]))
    return found


def marginal_sd(network: MeasuredNetwork, name: str) -> float:
    """Return the standard deviation of a measured variable when nothing is known."""
    model = LinearModel.of(network)
    constants = model.constants
    number = network.dag.number(name)
    if number in constants:
        return 0.0
    values = np.full((1, network.n), np.nan)
    for variable, value in constants.items():
        values[0, variable] = value
    known = sum(1 << variable for variable in constants)
    found, _ = Question(model, number, known, known).mixture(np.full((1, network.n), -1), values)
    return float(mixture_moments(found.weights, found.means, found.sds)[1][0])


def _signed(number: float) -> str:
    return f"{number:+.2f}".replace("-", _MINUS)
