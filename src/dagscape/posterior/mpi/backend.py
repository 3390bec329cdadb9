"""The record of the sum over orders on many machines.

Few programs run on several ranks: what they need is imported when it is first used.
"""

from __future__ import annotations

from dataclasses import replace

from dagscape.core import kernels
from dagscape.core.constraints import Whole
from dagscape.core.errors import argument
from dagscape.core.references import lazily
from dagscape.core.requirements import TaskOption
from dagscape.posterior.contract import Processes
from dagscape.posterior.cpu.backend import CPU
from dagscape.posterior.mpi import library
from dagscape.posterior.sum_plan import Elsewhere

_CPU = next(record for record in CPU if record.over == "orders")

_UNUSED = (
    f"rank 0 does this sum alone: use {argument('over', 'orders')}, and no {argument('backend')} but mpi, for a sum on "
    "all ranks"
)

# Plans advise up to 4096 machines.
_MOST_RANK_BITS = 12


MPI = (
    replace(
        _CPU,
        name="mpi",
        summary="all processes that mpirun has started, which auto also uses for sums over orders",
        run=lazily("posterior.mpi.shared_sum:sum_over_orders"),
        ancestors_asked=False,
        planned=lazily("posterior.mpi.shared_sum:planned"),
        engine=lambda: f"{library.describe()}, {kernels.name}",
        missing=library.missing,
        # A program may use MPI for purposes of its own.
        automatic=None,
        elsewhere=Elsewhere(
            "ranks",
            TaskOption("Plan for this many ranks of MPI, each on a machine like this one.", Whole(1), "1"),
            assumed=lazily("posterior.mpi.shared_sum:assumed_ranks"),
            usual=tuple((f"{1 << bits} machines like this one", 1 << bits) for bits in range(1, _MOST_RANK_BITS + 1)),
        ),
        processes=Processes(
            launched=library.launched_ranks,
            threads=lazily("posterior.mpi.team:threads_of_rank"),
            check_memory=lazily("posterior.mpi.memory:check_machines"),
            work=lazily("posterior.mpi.team:work_together"),
            run_command=lazily("posterior.mpi.commands:run_command"),
            end=lazily("posterior.mpi.ending:end_job"),
            unused=_UNUSED,
        ),
    ),
)
