"""The size and the sign of edges: how strongly joined variables go together.

An edge says that two variables depend on each other, not how much, nor in which direction. Both follow from their joint
distribution under the network, with all other variables summed out: exact inference gives P(u, v) for each edge. Over
several networks G with weights w, such as the k best or a sample of the posterior, it is

    P(u, v) = Σ_G w(G) P(u, v | G, θ_G),

where θ_G are the expected probabilities given the data, under the prior of the scores. A posterior without a list of
networks has its consensus. Measures are computed from this one table for each edge
(:mod:`dagscape.networks.discrete.association`), so that they agree with each other.

These are associations: they include what third variables contribute, and say nothing of what an intervention would do.

Cost: one elimination for each edge and each different network.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import A_PROBABILITY, COUNT, OrNone
from dagscape.core.errors import InvalidOption, did_you_mean, type_of
from dagscape.core.masks import bits
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.values import as_dataset
from dagscape.ensembles.averaged_networks import AveragedNetworks
from dagscape.ensembles.one_network import OneNetwork
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.moves import EditableDag
from dagscape.networks.discrete.association import (
    Table,
    cramers_v,
    level_order,
    odds_ratio,
    risk_difference,
    tau_b,
)
from dagscape.networks.discrete.fitting import fit_options
from dagscape.networks.discrete.network import Network
from dagscape.networks.discrete.queries import network_tables
from dagscape.posterior.result import Posterior
from dagscape.results.base import Result, provenance_of
from dagscape.results.score_info import ScoreInfo
from dagscape.studies.bootstrap_result import Bootstrap
from dagscape.studies.edge_effects_result import JOINTS, EdgeEffect, EdgeEffects

DEFAULT_NETWORKS = 100
DEFAULT_THRESHOLD = 0.5

# Smaller differences from independence are rounding errors.
_NO_SIGN = 1e-12
_SMALLEST = 1e-300


@dataclass(frozen=True, slots=True)
class _Members:
    """The structures to average over with their weights, the probabilities of edges, and the one that is drawn."""

    networks: list[Dag | Network]
    weights: NDArray[np.float64]
    covered: float
    edges: NDArray[np.float64] | None
    info: ScoreInfo | None = None
    drawn: Dag | None = None


@dataclass(frozen=True, slots=True)
class _End:
    """An end of an edge: a variable, its levels, and their codes in ascending order, if they have one."""

    name: str
    levels: tuple[str, ...]
    order: tuple[int, ...] | None

    @property
    def ordered_levels(self) -> tuple[str, ...]:
        """The levels in ascending order."""
        return tuple(self.levels[code] for code in self.order or ())


def edge_effects(
    result: Any,
    data: Any = None,
    *,
    threshold: float | None = None,
    joint: str = "network",
    ordered: Collection[str] = (),
    networks: int = DEFAULT_NETWORKS,
    max_memory: int | str | None = None,
) -> EdgeEffects:
    """Return how strongly joined variables go together, and in which direction.

    Parameters
    ----------
    result : Network, Dag, Cpdag or result
        The edges: those of a graph, or the pairs of variables that are probable enough by a posterior, a bootstrap, a
        list of the best networks or a sample. A posterior has the network of these pairs, each in its more probable
        direction as far as that makes no cycle; the others are averaged over.
    data : Dataset or data frame, optional
        The rows that the networks are fitted to, as the scores assume; only a :class:`Network` does not need them.
    threshold : float, optional
        The least probability of an edge in either direction. Default: 0.5 for results with probabilities, and in lists
        also the edges of the first network, which a drawing of the list shows.
    joint : {"network", "data"}
        The joint distribution of the two variables: that under the network, averaged over several, or the shares of the
        rows in which both are observed and neither was set.
    ordered : collection of str
        Variables whose levels are in ascending order. Numbers, booleans and intervals have their own order. Two levels
        always have one: that of the levels, except that "yes", "true", "present" and "positive" come second.
    networks : int
        The most networks to average over: the different ones with the largest weights.
    max_memory : int or str, optional
        The memory limit of an elimination, such as ``"8GiB"``. Default: most of the available memory.

    Returns
    -------
    EdgeEffects
        For each edge the risk difference and the odds ratio, if both variables have two levels, Cramér's V and, if the
        levels of both have an order, Kendall's tau-b with its sign.

    Notes
    -----
    These are associations, which include what third variables contribute. They are no causal effects.

    Examples
    --------
    >>> import dagscape as ds
    >>> found = ds.edge_effects(ds.load_network("asia"))
    >>> found.effect("smoke", "lung").risk_difference.__round__(3)
    0.09
    >>> found.to_frame()[["source", "target", "cramers_v", "sign"]].head(2).round(2)
       source  target  cramers_v sign
    0    lung  either       0.92    +
    1  either    xray       0.73    +
    >>> best = ds.k_best(ds.local_scores(ds.load_dataset("tic-tac-toe")), k=3)
    >>> len(ds.edge_effects(best, ds.load_dataset("tic-tac-toe")))
    17
    """
    check_choice(joint, JOINTS, "joint")
    OrNone(A_PROBABILITY).check(threshold, "threshold")
    COUNT.check(networks, "networks")
    started = time.perf_counter()
    members = _largest(_members_of(result, DEFAULT_THRESHOLD if threshold is None else threshold), networks)
    variables = members.networks[0].variables
    rows = _rows(result, data, variables, joint)
    fitted = _fitted(members, rows) if joint == "network" else []
    # One of the two is there.
    source: Any = fitted[0] if fitted else rows
    ends = _ends(source, variables, ordered)

    def table(u: int, v: int) -> Table:
        if rows is not None and not fitted:
            return _shares(rows, variables[u], variables[v])
        weighted = zip(members.weights.tolist(), fitted, strict=True)
        found: Table = sum(weight * _pair_table(network, u, v, max_memory) for weight, network in weighted)
        return found

    pairs = _pairs(members, threshold)
    effects = [_effect(ends[u], ends[v], table(u, v), probability) for u, v, probability in pairs]
    parameters = {"threshold": threshold, "joint": joint, "ordered": sorted(ordered), "networks": int(networks)}
    return EdgeEffects(
        variables,
        provenance_of("edge_effects", parameters, {"total": time.perf_counter() - started}, 1),
        warnings=result.warnings if isinstance(result, Result) else (),
        joint=joint,
        networks=0 if joint == "data" else len(fitted),
        covered=1.0 if joint == "data" else members.covered,
        effects=tuple(sorted(effects, key=lambda effect: -effect.cramers_v)),
    )


def _members_of(result: Any, threshold: float) -> _Members:
    """Return the structures of a result with their weights, and the probabilities of their edges."""
    if isinstance(result, Posterior):
        return _Members([_joined(result, threshold)], np.ones(1), 1.0, result.edges, result.fitted_as)
    if isinstance(result, SampledNetworks | Bootstrap):
        share = np.full(len(result.networks), 1 / len(result.networks))
        return _Members(list(result.networks), share, 1.0, result.edges, result.score_info)
    if isinstance(result, AveragedNetworks):
        weights = result.weights()
        return _Members(list(result.networks), weights, 1.0, result.edges, result.score_info, result.networks[0])
    if isinstance(result, OneNetwork):
        return _Members([result.network], np.ones(1), 1.0, None, result.score_info)
    found = result.to_dag() if isinstance(result, Cpdag) else result
    if isinstance(found, Dag | Network):
        return _Members([found], np.ones(1), 1.0, None)
    raise InvalidOption(
        f"is {type_of(result)}; it must be a graph, a network, a posterior, a bootstrap, or networks that were "
        "learned, listed or sampled",
        option="result",
    )


def _joined(post: Posterior, threshold: float) -> Dag:
    """Return a network with all pairs that are adjacent with some probability, the most probable ones first.

    A consensus network would not do: a pair that is adjacent for sure has no edge in it if its direction is open.
    """
    either = post.adjacencies
    pairs = [pair for pair in combinations(range(len(either)), 2) if either[pair] >= max(threshold, _SMALLEST)]
    graph = EditableDag(Dag(post.variables, [0] * len(either)))
    for u, v in sorted(pairs, key=lambda pair: -either[pair]):
        tail, head = (u, v) if post.edges[u, v] >= post.edges[v, u] else (v, u)
        # One of the two directions never closes a cycle.
        graph.add(*((tail, head) if graph.can_add(tail, head) else (head, tail)))
    return graph.to_dag()


def _largest(members: _Members, most: int) -> _Members:
    """Return the different structures with the largest weights, whose sum is 1 again."""
    if len(members.networks) == 1:
        return members
    weights: dict[Any, float] = {}
    for network, weight in zip(members.networks, members.weights.tolist(), strict=True):
        weights[network] = weights.get(network, 0.0) + weight
    # Sorting is stable: of equal weights, the first.
    kept = sorted(weights.items(), key=lambda item: -item[1])[:most]
    shares = np.array([weight for _, weight in kept])
    covered = min(1.0, float(shares.sum()))
    return replace(members, networks=[network for network, _ in kept], weights=shares / shares.sum(), covered=covered)


def _rows(result: Any, data: Any, variables: tuple[str, ...], joint: str) -> Dataset | None:
    """Return the data, after checking that they are there if they are needed, with all variables."""
    if data is None:
        if isinstance(result, Network) and joint == "network":
            return None
        raise InvalidOption(
            f"is missing: {'shares of rows need them' if joint == 'data' else 'networks are fitted to the rows'}; only "
            "a Network has probabilities of its own",
            option="data",
        )
    rows = as_dataset(data)
    if lacking := [name for name in variables if name not in rows.variables]:
        known = did_you_mean(lacking[0], rows.variables)
        raise InvalidOption(f"has no column {lacking[0]!r}, which is a variable of the result{known}", option="data")
    return rows


def _fitted(members: _Members, rows: Dataset | None) -> list[Network]:
    """Return the networks with their probabilities: those that they have, or those fitted to the rows."""
    ess, prior = fit_options(members.info)
    found = []
    for network in members.networks:
        if isinstance(network, Network):
            found.append(network)
        elif rows is not None:
            found.append(Network.fit(network, rows.select(network.variables), ess, prior))
    return found


def _ends(source: Network | Dataset, variables: tuple[str, ...], ordered: Collection[str]) -> list[_End]:
    """Return each variable with its levels, and with their ascending order if they have one."""
    names = [ordered] if isinstance(ordered, str) else list(ordered)
    for name in names:
        if name not in variables:
            known = did_you_mean(name, variables)
            raise InvalidOption(f"has {name!r}, which is not a variable of the result{known}", option="ordered")
    orders = [level_order(source.levels[name], source.types[name], declared=name in names) for name in variables]
    return [_End(name, source.levels[name], order) for name, order in zip(variables, orders, strict=True)]


def _pairs(members: _Members, threshold: float | None) -> Iterator[tuple[int, int, float | None]]:
    """Iterate over the pairs of joined variables, the more probable direction of each, with their probability."""
    if members.edges is None:
        graph = members.networks[0]
        parents = graph.dag.parent_masks if isinstance(graph, Network) else graph.parent_masks
        yield from ((tail, head, None) for head, mask in enumerate(parents) for tail in bits(mask))
        return
    least = DEFAULT_THRESHOLD if threshold is None else threshold
    drawn = members.drawn if threshold is None else None
    for u, v in combinations(range(len(members.edges)), 2):
        there, back = float(members.edges[u, v]), float(members.edges[v, u])
        either = min(1.0, there + back)
        if either >= max(least, _SMALLEST) or _adjacent(drawn, u, v):
            yield (u, v, either) if there >= back else (v, u, either)


def _adjacent(dag: Dag | None, u: int, v: int) -> bool:
    return dag is not None and bool((dag.parent_masks[u] >> v | dag.parent_masks[v] >> u) & 1)


def _pair_table(network: Network, u: int, v: int, max_memory: int | str | None) -> Table:
    """Return the joint distribution of two variables under a network."""
    nothing = np.empty((1, 0), dtype=np.int64)
    found = network_tables(network).joint([u, v], [], nothing, max_memory=max_memory)
    table: Table = found.values[0] / found.totals[0]
    return table


def _shares(rows: Dataset, u: str, v: str) -> Table:
    """Return the shares of rows with each pair of levels, where both are observed and neither was set."""
    columns = [rows.variables.index(u), rows.variables.index(v)]
    used = np.ones(len(rows.codes), dtype=np.bool_)
    for marks in (rows.interventions, rows.holes):
        if marks is not None:
            used &= ~marks[:, columns].any(axis=1)
    if not rows.weights[used].sum():
        raise InvalidOption(
            f"has no row in which {u!r} and {v!r} are both observed, and neither was set", option="data"
        )
    counts = np.zeros((len(rows.levels[u]), len(rows.levels[v])))
    np.add.at(counts, tuple(rows.codes[used][:, columns].T), rows.weights[used])
    shares: Table = counts / counts.sum()
    return shares


def _effect(source: _End, target: _End, joint: Table, probability: float | None) -> EdgeEffect:
    """Return the measures of one joint distribution."""
    difference = ratio = order = None
    if source.order is not None and target.order is not None:
        ranked = joint[np.ix_(source.order, target.order)]
        order = tau_b(ranked)
        if ranked.shape == joint.shape == (2, 2) and order is not None:
            difference, ratio = risk_difference(ranked), odds_ratio(ranked)
    sign = "" if order is None else "0" if abs(order) < _NO_SIGN else "+" if order > 0 else "-"
    return EdgeEffect(
        source.name,
        target.name,
        probability,
        difference,
        ratio,
        cramers_v(joint),
        order,
        sign,
        source.ordered_levels if sign else (),
        target.ordered_levels if sign else (),
    )
