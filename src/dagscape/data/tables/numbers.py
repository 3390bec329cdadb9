"""Numbers and the strings that they are written as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = npt.NDArray[np.float64]

Kind = Literal["integers", "decimals", "labels"]

# Below this, every integer is a float, so that a float can be written as an integer without suggesting false digits.
EXACT_INTEGERS = 2.0**53


def parse_numbers(values: Sequence[str]) -> Floats | None:
    """Parse strings as numbers; return None if one of them is not a number.

    ``nan`` and ``inf`` count as numbers; underscores and digits of other scripts do not.

    Examples
    --------
    >>> parse_numbers(["1", "2.5"]).tolist()
    [1.0, 2.5]
    >>> parse_numbers(["1", "two"]) is None
    True
    """
    together = "".join(values)
    if not together.isascii() or "_" in together:
        return None
    try:
        return np.fromiter(map(float, values), dtype=np.float64, count=len(values))
    except ValueError:
        return None


def kind_of(values: Sequence[str]) -> Kind:
    """Classify strings.

    ``"integers"`` if every string is an integer (``1.0`` counts); ``"decimals"`` if every string is a number
    (``nan`` and ``inf`` allowed) and at least one is a finite non-integer; ``"labels"`` otherwise.

    Examples
    --------
    >>> kind_of(["1", "2.0"]), kind_of(["1", "2.5", "nan"]), kind_of(["1", "high"])
    ('integers', 'decimals', 'labels')
    """
    parsed = parse_numbers(values)
    return "labels" if parsed is None else kind_of_numbers(parsed)


def kind_of_numbers(numbers: npt.NDArray[Any]) -> Kind:
    """Classify numbers, as :func:`kind_of` classifies strings.

    Examples
    --------
    >>> kind_of_numbers(np.array([1.0, 2.0])), kind_of_numbers(np.array([0.5])), kind_of_numbers(np.array([1, np.inf]))
    ('integers', 'decimals', 'labels')
    """
    if not numbers.size:
        return "labels"
    if numbers.dtype.kind in "iu":
        return "integers"
    finite = np.isfinite(numbers)
    integral = finite & (np.floor(numbers) == numbers)
    if integral.all():
        return "integers"
    return "decimals" if bool((finite & ~integral).any()) else "labels"


def are_integers(numbers: npt.NDArray[Any]) -> bool:
    """Whether numbers are written as integers: all of them are, and floats are small enough for exact digits.

    Examples
    --------
    >>> are_integers(np.array([1.0, 2.0])), are_integers(np.array([1.0, 1e300])), are_integers(np.array([2**60]))
    (True, False, True)
    """
    if numbers.dtype.kind in "iu":
        return True
    # Compared as float64, because the limit is beyond float16.
    small = np.abs(numbers).astype(np.float64, copy=False) < EXACT_INTEGERS
    return bool(np.all((np.floor(numbers) == numbers) & small))


def number_strings(numbers: npt.NDArray[Any], *, integers: bool) -> list[str]:
    """Return the shortest strings that read back as the same numbers, or integers without a decimal point.

    Examples
    --------
    >>> number_strings(np.array([1.0, 2.5]), integers=False), number_strings(np.array([1.0, 2.0]), integers=True)
    (['1.0', '2.5'], ['1', '2'])
    """
    if numbers.dtype.kind in "iu":
        return list(map(str, numbers.tolist()))
    if integers:
        return [str(int(number)) for number in numbers.tolist()]
    # The shortest string of a float32 or float16 is that of its own type.
    return list(map(repr, numbers.tolist())) if numbers.dtype == np.float64 else list(map(str, numbers))
