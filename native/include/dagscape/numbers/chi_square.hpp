// Tail probabilities of the chi-square distribution, as logarithms that never underflow.
//
//   ln P(χ²_f >= 2x) = ln Q(a, x),   a = f/2
//
// where Q is the regularised upper incomplete gamma function. Below x = a + 1 the power series of 1 − Q converges
// quickly, above it the continued fraction of Q [abramowitz1964, 6.5.29 and 6.5.31]. Apart from the four basic
// operations, only logarithms and exponentials in fixed point are used (fixed_log.hpp), so that the values are the same
// everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "dagscape/numbers/fixed_log.hpp"

namespace dagscape {

class ChiSquareTail {
public:
    // ln P(χ²_freedom >= 2 half), for freedom >= 1. The error is below 1e-13 times the largest of 1, `half` and
    // freedom.
    double log_tail(double half, std::uint64_t freedom);

private:
    double log_gamma_of_half(std::uint64_t number);

    std::vector<Fixed> log_gamma_;  // lnΓ((i + 1)/2)
};

// The statistics at which a test of a given level rejects independence, one for each number of degrees of freedom.
class CriticalValues {
public:
    // Statistics are half of χ², in units of 2^-unit_bits.
    CriticalValues(double alpha, int unit_bits);

    // The least statistic whose tail probability is at most alpha.
    std::int64_t at(std::uint64_t freedom);

    double log_tail(std::int64_t statistic, std::uint64_t freedom);

private:
    double log_alpha_;
    int unit_bits_;
    ChiSquareTail tail_;
    std::vector<std::int64_t> known_;  // by degrees of freedom; 0 if not computed yet
};

}  // namespace dagscape
