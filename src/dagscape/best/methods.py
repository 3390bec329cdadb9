"""The records of the methods of this package."""

from __future__ import annotations

from dagscape.best.k_best import k_best
from dagscape.best.optimal import OptimalNetwork, optimal_network
from dagscape.best.requirements import best_requirements, best_seconds
from dagscape.best.result import BestNetworks
from dagscape.methods import Method

OPTIMAL = Method(
    name="optimal",
    summary="the network with the highest score",
    function=optimal_network,
    result=OptimalNetwork,
    requirements=best_requirements,
    seconds=best_seconds,
    citations=("silander2006",),
)

BEST = Method(
    name="best",
    summary="the k best DAGs or equivalence classes, and averages over them",
    function=k_best,
    result=BestNetworks,
    requirements=best_requirements,
    seconds=best_seconds,
    citations=("chen2014",),
)
