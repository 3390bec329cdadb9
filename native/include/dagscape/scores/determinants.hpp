// Set functions of continuous data: logarithms of determinants of parts of a matrix.
//
//   J(S) = c(d) + a(d) Σ_{v∈S} ln T_v − b(d) (Σ_{v∈S} ln R_v + ln |M_SS|)
//
// M is a symmetric matrix with a unit diagonal, of which each variable v has one column or more; d is the number of
// columns of S. This is the marginal likelihood BGe [geiger2002] with the prior matrix T and the posterior matrix R,
// of which M holds the correlations; with a = 0, it is the likelihood of linear regressions.
//
// Determinants are computed in double-double arithmetic, their logarithms in fixed point (fixed_log.hpp), and J is
// rounded once, to a multiple of 2^-unit_bits. A bound on the error decides whether the rounding is certain, which it
// nearly always is. A value that is not is reported as open, and the caller computes it with more digits: J is
// therefore the correctly rounded value, whatever the order of the columns and the way in which the set was reached.
//
// Error: the elimination of d columns is exact for a matrix whose entries differ by at most d 2^-101; this changes the
// logarithm of the determinant by at most d^3 2^-100 / λ, where λ is the least eigenvalue of M_SS. It is at least that
// of M, and at least |M_SS| / e, because the others have a sum below d.
#pragma once

#include <cstdint>
#include <vector>

#include "dagscape/numbers/double_double.hpp"
#include "dagscape/numbers/fixed_log.hpp"

namespace dagscape {

// A product of pivots of an elimination, its logarithm, and the number of the pivots.
struct Determinant {
    unsigned columns = 0;
    double value = 1;
    Fixed log = 0;

    void multiply(DoubleDouble pivot) noexcept;
};

// What a set needs besides the determinant: Σ ln T_v and Σ ln R_v.
struct DiagonalLogs {
    Fixed prior = 0, posterior = 0;

    friend DiagonalLogs operator+(DiagonalLogs a, DiagonalLogs b) noexcept {
        return {a.prior + b.prior, a.posterior + b.posterior};
    }
};

// The value of a set that is not certain.
inline constexpr std::int64_t kOpen = INT64_MIN + 1;

struct DeterminantFunction {
    std::vector<double> high, low;             // M, square, row by row
    std::vector<std::uint32_t> first;          // by variable: its first column; and the number of columns
    std::vector<DiagonalLogs> logs;            // by variable
    std::vector<std::uint8_t> possible;        // by number of columns; sets of other sizes are impossible
    std::vector<Fixed> constant;               // c
    std::vector<double> prior_factor, factor;  // a and b, not negative
    double least_eigenvalue;                   // a lower bound on the eigenvalues of M, or 0
    double least_determinant;                  // sets of smaller determinants are open
    int unit_bits;

    unsigned variables() const noexcept { return static_cast<unsigned>(logs.size()); }
    unsigned columns() const noexcept { return first.back(); }
    unsigned columns_of(unsigned variable) const noexcept { return first[variable + 1] - first[variable]; }
    // An entry of M.
    DoubleDouble entry(std::size_t i, std::size_t j) const noexcept {
        const std::size_t place = i * columns() + j;
        return {high[place], low[place]};
    }

    // J of a set, or kImpossible, or kOpen.
    std::int64_t value(DiagonalLogs logs, const Determinant& determinant) const noexcept;
};

}  // namespace dagscape
