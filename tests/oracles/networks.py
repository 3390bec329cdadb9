"""Slow, obvious versions of network methods: joint probabilities, queries, likelihood, fitting, a test of samples."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dagscape.data.discrete.dataset import Dataset
    from dagscape.graphs.dag import Dag
    from dagscape.networks.discrete.network import Network

Row = dict[str, str]


def rows_of(data: Dataset) -> Iterator[tuple[Row, frozenset[str], int]]:
    """Every distinct row as a dictionary, the variables that were set in it, and its count."""
    for i, codes in enumerate(data.codes.tolist()):
        row = {name: data.levels[name][code] for name, code in zip(data.variables, codes, strict=True)}
        marks = [] if data.interventions is None else data.interventions[i].tolist()
        chosen = frozenset(name for name, mark in zip(data.variables, marks, strict=False) if mark)
        yield row, chosen, int(data.weights[i])


def conditional(network: Network, variable: str, row: Row) -> float:
    """The probability of a variable's level in a row, given those of its parents there."""
    entry = network.cpts[variable]
    for name in (*network.dag.parents(variable), variable):
        entry = entry[network.levels[name].index(row[name])]
    return float(entry)


def joint(network: Network) -> dict[tuple[str, ...], float]:
    """The probability of every possible row."""
    return {
        levels: math.prod(
            conditional(network, name, dict(zip(network.variables, levels, strict=True))) for name in network.variables
        )
        for levels in product(*(network.levels[name] for name in network.variables))
    }


def target_and_evidence(
    network: Network, targets: Sequence[str], evidence: Row, chosen: Collection[str] = ()
) -> dict[tuple[str, ...], float]:
    """P(targets, evidence) for all levels of the targets, by adding up all rows; variables that were set count as 1."""
    found = dict.fromkeys(product(*(network.levels[name] for name in targets)), 0.0)
    for levels in product(*(network.levels[name] for name in network.variables)):
        row = dict(zip(network.variables, levels, strict=True))
        if all(row[name] == level for name, level in evidence.items()):
            factors = [conditional(network, name, row) for name in network.variables if name not in chosen]
            found[tuple(row[name] for name in targets)] += math.prod(factors)
    return found


def log_likelihood(network: Network, data: Dataset) -> float:
    """The sum of the logarithms of the conditional probabilities of all values that were not set."""
    total = 0.0
    for row, chosen, weight in rows_of(data):
        for variable in network.variables:
            if variable not in chosen:
                probability = conditional(network, variable, row)
                total += weight * (math.log(probability) if probability else -math.inf)
    return total


def fit(dag: Dag, data: Dataset, prior: str, ess: int) -> dict[str, dict[tuple[str, ...], Fraction]]:
    """For every variable, the probability of each (levels of the parents, then its own), exactly."""
    tables = {}
    for variable in dag.variables:
        family = (*dag.parents(variable), variable)
        counts: Counter[tuple[str, ...]] = Counter()
        # A variable that was set in every row, and has no parents, is as often at each level as it was set to it.
        design = family == (variable,) and all(variable in chosen for _, chosen, _ in rows_of(data))
        for row, chosen, weight in rows_of(data):
            if design or variable not in chosen:
                counts[tuple(row[name] for name in family)] += weight
        keys = list(product(*(data.levels[name] for name in family)))
        extra = {"bdeu": Fraction(ess, len(keys)), "k2": Fraction(1), "none": Fraction(0)}[prior]
        table = {}
        for key in keys:
            total = sum((counts[(*key[:-1], level)] + extra for level in data.levels[variable]), Fraction(0))
            table[key] = (counts[key] + extra) / total if total else Fraction(1, len(data.levels[variable]))
        tables[variable] = table
    return tables


def pearson(network: Network, data: Dataset) -> tuple[float, float, float]:
    """Pearson's statistic of a sample over all rows of all tables, its expectation and its standard deviation.

    Given the number N of rows in a state of the parents, the statistic of k possible levels with probabilities p has
    the expectation k - 1 and the variance 2 (k - 1) + (Σ 1/p - k² - 2 k + 2) / N, exactly.
    """
    statistic = mean = variance = 0.0
    rows = list(rows_of(data))
    for variable in network.variables:
        parents = network.dag.parents(variable)
        counts: dict[tuple[str, ...], Counter[str]] = {}
        for row, _, weight in rows:
            counts.setdefault(tuple(row[name] for name in parents), Counter())[row[variable]] += weight
        for state, seen in counts.items():
            n = sum(seen.values())
            given = dict(zip(parents, state, strict=True))
            chances = {
                level: conditional(network, variable, given | {variable: level}) for level in network.levels[variable]
            }
            assert all(chances[level] > 0 for level in seen), "an impossible level was drawn"
            possible = {level: chance for level, chance in chances.items() if chance > 0}
            k = len(possible)
            statistic += sum((seen[level] - n * p) ** 2 / (n * p) for level, p in possible.items())
            mean += k - 1
            variance += 2 * (k - 1) + (sum(1 / p for p in possible.values()) - k * k - 2 * k + 2) / n
    return statistic, mean, math.sqrt(variance)


def explanations(network: Network, evidence: Row, *, denominator: int) -> dict[tuple[str, ...], list[Fraction]]:
    """The most probable rows that agree with the evidence, by looking at every row, with their probabilities, sorted.

    There are none if all have probability 0. A denominator other than 0 is the largest that a probability has.
    """
    found: dict[tuple[str, ...], list[Fraction]] = {}
    for levels in product(*(network.levels[name] for name in network.variables)):
        row = dict(zip(network.variables, levels, strict=True))
        if all(row[name] == level for name, level in evidence.items()):
            factors = [Fraction(conditional(network, name, row)) for name in network.variables]
            found[levels] = sorted(f.limit_denominator(denominator) for f in factors) if denominator else factors
    best = max(map(math.prod, found.values()))
    return {levels: factors for levels, factors in found.items() if math.prod(factors) == best} if best else {}
