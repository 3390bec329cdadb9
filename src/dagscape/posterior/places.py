"""Where a planned sum runs: on this machine, on the ranks of an MPI program, or on a card that may be elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from dagscape.core import kernels
from dagscape.core.checks import check_choice
from dagscape.core.constraints import Whole
from dagscape.core.errors import BackendUnavailable, InvalidOption, argument
from dagscape.core.requirements import FEW_PARENTS, ProblemSize
from dagscape.core.resources import parse_bytes
from dagscape.core.wording import plural
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import SumBackend
from dagscape.posterior.mpi.backend import rank_memory
from dagscape.posterior.mpi.team import usable_ranks
from dagscape.posterior.weights import is_tiled

# The back ends that a plan can name; "auto" is none of them, because it depends on what is there.
PLANNED_BACKENDS = ("cpu", "cuda", "mpi")


@dataclass(frozen=True, slots=True)
class Place:
    """A back end, and what a plan assumes about it.

    Attributes
    ----------
    backend : SumBackend
        The implementation of the sum.
    ranks : int
        The number of ranks, each on a machine of its own.
    card_memory : int
        The memory of the card, in bytes; 0 without a card.
    """

    backend: SumBackend
    ranks: int = 1
    card_memory: int = 0

    def ranks_of(self, n: int, max_parents: int) -> int:
        """Return how many ranks take part in a sum; if it is not tiled, the first one computes it alone."""
        return min(self.ranks, 1 << (n - kernels.LEAST_TILED)) if is_tiled(n, max_parents) else 1

    def too_many_ranks(self, n: int, max_parents: int) -> str:
        """Return a sentence if there are more ranks than a sum can use; otherwise an empty string."""
        most = self.ranks_of(n, max_parents)
        if most == self.ranks or not is_tiled(n, max_parents):
            return ""
        return f"sums over orders of {plural(n, 'variable')} take up to {plural(most, 'rank')}; there are {self.ranks}"

    def why_not_shared(self, n: int, max_parents: int) -> str:
        """Return why several ranks do not share a sum; an empty string if they do, or if there is only one."""
        if self.ranks == 1 or is_tiled(n, max_parents):
            return ""
        if not is_tiled(n, min(max_parents, FEW_PARENTS)):
            return "one rank computes sums of few variables alone"
        limit = "a limit" if max_parents >= n - 1 else "a lower limit"
        return f"ranks do not help without {limit} on parents, such as {argument('max_parents', FEW_PARENTS)}"

    def memory(self, n: int, max_parents: int, threads: int) -> int:
        """Return how many bytes a sum needs on each machine."""
        if (ranks := self.ranks_of(n, max_parents)) > 1:
            return rank_memory(n, max_parents, threads, ranks)
        alone = BACKENDS[self.backend.over, "cpu"] if self.backend.ranks is not None else self.backend
        return alone.memory(n, max_parents, threads)

    def fits(self, n: int, max_parents: int, threads: int, limit: int) -> bool:
        """Whether a sum can run with ``limit`` bytes of memory on each machine."""
        if n > self.backend.most_variables or self.backend.device_memory(n, max_parents) > self.card_memory:
            return False
        return not self.too_many_ranks(n, max_parents) and self.memory(n, max_parents, threads) <= limit

    def largest(self, size: ProblemSize, threads: int, limit: int) -> int:
        """Return the largest number of variables that fits, with the same limit on parents; 0 if none does."""
        limited = size.max_parents < size.n - 1
        for n in range(self.backend.most_variables, 1, -1):
            if self.fits(n, min(size.max_parents, n - 1) if limited else n - 1, threads, limit):
                return n
        return 0


def planned_place(over: str, backend: str | None, ranks: int | None, card_memory: int | str | None) -> Place:
    """Check where a plan is to run a sum. By default, it runs on the processors of this machine."""
    implied = "mpi" if ranks is not None else "cuda" if card_memory is not None else "cpu"
    name = implied if backend is None else backend
    check_choice(name, PLANNED_BACKENDS, "backend")
    for option, value, belongs in (("ranks", ranks, "mpi"), ("card_memory", card_memory, "cuda")):
        if value is not None and name != belongs:
            raise InvalidOption(f"is for {argument('backend', belongs)}, not for {name!r}", option=option)
    if (over, name) not in BACKENDS:
        use = argument("over", "orders")
        raise InvalidOption(f"is {name!r}, which has no sums over {over}: use {use}", option="backend")
    record = BACKENDS[over, name]
    if name == "mpi":
        return Place(record, _checked_ranks(ranks))
    return Place(record, card_memory=_checked_card(record, card_memory)) if name == "cuda" else Place(record)


def _checked_ranks(ranks: int | None) -> int:
    if ranks is None:
        raise InvalidOption(f"is 'mpi', which needs the number of ranks: add {argument('ranks')}", option="backend")
    Whole(1).check(ranks, "ranks")
    if (usable := usable_ranks(int(ranks))) != ranks:
        raise InvalidOption(f"is {ranks}; it must be a power of two: use {argument('ranks', usable)}", option="ranks")
    return usable


def _checked_card(record: SumBackend, card_memory: int | str | None) -> int:
    """Return the memory of the card in bytes: as given, or what is free on the card that is here."""
    if card_memory is not None:
        return parse_bytes(card_memory, option="card_memory")
    if record.device is None or record.missing:
        raise BackendUnavailable(
            f"{argument('backend', record.name)} cannot be used here: {record.missing}; "
            f"to plan for a card that is elsewhere, add its memory, such as {argument('card_memory', '80GiB')}"
        )
    return record.device.free_memory()


def places_to_compare(over: str, chosen: Place) -> dict[str, Place]:
    """Return where a sum may run, by the name of the back end: here, as chosen, and on the card that is here."""
    places = {"cpu": Place(BACKENDS[over, "cpu"])}
    card = BACKENDS.get((over, "cuda"))
    if card is not None and card.device is not None and not card.missing:
        places["cuda"] = Place(card, card_memory=card.device.free_memory())
    return places | {chosen.backend.name: chosen}
