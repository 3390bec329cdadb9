// A_v(U): the sum, over the parent sets G ⊆ U of a variable, of B_v(G) = exp(local score).
//
// This is the zeta transform of B_v in scaled numbers, so nothing overflows or underflows, whatever the range of the
// scores. Cost: n² 2^(n-2) additions; memory: 12 bytes for each of n 2^(n-1) pairs of a variable and a set without it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/byte_counts.hpp"
#include "dagscape/lanes.hpp"
#include "dagscape/monitor.hpp"
#include "dagscape/scaled.hpp"
#include "dagscape/subset.hpp"

namespace dagscape {

// Scores must be within ±this many nats: 1.45e9 powers of two, so that exponents fit in 32 bits, and a sum of 3 n of
// them stays above kNothing for up to 40 variables.
inline constexpr double kWidestScore = 1e9;

// Whether all possible scores, in units of 2^-unit_bits nats, are within ±kWidestScore nats. Scores that come from
// outside are checked before they are summed.
bool can_be_summed(std::span<const std::int64_t> scores, int unit_bits) noexcept;

class ParentSums {
public:
    // `scores` has, for each variable, the local scores of all 2^(n-1) sets of the others, in units of 2^-unit_bits
    // nats; kImpossible marks an impossible family. The index of a set is its mask with the variable's bit removed.
    ParentSums(unsigned n, std::span<const std::int64_t> scores, int unit_bits, unsigned threads, Monitor& monitor);

    // Bytes of the sums and of the work on them.
    static double bytes(unsigned n, unsigned threads) noexcept {
        constexpr double kEach = sizeof(double) + sizeof(std::int32_t), kWork = 2 * sizeof(double);
        return at_most_endless(times_sets(kEach * n, n - 1) + times_sets(kWork * threads, n - 1));
    }

    // Copies all sums, by variable and then by mask with the variable's bit removed: n 2^(n-1) mantissas and exponents.
    void copy_to(double* mantissa, double* exponent) const;

    unsigned n() const noexcept { return n_; }

    // For a variable v and a set U without it.
    double mantissa(unsigned v, Subset U) const noexcept { return mantissa_[place(v, U)]; }
    double exponent(unsigned v, Subset U) const noexcept { return wide(exponent_[place(v, U)]); }
    ScaledNumber get(unsigned v, Subset U) const noexcept { return {mantissa(v, U), exponent(v, U)}; }

    // The same for U, U + {0}, U + {1} and U + {0, 1}, where v > 1 and U contains neither 0 nor 1.
    Lanes mantissas(unsigned v, Subset U) const noexcept { return load(&mantissa_[place(v, U)]); }
    Lanes exponents(unsigned v, Subset U) const noexcept {
        const std::int32_t* from = &exponent_[place(v, U)];
        return Lanes{wide(from[0]), wide(from[1]), wide(from[2]), wide(from[3])};
    }

private:
    static constexpr std::int32_t kPackedNothing = INT32_MIN;

    static double wide(std::int32_t exponent) noexcept {
        return exponent == kPackedNothing ? kNothing : static_cast<double>(exponent);
    }
    std::size_t place(unsigned v, Subset U) const noexcept {
        const Subset below = U & (singleton(v) - 1);
        return (std::size_t{v} << (n_ - 1)) + (below | (U >> (v + 1) << v));
    }
    void fill(unsigned v, std::span<const std::int64_t> scores, int unit_bits, const Monitor& monitor);

    unsigned n_;
    std::vector<double> mantissa_;
    std::vector<std::int32_t> exponent_;
};

}  // namespace dagscape
