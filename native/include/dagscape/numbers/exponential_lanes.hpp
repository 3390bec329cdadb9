// e^x for x <= 0, four at a time: see exponential.hpp.
#pragma once

#include "dagscape/numbers/exponential.hpp"
#include "dagscape/numbers/lanes.hpp"

namespace dagscape {

namespace exponential {

inline constexpr double kLn2High = 0x1.62e42feep-1;  // its products with integers up to 2^20 are exact
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kLog2E = 0x1.71547652b82fep0;
inline constexpr int kTerms = 13;

constexpr double reciprocal_factorial(int n) noexcept {
    double factorial = 1;
    for (int i = 2; i <= n; ++i) factorial *= i;
    return 1 / factorial;
}

}  // namespace exponential

// x = n ln 2 + r with |r| <= ln 2 / 2, and e^r = 1 + r + r² (1/2 + r/6 + …).
inline Lanes exp_of_nonpositive(Lanes x) noexcept {
    using namespace exponential;
    const Lanes least = broadcast(kLeastExponent), one = broadcast(1);
    const auto vanishes = x < least;
    x = vanishes ? least : x;
    // Adding 1.5 · 2^52 rounds to an integer, and leaves it in the low bits.
    const Lanes shifted = x * broadcast(kLog2E) + broadcast(0x1.8p52);
    const Lanes n = shifted - broadcast(0x1.8p52);
    const Lanes r = (x - n * broadcast(kLn2High)) - n * broadcast(kLn2Low);
    Lanes series = broadcast(reciprocal_factorial(kTerms));
    for (int i = kTerms - 1; i >= 2; --i) series = series * r + broadcast(reciprocal_factorial(i));
    const Lanes power = one + (r + r * r * series);
    const Lanes scaled = lanes_of(bits_of(power) + (bits_of(shifted) << 52));
    return vanishes ? broadcast(0) : scaled;
}

}  // namespace dagscape
