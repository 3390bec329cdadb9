"""Predictions of rows in which some variables are not observed, averaged over networks.

For networks G with weights w_G, the observed part o of a row and a target t,

    P(x_t = l | o, D) = Σ_G w_G P_G(x_t = l, o) / Σ_l' Σ_G w_G P_G(x_t = l', o),

as for complete rows (:mod:`dagscape.ensembles.mixtures`): networks that explain what is observed better have more
weight. Each P_G is exact, by variable elimination (:mod:`dagscape.networks.discrete.elimination`). Networks that agree
in the families of the target, the observed variables and their ancestors give the same probabilities, and are computed
once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dagscape.core.resources import check_memory
from dagscape.ensembles.mixtures import Mixture, log_sum
from dagscape.networks.discrete.elimination import Tables
from dagscape.networks.discrete.evidence import ObservedRows
from dagscape.networks.discrete.fitting import FamilyFitter


def log_joint(
    mixture: Mixture,
    fitter: FamilyFitter,
    target: int,
    observed: ObservedRows,
    max_memory: int | str | None = None,
) -> NDArray[np.float64]:
    """Return ln Σ_G w_G P_G(x_t = l, o) for each distinct row and each level l of the target."""
    tables = _fitted(mixture, fitter, max_memory)
    found = np.full((len(observed.codes), fitter.arities[target]), -np.inf)
    weighted = [
        (places, Tables([mixture.families[place][1] for place in places], [tables[place] for place in places]), weight)
        for places, weight in zip(mixture.places.tolist(), mixture.log_weights.tolist(), strict=True)
    ]
    for variables, chosen, rows in observed.patterns():
        codes = observed.codes[rows][:, variables]
        # Networks by the families that matter here, with their weights.
        alike: dict[tuple[int, ...], tuple[Tables, list[float]]] = {}
        for places, network, weight in weighted:
            families = network.relevant_families([target], variables, chosen)
            alike.setdefault(tuple(places[v] for v in families), (network, []))[1].append(weight)
        for network, weights in alike.values():
            joint = network.joint([target], variables, codes, chosen, max_memory=max_memory).log_values()
            found[rows] = np.logaddexp(found[rows], joint + float(log_sum(np.array(weights), axis=0)))
    return found


def _fitted(mixture: Mixture, fitter: FamilyFitter, max_memory: int | str | None) -> list[NDArray[np.float64]]:
    """Return the fitted table of each family."""
    cells = sum(math.prod(fitter.shape(child, parents)) for child, parents in mixture.families)
    what = f"the tables of {len(mixture.families)} families"
    check_memory(8 * cells, max_memory, what, "raise the limit, or use fewer networks")
    return [fitter.fit(child, parents) for child, parents in mixture.families]
