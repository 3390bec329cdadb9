"""The options of a sum that change what it needs."""

from __future__ import annotations

from dagscape.core.requirements import TaskOption
from dagscape.posterior.backends import SUMMED_OVER
from dagscape.posterior.places import PLANNED_BACKENDS

SUM_OPTIONS = {
    "over": TaskOption("Sum over DAGs or over orders of the variables.", SUMMED_OVER, varied=True),
    "backend": TaskOption("What does the sum.", PLANNED_BACKENDS),
    "ranks": TaskOption("Plan for this many ranks of MPI, each on a machine like this one.", type=int, default="1"),
    "card_memory": TaskOption(
        "Plan for a GPU with this memory, such as 80GiB; the time is that of an NVIDIA H200.",
        default="that of the GPU that is here",
    ),
}
