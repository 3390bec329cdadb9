"""The parameters of scores, declared as data: checks, messages, options of the command line and documents follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dagscape.core.constraints import Number
from dagscape.core.errors import InvalidOption, did_you_mean

# The value of a parameter: a number, or one of a few words.
Value = float | str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a score.

    Attributes
    ----------
    name : str
        The argument of :func:`dagscape.local_scores` that sets it.
    default : float or str
        Its value if none is given.
    meaning : str
        What it is, for tables and help texts: "equivalent sample size".
    low, high : float
        The range of a number, inclusive.
    words : tuple of str
        Words that may stand in place of a number.
    compared : tuple
        Values that :func:`dagscape.sensitivity` compares if none are given. Default: the default alone.
    """

    name: str
    default: Value
    meaning: str
    low: float = 0.0
    high: float = 0.0
    words: tuple[str, ...] = ()
    compared: tuple[Value, ...] = ()

    def checked(self, value: object) -> Value:
        """Return a value that a user gave; raise an error if it is not one of those allowed.

        >>> Parameter("ess", 1.0, "equivalent sample size", 1e-9, 1e9).checked(10)
        10.0
        """
        if isinstance(value, str) and value in self.words:
            return value
        if self.low < self.high and self._number.allows(value):
            return float(value)  # type: ignore[arg-type]  # a real number, as checked
        raise InvalidOption(f"is {value!r}; it must be {self.range}", option=self.name)

    @property
    def range(self) -> str:
        """The allowed values in words.

        >>> Parameter("nu", "means", "prior mean", -10, 10, words=("means",)).range
        "'means' or a number between -10 and 10"
        """
        numbers = [self._number.words] if self.low < self.high else []
        return " or ".join([*map(repr, self.words), *numbers])

    @property
    def _number(self) -> Number:
        return Number(self.low, self.high)


def checked_values(parameters: Iterable[Parameter], given: Mapping[str, Any], score: str) -> dict[str, Value]:
    """Return the values of a score's parameters: those given, checked, and otherwise the defaults.

    Parameters
    ----------
    parameters : iterable of Parameter
        The parameters of the score.
    given : mapping of str to object
        What the user gave, by name.
    score : str
        The name of the score, for messages.
    """
    declared = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in declared:
            known = f"; its parameters are {', '.join(map(repr, declared))}" if declared else ""
            hint = did_you_mean(name, declared) or known
            raise InvalidOption(f"score {score!r} has no parameter {name!r}{hint}")
    return {name: parameter.checked(given.get(name, parameter.default)) for name, parameter in declared.items()}
