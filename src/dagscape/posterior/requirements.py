"""What a sum over structures needs, before it starts."""

from __future__ import annotations

from dagscape.methods import ProblemSize, Requirements
from dagscape.posterior.weights import sum_memory

# What counts as few parents in advice.
_FEW_PARENTS = 4

# No machine sums over more variables than this.
_MOST_VARIABLES = 40


def sum_requirements(
    size: ProblemSize, threads: int, limit: int, *, over: str = "dags", with_paths: bool = False, weights: int = 1
) -> Requirements:
    """The memory of a sum, with paths or without, and with so many sets of weights."""

    def fits_with_few_parents(n: int) -> bool:
        return sum_memory(n, _FEW_PARENTS, "orders", threads) <= limit

    if fits_with_few_parents(size.n):
        remedy = f"raise the limit, or sum over orders with max_parents at most {_FEW_PARENTS}"
    else:
        most = max(filter(fits_with_few_parents, range(2, _MOST_VARIABLES + 1)), default=1)
        remedy = f"exact sums of any kind fit for up to {most} variables here, over orders with few parents"
    base = 3 if over == "dags" else 2
    limited = f", up to {size.max_parents} parents" if size.max_parents < size.n - 1 else ""
    return Requirements(
        step=f"sum over {over}",
        work=f"{base}^{size.n} steps{limited}",
        memory=sum_memory(size.n, size.max_parents, over, threads, with_paths=with_paths, weights=weights),
        subject=f"sums over {over} of {size.n} variables",
        remedy=remedy,
    )
