"""Mixtures of normal distributions: what is known of a measured variable, given the values of others.

With weights w, means μ and standard deviations s, the mean is Σ w μ, the variance Σ w (s² + (μ - mean)²), and the
distribution function Σ w Φ((x - μ) / s). A quantile lies between the smallest and the largest of those of the
components, and is found there by bisection, to the last bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.checks import check_unicode
from dagscape.core.constraints import Number
from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.core.wording import plural, visible

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

LEVEL = Number(0, 1, low_open=True, high_open=True)
_STEPS = 200
# Components with a smaller share cannot be seen in any number.
_LEAST_WEIGHT = 1e-300


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NormalMixture:
    """The distribution of a measured variable: normal in each state of some discrete variables.

    Parameters
    ----------
    variable : str
        The variable.
    weights : array
        The probability of each state; they sum to 1, up to rounding, which is taken out.
    means, sds : array
        The mean and the standard deviation in each state. Where the standard deviation is 0, the variable has one
        value.

    Examples
    --------
    >>> weight = NormalMixture("weight", [0.5, 0.5], [60.0, 80.0], [5.0, 5.0])
    >>> weight
    NormalMixture(weight: mean 70, sd 11.1803, 2 components)
    >>> round(weight.quantile(0.25), 3), round(weight.cdf(70.0), 3)
    (60.0, 0.5)
    """

    variable: str
    weights: Any
    means: Any
    sds: Any

    def __post_init__(self) -> None:
        check_unicode([self.variable], "the name of the variable")
        for name in ("weights", "means", "sds"):
            try:
                array = np.array(getattr(self, name), dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise InvalidData(f"the {name} of a mixture are not an array of numbers") from error
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if self.weights.ndim != 1 or not self.weights.size:
            raise InvalidData("a mixture has an array of weights, one for each component")
        if not self.weights.shape == self.means.shape == self.sds.shape:
            raise InvalidData(
                f"a mixture has weights, means and sds of the shapes {self.weights.shape}, {self.means.shape} and "
                f"{self.sds.shape}; they must be equal"
            )
        if not (abs(self.weights.sum() - 1) < 1e-6 and (self.weights >= 0).all()):
            raise InvalidData("the weights of a mixture are not probabilities that sum to 1")
        weights = self.weights / self.weights.sum()
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)
        if not (np.isfinite(self.means).all() and np.isfinite(self.sds).all() and (self.sds >= 0).all()):
            raise InvalidData("the means and sds of a mixture must be finite numbers, and sds at least 0")

    @property
    def mean(self) -> float:
        """The mean."""
        return float(mixture_moments(self.weights, self.means, self.sds)[0])

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return float(mixture_moments(self.weights, self.means, self.sds)[1])

    @property
    def variance(self) -> float:
        """The variance."""
        return self.sd**2

    def quantile(self, level: float) -> float:
        """Return the value that the variable does not exceed with a given probability.

        Parameters
        ----------
        level : float
            The probability, above 0 and below 1.
        """
        LEVEL.check(level, "level")
        rows = (self.weights[np.newaxis], self.means[np.newaxis], self.sds[np.newaxis])
        return float(mixture_quantiles(*rows, level)[0])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return two values between which the variable lies with a given probability, as often below as above.

        Parameters
        ----------
        level : float
            The probability, above 0 and below 1.

        Examples
        --------
        >>> low, high = NormalMixture("x", [1.0], [0.0], [1.0]).interval()
        >>> round(low, 4), round(high, 4)
        (-1.96, 1.96)
        """
        LEVEL.check(level, "level")
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def cdf(self, value: float) -> float:
        """Return the probability that the variable is at most a value."""
        rows = (self.weights[np.newaxis], self.means[np.newaxis], self.sds[np.newaxis])
        return float(_cdf(*rows, np.array([_number(value)]))[0])

    def density(self, value: float) -> float:
        """Return the density at a value; infinite where the variable has a single value."""
        number = _number(value)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = (number - self.means) / self.sds
            parts = np.exp(-0.5 * z * z) / (self.sds * np.sqrt(2 * np.pi))
        parts = np.where(self.sds > 0, parts, np.where(self.means == number, np.inf, 0.0))
        with np.errstate(invalid="ignore"):
            return float(np.where(self.weights > 0, self.weights * parts, 0.0).sum())

    def to_frame(self) -> pd.DataFrame:
        """Return the components as a data frame, one row for each."""
        import pandas as pd

        return pd.DataFrame({"weight": self.weights, "mean": self.means, "sd": self.sds})

    def __repr__(self) -> str:
        components = plural(len(self.weights), "component")
        return f"NormalMixture({visible(self.variable)}: mean {self.mean:.6g}, sd {self.sd:.6g}, {components})"


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type] # Refused below if it is no number.
    except (TypeError, ValueError) as error:
        raise InvalidOption(f"is {type_of(value)}; it must be a number", option="value") from error


def mixture_moments(weights: Floats, means: Floats, sds: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of mixtures; the last axis is that of the components.

    Examples
    --------
    >>> mean, sd = mixture_moments(np.array([0.5, 0.5]), np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    >>> float(mean), round(float(sd), 6)
    (1.0, 1.414214)
    """
    mean = (weights * means).sum(axis=-1)
    apart = means - mean[..., np.newaxis]
    return mean, np.sqrt((weights * (sds * sds + apart * apart)).sum(axis=-1))


def mixture_quantiles(weights: Floats, means: Floats, sds: Floats, level: float) -> Floats:
    """Return a quantile of mixtures, rows × components.

    Examples
    --------
    >>> found = mixture_quantiles(np.array([[0.5, 0.5]]), np.array([[0.0, 2.0]]), np.array([[1.0, 1.0]]), 0.5)
    >>> found.round(6).tolist()
    [1.0]
    """
    from scipy.special import ndtri

    own = means + sds * float(ndtri(level))
    used = weights > _LEAST_WEIGHT
    low = np.where(used, own, np.inf).min(axis=1)
    high = np.where(used, own, -np.inf).max(axis=1)
    for _ in range(_STEPS):
        middle = low + 0.5 * (high - low)
        if ((middle <= low) | (middle >= high)).all():
            break
        below = _cdf(weights, means, sds, middle) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(low + 0.5 * (high - low))


def _cdf(weights: Floats, means: Floats, sds: Floats, values: Floats) -> Floats:
    from scipy.special import ndtr

    apart = values[:, np.newaxis] - means
    z = np.divide(apart, sds, out=np.where(apart >= 0, np.inf, -np.inf), where=sds > 0)
    return np.asarray((weights * ndtr(z)).sum(axis=1))


def quantile_names(levels: Sequence[float]) -> list[str]:
    """Return the names of quantiles, as columns of a frame.

    Examples
    --------
    >>> quantile_names([0.025, 0.5])
    ['2.5%', '50%']
    """
    return [f"{100 * level:g}%" for level in levels]


def checked_levels(levels: ArrayLike) -> list[float]:
    """Return the levels of quantiles after checking that they are probabilities."""
    try:
        found = [float(level) for level in np.asarray(levels, dtype=np.float64).ravel()]
    except (TypeError, ValueError) as error:
        raise InvalidOption("is not a list of probabilities", option="quantiles") from error
    for level in found:
        LEVEL.check(level, "quantiles")
    return found
