"""Memory of a sum over structures."""

from __future__ import annotations

from dataclasses import replace

from dagscape.core.errors import argument, function
from dagscape.core.requirements import FEW_PARENTS, ProblemSize, Requirements
from dagscape.core.resources import format_bytes
from dagscape.core.wording import plural
from dagscape.posterior.backends import find_backend
from dagscape.posterior.contract import SumBackend
from dagscape.posterior.cuda.seconds import MEASURED_CARD
from dagscape.posterior.mpi.order_sum import bytes_sent
from dagscape.posterior.places import Place, places_to_compare, planned_place

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


def planned_requirements(
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    over: str = "dags",
    backend: str | None = None,
    ranks: int | None = None,
    card_memory: int | str | None = None,
) -> Requirements:
    """Return the requirements of a sum that need not run here; memory is that of one machine."""
    n, max_parents = size.n, size.max_parents
    place = planned_place(over, backend, ranks, card_memory)
    host = find_backend(over) if place.backend.ranks is not None else place.backend
    needs, too_many_ranks = requirements_of(host, size, threads, limit), place.too_many_ranks(n, max_parents)
    # No amount of memory helps, so a plan says this first.
    needs = replace(needs, refusal=_too_many_variables(place.backend, n) or too_many_ranks)
    if (used := place.ranks_of(n, max_parents)) > 1:
        sent = format_bytes(bytes_sent(n, used))
        return replace(
            needs,
            step=f"{needs.step} on {place.ranks} ranks",
            work=f"{needs.work}; each rank sends {sent}",
            memory=place.memory(n, max_parents, threads),
        )
    if why := place.why_not_shared(n, max_parents):
        return replace(needs, work=f"{needs.work}; {why}")
    return _on_card(needs, place, place.backend.device_memory(n, max_parents)) if place.backend.device else needs


def _on_card(needs: Requirements, place: Place, memory: int) -> Requirements:
    """Return the requirements of a sum on a card, with the memory that it needs there."""
    needed, has = format_bytes(memory), format_bytes(place.card_memory)
    lacking = f"{needs.subject} need {needed} on the card, which has {has}" if memory > place.card_memory else ""
    return replace(
        needs,
        step=f"{needs.step} on a card",
        work=f"{needs.work}; {needed} on the card; the time is that of an {MEASURED_CARD}",
        refusal=needs.refusal or lacking,
    )


def largest_sums(
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    over: str = "dags",
    backend: str | None = None,
    ranks: int | None = None,
    card_memory: int | str | None = None,
) -> dict[str, int]:
    """Return the largest numbers of variables that fit, by back end: here, where it is planned, and on a card here."""
    chosen = planned_place(over, backend, ranks, card_memory)
    places = places_to_compare(over, chosen)
    return {name: place.largest(size, threads, limit) for name, place in places.items()}


def _too_many_variables(backend: SumBackend, n: int) -> str:
    if n <= backend.most_variables:
        return ""
    where = f" with {argument('backend', backend.name)}" if backend.device is not None else ""
    return f"exact sums over {backend.over}{where} support up to {backend.most_variables} variables; there are {n}"


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
    paths = f"; 4^{n} with paths" if backend.paths and not with_paths else ""
    return Requirements(
        step=f"sum over {over}",
        work=f"{base}^{n} steps{limited}{paths}",
        memory=memory,
        subject=f"sums over {over} of {plural(n, 'variable')}",
        remedy=remedy,
        refusal=_too_many_variables(backend, n) if memory <= limit else "",
    )
