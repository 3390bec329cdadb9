"""Plans of sums, which need not run here: options that say what is elsewhere, requirements, time, and the largest sums.

Each back end declares its own option (``SumBackend.elsewhere``), and answers for itself (``SumBackend.plan``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dagscape.core.checks import check_choice
from dagscape.core.constraints import FLAG, OneOf
from dagscape.core.errors import InvalidOption, argument, did_you_mean
from dagscape.core.requirements import Alternative, ProblemSize, Requirements, TaskOption
from dagscape.posterior.backends import BACKEND_NAMES, BACKENDS, SUMMED_OVER, cost_more, find_backends
from dagscape.posterior.contract import SumBackend
from dagscape.posterior.requirements import requirements_of
from dagscape.posterior.sum_plan import Elsewhere, SumPlan

# The back ends that a plan can name, the default first; "auto" is none of them, because it depends on what is there.
_BACKENDS = BACKEND_NAMES[1:]

# The options for what is elsewhere, each with its back end.
_ELSEWHERE: dict[str, tuple[str, Elsewhere]] = {
    record.elsewhere.name: (record.name, record.elsewhere)
    for record in BACKENDS.values()
    if record.elsewhere is not None
}

# The options of a sum that change what it needs.
FEATURE_OPTIONS = {
    "over": TaskOption("Sum over DAGs or over orders of the variables.", OneOf(SUMMED_OVER), varied=True)
}
SUM_OPTIONS = {
    **FEATURE_OPTIONS,
    "ancestors": TaskOption(
        "Also ancestor relations over orders; sums over DAGs have them anyway.", FLAG, "no", asks_for_more=True
    ),
    "backend": TaskOption("What does the sum.", OneOf(_BACKENDS)),
    **{name: elsewhere.option for name, (_, elsewhere) in _ELSEWHERE.items()},
}


@dataclass(frozen=True, slots=True)
class _Planned:
    """A back end, and what a plan assumes about it."""

    backend: SumBackend
    assumed: object
    with_ancestors: bool

    def plan(self, size: ProblemSize, threads: int) -> SumPlan:
        return self.backend.plan(size, threads, with_ancestors=self.with_ancestors, assumed=self.assumed)

    def largest(self, size: ProblemSize, threads: int, limit: int) -> int:
        return self.backend.largest(size, threads, limit, self.assumed, with_ancestors=self.with_ancestors)


def planned_requirements(
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    over: str = "dags",
    ancestors: bool = False,
    backend: str | None = None,
    **elsewhere: Any,
) -> Requirements:
    """Return the requirements of a sum that need not run here; memory is that of one machine."""
    chosen = _planned(over, backend, elsewhere, ancestors)
    plan, with_ancestors = chosen.plan(size, threads), chosen.with_ancestors
    return requirements_of(
        chosen.backend, plan, size, threads, limit, refusal=plan.refusal, with_ancestors=with_ancestors
    )


def planned_seconds(
    size: ProblemSize,
    threads: int,
    limit: int,  # noqa: ARG001 (as all methods take it)
    *,
    over: str = "dags",
    ancestors: bool = False,
    backend: str | None = None,
    **elsewhere: Any,
) -> float:
    """Return the estimated time of a sum: here, or with what is elsewhere."""
    return _planned(over, backend, elsewhere, ancestors).plan(size, threads).seconds()


def largest_sums(
    size: ProblemSize,
    threads: int,
    limit: int,
    *,
    over: str = "dags",
    ancestors: bool = False,
    backend: str | None = None,
    **elsewhere: Any,
) -> dict[str, int]:
    """Return the largest numbers of variables that fit, by back end: those of ``"auto"`` here, and as planned."""
    chosen = _planned(over, backend, elsewhere, ancestors)
    able = find_backends(over, "auto", ancestors=chosen.with_ancestors)
    here = [record for record in able if record.automatic is not None and not record.missing()]
    compared = {record.name: _Planned(record, None, chosen.with_ancestors) for record in here}
    compared[chosen.backend.name] = chosen
    return {name: planned.largest(size, threads, limit) for name, planned in compared.items()}


def usual_elsewhere(*, over: str = "dags", ancestors: bool = False) -> list[list[Alternative]]:
    """Return, for each back end with an option for what is elsewhere, what usually is there, from the smallest."""
    records = find_backends(over, "auto", ancestors=cost_more(over, ancestors=ancestors))
    return [
        [
            Alternative(where, {record.elsewhere.name: value}, {"backend": record.name})
            for where, value in record.elsewhere.usual
        ]
        for record in records
        if record.elsewhere is not None
    ]


def _planned(over: str, backend: str | None, elsewhere: Mapping[str, Any], ancestors: bool) -> _Planned:
    """Check what a plan assumes. By default, a sum runs on the back end that is always there."""
    given = {option: value for option, value in elsewhere.items() if value is not None}
    for option in given:
        if option not in _ELSEWHERE:
            raise InvalidOption(f"there is no option {option!r}{did_you_mean(option, _ELSEWHERE)}")
    implied = [_ELSEWHERE[option][0] for option in given] or [_BACKENDS[0]]
    name = implied[0] if backend is None else backend
    check_choice(name, _BACKENDS, "backend")
    for option in given:
        if (belongs := _ELSEWHERE[option][0]) != name:
            raise InvalidOption(f"is for {argument('backend', belongs)}, not for {name!r}", option=option)
    if (over, name) not in BACKENDS:
        other = next(known for known in SUMMED_OVER if (known, name) in BACKENDS)
        use = argument("over", other)
        raise InvalidOption(f"is {name!r}, which has no sums over {over}: use {use}", option="backend")
    with_ancestors = cost_more(over, ancestors=ancestors)
    (record,) = find_backends(over, name, ancestors=with_ancestors)
    if record.elsewhere is None:
        return _Planned(record, None, with_ancestors)
    return _Planned(record, record.elsewhere.assumed(given.get(record.elsewhere.name)), with_ancestors)
