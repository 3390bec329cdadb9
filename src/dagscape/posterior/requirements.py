"""Memory and time of a sum over structures."""

from __future__ import annotations

from dataclasses import replace

from dagscape.core.errors import argument, function
from dagscape.core.requirements import (
    FEW_PARENTS,
    LARGE_MACHINE,
    MANY_VARIABLES,
    ProblemSize,
    Requirements,
    fitting_parents,
)
from dagscape.core.wording import plural
from dagscape.posterior.backends import usual_backend
from dagscape.posterior.contract import SumBackend
from dagscape.posterior.sum_plan import SumPlan
from dagscape.scores.search_planning import SearchSize


def sum_requirements(size: ProblemSize, threads: int, limit: int, *, over: str = "dags") -> Requirements:
    """Return the requirements of a sum with the back end that is always there."""
    backend = usual_backend(over)
    return running_requirements(backend, backend.plan(size, threads), size, threads, limit)


def sum_seconds(size: ProblemSize, threads: int, *, over: str = "dags") -> float:
    """Return the estimated time of a sum with the back end that is always there."""
    return usual_backend(over).plan(size, threads).seconds()


def feature_requirements(size: ProblemSize, threads: int, limit: int, *, over: str = "dags") -> Requirements:
    """Return what the probability of a feature needs: two sums, with the weights of both."""
    backend = usual_backend(over)
    plan = backend.plan(size, threads, weight_tables=2)
    needs = requirements_of(backend, plan, size, threads, limit, refusal=plan.refusal)
    return replace(needs, step=f"two sums over {over}", work=needs.work.partition(";")[0])


def feature_seconds(
    size: ProblemSize,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    over: str = "dags",
) -> float:
    """Return the estimated time of the probability of a feature: two totals take about as long as all features."""
    return sum_seconds(size, threads, over=over)


def running_requirements(
    backend: SumBackend,
    plan: SumPlan,
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    with_paths: bool = False,
    with_ancestors: bool = False,
) -> Requirements:
    """Return the requirements of a sum that is to run here: if it is refused, they name the remedy."""
    refusal = ": ".join(filter(None, (plan.refusal, plan.remedy))) if plan.refusal and plan.memory <= limit else ""
    return requirements_of(
        backend,
        plan,
        size,
        threads,
        limit,
        refusal=refusal,
        with_paths=with_paths,
        with_ancestors=with_ancestors,
    )


def requirements_of(
    backend: SumBackend,
    plan: SumPlan,
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    refusal: str,
    with_paths: bool = False,
    with_ancestors: bool = False,
) -> Requirements:
    """Return the requirements of a sum that a back end has planned."""
    over, n = backend.over, size.n
    base = 4 if with_paths else 3 if over == "dags" else 2
    limited = f", up to {plural(size.max_parents, 'parent')}" if size.max_parents < n - 1 else ""
    paths = f"; 4^{n} with paths" if backend.paths and not with_paths else ""
    terms = f"{n}·{n - 1}·3^{max(n - 2, 0)}"
    asked = f" and {terms} for ancestors" if with_ancestors else f"; {terms} more with ancestors"
    ancestors = asked if backend.ancestors_asked else ""
    return Requirements(
        step=" ".join(filter(None, (f"sum over {over}", plan.where))),
        work="; ".join(filter(None, (f"{base}^{n} steps{limited}{paths}{ancestors}", plan.note))),
        memory=plan.memory,
        subject=f"sums over {over} of {plural(n, 'variable')}{' with ancestors' if with_ancestors else ''}",
        remedy=_remedy(size, threads, limit, plan.memory, with_ancestors=with_ancestors),
        refusal=refusal,
        error=plan.error,
    )


def _remedy(size: ProblemSize, threads: int, limit: int, memory: int, *, with_ancestors: bool = False) -> str:
    """Return what to do if a sum that needs ``memory`` bytes does not fit."""
    if with_ancestors:
        return _remedy_with_ancestors(size, threads, limit)
    orders = usual_backend("orders")

    def fits(n: int, max_parents: int) -> bool:
        few = SearchSize.complete(n, min(size.max_parents, max_parents))
        return orders.plan(few, threads).memory <= limit

    if fits(size.n, size.max_parents):
        return f"raise the limit, or use {argument('over', 'orders')}; {MANY_VARIABLES}"
    fewer = fitting_parents(size.max_parents, lambda most: fits(size.n, most))
    if fewer is not None:
        limited = f"score with {argument('max_parents', fewer)} and use {argument('over', 'orders')}"
        return f"raise the limit, or {limited}; {MANY_VARIABLES}"
    most = max((n for n in range(2, orders.most_variables + 1) if fits(n, FEW_PARENTS)), default=1)
    few = f"exact sums over orders with few parents fit up to {most} variables here"
    more = "raise the limit; " if memory < LARGE_MACHINE else ""
    choice = f"leave out some with {function('Dataset.select')}"
    return f"{more}{few}: {choice}; {MANY_VARIABLES}; {function('plan')} names what fits"


def _remedy_with_ancestors(size: ProblemSize, threads: int, limit: int) -> str:
    """Return what to do if a sum over orders with ancestor relations does not fit; few parents do not help."""
    dags = usual_backend("dags")
    if dags.plan(size, threads).fits(limit):
        return f"raise the limit, or use {argument('over', 'dags')}, where ancestor relations need less memory"
    most = usual_backend("orders").largest(size, threads, limit, with_ancestors=True)
    fewer = f", or keep up to {most} variables with {function('Dataset.select')}" if most else ""
    return f"raise the limit{',' if fewer else ' or'} leave out {argument('ancestors', True)}{fewer}"
