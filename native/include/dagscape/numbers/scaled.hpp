// Numbers with an extended exponent, one at a time.
//
// Probabilities of structures span thousands of nats, far beyond a double. A scaled number is mantissa · 2^exponent.
// The exponent is an integer stored in a separate double, so that ordinary floating-point arithmetic adds and aligns
// exponents. Zero has the exponent kNothing, which is so low that it vanishes when aligned to another number. A number
// is normal if it is zero, or its mantissa is in [1/2, 1).
//
// scaled_lanes.hpp does the same for four numbers at a time, with the same bits.
#pragma once

#include <cstdint>

namespace dagscape {

inline constexpr double kNothing = -1e12;

// A packed number is one integer: 40 bits of mantissa, and 24 bits of exponent above them.
inline constexpr int kPackedMantissaBits = 40;
inline constexpr std::int64_t kExponentBias = std::int64_t{1} << 23;

// The bits of a double: 52 of the fraction, 11 of the exponent; and the bits of 1/2.
inline constexpr int kFractionBits = 52;
inline constexpr std::int64_t kHalf = std::int64_t{1022} << kFractionBits;

struct ScaledNumber {
    double mantissa = 0;
    double exponent = kNothing;
};

// 2^exponent for integers; zero below 2^-1000, and infinity above the range of a double.
constexpr double power_of_two(double exponent) noexcept {
    if (exponent < -1000) return 0.0;
    const double bounded = exponent > 1024 ? 1024.0 : exponent;
    return __builtin_bit_cast(double, (static_cast<std::int64_t>(bounded) + 1023) << kFractionBits);
}

// The same number with its mantissa in [1/2, 1).
constexpr ScaledNumber normalised(ScaledNumber value) noexcept {
    if (value.mantissa == 0) return {};
    const auto bits = __builtin_bit_cast(std::int64_t, value.mantissa);
    const std::int64_t shift = ((bits >> kFractionBits) & 2047) - 1022;
    constexpr std::int64_t kKept = ~(std::int64_t{2047} << kFractionBits);
    return {__builtin_bit_cast(double, (bits & kKept) | kHalf), value.exponent + static_cast<double>(shift)};
}

// Aligned to the larger exponent; the sum need not be normal.
constexpr ScaledNumber plus(ScaledNumber a, ScaledNumber b) noexcept {
    const double exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
    return {a.mantissa * power_of_two(a.exponent - exponent) + b.mantissa * power_of_two(b.exponent - exponent),
            exponent};
}

// The sum of two non-negative normal numbers, normalised: at most one bit is carried.
constexpr ScaledNumber plus_carried(ScaledNumber a, ScaledNumber b) noexcept {
    const ScaledNumber sum = plus(a, b);
    return sum.mantissa >= 1 ? ScaledNumber{sum.mantissa * 0.5, sum.exponent + 1} : sum;
}

constexpr ScaledNumber times(ScaledNumber a, ScaledNumber b) noexcept {
    return {a.mantissa * b.mantissa, a.exponent + b.exponent};
}

// A non-negative number, rounded to 40 bits of mantissa; exponents must be within ±2^23.
constexpr std::int64_t packed(ScaledNumber value) noexcept {
    constexpr int kDropped = kFractionBits - kPackedMantissaBits;
    const ScaledNumber normal = normalised(value);
    if (normal.mantissa == 0) return 0;
    // A carry propagates into the exponent.
    const std::int64_t rounded =
        (__builtin_bit_cast(std::int64_t, normal.mantissa) - kHalf + (std::int64_t{1} << (kDropped - 1))) >> kDropped;
    const std::int64_t exponent = static_cast<std::int64_t>(normal.exponent) + kExponentBias;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(rounded) +
                                     (static_cast<std::uint64_t>(exponent) << kPackedMantissaBits));
}

constexpr ScaledNumber unpacked(std::int64_t packed) noexcept {
    if (packed == 0) return {};
    constexpr std::int64_t kMantissaMask = (std::int64_t{1} << kPackedMantissaBits) - 1;
    const std::int64_t exponent = (packed >> kPackedMantissaBits) & 0xFFFFFF;
    const std::int64_t bits = ((packed & kMantissaMask) << (kFractionBits - kPackedMantissaBits)) + kHalf;
    return {__builtin_bit_cast(double, bits), static_cast<double>(exponent - kExponentBias)};
}

}  // namespace dagscape
