"""Commands that all ranks of an MPI program run as one: rank 0 reads, prints and writes, and the others help it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence

from dagscape.posterior.mpi import library
from dagscape.posterior.mpi.team import team

_COMMAND = "posterior"


def run_as_one(arguments: Sequence[str]) -> bool:
    """Whether the ranks run a command together; if it cannot use them all, rank 0 runs it alone."""
    if not arguments or arguments[0] != _COMMAND:
        return False
    return _last(arguments, "--backend", "auto") == "mpi" or _many_ranks()


def chosen_backend(over: str, backend: str) -> str:
    """Return the back end of a sum: ``auto`` is MPI for sums over orders on several ranks."""
    return "mpi" if backend == "auto" and over == "orders" and _many_ranks() else backend


def ranks_in_vain(backend: str) -> str:
    """Return a sentence if there are several ranks of which a back end uses only one; otherwise an empty string."""
    if backend == "mpi" or not _many_ranks():
        return ""
    return "rank 0 does this sum alone: use --over orders, and no --backend but mpi, for a sum on all ranks"


def is_first_of_many() -> bool:
    """Whether this is rank 0 of several; launchers pass on what it prints, through a pipe."""
    return library.launched_rank() == 0 and _many_ranks()


def _many_ranks() -> bool:
    return library.launched_size() > 1 and importlib.util.find_spec("mpi4py") is not None


def _last(arguments: Sequence[str], option: str, default: str) -> str:
    """Return the value of an option, before click has read the command line: all ranks must agree on how to do that."""
    value = default
    for place, argument in enumerate(arguments):
        if argument == option:
            value = arguments[place + 1] if place + 1 < len(arguments) else ""
        elif argument.startswith(f"{option}="):
            value = argument.removeprefix(f"{option}=")
    return value


def run_on_ranks(command: Callable[[], int]) -> int:
    """Run a command on rank 0, and return its exit code on all ranks."""
    if library.missing():
        # The command says what is missing, once.
        return command() if not library.launched_rank() else 4
    ranks = team()
    try:
        return ranks.work(command)
    except BaseException:
        if ranks.rank == 0:
            raise
        return 1
