// Four scaled numbers at a time: mantissas and exponents, and both in one word each.
#pragma once

#include <cstdint>
#include <cstring>

#include "dagscape/lanes.hpp"

namespace dagscape {

// 40 bits of a mantissa in [1/2, 1), and the exponent.
inline constexpr std::int64_t kExponentBias = std::int64_t{1} << 23;
inline constexpr std::int64_t kHalf = std::int64_t{1022} << 52;

struct Scaled {
    Lanes mantissa, exponent;
};

inline LaneBits bits_of(Lanes values) {
    LaneBits bits;
    std::memcpy(&bits, &values, sizeof bits);
    return bits;
}

inline Lanes lanes_of(LaneBits bits) {
    Lanes values;
    std::memcpy(&values, &bits, sizeof values);
    return values;
}

// Small whole numbers in the low bits of integers, as doubles.
inline Lanes to_double(LaneBits whole) { return lanes_of(whole + bits_of(broadcast(0x1.8p52))) - broadcast(0x1.8p52); }

// Mantissas back in [1/2, 1).
inline Scaled normalised(Lanes values, Lanes exponent) {
    const LaneBits bits = bits_of(values);
    const LaneBits shift = ((bits >> 52) & LaneBits{2047, 2047, 2047, 2047}) - LaneBits{1022, 1022, 1022, 1022};
    constexpr std::int64_t mask = (std::int64_t{1} << 52) - 1;
    const Lanes mantissa = lanes_of((bits & LaneBits{mask, mask, mask, mask}) | LaneBits{kHalf, kHalf, kHalf, kHalf});
    const auto nothing = values == broadcast(0);
    return {nothing ? broadcast(0) : mantissa, nothing ? broadcast(kNothing) : exponent + to_double(shift)};
}

inline Scaled plus(Scaled a, Scaled b) {
    const Lanes exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
    return {a.mantissa * power_of_two(a.exponent - exponent) + b.mantissa * power_of_two(b.exponent - exponent),
            exponent};
}

inline Scaled times(Scaled a, Scaled b) { return {a.mantissa * b.mantissa, a.exponent + b.exponent}; }

inline LaneBits packed(Scaled value) {
    const Scaled normal = normalised(value.mantissa, value.exponent);
    // Rounded to 40 bits; a carry moves into the exponent by itself.
    const LaneBits mantissa =
        (bits_of(normal.mantissa) - LaneBits{kHalf, kHalf, kHalf, kHalf} + LaneBits{2048, 2048, 2048, 2048}) >> 12;
    const Lanes shifted = normal.exponent + broadcast(0x1.8p52 + static_cast<double>(kExponentBias));
    const LaneBits word = mantissa + (bits_of(shifted) << 40);
    return normal.mantissa == broadcast(0) ? LaneBits{0, 0, 0, 0} : word;
}

inline Scaled unpacked(LaneBits word) {
    constexpr std::int64_t mask = (std::int64_t{1} << 40) - 1;
    const LaneBits exponent = (word >> 40) & LaneBits{0xFFFFFF, 0xFFFFFF, 0xFFFFFF, 0xFFFFFF};
    const Lanes mantissa =
        lanes_of(((word & LaneBits{mask, mask, mask, mask}) << 12) + LaneBits{kHalf, kHalf, kHalf, kHalf});
    const auto nothing = word == LaneBits{0, 0, 0, 0};
    return {nothing ? broadcast(0) : mantissa,
            nothing ? broadcast(kNothing) : to_double(exponent) - broadcast(static_cast<double>(kExponentBias))};
}

}  // namespace dagscape
