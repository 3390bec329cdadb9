r"""EM: the parameters of a network from rows with missing cells [dempster1977]_ [lauritzen1995]_.

The observed cells have a likelihood: that of whole rows, summed (or integrated) over what is missing. If it depends on
nothing else which cells are missing ("missing at random"), that is the likelihood to maximise. EM repeats two steps:

- *E*: the expected statistics of the whole rows, given what they show, under the current parameters;
- *M*: the parameters that would be best for whole rows with these statistics.

The observed-data log-likelihood plus the log of the prior, the *objective*, never falls. With maximum likelihood there
is no prior. Otherwise the M-step takes the parameters that complete rows would be fitted with: expectations under
the prior, which are at the same time the mode of a prior of the same kind, and that one is part of the objective.

EM ends at a local maximum, or nearly: it stops when Aitken's estimate of what is left to gain [bohning1994]_, the last
gain times r/(1 − r) where r is its ratio to the gain before, is within the tolerance. Of several starts the best end
counts; the first begins with the rows that are complete in each family, the others are random. An objective that falls
by more than rounding, or is no number, ends a start without convergence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypedDict, TypeVar

from dagscape.core.caveats import issue
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import Number, Whole, check_options
from dagscape.core.errors import InvalidOption, StoppedEarly, argument, did_you_mean
from dagscape.core.randomness import Seed

Parameters = TypeVar("Parameters")

FitMissing = Literal["error", "em"]

FIT_MISSING_CHOICES: tuple[FitMissing, ...] = ("error", "em")

TOLERANCE, MAX_ITERATIONS = 1e-3, 1000

# An objective may fall by this share of its size, or of 1, by rounding.
_ROUNDING = 1e-9

EM_RULES = {"starts": Whole(1), "tolerance": Number(0.0), "max_iterations": Whole(1)}


class EMOptions(TypedDict, total=False):
    """The options of EM.

    Attributes
    ----------
    starts : int
        How many starts are tried. Default: 1.
    seed : int, numpy.random.Generator or None
        What all starts but the first come from. Default: 0.
    tolerance : float
        EM ends when the objective is estimated to gain no more than this, in nats. Default: 0.001.
    max_iterations : int
        The limit on iterations of each start. Default: 1000.
    max_seconds : float or None
        The time limit, at which the best parameters so far are taken, with a :class:`~dagscape.StoppedEarly` warning.
        Default: none.
    """

    starts: int
    seed: Seed
    tolerance: float
    max_iterations: int
    max_seconds: float | None


@dataclass(frozen=True, slots=True)
class IncompleteFit:
    """How the parameters of a network were fitted to incomplete rows.

    Attributes
    ----------
    log_likelihood : float
        The log-likelihood of all observed cells, with all missing ones summed or integrated out.
    objectives : tuple of float
        The log-likelihood plus the log of the prior, up to a constant, before each iteration of the best start and at
        its end; it never falls. With maximum likelihood it is the log-likelihood.
    converged : bool
        Whether the best start ended by the tolerance.
    ends : tuple of float
        The last objective of each start.
    incomplete_rows : int
        The number of rows with missing cells.
    """

    log_likelihood: float
    objectives: tuple[float, ...]
    converged: bool
    ends: tuple[float, ...]
    incomplete_rows: int

    @property
    def iterations(self) -> int:
        """The number of iterations of the best start."""
        return len(self.objectives) - 1


class Step(NamedTuple, Generic[Parameters]):
    """One iteration.

    Attributes
    ----------
    objective, log_likelihood : float
        Those of the parameters before it.
    parameters : object
        The parameters after it.
    """

    objective: float
    log_likelihood: float
    parameters: Parameters


class Ended(NamedTuple, Generic[Parameters]):
    """The best parameters, and how they were found."""

    parameters: Parameters
    fit: IncompleteFit


def maximised(
    step: Callable[[Parameters], Step[Parameters]],
    starts: Iterable[Parameters],
    incomplete_rows: int,
    options: EMOptions,
    clock: Clock,
) -> Ended[Parameters]:
    """Return the best end of EM.

    Parameters
    ----------
    step : callable
        An iteration.
    starts : iterable
        The parameters to begin with, at least one.
    incomplete_rows : int
        The number of rows with missing cells, for the record.
    options : EMOptions
        The tolerance and the limit on iterations.
    clock : Clock
        The time limit, in place of ``max_seconds``.
    """
    tolerance, most = options.get("tolerance", TOLERANCE), options.get("max_iterations", MAX_ITERATIONS)
    best: tuple[Parameters, float, list[float], bool] | None = None
    ends = []
    for start in starts:
        found = _climbed(step, start, tolerance, most, clock)
        ends.append(found[2][-1])
        if best is None or ends[-1] > best[2][-1]:
            best = found
        if clock.expired:
            break
    assert best is not None
    parameters, log_likelihood, objectives, converged = best
    return Ended(parameters, IncompleteFit(log_likelihood, tuple(objectives), converged, tuple(ends), incomplete_rows))


def _climbed(
    step: Callable[[Parameters], Step[Parameters]],
    parameters: Parameters,
    tolerance: float,
    max_iterations: int,
    clock: Clock,
) -> tuple[Parameters, float, list[float], bool]:
    """Return the end of one start, its log-likelihood, the objectives on the way, and whether it converged."""
    found = step(parameters)
    objectives = [found.objective]
    for _ in range(max_iterations):
        following = step(found.parameters)
        if not (math.isfinite(following.objective) and following.objective >= found.objective):
            # What was there before is as good, if this is rounding at the end, or better.
            fall = found.objective - following.objective
            is_rounding = math.isfinite(fall) and fall <= _ROUNDING * max(1.0, abs(found.objective))
            return parameters, found.log_likelihood, objectives, is_rounding
        parameters, found = found.parameters, following
        objectives.append(found.objective)
        if _left(objectives) <= tolerance:
            return parameters, found.log_likelihood, objectives, True
        if clock.expired:
            break
    return parameters, found.log_likelihood, objectives, False


def _left(objectives: list[float]) -> float:
    """Return Aitken's estimate of what is left to gain.

    >>> _left([-8.0, -4.0, -2.0]), _left([-3.0, -3.0]), _left([-4.0, -3.0])
    (2.0, 0.0, inf)
    """
    last = objectives[-1] - objectives[-2]
    if last == 0:
        return 0.0
    if len(objectives) < 3 or not math.isfinite(objectives[-3]):
        return math.inf
    ratio = last / (objectives[-2] - objectives[-3])
    return last * ratio / (1 - ratio) if ratio < 1 else math.inf


def uses_em(missing: str, options: EMOptions) -> bool:
    """Whether incomplete rows are fitted by EM, after checking the options.

    >>> uses_em("em", {"starts": 3}), uses_em("error", {})
    (True, False)
    """
    check_choice(missing, FIT_MISSING_CHOICES, "missing")
    known = EMOptions.__annotations__
    for name in options:
        if name not in known:
            raise InvalidOption(f"there is no option {name!r}{did_you_mean(name, known)}")
        if missing != "em":
            raise InvalidOption(f"is for {argument('missing', 'em')}", option=name)
    checked_options(options)
    return missing == "em"


def checked_options(options: EMOptions) -> EMOptions:
    """Return the options of EM after checking them."""
    check_options(EM_RULES, {name: value for name, value in options.items() if name in EM_RULES})
    return options


def tell_if_stopped(fit: IncompleteFit, clock: Clock) -> None:
    """Warn if the time limit ended EM."""
    if clock.expired and not fit.converged:
        issue(StoppedEarly(f"EM reached {argument('max_seconds')}: the parameters are the best found by then"))
