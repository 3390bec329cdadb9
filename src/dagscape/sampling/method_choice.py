"""The choice between an exact sum over DAGs and Markov chains."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from dagscape.core.checks import is_one_of
from dagscape.core.errors import InvalidOption, TooLarge, argument
from dagscape.core.wording import format_seconds
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.posterior.running import PlannedSum
from dagscape.sampling.compelled import DEFAULT_COMPELLED_SAMPLES

METHODS = ("auto", "exact", "chain")

# Hears why chains run, and how long a sum will take.
METHOD_LOG = logging.getLogger("dagscape.method")

# By default, a sum may be estimated to take an hour. That of few variables is never in question.
_MOST_SECONDS = 3600.0
_SURELY_QUICK = 16

# A sum that is estimated to take longer is announced.
LONG_SECONDS = 60.0

# What the options of exact sums are if they are not given, other than None.
_USUAL: dict[str, Any] = {
    "prior": False,
    "compelled_samples": DEFAULT_COMPELLED_SAMPLES,
    "backend": "auto",
}


class Reason(str):
    """Why chains run, in words; empty if they were asked for."""

    __slots__ = ()


def chosen_method(method: str, over: str, of_sums: Mapping[str, Any], of_chains: Iterable[str]) -> str:
    """Refuse options that a method does not have, and return the method: "auto" if size decides.

    Parameters
    ----------
    method, over
        As in :func:`dagscape.posterior`.
    of_sums : mapping
        The options that exact sums alone have.
    of_chains : iterable of str
        The names of the options of chains that are given.
    """
    asked = [name for name, value in of_sums.items() if not _is_usual(name, value)]
    if method == "chain":
        if is_one_of(over, ["orders"]):
            raise InvalidOption(
                f"is {method!r}, but chains sample DAGs, not orders: use {argument('over', 'dags')}", option="method"
            )
        for name in asked:
            raise InvalidOption(f"is an option of exact sums: use {argument('method', 'exact')}", option=name)
        return method
    if method == "auto" and not is_one_of(over, ["orders"]) and not asked:
        return method
    for name in of_chains:
        raise InvalidOption(f"is an option of chains: use {argument('method', 'chain')}", option=name)
    return "exact"


def _is_usual(option: str, value: object) -> bool:
    """Whether an option has its default; arrays do not compare to one value."""
    usual = _USUAL.get(option)
    return value is usual or (isinstance(value, str | int) and value == usual)


def most_seconds_of_sum(max_seconds: float | None, *, resumable: bool) -> float:
    """Return the estimated time above which chains run in place of a sum; who saves its work has the time."""
    if max_seconds is not None:
        return min(max_seconds, _MOST_SECONDS)
    return math.inf if resumable else _MOST_SECONDS


def sum_or_reason(
    n: int, plan: Callable[[], PlannedSum], chains_fit: Callable[[], bool], most_seconds: float
) -> PlannedSum | Reason:
    """Return a planned sum over DAGs; or if it is too large, and chains are not, the reason for chains.

    Parameters
    ----------
    n : int
        The number of variables.
    plan : callable
        Plans the sum, or raises an error if it does not fit.
    chains_fit : callable
        Whether chains fit.
    most_seconds : float
        The most time that the sum may take, by its estimate.
    """
    try:
        planned = plan()
    except (TooLarge, InvalidOption) as refusal:
        if not chains_fit():
            raise
        # What follows are remedies, and chains are one.
        return Reason(str(refusal).partition(": ")[0].replace(" (max_memory)", ""))
    if n > _SURELY_QUICK and most_seconds < math.inf:
        seconds = planned.plan.seconds()
        if seconds > most_seconds and chains_fit():
            return Reason(f"the exact sum would take about {format_seconds(seconds)}")
    return planned


def tell_reason(reason: Reason) -> None:
    """Tell why chains run before they do, unless they were asked for."""
    if reason:
        METHOD_LOG.info("running Markov chains, because %s", reason)


def tell_long_sum(n: int, over: str, seconds: float, settings: int = 1) -> None:
    """Tell what is going to be summed, and about how long that takes, before it is, if it takes minutes.

    Parameters
    ----------
    n : int
        The number of variables.
    over : str
        What is summed over.
    seconds : float
        The estimate of the time that all sums take together.
    settings : int
        The number of settings that are averaged over.
    """
    if seconds <= LONG_SECONDS:
        return
    averaged = f", for an average over {settings} settings" if settings > 1 else ""
    METHOD_LOG.info(
        "summing exactly over the %s of %d variables%s, which takes about %s",
        over,
        n,
        averaged,
        format_seconds(seconds),
    )


def explained(found: SampledNetworks, reason: Reason) -> SampledNetworks:
    """Return chains with the reason for them in their provenance."""
    if not reason:
        return found
    parameters = {**found.provenance.parameters, "because": str(reason)}
    return replace(found, provenance=replace(found.provenance, parameters=parameters))
