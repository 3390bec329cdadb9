// The normal distribution in one cell of the discrete variables: a set function of the measured variables.
//
// A cell has m of the rows. For a set Y of d measured variables, the marginal likelihood [geiger2002], [bottcher2001]
// with a prior that is the same in all cells is
//
//   J(Y) = c(m, d) + a(d) Σ_{v∈Y} ln T_v − b(m, d) ln |R_YY|,   R = T + S + w (x̄ − ν)(x̄ − ν)^T,   w = m α / (m + α)
//
// with the scatter matrix S of the cell about its mean x̄, and c, a and b as in BGe. The likelihood of linear
// regressions with unbiased variances is the same with R = S, a = 0 and b = m / 2. There, Y is impossible in cells of
// fewer than d + 1 rows, and in those in which its columns are constant or linearly dependent.
//
// Sums over rows are exact: the numbers are integers of up to 53 bits, and so are their deviations from an integer near
// the mean of the cell. All else is computed in double-double arithmetic, with a bound on the error. J is rounded to a
// multiple of 2^-bits, or is open where the bound does not tell to which; the caller then computes it with integers. It
// is therefore correctly rounded, whatever the order of the rows and columns.
//
// Error: elimination of d columns is exact for a matrix whose entries differ by less than (d + 2) 2^-99, relative to
// the roots of the diagonal, which moves the logarithm of the determinant by at most d^2 times that divided by the
// least eigenvalue of the correlations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dagscape/numbers/double_double.hpp"
#include "dagscape/numbers/fixed_log.hpp"
#include "dagscape/runtime/monitor.hpp"

namespace dagscape {

// The columns of a table, discrete and measured ones apart.
struct MixedTable {
    std::vector<std::uint8_t> is_discrete;  // by variable
    std::vector<std::uint32_t> place;       // by variable: its place among the discrete or the measured ones
    std::vector<std::uint32_t> arities;     // of the discrete columns
    std::vector<std::vector<std::uint32_t>> codes;
    std::vector<std::vector<std::int64_t>> numbers;

    unsigned variables() const noexcept { return static_cast<unsigned>(place.size()); }
    unsigned discrete() const noexcept { return static_cast<unsigned>(codes.size()); }
    unsigned measured() const noexcept { return static_cast<unsigned>(numbers.size()); }
};

// A normal-Wishart prior: α, the degrees of freedom beyond the number of variables, and by column ν and T.
struct GaussianPrior {
    double alpha;
    Fixed freedom, log_alpha;
    Fixed first_gammas[2];                   // ln Γ((freedom + 1) / 2) and ln Γ((freedom + 2) / 2)
    std::vector<DoubleDouble> nu, diagonal;  // scaled as the columns
    std::vector<Fixed> logs;                 // ln T in natural units
};

// Columns of distinct rows, and how to score them.
struct CellFunction {
    std::vector<std::uint32_t> rows;  // those that count
    std::vector<int> scale;           // by measured column: its integers are multiplied by 2^-scale
    std::vector<int> natural;         // by measured column: a scaled number is multiplied by 2^natural
    Fixed log_pi;
    std::optional<GaussianPrior> prior;
    double price;              // of a parameter, in nats
    std::uint64_t max_states;  // sets with more parameters than this are impossible
    int unit_bits, guard_bits;

    int fine_bits() const noexcept { return unit_bits + guard_bits; }
    std::int64_t rounded(std::int64_t fine) const noexcept {
        return guard_bits == 0 ? fine : (fine + (std::int64_t{1} << (guard_bits - 1))) >> guard_bits;
    }
};

// What J of a cell has besides the determinant, by numbers of columns; for any number of rows.
class CellConstants {
public:
    CellConstants(const CellFunction& function, unsigned most_columns);

    unsigned most_columns() const noexcept { return most_; }
    // c for a number of rows, for 0 … columns columns.
    void constants(std::uint64_t rows, unsigned columns, std::vector<Fixed>& found) const;
    // b for a number of rows and of columns.
    double factor(std::uint64_t rows, unsigned columns) const noexcept;
    // a(d) Σ ln T.
    Fixed prior_part(Fixed logs, unsigned columns) const noexcept;
    std::size_t bytes() const noexcept { return sizeof(Fixed) * gammas_.size(); }

private:
    Fixed gamma(std::uint64_t k) const noexcept { return gammas_[k - 1]; }

    const CellFunction* function_;
    unsigned most_;
    double freedom_ = 0;
    std::vector<Fixed> gammas_;  // ln Γ((freedom + k) / 2), for k = 1, 2, …
};

// The matrix R of some columns in one cell, and J of sets of them from their determinants.
class CellMatrix {
public:
    CellMatrix(const MixedTable& table, const CellFunction& function, const CellConstants& constants)
        : table_(table), function_(function), constants_(constants) {}

    // Computes the matrix; without `pairs`, only its diagonal. Sets have up to `most` columns.
    void build(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, unsigned most, bool pairs,
               const Monitor& monitor);

    std::size_t columns() const noexcept { return columns_.size(); }
    const double* high() const noexcept { return high_.data(); }
    const double* low() const noexcept { return low_.data(); }
    // The diagonal, as a double.
    double diagonal(std::size_t i) const noexcept { return high_[i * columns_.size() + i]; }
    // The exponent of two that belongs to the pivot of a column.
    int exponent(std::size_t i) const noexcept { return exponent_[i]; }
    // Whether no set with this column is possible.
    bool excludes(std::size_t i) const noexcept { return constant_[i] != 0; }
    // The number of columns of the largest sets that have enough rows.
    unsigned largest() const noexcept { return largest_; }

    // J of a set of columns, from the sum of the logarithms of its pivots, the product of its pivots relative to the
    // diagonal, and prior_part(); or kImpossible or kOpen.
    std::int64_t value(std::span<const std::uint32_t> members, Fixed log, double determinant, Fixed prior) const;

private:
    void build_entry(std::size_t i, std::size_t j);
    bool is_constant(std::size_t i) const noexcept;
    // Whether the least eigenvalue of the correlations exceeds the limit: 1 if it does, 0 if not, −1 if that is open.
    int independent(std::span<const std::uint32_t> members) const;

    const MixedTable& table_;
    const CellFunction& function_;
    const CellConstants& constants_;
    std::vector<std::uint32_t> columns_;
    std::uint64_t rows_ = 0;
    unsigned largest_ = 0;
    double input_error_ = 0, least_ = 0;
    bool hopeless_ = false;
    DoubleDouble weight_{};                 // w
    std::vector<std::int64_t> deviations_;  // column by column
    std::vector<Int128> squares_;           // by column: the sum of the squared deviations
    std::vector<std::int64_t> centre_, rest_;
    std::vector<DoubleDouble> shift_;  // x̄ − ν, scaled
    std::vector<double> high_, low_;
    std::vector<int> exponent_;
    std::vector<std::uint8_t> constant_;
    std::vector<Fixed> constants_of_rows_;
    mutable std::vector<double> work_;
};

// Correlations with a lower eigenvalue are those of linearly dependent columns, where there is no prior.
inline constexpr double kLeastEigenvalue = 0x1p-27;
// A column is constant if its standard deviation in the cell is below this many units of its integers.
inline constexpr double kLeastDeviation = 0x1p12;

}  // namespace dagscape
