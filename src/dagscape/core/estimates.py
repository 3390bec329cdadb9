"""Numbers with an error: floats and arrays that say how far they may be off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


class Estimate(float):
    """A number with an error estimate; a float in all other respects.

    Examples
    --------
    >>> edges = Estimate(12.5, 0.25)
    >>> edges
    Estimate(12.5, error=0.25)
    >>> edges + 1, edges.error, f"{edges:.2f}"
    (13.5, 0.25, '12.50')
    """

    __slots__ = ("_error",)
    _error: float

    def __new__(cls, value: float, error: float) -> Self:
        """Create a number with an error."""
        estimate = super().__new__(cls, value)
        estimate._error = float(error)
        return estimate

    @property
    def error(self) -> float:
        """The error estimate: a bound of the rounding, or the standard error of an average over samples."""
        return self._error

    def __repr__(self) -> str:
        return f"{type(self).__name__}({float(self)!r}, error={self._error:.2g})"

    def __str__(self) -> str:
        return repr(float(self))

    def __reduce__(self) -> tuple[type[Self], tuple[float, float]]:
        return type(self), (float(self), self._error)


class Probability(Estimate):
    """A probability with an error estimate; a float in all other respects.

    Examples
    --------
    >>> half = Probability(0.5, 1e-12)
    >>> half
    Probability(0.5, error=1e-12)
    >>> half + 0.25, half.error, f"{half:.2f}"
    (0.75, 1e-12, '0.50')
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class ArrayEstimate:
    """An array of numbers, each with an error estimate.

    Attributes
    ----------
    value : array of float64
        The numbers.
    error : array of float64
        The error of each, in the same shape.
    """

    value: NDArray[np.float64]
    error: NDArray[np.float64]
