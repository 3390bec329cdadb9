"""Slow, obvious versions of tests of independence, MMPC and curricula, from lists of rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath

Row = tuple[int, ...]
Parents = list[set[int]]


def g2_test(rows: Sequence[Row], first: int, second: int, given: Sequence[int]) -> tuple[float, int, float]:
    """G², its degrees of freedom and the log of its p-value."""
    tables: dict[Row, Counter[tuple[int, int]]] = defaultdict(Counter)
    for row in rows:
        tables[tuple(row[v] for v in given)][row[first], row[second]] += 1
    statistic, freedom = 0.0, 0
    for table in tables.values():
        total = sum(table.values())
        by_first, by_second = Counter[int](), Counter[int]()
        for (i, j), count in table.items():
            by_first[i] += count
            by_second[j] += count
        statistic += 2 * math.fsum(
            count * math.log(count * total / (by_first[i] * by_second[j])) for (i, j), count in table.items()
        )
        freedom += (len(by_first) - 1) * (len(by_second) - 1)
    return statistic, freedom, log_tail(statistic, freedom)


def log_tail(statistic: float, freedom: int) -> float:
    """ln P(χ² >= statistic), with 30 digits."""
    if freedom == 0 or statistic <= 0:
        return 0.0
    with mpmath.workdps(30):
        return float(mpmath.log(mpmath.gammainc(mpmath.mpf(freedom) / 2, mpmath.mpf(statistic) / 2, regularized=True)))


# test(target, candidate, given) is the association: None if it cannot be tested, 0 if the two are independent.
Association = Callable[[int, int, frozenset[int]], float | None]


def subsets(members: set[int], most: int) -> list[frozenset[int]]:
    return [frozenset(s) for size in range(most + 1) for s in itertools.combinations(sorted(members), size)]


def g2_association(rows: Sequence[Row], arities: Sequence[int], alpha: float, rows_per_cell: int) -> Association:
    def association(target: int, candidate: int, given: frozenset[int]) -> float | None:
        cells = math.prod(arities[v] for v in (target, candidate, *given))
        if len(rows) < rows_per_cell * cells:
            return None
        log_p = g2_test(rows, target, candidate, sorted(given))[2]
        return 0.0 if log_p > math.log(alpha) else -log_p

    return association


def mmpc(
    n: int, association: Association, most: int, rank: Sequence[int], symmetric: bool = True
) -> list[dict[int, float]]:
    """For each variable its neighbours and their strength: the paper's algorithm, without any caching."""

    def least(target: int, candidate: int, members: set[int]) -> float:
        found = [association(target, candidate, given) for given in subsets(members - {candidate}, most)]
        made = [value for value in found if value is not None]
        return min(made) if made else 0.0

    one_sided = []
    for target in range(n):
        members: list[int] = []
        strengths: dict[int, float] = {}
        while True:
            others = [v for v in range(n) if v != target and v not in members]
            values = {v: least(target, v, set(members)) for v in others}
            if not values or max(values.values()) <= 0:
                break
            best = min((v for v in others if values[v] == max(values.values())), key=lambda v: rank[v])
            members.append(best)
            strengths[best] = values[best]
        for member in list(members):
            strengths[member] = min(strengths[member], least(target, member, set(members)))
            if strengths[member] <= 0:
                members.remove(member)
        one_sided.append({member: strengths[member] for member in members})
    return combined(one_sided, symmetric)


def combined(one_sided: list[dict[int, float]], symmetric: bool) -> list[dict[int, float]]:
    """The neighbours of the two searches of every pair: the minimum of those searches that found the pair."""
    n = len(one_sided)
    pairs: list[dict[int, float]] = [{} for _ in range(n)]
    for target, other in itertools.permutations(range(n), 2):
        found = [one_sided[u][v] for u, v in ((target, other), (other, target)) if v in one_sided[u]]
        if len(found) >= (2 if symmetric else 1):
            pairs[target][other] = min(found)
    return pairs


def d_separated(parents: Parents, first: int, second: int, given: frozenset[int]) -> bool:
    """Whether all paths are blocked, path by path."""
    descendants = [closure(v, parents) for v in range(len(parents))]

    def open_at(before: int, at: int, after: int) -> bool:
        collider = before in parents[at] and after in parents[at]
        return bool(descendants[at] & given) if collider else at not in given

    def reaches(path: list[int]) -> bool:
        if path[-1] == second:
            return True
        return any(
            (v in parents[path[-1]] or path[-1] in parents[v])
            and v not in path
            and (len(path) < 2 or open_at(path[-2], path[-1], v))
            and reaches([*path, v])
            for v in range(len(parents))
        )

    return not reaches([first])


def closure(variable: int, parents: Parents) -> set[int]:
    """A variable and its descendants."""
    found = {variable}
    while more := {v for v, above in enumerate(parents) if above & found} - found:
        found |= more
    return found


def mutual_information(rows: Sequence[Row], first: int, second: int) -> float:
    return g2_test(rows, first, second, ())[0] / 2 / len(rows)


def construct_curriculum(rows: Sequence[Row], n: int, s: int, t: int) -> list[set[int]]:
    """Algorithm 2.1 of the dissertation, line by line; the inner loop ends when Y is empty."""
    information = {(i, j): mutual_information(rows, i, j) for i in range(n) for j in range(n) if i != j}

    def average(variable: int, selected: set[int]) -> Fraction:
        return sum((Fraction(information[variable, x]) for x in selected), Fraction(0)) / len(selected)

    start = max(range(n), key=lambda v: average(v, set(range(n)) - {v}))
    selected, left = {start}, set(range(n)) - {start}
    while len(selected) < s and left:
        best = max(left, key=lambda v: average(v, selected))
        selected |= {best}
        left -= {best}
    stages = [set(selected)]
    for _ in range(2, math.ceil((n - s) / t + 1) + 1):
        for _ in range(t):
            if left:
                best = max(left, key=lambda v: average(v, selected))
                selected = selected | {best}
                left -= {best}
        stages.append(set(selected))
    return stages


def segments(rows: Sequence[Row], selected: set[int]) -> list[list[Row]]:
    """The rows, split by the values of the variables that are not selected."""
    split: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        split[tuple(value for v, value in enumerate(row) if v not in selected)].append(row)
    return list(split.values())
