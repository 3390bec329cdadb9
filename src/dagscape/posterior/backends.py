"""The table of back ends, and the choice among them.

Each back end is a record in :data:`BACKENDS`, keyed by what it sums over and by its name. All other code reads the
record (:mod:`dagscape.posterior.contract`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from dagscape.core.checks import check_choice, is_one_of
from dagscape.core.errors import BackendUnavailable, InvalidOption, argument
from dagscape.core.requirements import ProblemSize
from dagscape.posterior.contract import Ranks, SumBackend
from dagscape.posterior.cpu import CPU
from dagscape.posterior.cuda.backend import CUDA
from dagscape.posterior.mpi.backend import MPI

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

# For each sum, the back end that is always there comes first.
BACKENDS: dict[tuple[str, str], SumBackend] = {(record.over, record.name): record for record in (*CPU, *CUDA, *MPI)}

# The values of ``over``.
SUMMED_OVER = tuple(dict.fromkeys(over for over, _ in BACKENDS))

# The values of ``backend``.
BACKEND_NAMES = ("auto", *dict.fromkeys(name for _, name in BACKENDS))


@dataclass(frozen=True, slots=True)
class BackendStatus:
    """Whether a back end can be used here.

    Attributes
    ----------
    name : str
        The value of ``backend``.
    over : tuple of str
        What it can sum over.
    available : bool
        Whether it can be used.
    detail : str
        What does the work; or why it cannot be used, and the remedy.
    """

    name: str
    over: tuple[str, ...]
    available: bool
    detail: str

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}" if self.available else f"{self.name}: not available: {self.detail}"


def backends() -> tuple[BackendStatus, ...]:
    """Return which back ends of :func:`dagscape.posterior` can be used here, and why others cannot.

    Returns
    -------
    tuple of BackendStatus
        One for each back end, with ``name``, ``over``, ``available`` and ``detail``.

    Examples
    --------
    >>> import dagscape as ds
    >>> [(status.name, status.over) for status in ds.backends()]
    [('cpu', ('dags', 'orders')), ('cuda', ('dags', 'orders')), ('mpi', ('orders',))]
    >>> ds.backends()[0].available
    True
    """
    found = []
    for name in BACKEND_NAMES[1:]:
        records = [record for record in BACKENDS.values() if record.name == name]
        missing = records[0].missing
        over = tuple(record.over for record in records)
        found.append(BackendStatus(name, over, not missing, missing or records[0].engine))
    return tuple(found)


def find_backend(
    over: str, backend: str = "auto", *, paths: bool = False, size: ProblemSize | None = None
) -> SumBackend:
    """Return the back end with a name.

    ``"auto"`` is a device that suits the size of the problem, if it is given and there is such a device; otherwise the
    first back end that can do the job.
    """
    check_choice(over, SUMMED_OVER, "over")
    known = [record for record in BACKENDS.values() if record.over == over]
    named = [record for record in known if is_one_of(backend, ("auto", record.name))]
    if not named:
        # No suggestion: 'gpu' is similar to 'cpu', and not meant so.
        names = ", ".join(map(repr, ["auto", *(record.name for record in known)]))
        raise InvalidOption(f"is {backend!r}; for sums over {over} it must be one of {names}", option="backend")
    able = [record for record in named if record.paths] if paths else named
    if not able:
        _refuse_paths(over, backend)
    if backend != "auto" and (missing := able[0].missing):
        raise BackendUnavailable(f"{argument('backend', backend)} cannot be used: {missing}")
    if backend == "auto" and size is not None:
        able = [record for record in able if record.is_preferred(size.n, size.max_parents)] or able
    return able[0]


def ranks_of(backend: object) -> Ranks | None:
    """Return the processes of a back end that all of them must call, if they can be used; None for others.

    ``"auto"`` is never one of these: a program may use MPI for purposes of its own.
    """
    records = [record for record in BACKENDS.values() if record.ranks is not None and is_one_of(backend, [record.name])]
    return records[0].ranks if records and not records[0].missing else None


def on_all_ranks(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Let all ranks take part in a function of sums, if the back end that its keyword ``backend`` names has ranks."""

    @wraps(function)
    def taking_part(*arguments: Arguments.args, **options: Arguments.kwargs) -> Value:
        ranks = ranks_of(options.get("backend", "auto"))
        if ranks is None:
            return function(*arguments, **options)
        return ranks.work(lambda: function(*arguments, **options))

    return taking_part


def _refuse_paths(over: str, backend: str) -> None:
    elsewhere = next(record for record in BACKENDS.values() if record.paths)
    if elsewhere.over != over:
        raise InvalidOption(f"sums over {over} have no path relations: use {argument('over', elsewhere.over)}")
    raise InvalidOption(
        f"sums over {over} with {argument('backend', backend)} have no path relations: "
        f"use {argument('backend', elsewhere.name)}"
    )
