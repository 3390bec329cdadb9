// Weights e^score of integer scores as binary logarithms and powers of two: the same bits on every platform.
//
// The binary logarithm of a weight is the score times log2 e, computed in integers with an error below 2^-65 of it and
// 2^-64. The power of its fraction comes from a table and a short series in doubles, with an error below 0.52 ulps,
// or one ulp next to 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "dagscape/numbers/fixed_log.hpp"

namespace dagscape {

// whole + fraction · 2^-64
struct BinaryLog {
    std::int64_t whole;
    std::uint64_t fraction;
};

// The binary logarithm of e^(score · 2^-unit_bits).
inline BinaryLog binary_log(std::int64_t score, int unit_bits) noexcept {
    constexpr std::uint64_t kLog2E = 0xB8AA3B295C17F0BC;  // with 63 binary digits after the point
    // In units above 2^62 nats, the only score within the range of the sums is 0.
    const int digits = 63 + std::max(unit_bits, -62);
    const Int128 log = multiple(score, kLog2E);
    const Int128 fraction = digits < 64 ? log << (64 - digits) : log >> (digits - 64);
    return {static_cast<std::int64_t>(log >> digits), static_cast<std::uint64_t>(fraction)};
}

// 2^(i/128 - 1), and the difference between it and the nearest double.
struct HalfPowers {
    std::array<double, 128> nearest, rest;
};
extern const HalfPowers kHalfPowers;

// 2^(fraction · 2^-64 - 1), in [1/2, 1).
inline double half_power(std::uint64_t fraction) noexcept {
    const std::size_t i = fraction >> 57;
    const double x = static_cast<double>(static_cast<std::int64_t>(fraction & ((std::uint64_t{1} << 57) - 1))) *
                     (0x1p-64 * 0.6931471805599453);
    const double series = x + x * x * (1 / 2.0 + x * (1 / 6.0 + x * (1 / 24.0 + x * (1 / 120.0 + x * (1 / 720.0)))));
    const double power = kHalfPowers.nearest[i] + (kHalfPowers.nearest[i] * series + kHalfPowers.rest[i]);
    return std::min(power, 0x1.fffffffffffffp-1);
}

}  // namespace dagscape
