"""Access to MPI through mpi4py, which is imported only when a sum uses it.

Importing ``mpi4py.MPI`` starts MPI. Started by ``mpirun``, this always works. Otherwise, some libraries end the
process where no MPI program may run, as on the login nodes of clusters, so another process tries first.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import cache
from typing import Any, NamedTuple

# The variables by which launchers tell a process its rank: Hydra (MPICH, Intel MPI, Cray), Open MPI, and PMIx (Slurm).
_RANK_VARIABLES = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")
_SIZE_VARIABLES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")

_INSTALL = 'pip install "dagscape[mpi]", and an MPI library, such as that of the machine or pip install mpich'
_TRIAL = "from mpi4py import MPI"
_TRIAL_SECONDS = 60.0


def load() -> Any:
    """Return the module ``mpi4py.MPI``; the first call starts MPI."""
    from mpi4py import MPI

    return MPI


def installed() -> bool:
    """Whether mpi4py is there, which says nothing about an MPI library."""
    return importlib.util.find_spec("mpi4py") is not None


@cache
def missing() -> str:
    """Return why MPI cannot be used, and the remedy; an empty string if it can."""
    if not installed():
        return f"the package mpi4py is not installed: {_INSTALL}"
    if "mpi4py.MPI" not in sys.modules and launched() is None and (reason := _reason_of_a_trial()):
        return f"MPI does not start ({reason}): {_INSTALL}"
    try:
        mpi = load()
    except (ImportError, RuntimeError) as error:
        return f"MPI does not start ({_first_reason(str(error))}): {_INSTALL}"
    if not mpi.Is_initialized() or mpi.Is_finalized():
        return "MPI is not running in this process: call mpi4py.MPI.Init() before, and Finalize() after the sum"
    return ""


def _reason_of_a_trial() -> str:
    """Start MPI in another process; return why that fails, or an empty string."""
    try:
        trial = subprocess.run(
            [sys.executable, "-c", _TRIAL], capture_output=True, text=True, timeout=_TRIAL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if trial.returncode == 0 else _first_reason(trial.stderr) or f"exit code {trial.returncode}"


def _first_reason(text: str) -> str:
    """Return the line of an error message, or of a traceback, that says what happened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not lines[0].startswith("Traceback"):
        return "; ".join(lines[:2])
    raised = next((i for i, line in enumerate(lines) if line.partition(":")[0].endswith("Error")), len(lines) - 1)
    return "; ".join([lines[raised].partition(": ")[2] or lines[raised], *lines[raised + 1 : raised + 2]])


class Launched(NamedTuple):
    """The rank that a launcher such as ``mpirun`` has given to this process, and the number of all ranks."""

    rank: int
    size: int


def launched() -> Launched | None:
    """Return what a launcher says; None if there is none. The size is 1 if it does not say the size.

    Programs that a rank starts inherit the variables of Hydra, but not the file by which it talks to them.
    """
    try:
        os.fstat(_number(("PMI_FD",)) or 0)
    except OSError:
        return None
    rank = _number(_RANK_VARIABLES)
    return None if rank is None else Launched(rank, _number(_SIZE_VARIABLES) or 1)


def launched_ranks() -> int:
    """Return how many ranks a launcher has started for this program; 1 if it cannot use them."""
    found = launched()
    return found.size if found is not None and installed() else 1


def _number(variables: tuple[str, ...]) -> int | None:
    return next((int(os.environ[name]) for name in variables if os.environ.get(name, "").isdecimal()), None)


def describe() -> str:
    """Return the name and the version of the library, and the number of ranks."""
    mpi = load()
    name, version = mpi.get_vendor()
    ranks = mpi.COMM_WORLD.size
    return f"{name} {'.'.join(map(str, version))}, {ranks} rank{'s' if ranks > 1 else ''}"
