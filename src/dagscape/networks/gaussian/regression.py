"""The regression of a measured variable on its parents: one for each state of the discrete ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, type_of

Floats = NDArray[np.float64]

# Larger numbers are no coefficients: products of two of these do not overflow.
_LARGEST = 1e150


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """The distribution of a measured variable given its parents.

    In each state of its discrete parents, the variable is normal: its mean is the intercept plus the sum of the
    coefficients times the values of its measured parents.

    The intercept is where all parents are 0, and a double has 16 digits: of columns whose mean is 10^k times their
    standard deviation, predictions have about 16 - k digits of the standard deviation, as the numbers themselves have.
    Subtract a constant from columns such as times in seconds since 1970.

    Parameters
    ----------
    intercept : array-like
        One number for each state of the discrete parents: an axis for each of them, in the order of
        ``dag.parents(variable)``. Without discrete parents, a number.
    coefficients : array-like
        The same axes, then one for the measured parents, in the order of ``dag.parents(variable)``.
    sd : array-like
        The standard deviation of the error, with the axes of ``intercept``. It may be 0 for a variable without any
        parents, which is then constant.
    standard_errors : array-like, optional
        What fitting says of the accuracy of intercept and coefficients, in this order along the last axis.
    freedom : array-like, optional
        The degrees of freedom of the Student distribution that has the standard errors as its scales, with the axes of
        ``intercept``.

    Examples
    --------
    >>> Regression(2.0, [0.5, -1.0], 0.3)
    Regression(2 coefficients)
    >>> Regression([2.0, 3.0], [[0.5], [0.7]], [0.3, 0.2])
    Regression(1 coefficient in each of 2 states)
    """

    # Arrays, once they are made of what is given.
    intercept: Any
    coefficients: Any = ()
    sd: Any = 1.0
    standard_errors: Any = None
    freedom: Any = None

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            if given is not None:
                object.__setattr__(self, field.name, _numbers(given, field.name, self.intercept))

    @property
    def states(self) -> int:
        """The number of states of the discrete parents."""
        return int(self.intercept.size)

    @property
    def parameter_count(self) -> int:
        """The number of parameters: an intercept, coefficients and a standard deviation in each state."""
        return 2 * self.states + int(self.coefficients.size)

    def checked(self, name: str, states: tuple[int, ...], coefficients: int, *, root: bool) -> Regression:
        """Return the regression after checking its shape and its numbers.

        Parameters
        ----------
        name : str
            The variable.
        states : tuple of int
            The number of levels of each discrete parent.
        coefficients : int
            The number of measured parents.
        root : bool
            Whether there are no parents.
        """
        shapes = {
            "intercept": states,
            "coefficients": (*states, coefficients),
            "sd": states,
            "standard_errors": (*states, 1 + coefficients),
            "freedom": states,
        }
        for field, shape in shapes.items():
            array = getattr(self, field)
            if array is not None and array.shape != shape:
                raise InvalidData(
                    f"the regression of {name!r} has {_SPELLED[field]} of shape {array.shape}; it must be {shape}"
                )
            if array is not None and field != "sd":
                _check_finite(array, name, field)
        wrong = ~((self.sd >= 0) & (self.sd <= _LARGEST))
        if wrong.any():
            value = float(self.sd[wrong].ravel()[0])
            raise InvalidData(
                f"the standard deviation of {name!r} is {value!r}; it must be a number above 0, of at most {_LARGEST:g}"
            )
        if not root and not self.sd.all():
            raise InvalidData(
                f"the standard deviation of {name!r}, which has parents, is 0; it must be above 0: leave out a "
                "variable that its parents determine"
            )
        return self

    def bytes(self) -> bytes:
        """Return intercepts, coefficients and standard deviations as bytes, for comparison."""
        return b"".join(array.tobytes() for array in (self.intercept, self.coefficients, self.sd))

    def __repr__(self) -> str:
        count = self.coefficients.shape[-1]
        where = f" in each of {self.states} states" if self.intercept.ndim else ""
        return f"Regression({count} coefficient{'' if count == 1 else 's'}{where})"


_SPELLED = {
    "intercept": "intercepts",
    "coefficients": "coefficients",
    "sd": "standard deviations",
    "standard_errors": "standard errors",
    "freedom": "degrees of freedom",
}


def checked_regression(name: str, given: object, states: Sequence[int], coefficients: int, *, root: bool) -> Regression:
    """Return the regression of a variable after checking that it is one, and that it fits the parents."""
    if not isinstance(given, Regression):
        raise InvalidData(f"the regression of {name!r} is {type_of(given)}; it must be a Regression")
    return given.checked(name, tuple(states), coefficients, root=root)


def _numbers(given: Any, field: str, intercept: Any) -> Floats:
    try:
        array = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidData(f"the {_SPELLED[field]} of a regression are not an array of numbers") from error
    if field == "coefficients" and array.shape == (0,):
        # No coefficients, in any state.
        array = np.zeros((*np.shape(intercept), 0))
    # Turn negative zeros into zeros, so that equal regressions have equal bytes.
    array += 0.0
    array.flags.writeable = False
    return array


def _check_finite(array: Floats, name: str, field: str) -> None:
    wrong = ~(np.abs(array) <= _LARGEST)
    if wrong.any():
        value = float(array[wrong].ravel()[0])
        raise InvalidData(
            f"the {_SPELLED[field]} of {name!r} include {value!r}; they must be finite numbers, of at most "
            f"{_LARGEST:g} in size"
        )
