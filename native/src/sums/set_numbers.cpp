#include "dagscape/sums/set_numbers.hpp"

namespace dagscape {
namespace {

// An upper bound of log2 n!.
double log_factorial(unsigned n) {
    double sum = 0;
    for (unsigned factor = 2; factor <= n; ++factor) sum += std::bit_width(factor - 1);
    return sum;
}

}  // namespace

BlockRange::BlockRange(const ParentSums& sums) {
    const double n = sums.n(), f = log_factorial(sums.n());
    double a = 0;
    for (unsigned v = 0; v < std::min(sums.n(), kInnerVariables + kLaneVariables); ++v) {
        a += std::max(0.0, sums.exponent(v, ((Subset{1} << sums.n()) - 1) & ~singleton(v)));
    }
    drop = 2 * n + 60;
    span = (1880 - 3 * f - 2 * a - 8 * n) / 2;
    top = 1020 - f - a - n;
    lift = std::min(1020 - f - 2 * n, 990.0);
    lowest_outer = top - span - drop;
    lowest_factor = lift - drop - top - f;
    highest_factor = lift + f - top + span + 2 * n + 1;
    floor = power_of_two(-(f + a + span + 2 * n + 60));
}

SetNumbers::SetNumbers(unsigned n)
    : value(std::size_t{1} << n, 0.0), reference(value.size()),
      inner_variables_(std::min(n - kLaneVariables, kInnerVariables)),
      unit_(value.size() >> (inner_variables_ + kLaneVariables)) {}

void SetNumbers::choose_units(const BlockRange& range) {
    const std::size_t sets = std::size_t{1} << (inner_variables_ + kLaneVariables);
    for (std::size_t block = 0; block < unit_.size(); ++block) {
        double lowest = -kNothing, highest = kNothing;
        for (std::size_t S = block * sets; S < (block + 1) * sets; ++S) {
            if (reference[S] == kNoReference) continue;
            lowest = std::min(lowest, reference[S]);
            highest = std::max(highest, reference[S]);
        }
        const bool narrow = highest - lowest <= range.span;
        unit_[block] = !narrow ? kNoReference : highest > kNothing ? highest - range.top : 0;
        any_wide_ = any_wide_ || !narrow;
    }
}

}  // namespace dagscape
