"""The table of back ends, and the choice among them.

Each back end is a record in :data:`BACKENDS`, keyed by what it sums over and by its name. All other code reads the
record (:mod:`dagscape.posterior.contract`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from dagscape.core.checks import check_choice, is_one_of
from dagscape.core.errors import InvalidOption, argument
from dagscape.core.requirements import ProblemSize
from dagscape.core.resources import Budget
from dagscape.posterior.contract import Processes, SumBackend
from dagscape.posterior.cpu.backend import CPU
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
        missing = records[0].missing()
        over = tuple(record.over for record in records)
        found.append(BackendStatus(name, over, not missing, missing or records[0].engine()))
    return tuple(found)


def find_backends(
    over: str, backend: str, *, paths: bool = False, ancestors: bool = False, order_weights: bool = False
) -> list[SumBackend]:
    """Return the back ends with a name that can do a sum, the one that is always there first; all for ``"auto"``."""
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
    able = [record for record in able if record.ancestors_asked] if ancestors else able
    if not able:
        elsewhere = next(record for record in known if record.ancestors_asked)
        raise InvalidOption(
            f"sums over {over} with {argument('backend', backend)} have no ancestor relations: "
            f"use {argument('backend', elsewhere.name)}"
        )
    able = [record for record in able if record.order_weights] if order_weights else able
    if not able:
        elsewhere = next(record for record in BACKENDS.values() if record.order_weights)
        use = ("over", elsewhere.over) if elsewhere.over != over else ("backend", elsewhere.name)
        raise InvalidOption(f"are for sums over orders on a processor: use {argument(*use)}", option="order_weights")
    return able


def usual_backend(over: str) -> SumBackend:
    """Return the back end of a sum that is always there."""
    return find_backends(over, "auto")[0]


def cost_more(over: str, *, ancestors: bool) -> bool:
    """Whether ancestor relations are asked for that do not come with the edges."""
    return ancestors and not usual_backend(over).ancestors


def choose_backend(
    over: str,
    backend: str,
    size: ProblemSize,
    budget: Budget,
    *,
    paths: bool = False,
    ancestors: bool = False,
    order_weights: bool = False,
    resumable: bool = False,
) -> SumBackend:
    """Return the back end with a name, if it can be used here; ``"auto"`` is the fastest that fits, by its estimate.

    A sum with checkpoints must be ``resumable``.
    """
    able = find_backends(over, backend, paths=paths, ancestors=ancestors, order_weights=order_weights)
    if backend == "auto":
        able = [record for record in able if record.resumable or not resumable]
        return _fastest(able, size, budget, with_paths=paths)
    able[0].check_available()
    return able[0]


def _fastest(able: Sequence[SumBackend], size: ProblemSize, budget: Budget, *, with_paths: bool) -> SumBackend:
    """Return the back end that takes the least time, by its own estimate; the first if none fits.

    The first is always there, and costs nothing to ask. Others are asked only if that may be worth their start.
    """
    asked = [(record, record.automatic) for record in able if record.automatic is not None]
    asked = [(record, how) for record, how in asked if size.n >= how.least_variables and how.installed()]
    if len(asked) == 1:
        return asked[0][0]
    chosen, least = able[0], math.inf
    for record, how in asked:
        if least < how.least_seconds or record.missing():
            continue
        plan = record.plan(size, record.threads(budget), with_paths=with_paths)
        if plan.fits(budget.limit) and (seconds := plan.seconds()) < least:
            chosen, least = record, seconds
    return chosen


def launched_backend() -> SumBackend | None:
    """Return the back end of the processes that a launcher has started together with this one, if there are several."""
    return next((record for record, processes in _with_processes() if processes.launched() > 1), None)


def processes_named(backend: object, *, usable: bool = False) -> Processes | None:
    """Return the processes of the back end with a name, if it has any; ``usable`` ones must work here.

    ``"auto"`` has none: a program may have started processes for purposes of its own.
    """
    for record, processes in _with_processes():
        if is_one_of(backend, [record.name]) and not (usable and record.missing()):
            return processes
    return None


def _with_processes() -> Iterator[tuple[SumBackend, Processes]]:
    return ((record, record.processes) for record in BACKENDS.values() if record.processes is not None)


def on_all_processes(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Let all processes take part in a function of sums, if the back end of its keyword ``backend`` has several."""

    @wraps(function)
    def taking_part(*arguments: Arguments.args, **options: Arguments.kwargs) -> Value:
        processes = processes_named(options.get("backend", "auto"), usable=True)
        if processes is None:
            return function(*arguments, **options)
        return processes.work(lambda: function(*arguments, **options))

    return taking_part


def _refuse_paths(over: str, backend: str) -> None:
    elsewhere = next(record for record in BACKENDS.values() if record.paths)
    if elsewhere.over != over:
        raise InvalidOption(f"sums over {over} have no path relations: use {argument('over', elsewhere.over)}")
    raise InvalidOption(
        f"sums over {over} with {argument('backend', backend)} have no path relations: "
        f"use {argument('backend', elsewhere.name)}"
    )
