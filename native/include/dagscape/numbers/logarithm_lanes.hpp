// ln x for positive normal numbers, four at a time: the same bits with every compiler, C library and processor.
#pragma once

#include "dagscape/numbers/exponential_lanes.hpp"
#include "dagscape/numbers/lanes.hpp"

namespace dagscape {

// x = 2^n m with m between √½ and √2, and ln m = 2 (s + s³/3 + s⁵/5 + …) with s = (m - 1) / (m + 1), |s| < 0.172. The
// error is below 2 units in the last place, except near 1, where it is below 2^-53.
inline Lanes log_of_positive(Lanes x) noexcept {
    using namespace exponential;
    constexpr std::int64_t kHalfRoot = 0x3fe6a09e667f3bcd;  // √½
    constexpr int kLastTerm = 21;
    const LaneBits above = bits_of(x) - broadcast_bits(kHalfRoot);
    const LaneBits exponent = above >> 52;
    const Lanes m = lanes_of(bits_of(x) - (exponent << 52));
    // Adding an integer to the bits of 1.5 · 2^52 adds it to the number.
    const Lanes n = lanes_of(bits_of(broadcast(0x1.8p52)) + exponent) - broadcast(0x1.8p52);
    const Lanes one = broadcast(1), s = (m - one) / (m + one), square = s * s;
    Lanes series = broadcast(2.0 / kLastTerm);
    for (int k = kLastTerm - 2; k >= 3; k -= 2) series = series * square + broadcast(2.0 / k);
    return n * broadcast(kLn2High) + (s * broadcast(2) + (s * square * series + n * broadcast(kLn2Low)));
}

}  // namespace dagscape
