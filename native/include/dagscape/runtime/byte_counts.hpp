// The bytes that kernels need, computed before anything is allocated. Each count is defined next to the allocations
// that it describes.
//
// Counts are doubles: exact up to any realistic size of memory, and at most kEndless for any number of variables.
#pragma once

#include <algorithm>
#include <cmath>

namespace dagscape {

inline constexpr double kEndless = 1e300;

inline double at_most_endless(double bytes) noexcept { return std::min(bytes, kEndless); }

// factor · 2^n.
inline double times_sets(double factor, unsigned n) noexcept {
    return at_most_endless(std::ldexp(factor, static_cast<int>(std::min(n, 10000U))));
}

// The number of sets of at most `max_size` out of n variables.
inline double set_count(unsigned n, unsigned max_size) noexcept {
    if (max_size >= n) return times_sets(1, n);
    double of_size = 1, sum = 1;
    for (unsigned size = 1; size <= max_size && sum < kEndless; ++size) {
        of_size = of_size * (n - size + 1) / size;
        sum += of_size;
    }
    return at_most_endless(sum);
}

}  // namespace dagscape
