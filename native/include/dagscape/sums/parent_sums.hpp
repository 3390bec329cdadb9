// A_v(U): the sum, over the parent sets G ⊆ U of a variable, of B_v(G) = exp(local score).
//
// This is the zeta transform of B_v in scaled numbers, so nothing overflows or underflows, whatever the range of the
// scores. Cost: n² 2^(n-2) additions; memory: 12 bytes for each of n 2^(n-1) pairs of a variable and a set without it.
//
// Sets that differ only in variables 0 and 1, the lanes of vectors, form a tile. Sums are stored in rows of four: for
// each tile, first a row for variables 0 and 1, then one for every other variable outside the tile. The sums of all
// variables for one set are thus close together.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/numbers/scaled.hpp"
#include "dagscape/numbers/scaled_lanes.hpp"
#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/subset.hpp"

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
        constexpr double kFirstRow = sizeof(std::size_t) / 4.0;
        const double sums = times_sets(kEach * n, n - 1) + times_sets(kFirstRow, n);
        return at_most_endless(sums + times_sets(kWork * threads, n - 1));
    }

    // Copies all sums, by variable and then by mask with the variable's bit removed: n 2^(n-1) mantissas and exponents.
    void copy_to(double* mantissa, double* exponent) const;

    unsigned n() const noexcept { return n_; }

    // For a variable v and a set U without it.
    double mantissa(unsigned v, Subset U) const noexcept { return mantissa_[index_of(v, U)]; }
    double exponent(unsigned v, Subset U) const noexcept { return wide(exponent_[index_of(v, U)]); }
    ScaledNumber get(unsigned v, Subset U) const noexcept { return {mantissa(v, U), exponent(v, U)}; }

    // The row of variables 0 and 1 for a tile; those of the other variables outside it follow in increasing order.
    std::size_t first_row(Subset tile) const noexcept { return first_row_[tile]; }
    // The row of v > 1 for a tile without it.
    std::size_t row_of(unsigned v, Subset tile) const noexcept {
        const Subset below = (singleton(v) - 1) >> 2 & ~tile;
        return first_row_[tile] + 1 + static_cast<std::size_t>(std::popcount(below));
    }
    // A row holds the sums for a set without the variables 0 and 1, and with 0, 1 and both added. The first row has
    // those of variable 0 for sets without and with 1, then those of variable 1 for sets without and with 0.
    ScaledLanes row(std::size_t index) const noexcept {
        return {load(&mantissa_[4 * index]), wide_lanes(&exponent_[4 * index])};
    }

private:
    static constexpr std::int32_t kPackedNothing = INT32_MIN;

    static double wide(std::int32_t exponent) noexcept {
        return exponent == kPackedNothing ? kNothing : static_cast<double>(exponent);
    }
    static Lanes wide_lanes(const std::int32_t* from) noexcept {
        using FourWords = std::int32_t __attribute__((vector_size(16)));
        FourWords words;
        std::memcpy(&words, from, sizeof words);
        const Lanes exponents = __builtin_convertvector(words, Lanes);
        return exponents == broadcast(kPackedNothing) ? broadcast(kNothing) : exponents;
    }
    std::size_t index_of(unsigned v, Subset U) const noexcept {
        if (v < 2) return 4 * first_row_[U >> 2] + 2 * v + (v == 0 ? U >> 1 & 1 : U & 1);
        return 4 * row_of(v, U >> 2) + (U & 3);
    }
    struct Table;
    void fill(unsigned v, std::span<const std::int64_t> scores, int unit_bits, Table& table, const Monitor& monitor);

    unsigned n_;
    std::vector<std::size_t> first_row_;  // by tile
    std::vector<double> mantissa_;
    std::vector<std::int32_t> exponent_;
};

}  // namespace dagscape
