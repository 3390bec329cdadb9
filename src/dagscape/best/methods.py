"""The records of the methods of this package."""

from __future__ import annotations

from dagscape.best.k_best import k_best
from dagscape.best.optimal import OptimalNetwork, optimal_network
from dagscape.best.requirements import best_requirements, best_seconds
from dagscape.best.result import BestNetworks
from dagscape.methods import Method

OPTIMAL = Method(
    "optimal", optimal_network, OptimalNetwork, best_requirements, best_seconds, citations=("silander2006",)
)

BEST = Method("best", k_best, BestNetworks, best_requirements, best_seconds, citations=("chen2014",))
