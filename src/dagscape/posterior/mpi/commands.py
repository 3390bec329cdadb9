"""Commands that all ranks of an MPI program run as one: rank 0 reads, prints and writes, and the others help it."""

from __future__ import annotations

from collections.abc import Callable

from dagscape.core import exit_codes
from dagscape.posterior.mpi import library
from dagscape.posterior.mpi.signals import signals_end_process
from dagscape.posterior.mpi.team import team


def run_command(command: Callable[[], int]) -> int:
    """Run a command on rank 0, and return its exit code on all ranks."""
    with signals_end_process():
        # If a rank does not come, the others wait in the library for ever.
        ranks = None if library.missing() else team()
    if ranks is None:
        # The command says what is missing, once.
        found = library.launched()
        return command() if found is None or found.rank == 0 else exit_codes.TOO_LARGE
    try:
        return ranks.work(command)
    except BaseException:
        if ranks.rank == 0:
            raise
        return exit_codes.FAILED
