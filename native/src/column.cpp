#include "dagscape/column.hpp"

#include <algorithm>
#include <cmath>

namespace dagscape {
namespace {

// The transform of numbers without exponents: the two lane variables at once, then two variables in each pass.
template <bool upwards>
void transform_plain(double* values) {
    const auto mask = [](double a, double b, double c, double d) { return Lanes{a, b, c, d}; };
    for (std::size_t q = 0; q < kTile; q += 4) {
        Lanes four = load(values + q);
        if constexpr (upwards) {
            four += shuffled<0, 0, 2, 2>(four) * mask(0, 1, 0, 1);
            four += shuffled<0, 1, 0, 1>(four) * mask(0, 0, 1, 1);
        } else {
            four += shuffled<1, 1, 3, 3>(four) * mask(1, 0, 1, 0);
            four += shuffled<2, 3, 2, 3>(four) * mask(1, 1, 0, 0);
        }
        store(values + q, four);
    }
    static_assert(kLow % 2 == 0);
    for (std::size_t step = 4; step < kTile; step *= 4) {
        for (std::size_t block = 0; block < kTile; block += 4 * step) {
            for (std::size_t i = block; i < block + step; i += 4) {
                const Lanes none = load(values + i), one = load(values + i + step);
                const Lanes other = load(values + i + 2 * step), both = load(values + i + 3 * step);
                if constexpr (upwards) {
                    store(values + i + step, none + one);
                    store(values + i + 2 * step, none + other);
                    store(values + i + 3 * step, (none + one) + (other + both));
                } else {
                    store(values + i, (none + one) + (other + both));
                    store(values + i + step, one + both);
                    store(values + i + 2 * step, other + both);
                }
            }
        }
    }
}

}  // namespace

void add(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
    if (!to.wide()) {
        for (std::size_t i = 0; i < count; ++i) to.mantissa[to_at + i] += from.mantissa[from_at + i];
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        double& mantissa = to.mantissa[to_at + i];
        double& exponent = to.exponent[to_at + i];
        const double other = from.exponent[from_at + i];
        const double highest = std::max(exponent, other);
        mantissa =
            mantissa * power_of_two(exponent - highest) + from.mantissa[from_at + i] * power_of_two(other - highest);
        exponent = highest;
        if (mantissa == 0) {
            exponent = kNothing;
        } else {
            int shift = 0;
            mantissa = std::frexp(mantissa, &shift);
            exponent += shift;
        }
    }
}

void copy(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
    std::copy_n(from.mantissa.begin() + static_cast<std::ptrdiff_t>(from_at), count,
                to.mantissa.begin() + static_cast<std::ptrdiff_t>(to_at));
    if (to.wide()) {
        std::copy_n(from.exponent.begin() + static_cast<std::ptrdiff_t>(from_at), count,
                    to.exponent.begin() + static_cast<std::ptrdiff_t>(to_at));
    }
}

void transform(Column& column, bool upwards) {
    if (!column.wide()) {
        upwards ? transform_plain<true>(column.mantissa.data()) : transform_plain<false>(column.mantissa.data());
        return;
    }
    for (unsigned bit = 0; bit < kLow; ++bit) {
        const std::size_t step = std::size_t{1} << bit;
        for (std::size_t block = 0; block < kTile; block += 2 * step) {
            add(column, upwards ? block + step : block, column, upwards ? block : block + step, step);
        }
    }
}

}  // namespace dagscape
