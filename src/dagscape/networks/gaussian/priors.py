"""The prior of regressions: that of the score BGe, by the same parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import Number
from dagscape.core.errors import InvalidData, InvalidOption, argument

Floats = NDArray[np.float64]

LEAST_WISHART, MEANS, STANDARDIZE, NONE = "n+2", "means", "standardize", "none"

_ALPHA_MU = Number(1e-6, 1e6)
_ALPHA_W = Number(0, 1e6, said=f"a number, or {LEAST_WISHART!r}")
_NU = Number(-1e300, 1e300, said=f"a number, or {MEANS!r}")


@dataclass(frozen=True, slots=True)
class RegressionPrior:
    """The parameters of the prior, which are those of the score ``bge``.

    Parameters
    ----------
    alpha_mu : float
        The prior sample size of the means.
    alpha_w : float or "n+2"
        The degrees of freedom of the Wishart distribution; n is the number of measured variables.
    nu : float or "means"
        The prior mean of all variables, or the means of their columns.
    scale : {"standardize", "none"}
        Whether the prior is about standardised columns.

    Examples
    --------
    >>> RegressionPrior(alpha_w=3.0).checked(5)
    Traceback (most recent call last):
    dagscape.core.errors.InvalidOption: alpha_w is 3; with 5 variables, it must be greater than 6
    """

    alpha_mu: float = 1.0
    alpha_w: float | Literal["n+2"] = "n+2"
    nu: float | Literal["means"] = "means"
    scale: Literal["standardize", "none"] = "standardize"

    def checked(self, n: int) -> RegressionPrior:
        """Return the prior after checking its parameters, for so many measured variables."""
        _ALPHA_MU.check(self.alpha_mu, "alpha_mu")
        if self.alpha_w != LEAST_WISHART:
            _ALPHA_W.check(self.alpha_w, "alpha_w")
            if float(self.alpha_w) <= n + 1:
                raise InvalidOption(
                    f"is {float(self.alpha_w):g}; with {n} variables, it must be greater than {n + 1}", option="alpha_w"
                )
        if self.nu != MEANS:
            _NU.check(self.nu, "nu")
        check_choice(self.scale, (STANDARDIZE, NONE), "scale")
        return self

    def freedom(self, n: int) -> float:
        """Return the degrees of freedom minus the number of measured variables."""
        return 2.0 if self.alpha_w == LEAST_WISHART else float(self.alpha_w) - n

    def diagonal(self, n: int, sds: Floats) -> Floats:
        """Return the diagonal of T in units of the standard deviations of the columns."""
        t = self.alpha_mu * (self.freedom(n) - 1) / (self.alpha_mu + 1)
        with np.errstate(over="ignore", divide="ignore"):
            return np.full(n, t) if self.scale == STANDARDIZE else t / sds / sds

    def means(self, means: Floats, sds: Floats) -> Floats:
        """Return ν in the same units, from the means of the columns."""
        with np.errstate(over="ignore", divide="ignore"):
            return np.zeros(len(means)) if self.nu == MEANS else (float(self.nu) - means) / sds

    @property
    def remedy(self) -> str:
        """The settings under which the prior of no column is much weaker, or much farther off, than its data."""
        settings = []
        if self.scale == NONE:
            settings.append(argument("scale", STANDARDIZE))
        if self.nu != MEANS:
            settings.append(argument("nu", MEANS))
        return " and ".join(settings)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Measured columns in units of their standard deviations, about their means; of all rows.

    Attributes
    ----------
    values : array, rows × variables
        The standardised columns.
    means, sds : array
        What they were standardised by.
    """

    values: Floats
    means: Floats
    sds: Floats

    @classmethod
    def of(cls, values: Floats, names: tuple[str, ...]) -> Columns:
        """Standardise columns, which must vary."""
        if len(values) < 2:
            raise InvalidData("the data have one row; a regression needs two or more")
        constant = (values == values[0]).all(axis=0)
        if constant.any():
            name = names[int(np.argmax(constant))]
            raise InvalidData(
                f"{name!r} has the same value in every row, so that it has no variance: leave it out "
                f"({argument('drop')})"
            )
        # Neither sums nor squares of numbers below 1 overflow, nor do squares of deviations vanish.
        _, scales = np.frexp(np.abs(values).max(axis=0))
        scaled = np.ldexp(values, -scales)
        means = scaled.mean(axis=0)
        apart = scaled - means
        # A second pass takes the rounding of the means out of the sums.
        left = apart.mean(axis=0)
        sds = np.sqrt(((apart - left) ** 2).sum(axis=0) / (len(values) - 1))
        return cls((apart - left) / sds, np.ldexp(means + left, scales), np.ldexp(sds, scales))
