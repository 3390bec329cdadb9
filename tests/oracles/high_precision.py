"""Sums over structures in 50 digits, to exclude rounding errors: from given scores, or from the data."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache

import mpmath

import dagscape as ds
from oracles.graphs import all_dags
from oracles.posterior import orders_of

# For each variable, the log weight of each set of parents, a bit mask of all variables; sets left out are impossible.
LogWeights = list[dict[int, mpmath.mpf]]


def masks(n: int, child: int):
    return (mask for mask in range(1 << n) if not mask >> child & 1)


def rounded_log_weights(scores: ds.LocalScores) -> LogWeights:
    """The scores as given: integer multiples of a unit."""
    with mpmath.workdps(50):
        unit = mpmath.mpf(2) ** -scores.unit.bits
        rows = [zip(masks(scores.n, v), scores.score_row(v).tolist(), strict=True) for v in range(scores.n)]
        return [{mask: exact * unit for mask, exact in row if exact != -(2**63)} for row in rows]


def listed_log_weights(families) -> LogWeights:
    """The scores of a mapping such as FamilyTable takes, exactly as given."""
    names = list(families)
    return [
        {
            sum(1 << names.index(p) for p in parents): mpmath.mpf(score)
            for parents, score in listed.items()
            if score != -math.inf
        }
        for listed in families.values()
    ]


def data_log_weights(
    data: ds.Dataset, score="bdeu", ess=1.0, max_parents=None, structure_prior="uniform"
) -> LogWeights:
    """Log weights of all families straight from the data, by the textbook formulas."""
    with mpmath.workdps(50):
        n, arities = data.n, data.arities.tolist()
        codes, counts = data.codes.tolist(), data.weights.tolist()

        def cells(mask):
            members = [v for v in range(n) if mask >> v & 1]
            found = Counter()
            for row, count in zip(codes, counts, strict=True):
                found[tuple(row[v] for v in members)] += count
            return Counter(found.values())

        by_set = {mask: cells(mask) for mask in range(1 << n)}
        states = {mask: math.prod(arities[v] for v in range(n) if mask >> v & 1) for mask in by_set}

        def total(mask, term):
            return mpmath.fsum(times * term(count) for count, times in by_set[mask].items())

        def log_gammas(alpha):
            return lambda count: mpmath.loggamma(count + alpha) - mpmath.loggamma(alpha)

        def entropy(count):
            return count * mpmath.log(count)

        @cache
        def log_gammas_of_set(mask):
            return total(mask, log_gammas(mpmath.mpf(ess) / states[mask]))

        def family(child, mask):
            whole = mask | 1 << child
            if score == "bdeu":
                parts = [log_gammas_of_set(s) for s in (whole, mask)]
            elif score == "k2":
                parts = [total(whole, log_gammas(mpmath.mpf(1))), total(mask, log_gammas(mpmath.mpf(arities[child])))]
            else:
                price = {"loglik": 0, "aic": 1}.get(score, mpmath.log(data.m) / 2)
                parts = [total(s, entropy) - price * states[s] for s in (whole, mask)]
            size = mask.bit_count()
            if score == "mdl":
                parts[0] -= mpmath.log(n) + mpmath.log(math.comb(n, size))
            if structure_prior == "per-size":
                parts[0] -= mpmath.log(math.comb(n - 1, size))
            elif structure_prior != "uniform":
                parts[0] -= mpmath.mpf(float(structure_prior.partition(":")[2])) * size
            return parts[0] - parts[1]

        return [{mask: family(v, mask) for mask in masks(n, v)} for v in range(n)]


def every_structure(weights: LogWeights, over: str):
    """All DAGs that are possible with their probabilities; over orders, each counts once per order it agrees with."""
    with mpmath.workdps(50):
        found = []
        for dag in all_dags(len(weights)):
            families = [listed.get(mask) for listed, mask in zip(weights, dag.parent_masks, strict=True)]
            if None in families:
                continue
            parents = [{u for u in range(dag.n) if mask >> u & 1} for mask in dag.parent_masks]
            found.append((dag, mpmath.fsum(families), orders_of(parents) if over == "orders" else 1))
        highest = max(log_weight for _, log_weight, _ in found)
        shares = [times * mpmath.exp(log_weight - highest) for _, log_weight, times in found]
        everything = mpmath.fsum(shares)
        return [(dag, share / everything) for (dag, _, _), share in zip(found, shares, strict=True)]


def probability(structures, holds):
    """The probability of a feature, from :func:`every_structure`."""
    with mpmath.workdps(50):
        return mpmath.fsum(share for dag, share in structures if holds(dag))


def order_edges(weights: LogWeights):
    """Edge probabilities over orders, by Koivisto & Sood's recurrences."""
    with mpmath.workdps(50):
        n = len(weights)
        everything = (1 << n) - 1
        A = [parent_sums(listed, n, v) for v, listed in enumerate(weights)]
        F, R = [mpmath.mpf(0)] * (1 << n), [mpmath.mpf(0)] * (1 << n)
        F[0] = R[everything] = mpmath.mpf(1)
        for S in range(1, 1 << n):
            F[S] = mpmath.fsum(A[v][S ^ 1 << v] * F[S ^ 1 << v] for v in range(n) if S >> v & 1)
        for S in range(everything - 1, -1, -1):
            R[S] = mpmath.fsum(A[v][S] * R[S | 1 << v] for v in range(n) if not S >> v & 1)
        edges = [[mpmath.mpf(0)] * n for _ in range(n)]
        for v, u in itertools.permutations(range(n), 2):
            edges[u][v] = (
                mpmath.fsum(F[S] * (A[v][S] - A[v][S ^ 1 << u]) * R[S | 1 << v] for S in masks(n, v) if S >> u & 1)
                / F[everything]
            )
        return edges


def order_ancestors(weights: LogWeights):
    """Ancestor probabilities over orders: sums over the variables so far, and those of them that descend from s."""
    with mpmath.workdps(50):
        n = len(weights)
        A = [parent_sums(listed, n, v) for v, listed in enumerate(weights)]
        found = [[mpmath.mpf(0)] * n for _ in range(n)]
        for s in range(n):
            states = {(0, 0): mpmath.mpf(1)}
            for _ in range(n):
                following: dict[tuple[int, int], mpmath.mpf] = {}
                for (before, below), weight in states.items():
                    touched = below | (before & 1 << s)
                    for v in range(n):
                        if before >> v & 1:
                            continue
                        apart = A[v][before & ~touched]
                        for joined, part in ((below, apart), (below | 1 << v, A[v][before] - apart)):
                            key = before | 1 << v, joined
                            following[key] = following.get(key, 0) + weight * part
                states = following
            total = mpmath.fsum(states.values())
            for (_, below), weight in states.items():
                for t in range(n):
                    found[s][t] += weight / total if below >> t & 1 else 0
        return found


def parent_sums(listed, n, v):
    """The total weight of the families of v inside each set, relative to the best family."""
    best = max(listed.values())
    row = [mpmath.exp(listed[mask] - best) if mask in listed else mpmath.mpf(0) for mask in range(1 << n)]
    for bit in range(n):
        for U in range(1 << n):
            if U >> bit & 1 and bit != v and not U >> v & 1:
                row[U] += row[U ^ 1 << bit]
    return row


def posterior_in_50_digits(scores: ds.LocalScores):
    """ln of the total, and the matrices of edges and ancestors, from the given scores."""
    weights = rounded_log_weights(scores)
    log_total, edges, ancestors = dag_posterior(weights)
    with mpmath.workdps(50):
        return log_total + mpmath.fsum(max(listed.values()) for listed in weights), edges, ancestors


def dag_posterior(weights: LogWeights):
    """ln of the total relative to the best families, and the matrices of edges and ancestors, as the kernels do it."""
    with mpmath.workdps(50):
        n = len(weights)
        everything = (1 << n) - 1
        A = [parent_sums(listed, n, v) for v, listed in enumerate(weights)]

        def products(U):
            """(−1)^|T| Π A_v(U) over the members v of T, for every T disjoint from U."""
            found = {0: mpmath.mpf(1)}
            for v in range(n):
                if not U >> v & 1:
                    found |= {T | 1 << v: -product * A[v][U] for T, product in found.items()}
            return found

        H, R = [mpmath.mpf(0)] * (1 << n), [mpmath.mpf(0)] * (1 << n)
        H[0] = R[0] = mpmath.mpf(1)
        for U in range(everything):
            for T, product in products(U).items():
                if T:
                    H[U | T] -= H[U] * product
        edges = [[mpmath.mpf(0)] * n for _ in range(n)]
        ancestors = [[mpmath.mpf(0)] * n for _ in range(n)]
        for U in range(everything - 1, -1, -1):
            X = everything ^ U
            terms = {X ^ T: R[X ^ T] * product for T, product in products(U).items() if T}
            R[X] = terms[X] = -mpmath.fsum(terms.values())
            for v in range(n):
                if U >> v & 1:
                    continue
                q = -H[U] * mpmath.fsum(term for Y, term in terms.items() if not Y >> v & 1) / H[everything]
                for t in range(n):
                    if t != v and not U >> t & 1:
                        ancestors[v][t] += q
                    if U >> t & 1 and A[v][U]:
                        edges[t][v] += q * (1 - A[v][U ^ 1 << t] / A[v][U])
        return mpmath.log(H[everything]), edges, ancestors


def forward_in_50_digits(values, unit_bits: int) -> list[mpmath.mpf]:
    """H of every set, from weights by mask without the variable's bit, by the sinks of DAGs."""
    n = len(values)

    @cache
    def inside(v: int, allowed: int) -> mpmath.mpf:
        """The sum over the sets of parents of v within a set."""
        listed = zip(masks(n, v), values[v].tolist(), strict=True)
        return mpmath.fsum(
            mpmath.exp(weight * mpmath.mpf(2) ** -unit_bits)
            for mask, weight in listed
            if mask & ~allowed == 0 and weight != -(2**63)
        )

    with mpmath.workdps(50):
        found = [mpmath.mpf(1)]
        for S in range(1, 1 << n):
            total, sinks = mpmath.mpf(0), S
            while sinks:
                rest = S & ~sinks
                term = found[rest] * mpmath.fprod(inside(v, rest) for v in range(n) if sinks >> v & 1)
                total += term if sinks.bit_count() % 2 else -term
                sinks = (sinks - 1) & S
            found.append(total)
        return found
