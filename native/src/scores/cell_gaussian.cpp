#include "dagscape/scores/cell_gaussian.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "dagscape/numbers/fixed_products.hpp"
#include "dagscape/numbers/impossible.hpp"
#include "dagscape/scores/determinants.hpp"

namespace dagscape {
namespace {

DoubleDouble operator+(DoubleDouble a, DoubleDouble b) noexcept { return a - DoubleDouble{-b.high, -b.low}; }

// The nearest sum of two doubles to an integer.
DoubleDouble double_double(Int128 number) noexcept {
    const auto high = static_cast<double>(number);
    return {high, static_cast<double>(number - static_cast<Int128>(high))};
}

// A number times 2^-places; what is far below all other numbers becomes 0.
DoubleDouble scaled(DoubleDouble number, int places) noexcept {
    if (places > 1000) return {0, 0};
    const double factor = power_of_two(-places);
    return {number.high * factor, number.low * factor};
}

// The quotient that is nearest to a number.
std::int64_t nearest_quotient(Int128 number, std::int64_t divisor) noexcept {
    const Int128 twice = 2 * number + divisor, whole = 2 * static_cast<Int128>(divisor);
    const Int128 quotient = twice / whole;
    return static_cast<std::int64_t>(twice % whole < 0 ? quotient - 1 : quotient);
}

// The nearest multiple of 2^-bits to a number that is wrong by up to `error`, or kOpen.
std::int64_t settled(Fixed nats, double error, int bits) noexcept {
    const double units = error * power_of_two(kFixedBits);
    if (!(units < 0x1p62)) return kOpen;
    const int dropped = kFixedBits - bits;
    const UInt128 slack = static_cast<std::uint64_t>(units) + 1, whole = UInt128{1} << dropped;
    const Fixed sum = nats + (Fixed{1} << (dropped - 1));
    const UInt128 part = static_cast<UInt128>(sum) & (whole - 1);
    return part < slack || part + slack >= whole ? kOpen : static_cast<std::int64_t>(sum >> dropped);
}

// Scaled entries of the diagonal that are smaller are left to the caller.
constexpr double kLeastDiagonal = 0x1p-400;

// Products of integers between two checks of the monitor: far less than 50 ms.
constexpr std::size_t kProductsBetweenChecks = std::size_t{1} << 16;

}  // namespace

CellConstants::CellConstants(const CellFunction& function, unsigned most_columns)
    : function_(&function), most_(most_columns) {
    if (!function.prior) return;
    const GaussianPrior& prior = *function.prior;
    freedom_ = nearest_double(prior.freedom);
    const std::size_t count = function.rows.size() + most_columns;
    gammas_.assign({prior.first_gammas[0], prior.first_gammas[1]});
    for (std::uint64_t k = 1; k + 2 <= count; ++k) {
        gammas_.push_back(gammas_[k - 1] + fixed_log((prior.freedom + fixed(k)) >> 1));
    }
}

void CellConstants::constants(std::uint64_t rows, unsigned columns, std::vector<Fixed>& found) const {
    found.assign(1, 0);
    if (function_->prior) {
        const GaussianPrior& prior = *function_->prior;
        const Fixed each =
            prior.log_alpha - fixed_log(fixed(prior.alpha) + fixed(rows)) - multiple(function_->log_pi, rows);
        Fixed gammas = 0;
        for (unsigned d = 1; d <= columns; ++d) {
            gammas += gamma(rows + d) - gamma(d);
            found.push_back((multiple(each, d) >> 1) + gammas);
        }
        return;
    }
    const Fixed log_two_pi = fixed_log(std::uint64_t{2}) + function_->log_pi;
    for (unsigned d = 1; d <= columns && d < rows; ++d) {
        const std::uint64_t freedom = rows - d;
        const Fixed variance = log_two_pi - fixed_log(freedom);
        found.push_back(found.back() - ((multiple(variance, rows) + fixed(freedom)) >> 1));
    }
}

double CellConstants::factor(std::uint64_t rows, unsigned columns) const noexcept {
    const auto m = static_cast<double>(rows);
    return function_->prior ? (freedom_ + m + columns) / 2 : m / 2;
}

Fixed CellConstants::prior_part(Fixed logs, unsigned columns) const noexcept {
    return function_->prior ? times(logs, (freedom_ + columns) / 2) : 0;
}

void CellMatrix::build(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, unsigned most,
                       bool pairs, const Monitor& monitor) {
    const std::size_t n = columns.size(), m = rows.size();
    columns_.assign(columns.begin(), columns.end());
    rows_ = m;
    largest_ = function_.prior ? most : std::min(most, static_cast<unsigned>(m) - 1);
    constants_.constants(m, largest_, constants_of_rows_);
    deviations_.resize(n * m);
    squares_.assign(n, 0);
    centre_.resize(n), rest_.resize(n), shift_.resize(n), exponent_.resize(n);
    constant_.assign(n, 0);
    high_.assign(n * n, 0.0), low_.assign(n * n, 0.0);
    hopeless_ = false;
    const auto count = static_cast<double>(m);
    if (function_.prior) {
        const DoubleDouble product = exact_product(count, function_.prior->alpha);
        weight_ = product / exact_sum(count, function_.prior->alpha);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t* numbers = table_.numbers[columns[i]].data();
        std::int64_t* deviations = &deviations_[i * m];
        Int128 sum = 0, square = 0;
        for (std::size_t row = 0; row < m; ++row) sum += deviations[row] = numbers[rows[row]];
        centre_[i] = nearest_quotient(sum, static_cast<std::int64_t>(m));
        rest_[i] = static_cast<std::int64_t>(sum - static_cast<Int128>(centre_[i]) * static_cast<Int128>(m));
        for (std::size_t row = 0; row < m; ++row) {
            deviations[row] -= centre_[i];
            square += static_cast<Int128>(deviations[row]) * deviations[row];
        }
        squares_[i] = square;
        const int scale = function_.scale[columns[i]];
        exponent_[i] = 2 * function_.natural[columns[i]];
        if (function_.prior) {
            const DoubleDouble centre = scaled({static_cast<double>(centre_[i]), 0}, scale);
            const DoubleDouble rest = DoubleDouble{static_cast<double>(rest_[i]), 0} / DoubleDouble{count, 0};
            shift_[i] = centre - function_.prior->nu[columns[i]] + scaled(rest, scale);
        } else {
            constant_[i] = is_constant(i);
        }
        build_entry(i, i);
        if (m > kProductsBetweenChecks) monitor.check();
    }
    double worst = 0;
    least_ = function_.prior ? 1 : 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double entry = diagonal(i);
        hopeless_ |= !constant_[i] && !(entry > kLeastDiagonal);
        if (!function_.prior) continue;
        worst = std::max(worst, weight_.high / entry);
        least_ = std::min(least_, function_.prior->diagonal[columns[i]].high / entry * (1 - 0x1p-40));
    }
    input_error_ = 0x1p-100 * (1 + std::sqrt(worst));
    if (!pairs) return;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) build_entry(i, j);
        if (n * m > kProductsBetweenChecks) monitor.check();
    }
}

// An entry on the diagonal or above it.
void CellMatrix::build_entry(std::size_t i, std::size_t j) {
    const std::int64_t *a = &deviations_[i * rows_], *b = &deviations_[j * rows_];
    Int128 sum = i == j ? squares_[i] : 0;
    for (std::size_t row = 0; i != j && row < rows_; ++row) sum += static_cast<Int128>(a[row]) * b[row];
    const int places = function_.scale[columns_[i]] + function_.scale[columns_[j]];
    const DoubleDouble mean =
        double_double(static_cast<Int128>(rest_[i]) * rest_[j]) / DoubleDouble{static_cast<double>(rows_), 0};
    DoubleDouble entry = scaled(double_double(sum) - mean, places);
    if (function_.prior) {
        entry = entry + weight_ * (shift_[i] * shift_[j]);
        if (i == j) entry = entry + function_.prior->diagonal[columns_[i]];
    }
    high_[i * columns_.size() + j] = entry.high;
    low_[i * columns_.size() + j] = entry.low;
}

// m Σ (x − x̄)² < m² kLeastDeviation²
bool CellMatrix::is_constant(std::size_t i) const noexcept {
    constexpr auto kSquare = static_cast<std::uint64_t>(kLeastDeviation * kLeastDeviation);
    const auto m = static_cast<Int128>(rows_);
    // The second sum is at most m / 4.
    if (squares_[i] >= (m + 1) * kSquare) return false;
    return m * squares_[i] - static_cast<Int128>(rest_[i]) * rest_[i] < m * m * kSquare;
}

std::int64_t CellMatrix::value(std::span<const std::uint32_t> members, Fixed log, double determinant,
                               Fixed prior) const {
    const auto d = static_cast<unsigned>(members.size());
    if (d > largest_) return kImpossible;
    if (hopeless_ || (function_.prior && !(determinant > 0))) return kOpen;
    double least = std::max(least_, determinant / 2.8);
    if (!function_.prior && least <= kLeastEigenvalue) {
        const int verdict = d < 2 ? 1 : independent(members);
        if (verdict <= 0) return verdict == 0 ? kImpossible : kOpen;
        if (!(determinant > 0)) return kOpen;
        least = kLeastEigenvalue;
    }
    const double size = d, matrix = size * size * ((size + 2) * 0x1p-99 + input_error_) / least;
    if (!(matrix < 0x1p-10)) return kOpen;
    const double factor = constants_.factor(rows_, d);
    const double error = factor * (1.01 * matrix + size * 0x1p-76) + 0x1p-77;
    return settled(constants_of_rows_[d] + prior - times(log, factor), error, function_.fine_bits());
}

int CellMatrix::independent(std::span<const std::uint32_t> members) const {
    // Twice the errors of correlations and of elimination in double precision, for any number of columns that occurs.
    constexpr double kMargin = 0x1p-40;
    const std::size_t d = members.size(), n = columns_.size();
    if (d > 200) return -1;
    for (const double sign : {1.0, -1.0}) {
        work_.assign(d * d, 0.0);
        for (std::size_t i = 0; i < d; ++i) {
            for (std::size_t j = i; j < d; ++j) {
                const std::uint32_t a = members[i], b = members[j];
                work_[i * d + j] = i == j ? 1 - kLeastEigenvalue - sign * kMargin
                                          : high_[a * n + b] / std::sqrt(diagonal(a) * diagonal(b));
            }
        }
        bool positive = true;
        for (std::size_t step = 0; step < d && positive; ++step) {
            const double* pivots = &work_[step * d];
            positive = pivots[step] > 0;
            for (std::size_t i = step + 1; i < d && positive; ++i) {
                const double factor = pivots[i] / pivots[step];
                for (std::size_t j = i; j < d; ++j) work_[i * d + j] -= factor * pivots[j];
            }
        }
        if (sign > 0 && positive) return 1;
        if (sign < 0 && !positive) return 0;
    }
    return -1;
}

}  // namespace dagscape
