#include "dagscape/sums/parent_sums.hpp"

#include <algorithm>
#include <memory>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/numbers/score_weights.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/zeta.hpp"

namespace dagscape {
namespace {

constexpr std::size_t kSetsBetweenChecks = std::size_t{1} << 16;

// More than any unit has. A binary logarithm has 63 more digits after the point, and must have fewer than 128.
constexpr int kMostUnitBits = 62;

// Weights whose exponents differ by at most this many, and their sums, are within the range of a double.
constexpr double kPlainRange = 1900;

}  // namespace

bool can_be_summed(std::span<const std::int64_t> scores, int unit_bits) noexcept {
    if (unit_bits < -kMostUnitBits || unit_bits > kMostUnitBits) return false;
    std::int64_t highest = 0, lowest = 0;
    for (const std::int64_t score : scores) {
        highest = std::max(highest, score);
        lowest = std::min(lowest, score == kImpossible ? 0 : score);
    }
    const double limit = std::ldexp(kWidestScore, unit_bits);
    return static_cast<double>(highest) <= limit && static_cast<double>(lowest) >= -limit;
}

// The sums of one variable, by mask with the variable's bit removed; padded to four lanes, as one variable has one set,
// and two have two.
struct ParentSums::Table {
    explicit Table(std::size_t sets) : mantissa(std::max<std::size_t>(sets, 4)), exponent(mantissa.size()) {}

    void read(std::span<const std::int64_t> scores, int unit_bits, const Monitor& monitor);
    void sum_over_subsets(const Monitor& monitor);

    std::vector<double> mantissa, exponent;
    double lowest = 0, highest = 0;  // of the exponents
};

void ParentSums::Table::read(std::span<const std::int64_t> scores, int unit_bits, const Monitor& monitor) {
    lowest = -kNothing;
    highest = kNothing;
    std::fill(mantissa.begin(), mantissa.end(), 0.0);
    std::fill(exponent.begin(), exponent.end(), kNothing);
    for (std::size_t set = 0; set < scores.size(); ++set) {
        if (set % kSetsBetweenChecks == 0) monitor.check();
        if (scores[set] == kImpossible) continue;
        const BinaryLog log = binary_log(scores[set], unit_bits);
        mantissa[set] = half_power(log.fraction);
        exponent[set] = static_cast<double>(log.whole + 1);
        lowest = std::min(lowest, exponent[set]);
        highest = std::max(highest, exponent[set]);
    }
}

void ParentSums::Table::sum_over_subsets(const Monitor& monitor) {
    const auto check = [&] { monitor.check(); };
    if (highest - lowest > kPlainRange) {
        zeta<ScaledSums, Over::subsets>({mantissa.data(), exponent.data()}, mantissa.size(), check);
        return;
    }
    // Plain doubles have the same bits: a sum is rounded in the same way, whatever its exponent.
    const Lanes unit = broadcast(lowest + kPlainRange / 2);
    for (std::size_t at = 0; at < mantissa.size(); at += 4) {
        store(&mantissa[at], load(&mantissa[at]) * power_of_two(load(&exponent[at]) - unit));
    }
    zeta<Sums, Over::subsets>(mantissa.data(), mantissa.size(), check);
    for (std::size_t at = 0; at < mantissa.size(); at += 4) {
        const ScaledLanes four = normalised(ScaledLanes{load(&mantissa[at]), unit});
        store(&mantissa[at], four.mantissa);
        store(&exponent[at], four.exponent);
    }
}

ParentSums::ParentSums(unsigned n, std::span<const std::int64_t> scores, int unit_bits, unsigned threads,
                       Monitor& monitor)
    : n_(n), first_row_(std::size_t{1} << (n < 2 ? 0 : n - 2)) {
    std::size_t rows = 0;
    for (Subset tile = 0; tile < first_row_.size(); ++tile) {
        first_row_[tile] = rows;
        rows += 1 + (n < 2 ? 0 : n - 2 - static_cast<unsigned>(std::popcount(tile)));
    }
    mantissa_.resize(4 * rows);
    exponent_.resize(4 * rows);
    const std::size_t sets = std::size_t{1} << (n - 1);
    PerWorker<Table> tables(threads, [&] { return std::make_unique<Table>(sets); });
    run_tasks(n, threads, monitor, [&](std::size_t v, unsigned worker) {
        fill(static_cast<unsigned>(v), scores.subspan(v * sets, sets), unit_bits, tables(worker), monitor);
    });
}

void ParentSums::fill(unsigned v, std::span<const std::int64_t> scores, int unit_bits, Table& table,
                      const Monitor& monitor) {
    table.read(scores, unit_bits, monitor);
    table.sum_over_subsets(monitor);
    // The lanes are neighbours in the table and in the rows, except those of variables 0 and 1.
    const std::size_t together = v < 2 ? 1 : 4;
    for (std::size_t set = 0; set < scores.size(); set += together) {
        if (set % kSetsBetweenChecks == 0) monitor.check();
        const Subset below = set & (singleton(v) - 1);
        const std::size_t at = index_of(v, (set ^ below) << 1 | below);
        for (std::size_t lane = 0; lane < together; ++lane) {
            const double mantissa = table.mantissa[set + lane], exponent = table.exponent[set + lane];
            mantissa_[at + lane] = mantissa;
            exponent_[at + lane] = mantissa == 0 ? kPackedNothing : static_cast<std::int32_t>(exponent);
        }
    }
}

void ParentSums::copy_to(double* mantissa, double* exponent) const {
    for (unsigned v = 0; v < n_; ++v) {
        for (Subset set = 0; set < Subset{1} << (n_ - 1); ++set) {
            const Subset below = set & (singleton(v) - 1);
            const ScaledNumber sum = get(v, (set ^ below) << 1 | below);
            *mantissa++ = sum.mantissa;
            *exponent++ = sum.exponent;
        }
    }
}

}  // namespace dagscape
