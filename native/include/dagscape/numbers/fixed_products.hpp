// Fixed-point results of floating-point arguments: logarithms of sums of two doubles, and products with a double.
#pragma once

#include <bit>
#include <cstdint>

#include "dagscape/numbers/double_double.hpp"
#include "dagscape/numbers/fixed_log.hpp"

namespace dagscape {

// 2^exponent, for -1022 <= exponent <= 1023.
inline double power_of_two(int exponent) noexcept {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

// ln(number · 2^exponent) for a number between 2^-900 and 2^900, with an error below 2^-77; 100 binary digits of the
// number count.
inline Fixed fixed_log(DoubleDouble number, int exponent = 0) noexcept {
    constexpr int kDigits = 100, kDoubleDigits = 53, kBias = 1075;
    constexpr std::uint64_t kLeading = std::uint64_t{1} << (kDoubleDigits - 1);
    const auto bits = std::bit_cast<std::uint64_t>(number.high);
    const int last = static_cast<int>(bits >> (kDoubleDigits - 1)) - kBias;  // the exponent of the last binary digit
    const auto upper_part = static_cast<Int128>((bits & (kLeading - 1)) | kLeading) << (kDigits - kDoubleDigits);
    const int first = last + kDoubleDigits;
    const auto lower_part = static_cast<Int128>(static_cast<std::int64_t>(number.low * power_of_two(kDigits - first)));
    return fixed_log(static_cast<UInt128>(upper_part + lower_part), exponent + first - kDigits);
}

// The product of a Fixed and a number from 0 to 2^40, at most 2 units of 2^-80 from the exact one.
Fixed times(Fixed number, double factor) noexcept;

}  // namespace dagscape
