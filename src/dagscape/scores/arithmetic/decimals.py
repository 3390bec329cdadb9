"""Logarithms with many digits, as integers: the constants of scores of continuous data.

The module ``decimal`` rounds logarithms correctly, so these numbers are the same on every platform. A number of nats is
an integer number of units of 2^-80, as in the kernels (``native/include/dagscape/numbers/fixed_log.hpp``).
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, lru_cache

FIXED_BITS = 80

# Digits, and from which argument on the series of Stirling has as many of them.
_DIGITS = 50
_LEAST_ARGUMENT = 40
_TERMS = 24

# Logarithms that are kept: tables of as many rows need the same constants again.
_REMEMBERED = 4096


def context(digits: int = _DIGITS) -> Context:
    """Return a context with a number of digits and the widest range of exponents."""
    return Context(digits, ROUND_HALF_EVEN, MIN_EMIN, MAX_EMAX)


def fixed(number: Decimal) -> int:
    """Return the nearest number of units of 2^-80.

    >>> fixed(Decimal(3)) == 3 << 80
    True
    """
    with_digits = context(_DIGITS + 10)
    return int(with_digits.to_integral_value(with_digits.multiply(number, Decimal(1 << FIXED_BITS))))


def decimal_of(number: Fraction | int, digits: int = _DIGITS) -> Decimal:
    """Return a rational number with many digits."""
    number = Fraction(number)
    return context(digits).divide(Decimal(number.numerator), Decimal(number.denominator))


@lru_cache(maxsize=_REMEMBERED)
def decimal_log(number: Fraction | int, digits: int = _DIGITS) -> Decimal:
    """Return the natural logarithm of a positive rational number.

    >>> round(decimal_log(10), 12)
    Decimal('2.302585092994')
    """
    number = Fraction(number)
    with_digits = context(digits)
    numerator = with_digits.ln(Decimal(number.numerator))
    if number.denominator == 1:
        return numerator
    return with_digits.subtract(numerator, with_digits.ln(Decimal(number.denominator)))


@cache
def log_of_pi() -> Decimal:
    """Return ln π, by Machin's formula.

    >>> round(log_of_pi(), 12)
    Decimal('1.144729885849')
    """
    one = 10 ** (_DIGITS + 10)
    pi = 4 * (4 * _inverse_tangent(5, one) - _inverse_tangent(239, one))
    return decimal_log(Fraction(pi, one))


def _inverse_tangent(divisor: int, one: int) -> int:
    """Return atan(1 / divisor) in units of 1 / one."""
    power, total, odd = one // divisor, 0, 1
    while power:
        total += power // odd if odd % 4 == 1 else -(power // odd)
        power //= divisor * divisor
        odd += 2
    return total


@cache
def _stirling_coefficients() -> tuple[Decimal, ...]:
    """Return B(2k) / (2k (2k - 1)) for the Bernoulli numbers B."""
    numbers = [Fraction(1)]
    for m in range(1, 2 * _TERMS + 1):
        total, choose = Fraction(0), 1
        for k, number in enumerate(numbers):
            total += choose * number
            choose = choose * (m + 1 - k) // (k + 1)
        numbers.append(-total / (m + 1))
    return tuple(decimal_of(numbers[2 * k] / (2 * k * (2 * k - 1))) for k in range(1, _TERMS + 1))


@lru_cache(maxsize=_REMEMBERED)
def log_gamma(argument: Fraction) -> Decimal:
    """Return lnΓ of a positive rational number, with an error below 10^-40 times the larger of it and 1.

    >>> round(log_gamma(Fraction(1, 2)), 25)
    Decimal('0.5723649429247000870717137')
    """
    product = Fraction(1)
    while argument < _LEAST_ARGUMENT:
        product *= argument
        argument += 1
    with localcontext(context()):
        x = decimal_of(argument)
        log = decimal_log(argument)
        total = (x - Decimal("0.5")) * log - x + (decimal_log(2) + log_of_pi()) / 2
        power, square = x, x * x
        for coefficient in _stirling_coefficients():
            total += coefficient / power
            power *= square
        return total - decimal_log(product) if product != 1 else total
