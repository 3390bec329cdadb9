"""The records of the methods of this package."""

from __future__ import annotations

from dagscape.best.k_best import k_best
from dagscape.best.optimal import OptimalNetwork, optimal_network
from dagscape.best.requirements import list_requirements, list_seconds, optimal_requirements, optimal_seconds
from dagscape.best.result import BestNetworks
from dagscape.methods import Method

OPTIMAL = Method(
    "optimal", optimal_network, OptimalNetwork, optimal_requirements, optimal_seconds, citations=("silander2006",)
)

BEST = Method("best", k_best, BestNetworks, list_requirements, list_seconds, citations=("chen2014",))
