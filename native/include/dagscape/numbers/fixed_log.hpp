// Logarithms and exponentials in fixed point: the same bits with every compiler, C library and processor.
//
// A Fixed is an integer number of units of 2^-80. Sums are exact, and products and series use integers only, so nothing
// depends on the precision of `long double` or on the accuracy of a libm. Absolute errors are what matters: scores are
// rounded to a multiple of 2^-62 or more.
#pragma once

#include <cstdint>

namespace dagscape {

// Types that compilers for 64-bit processors have, but the standard does not.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

using Fixed = Int128;
inline constexpr int kFixedBits = 80;

constexpr Fixed fixed(std::uint64_t number) noexcept { return static_cast<Fixed>(number) << kFixedBits; }

// A multiple of a number.
constexpr Fixed multiple(Fixed number, std::uint64_t times) noexcept {
    // Unsigned, because overflow checks of signed 128-bit products need a function that not every runtime has.
    return static_cast<Fixed>(static_cast<UInt128>(number) * times);
}

// A number between 0 and 2^46, truncated.
Fixed fixed(double number) noexcept;

// The nearest multiple of 2^-bits, for bits < 80; halves are rounded up.
constexpr std::int64_t rounded_to(Fixed number, int bits) noexcept {
    const int dropped = kFixedBits - bits;
    return static_cast<std::int64_t>((number + (Int128{1} << (dropped - 1))) >> dropped);
}

// The nearest double.
double nearest_double(Fixed number) noexcept;

// The product of two non-negative numbers, of which the first is below 2^5 and the product below 2^47.
Fixed product(Fixed small, Fixed other) noexcept;

// ln(mantissa · 2^exponent), for mantissa > 0 and |exponent| < 2^15, with an error below 2^-77 (and exactly 0 for 1).
Fixed fixed_log(UInt128 mantissa, int exponent) noexcept;

// ln of a positive number.
inline Fixed fixed_log(Fixed number) noexcept { return fixed_log(static_cast<UInt128>(number), -kFixedBits); }
inline Fixed fixed_log(std::uint64_t number) noexcept { return fixed_log(static_cast<UInt128>(number), 0); }
Fixed fixed_log(double number) noexcept;

// e^exponent, for e^exponent < 2^32, with an error below 2^-73 times the larger of it and 1.
Fixed fixed_exp(Fixed exponent) noexcept;

}  // namespace dagscape
