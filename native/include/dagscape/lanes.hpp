// Four numbers at a time, and numbers whose exponent is kept apart.
//
// Probabilities of structures span thousands of nats, far beyond a double. A scaled number is mantissa · 2^exponent,
// with the exponent a whole number in a double of its own: additions of exponents and their alignment are then ordinary
// vector arithmetic. Zero has the exponent kNothing, so low that nothing it is aligned to is left of it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace dagscape {

using Lanes = double __attribute__((vector_size(32)));
using LaneBits = std::int64_t __attribute__((vector_size(32)));

inline constexpr double kNothing = -1e12;

inline Lanes broadcast(double value) noexcept { return Lanes{value, value, value, value}; }

// The lanes of the given numbers. GCC 12 and Clang have this builtin in common; __builtin_shuffle is GCC's alone.
template <int a, int b, int c, int d, class Four>
inline Four shuffled(Four values) noexcept {
    return __builtin_shufflevector(values, values, a, b, c, d);
}

template <int lane>
inline Lanes spread(Lanes values) noexcept {
    return shuffled<lane, lane, lane, lane>(values);
}

inline Lanes load(const double* from) noexcept {
    Lanes values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

inline void store(double* to, Lanes values) noexcept { std::memcpy(to, &values, sizeof values); }

inline double sum(Lanes values) noexcept { return (values[0] + values[1]) + (values[2] + values[3]); }

// 2^exponent for whole exponents below 1000; from -1000 down as good as zero.
inline Lanes power_of_two(Lanes exponent) noexcept {
    const Lanes lowest = broadcast(-1000);
    exponent = exponent < lowest ? lowest : exponent;
    // Adding 1.5 · 2^52 leaves a whole number in the low bits; shifted, it is the exponent field of a double.
    const Lanes shifted = exponent + broadcast(0x1.8p52 + 1023);
    LaneBits bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits <<= 52;
    Lanes power;
    std::memcpy(&power, &bits, sizeof power);
    return power;
}

inline double power_of_two(double exponent) noexcept {
    if (exponent < -1000) return 0.0;
    if (exponent > 1000) return std::ldexp(1.0, static_cast<int>(std::min(exponent, 2000.0)));
    return std::bit_cast<double>((static_cast<std::int64_t>(exponent) + 1023) << 52);
}

}  // namespace dagscape
