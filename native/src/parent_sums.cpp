#include "dagscape/parent_sums.hpp"

#include <algorithm>

#include "dagscape/impossible.hpp"
#include "dagscape/parallel.hpp"
#include "dagscape/score_weights.hpp"
#include "dagscape/zeta.hpp"

namespace dagscape {
namespace {

constexpr std::size_t kSetsBetweenChecks = std::size_t{1} << 16;

// More than any unit has. A binary logarithm has 63 more digits after the point, and must have fewer than 128.
constexpr int kMostUnitBits = 62;

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

ParentSums::ParentSums(unsigned n, std::span<const std::int64_t> scores, int unit_bits, unsigned threads,
                       Monitor& monitor)
    : n_(n), mantissa_(std::size_t{n} << (n - 1)), exponent_(std::size_t{n} << (n - 1)) {
    const std::size_t sets = std::size_t{1} << (n - 1);
    run_tasks(n, threads, monitor, [&](std::size_t v, unsigned) {
        fill(static_cast<unsigned>(v), scores.subspan(v * sets, sets), unit_bits, monitor);
    });
}

void ParentSums::fill(unsigned v, std::span<const std::int64_t> scores, int unit_bits, const Monitor& monitor) {
    const std::size_t sets = scores.size();
    // Padded to four lanes: one variable has one set, two have two.
    std::vector<double> exponent(std::max<std::size_t>(sets, 4), kNothing);
    std::vector<double> mantissa(exponent.size(), 0.0);
    for (std::size_t set = 0; set < sets; ++set) {
        if (set % kSetsBetweenChecks == 0) monitor.check();
        if (scores[set] == kImpossible) continue;
        const BinaryLog log = binary_log(scores[set], unit_bits);
        mantissa[set] = half_power(log.fraction);
        exponent[set] = static_cast<double>(log.whole + 1);
    }
    zeta<ScaledSums, Over::subsets>({mantissa.data(), exponent.data()}, mantissa.size(), [&] { monitor.check(); });
    for (std::size_t set = 0; set < sets; ++set) {
        if (set % kSetsBetweenChecks == 0) monitor.check();
        const std::size_t at = (std::size_t{v} << (n_ - 1)) + set;
        mantissa_[at] = mantissa[set];
        exponent_[at] = mantissa[set] == 0 ? kPackedNothing : static_cast<std::int32_t>(exponent[set]);
    }
}

void ParentSums::copy_to(double* mantissa, double* exponent) const {
    std::copy(mantissa_.begin(), mantissa_.end(), mantissa);
    std::transform(exponent_.begin(), exponent_.end(), exponent, wide);
}

}  // namespace dagscape
