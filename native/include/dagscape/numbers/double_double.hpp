// Numbers of about 32 digits: unevaluated sums of two doubles [dekker1971].
//
// The operations are exact but for a relative error of 2^-102 of a product or a quotient, and of 2^-104 of the two
// terms of a difference. They use no fused multiplication unless the processor has one; the bits are the same.
#pragma once

#include <cmath>

namespace dagscape {

struct DoubleDouble {
    double high, low;
};

// a + b, exactly.
inline DoubleDouble exact_sum(double a, double b) noexcept {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

// The same where |a| >= |b|.
inline DoubleDouble ordered_sum(double a, double b) noexcept {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

// a b, exactly.
inline DoubleDouble exact_product(double a, double b) noexcept {
    const double product = a * b;
#ifdef __FMA__
    return {product, __builtin_fma(a, b, -product)};
#else
    constexpr double kSplitter = 134217729.0;  // 2^27 + 1
    const double a_parts = kSplitter * a, b_parts = kSplitter * b;
    const double a_high = a_parts - (a_parts - a), b_high = b_parts - (b_parts - b);
    const double a_low = a - a_high, b_low = b - b_high;
    return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
}

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) noexcept {
    const DoubleDouble product = exact_product(a.high, b.high);
    return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) noexcept {
    const DoubleDouble difference = exact_sum(a.high, -b.high);
    return ordered_sum(difference.high, difference.low + (a.low - b.low));
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) noexcept {
    const double first = a.high / b.high;
    DoubleDouble rest = a - b * DoubleDouble{first, 0};
    const double second = rest.high / b.high;
    rest = rest - b * DoubleDouble{second, 0};
    const DoubleDouble quotient = ordered_sum(first, second);
    return ordered_sum(quotient.high, quotient.low + rest.high / b.high);
}

}  // namespace dagscape
