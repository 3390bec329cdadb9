// Vectors of four numbers, with the vector extensions that GCC and Clang share.
#pragma once

#include <cstdint>
#include <cstring>

namespace dagscape {

using Lanes = double __attribute__((vector_size(32)));
using LaneBits = std::int64_t __attribute__((vector_size(32)));

inline Lanes broadcast(double value) noexcept { return Lanes{value, value, value, value}; }
inline LaneBits broadcast_bits(std::int64_t value) noexcept { return LaneBits{value, value, value, value}; }

// The lanes with the given indices: 0 to 3 are those of the first vector, 4 to 7 those of the second. GCC and Clang
// both have this builtin; only GCC has __builtin_shuffle.
template <int a, int b, int c, int d, class Four>
inline Four shuffled(Four first, Four second) noexcept {
    return __builtin_shufflevector(first, second, a, b, c, d);
}

template <int lane>
inline Lanes spread(Lanes values) noexcept {
    return shuffled<lane, lane, lane, lane>(values, values);
}

inline Lanes load(const double* from) noexcept {
    Lanes values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

inline LaneBits load(const std::int64_t* from) noexcept {
    LaneBits values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

inline void store(double* to, Lanes values) noexcept { std::memcpy(to, &values, sizeof values); }
inline void store(std::int64_t* to, LaneBits values) noexcept { std::memcpy(to, &values, sizeof values); }

inline LaneBits bits_of(Lanes values) noexcept {
    LaneBits bits;
    std::memcpy(&bits, &values, sizeof bits);
    return bits;
}

inline Lanes lanes_of(LaneBits bits) noexcept {
    Lanes values;
    std::memcpy(&values, &bits, sizeof values);
    return values;
}

inline double sum(Lanes values) noexcept { return (values[0] + values[1]) + (values[2] + values[3]); }

// The sums of four vectors, with the same bits as the function above.
inline Lanes sums(Lanes a, Lanes b, Lanes c, Lanes d) noexcept {
    const Lanes ab = shuffled<0, 4, 2, 6>(a, b) + shuffled<1, 5, 3, 7>(a, b);
    const Lanes cd = shuffled<0, 4, 2, 6>(c, d) + shuffled<1, 5, 3, 7>(c, d);
    return shuffled<0, 1, 4, 5>(ab, cd) + shuffled<2, 3, 6, 7>(ab, cd);
}

// Exchanges the rows and columns of four vectors.
inline void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) noexcept {
    const Lanes low_ab = shuffled<0, 4, 2, 6>(a, b), high_ab = shuffled<1, 5, 3, 7>(a, b);
    const Lanes low_cd = shuffled<0, 4, 2, 6>(c, d), high_cd = shuffled<1, 5, 3, 7>(c, d);
    a = shuffled<0, 1, 4, 5>(low_ab, low_cd);
    b = shuffled<0, 1, 4, 5>(high_ab, high_cd);
    c = shuffled<2, 3, 6, 7>(low_ab, low_cd);
    d = shuffled<2, 3, 6, 7>(high_ab, high_cd);
}

// 2^exponent for integers below 1000; exponents below -1000 give 2^-1000, which is practically zero.
inline Lanes power_of_two(Lanes exponent) noexcept {
    const Lanes lowest = broadcast(-1000);
    exponent = exponent < lowest ? lowest : exponent;
    // Adding 1.5 · 2^52 leaves an integer in the low bits; shifted, it is the exponent field of a double.
    return lanes_of(bits_of(exponent + broadcast(0x1.8p52 + 1023)) << 52);
}

}  // namespace dagscape
