"""What the value of an argument may be, declared as data: checks, messages and types of options follow from it.

A function that takes a number of samples declares ``SAMPLES = Whole(1)`` and checks its argument by
``SAMPLES.check(samples, "samples")``. The command line makes the type of ``--samples`` from the same declaration.
:func:`check_options` checks several arguments at once.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dagscape.core.checks import check_choice, is_between, is_flag, is_one_of, is_whole
from dagscape.core.errors import InvalidOption, brief

# Kernels count with signed 64-bit integers.
_LARGEST_COUNT = 2**63 - 1


class Constraint(ABC):
    """What a value may be."""

    __slots__ = ()

    def check(self, value: object, option: str) -> None:
        """Refuse a value of an argument that may not be used."""
        if not self.allows(value):
            raise InvalidOption(f"is {brief(value)}; it must be {self.words}", option=option)

    def allows(self, value: object) -> bool:
        """Whether a value may be used."""
        return self._fits(value)

    @property
    def words(self) -> str:
        """What it may be, in words: "an integer of at least 1"."""
        return self._in_words()

    @abstractmethod
    def _fits(self, value: object) -> bool: ...

    @abstractmethod
    def _in_words(self) -> str: ...


Constraints = Mapping[str, Constraint]


@dataclass(frozen=True, slots=True)
class Whole(Constraint):
    """An integer from ``low`` to ``high``, if there is such a limit; ``said`` may say it in other words.

    >>> Whole(2, 16).check(17, "window")
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidOption: window is 17; it must be an integer from 2 to 16
    """

    low: int
    high: int | None = None
    said: str | None = None

    def _fits(self, value: object) -> bool:
        return is_whole(value, at_least=self.low) and (self.high is None or is_between(value, self.low, self.high))

    def _in_words(self) -> str:
        limits = f"of at least {self.low}" if self.high is None else f"from {self.low} to {self.high}"
        return self.said or f"an integer {limits}"


@dataclass(frozen=True, slots=True)
class Number(Constraint):
    """A number between ``low`` and ``high``, inclusive unless a limit is open; ``said`` may say it in other words.

    >>> Number(0, 1).words, Number(0).words, Number(0, low_open=True).words, Number(1e-9, 1e9).words
    ('a number between 0 and 1', 'a number of at least 0', 'a number above 0', 'a number between 1e-9 and 1e9')
    >>> Number(0, 1, low_open=True, high_open=True).check(1.0, "alpha")
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidOption: alpha is 1.0; it must be a number above 0 and below 1
    """

    low: float
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    said: str | None = None

    def _fits(self, value: object) -> bool:
        return is_between(value, self.low, self.high) and not (
            (self.low_open and value == self.low) or (self.high_open and value == self.high)
        )

    def _in_words(self) -> str:
        if self.said:
            return self.said
        low, high = shortest(self.low), shortest(self.high)
        if self.high < math.inf and not (self.low_open or self.high_open):
            return f"a number between {low} and {high}"
        below = f" and {'below' if self.high_open else 'at most'} {high}" if self.high < math.inf else ""
        return f"a number {'above' if self.low_open else 'of at least'} {low}{below}"


@dataclass(frozen=True, slots=True)
class Flag(Constraint):
    """True or False; ``said`` may say it in other words."""

    said: str = "True or False"

    def _fits(self, value: object) -> bool:
        return is_flag(value)

    def _in_words(self) -> str:
        return self.said


@dataclass(frozen=True, slots=True)
class OneOf(Constraint):
    """One of some strings; the message suggests a similar one."""

    choices: Collection[str]

    def check(self, value: object, option: str) -> None:
        """See :func:`~dagscape.core.checks.check_choice`."""
        check_choice(value, self.choices, option)

    def _fits(self, value: object) -> bool:
        return is_one_of(value, self.choices)

    def _in_words(self) -> str:
        return f"one of {', '.join(map(repr, self.choices))}"


@dataclass(frozen=True, slots=True)
class OrNone(Constraint):
    """None, which is the default, or what another constraint allows."""

    given: Constraint

    def _fits(self, value: object) -> bool:
        return value is None or self.given.allows(value)

    def _in_words(self) -> str:
        return self.given.words


FLAG = Flag()
COUNT = Whole(1)
A_PROBABILITY = Number(0, 1, said="a probability, from 0 to 1")


def check_count(value: object, option: str) -> None:
    """Refuse a number of things to find that is not an integer from 1 to the largest that kernels count to.

    >>> check_count(10**21, "k")
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidOption: k is 1000000000000000000000; it must be at most 9223372036854775807
    """
    COUNT.check(value, option)
    if not is_between(value, 1, _LARGEST_COUNT):
        raise InvalidOption(f"is {value!r}; it must be at most {_LARGEST_COUNT}", option=option)


def check_options(constraints: Constraints, values: Mapping[str, Any]) -> None:
    """Refuse the first of some values that its constraint does not allow.

    >>> check_options({"folds": Whole(2), "refine": FLAG}, {"folds": 10, "refine": "yes"})
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidOption: refine is 'yes'; it must be True or False
    """
    for option, constraint in constraints.items():
        if option in values:
            constraint.check(values[option], option)


def shortest(number: float) -> str:
    """Return a limit in its shortest form.

    >>> shortest(1e9), shortest(1e-9), shortest(0.001), shortest(16.0)
    ('1e9', '1e-9', '0.001', '16')
    """
    digits, exponent, power = f"{number:g}".partition("e")
    return f"{digits}{exponent}{int(power)}" if exponent else digits
