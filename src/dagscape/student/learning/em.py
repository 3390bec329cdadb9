"""Parametric EM, accelerated and monotone: the maximum of the likelihood for one structure of the skills.

Plain EM needs a thousand steps where skills overlap. SQUAREM [varadhan2008]_ takes two steps of EM, θ0 → θ1 → θ2,
extrapolates along r = θ1 − θ0 and v = (θ2 − θ1) − r by a length a >= 1, θ0 + 2 a r + a² v with a = ‖r‖ / ‖v‖, and takes
one step of EM from there. If the extrapolated point has a smaller likelihood than θ1, it is dropped and θ2 is kept: the
likelihood never falls. An extrapolation comes nearer to 0 and 1, but does not reach them: EM cannot leave them again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dagscape.student.learning.e_step import Expectation, Expected
from dagscape.student.model.parameters import Parameters, Vector

# The limit on the length of an extrapolation at the beginning. It grows when an extrapolation as long is kept.
_FIRST_LIMIT = 4.0

# An extrapolation keeps at least this share of the distance of each probability from 0 and 1.
_KEPT_DISTANCE = 0.01

# Called after each E-step with the log-likelihood.
Watch = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The end of EM.

    Attributes
    ----------
    parameters : Parameters
        Where it ended.
    expected : Expected
        The E-step there.
    steps : int
        The number of E-steps.
    converged : bool
        Whether the likelihood grew by no more than the tolerance; false if the number of steps ended it.
    """

    parameters: Parameters
    expected: Expected
    steps: int
    converged: bool

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of the answers."""
        return self.expected.log_likelihood


def fit(
    expectation: Expectation,
    start: Parameters,
    *,
    tolerance: float = 1e-6,
    max_steps: int = 10_000,
    accelerate: bool = True,
    watch: Watch | None = None,
) -> Fitted:
    """Maximise the likelihood from a start.

    Parameters
    ----------
    expectation : Expectation
        The answers.
    start : Parameters
        The structure, and where to start.
    tolerance : float
        EM ends when a step gains no more log-likelihood than this.
    max_steps : int
        The limit on the number of E-steps.
    accelerate : bool
        Extrapolate; otherwise these are plain steps of EM.
    watch : callable, optional
        Receives the log-likelihood of every E-step whose point is kept.
    """
    run = _Run(expectation, watch)
    now, limit = start, _FIRST_LIMIT
    while True:
        at_now = run.step(now)
        first = _maximized(now, at_now)
        at_first = run.step(first)
        gain = at_first.log_likelihood - at_now.log_likelihood
        if gain <= tolerance or run.steps >= max_steps:
            return Fitted(first, at_first, run.steps, gain <= tolerance)
        second = _maximized(first, at_first)
        path = _Path(now.vector, first.vector, second.vector)
        now = second
        if accelerate and path.length > 1:
            length = min(path.length, limit)
            far = second.moved(_inside(path.at(length), second.vector))
            at_far = run.step(far, keep_above=at_first.log_likelihood)
            kept = at_far.log_likelihood >= at_first.log_likelihood
            now = _maximized(far, at_far) if kept else second
            if length == limit:
                limit = limit * 4 if kept else max(limit / 2, _FIRST_LIMIT)


class _Run:
    """Counts E-steps, and reports those that are kept."""

    def __init__(self, expectation: Expectation, watch: Watch | None) -> None:
        self.steps = 0
        self._expectation = expectation
        self._watch = watch

    def step(self, at: Parameters, keep_above: float = -np.inf) -> Expected:
        expected = self._expectation.expect(at)
        self.steps += 1
        if self._watch is not None and expected.log_likelihood >= keep_above:
            self._watch(expected.log_likelihood)
        return expected


def _maximized(at: Parameters, expected: Expected) -> Parameters:
    return at.maximized(expected.states, expected.cells)


def _inside(far: Vector, second: Vector) -> Vector:
    """Return an extrapolated point that keeps a share of the distances of the second step from 0 and 1.

    EM multiplies these distances: at or near 0 it would end, although the likelihood may grow towards the inside.
    """
    inside: Vector = np.clip(far, _KEPT_DISTANCE * second, 1 - _KEPT_DISTANCE * (1 - second))
    return inside


class _Path:
    """Two steps of EM, and where they lead to."""

    def __init__(self, start: Vector, first: Vector, second: Vector) -> None:
        self._start = start
        self._step = first - start
        self._change = second - first - self._step

    @property
    def length(self) -> float:
        """How far to extrapolate; 1 is the second step itself."""
        size = float(np.linalg.norm(self._change))
        return float(np.linalg.norm(self._step)) / size if size > 0 else 1.0

    def at(self, length: float) -> Vector:
        """Return the point at some length."""
        point: Vector = self._start + 2 * length * self._step + length**2 * self._change
        return point
