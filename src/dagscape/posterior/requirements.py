"""Memory of a sum over structures."""

from __future__ import annotations

from dagscape.errors import argument, function
from dagscape.methods import FEW_PARENTS, ProblemSize, Requirements
from dagscape.posterior.backends import find_backend
from dagscape.posterior.contract import SumBackend
from dagscape.wording import plural

# It is of no use to advise more memory than this.
_LARGE_MACHINE = 2**42


def sum_requirements(
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    over: str = "dags",
    backend: str = "cpu",
    with_paths: bool = False,
) -> Requirements:
    """Return the requirements of a sum on the processors of this machine, unless another back end is chosen."""
    chosen = find_backend(over, backend, paths=with_paths, size=size)
    chosen.check_device(size.n, size.max_parents)
    return requirements_of(chosen, size, threads, limit, with_paths=with_paths)


def requirements_of(
    backend: SumBackend,
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    with_paths: bool = False,
    weight_tables: int = 1,
) -> Requirements:
    """Return the requirements of a sum, with or without paths, and with this many tables of weights."""
    orders = find_backend("orders")

    def fits_with_few_parents(n: int) -> bool:
        return orders.memory(n, min(size.max_parents, FEW_PARENTS), threads) <= limit

    if fits_with_few_parents(size.n) and size.max_parents <= FEW_PARENTS:
        remedy = f"raise the limit, or use {argument('over', 'orders')}"
    elif fits_with_few_parents(size.n):
        few_parents = argument("max_parents", FEW_PARENTS)
        remedy = f"raise the limit, or score with {few_parents} and use {argument('over', 'orders')}"
    else:
        most = max(filter(fits_with_few_parents, range(2, orders.most_variables + 1)), default=1)
        fits = f"exact sums over orders with few parents fit up to {most} variables here"
        remedy = f"{fits}: leave out some with {function('Dataset.select')}; {function('plan')} names what fits"
    over, n = backend.over, size.n
    memory = backend.memory(n, size.max_parents, threads, with_paths=with_paths, weight_tables=weight_tables)
    if memory < _LARGE_MACHINE and not remedy.startswith("raise"):
        remedy = f"raise the limit; {remedy}"
    base = 4 if with_paths else 3 if over == "dags" else 2
    limited = f", up to {plural(size.max_parents, 'parent')}" if size.max_parents < n - 1 else ""
    paths = f"; 4^{n} with paths" if over == "dags" and not with_paths else ""
    too_many = n > backend.most_variables and memory <= limit
    return Requirements(
        step=f"sum over {over}",
        work=f"{base}^{n} steps{limited}{paths}",
        memory=memory,
        subject=f"sums over {over} of {plural(n, 'variable')}",
        remedy=remedy,
        refusal=f"sums over {over} take up to {backend.most_variables} variables; there are {n}" if too_many else "",
    )
