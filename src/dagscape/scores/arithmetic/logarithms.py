"""Natural logarithms that are the same on every platform.

The logarithms of a C library differ in the last digit between platforms, and the unit and the constants of scores are
derived from logarithms. These come from the kernels, which compute them with integers
(``native/include/dagscape/numbers/fixed_log.hpp``).
"""

from __future__ import annotations

import math

from dagscape.core import kernels


def natural_log(number: float) -> float:
    """Return the natural logarithm of a positive integer of up to 2^15 bits or of a float, in double precision.

    >>> natural_log(2)
    0.6931471805599453
    >>> natural_log(10**400) == 400 * natural_log(10)
    True
    """
    if isinstance(number, int):
        exponent = max(number.bit_length() - 64, 0)
        return kernels.natural_log(number >> exponent, exponent)
    mantissa, exponent = math.frexp(number)
    return kernels.natural_log(int(math.ldexp(mantissa, 53)), exponent - 53)


def binary_log_ceiling(number: float) -> int:
    """Return the least integer k with number <= 2^k, for a positive number.

    >>> [binary_log_ceiling(number) for number in (0.5, 1.0, 1.5, 1024.0)]
    [-1, 0, 1, 10]
    """
    mantissa, exponent = math.frexp(number)
    return exponent - 1 if mantissa == 0.5 else exponent
