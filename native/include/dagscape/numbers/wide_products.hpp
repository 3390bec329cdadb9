// Helpers of fixed-point series: the upper parts of products, and constants that the compiler computes.
#pragma once

#include <cstdint>

#include "dagscape/numbers/fixed_log.hpp"

namespace dagscape {

constexpr UInt128 wide(std::uint64_t a, std::uint64_t b) noexcept { return static_cast<UInt128>(a) * b; }
constexpr std::uint64_t upper(UInt128 number) noexcept { return static_cast<std::uint64_t>(number >> 64); }
constexpr std::uint64_t lower(UInt128 number) noexcept { return static_cast<std::uint64_t>(number); }

// The upper 128 of the 256 bits of a product, at most 3 too small.
constexpr UInt128 upper_product(UInt128 a, UInt128 b) noexcept {
    return wide(upper(a), upper(b)) + upper(wide(upper(a), lower(b))) + upper(wide(lower(a), upper(b)));
}

// 2 atanh(numerator / denominator) = ln((denominator + numerator) / (denominator - numerator)) with `bits` binary
// digits after the point, for a ratio of at most 1/3 and numerator < 2^(127 - bits).
constexpr UInt128 log_of_ratio(std::uint32_t numerator, std::uint32_t denominator, int bits) noexcept {
    UInt128 power = (static_cast<UInt128>(2 * numerator) << bits) / denominator, sum = 0;
    for (std::uint32_t odd = 1; power != 0; odd += 2) {
        sum += power / odd;
        power = power * numerator / denominator * numerator / denominator;
    }
    return sum;
}

// e^(numerator / denominator) with 120 binary digits after the point, for a ratio below 1 and numerator < 128.
constexpr UInt128 exp_of_ratio(std::uint32_t numerator, std::uint32_t denominator) noexcept {
    UInt128 term = static_cast<UInt128>(1) << 120, sum = 0;
    for (std::uint32_t count = 1; term != 0; ++count) {
        sum += term;
        term = term * numerator / (denominator * count);
    }
    return sum;
}

}  // namespace dagscape
