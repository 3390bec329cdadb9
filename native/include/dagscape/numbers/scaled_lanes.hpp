// Four scaled numbers at a time: the functions of scaled.hpp, with the same bits.
//
// The only difference: an addend that is more than a thousand powers of two below the other is multiplied by 2^-1000
// here, and by zero there. Its sum with a normal number has the same bits either way.
#pragma once

#include <cstdint>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/numbers/scaled.hpp"

namespace dagscape {

struct ScaledLanes {
    Lanes mantissa, exponent;

    static ScaledLanes nothing() noexcept { return {broadcast(0), broadcast(kNothing)}; }

    ScaledNumber get(unsigned lane) const noexcept { return {mantissa[lane], exponent[lane]}; }
    void set(unsigned lane, ScaledNumber value) noexcept {
        mantissa[lane] = value.mantissa;
        exponent[lane] = value.exponent;
    }
};

// Converts small integers in the low bits to doubles.
inline Lanes to_double(LaneBits small) noexcept {
    return lanes_of(small + bits_of(broadcast(0x1.8p52))) - broadcast(0x1.8p52);
}

inline ScaledLanes normalised(ScaledLanes value) noexcept {
    const LaneBits bits = bits_of(value.mantissa);
    const LaneBits shift = ((bits >> kFractionBits) & broadcast_bits(2047)) - broadcast_bits(1022);
    constexpr std::int64_t kKept = ~(std::int64_t{2047} << kFractionBits);
    const Lanes mantissa = lanes_of((bits & broadcast_bits(kKept)) | broadcast_bits(kHalf));
    const auto zero = value.mantissa == broadcast(0);
    return {zero ? broadcast(0) : mantissa, zero ? broadcast(kNothing) : value.exponent + to_double(shift)};
}

inline ScaledLanes plus(ScaledLanes a, ScaledLanes b) noexcept {
    const Lanes exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
    return {a.mantissa * power_of_two(a.exponent - exponent) + b.mantissa * power_of_two(b.exponent - exponent),
            exponent};
}

inline ScaledLanes plus_carried(ScaledLanes a, ScaledLanes b) noexcept {
    const ScaledLanes sum = plus(a, b);
    const auto carry = sum.mantissa >= broadcast(1);
    return {carry ? sum.mantissa * broadcast(0.5) : sum.mantissa, carry ? sum.exponent + broadcast(1) : sum.exponent};
}

inline ScaledLanes times(ScaledLanes a, ScaledLanes b) noexcept {
    return {a.mantissa * b.mantissa, a.exponent + b.exponent};
}

inline LaneBits packed(ScaledLanes value) noexcept {
    constexpr int kDropped = kFractionBits - kPackedMantissaBits;
    const ScaledLanes normal = normalised(value);
    const LaneBits rounded =
        (bits_of(normal.mantissa) - broadcast_bits(kHalf) + broadcast_bits(std::int64_t{1} << (kDropped - 1))) >>
        kDropped;
    const Lanes shifted = normal.exponent + broadcast(0x1.8p52 + static_cast<double>(kExponentBias));
    const LaneBits whole = rounded + (bits_of(shifted) << kPackedMantissaBits);
    return normal.mantissa == broadcast(0) ? broadcast_bits(0) : whole;
}

inline ScaledLanes unpacked(LaneBits packed) noexcept {
    constexpr std::int64_t kMantissaMask = (std::int64_t{1} << kPackedMantissaBits) - 1;
    const LaneBits exponent = (packed >> kPackedMantissaBits) & broadcast_bits(0xFFFFFF);
    const Lanes mantissa = lanes_of(
        ((packed & broadcast_bits(kMantissaMask)) << (kFractionBits - kPackedMantissaBits)) + broadcast_bits(kHalf));
    const auto zero = packed == broadcast_bits(0);
    return {zero ? broadcast(0) : mantissa,
            zero ? broadcast(kNothing) : to_double(exponent) - broadcast(static_cast<double>(kExponentBias))};
}

}  // namespace dagscape
