#include "dagscape/numbers/score_weights.hpp"

#include "dagscape/numbers/wide_products.hpp"

namespace dagscape {
namespace {

// e^x with 120 binary digits after the point, from x < ln 2 with as many.
constexpr UInt128 exponential(UInt128 x) {
    UInt128 term = UInt128{1} << 120, sum = 0;
    for (std::uint32_t count = 1; term != 0; ++count) {
        sum += term;
        term = (upper_product(term << 7, x << 7) >> 6) / count;
    }
    return sum;
}

constexpr HalfPowers make_half_powers() {
    constexpr UInt128 kLn2 = log_of_ratio(1, 3, 120);
    HalfPowers powers{};
    for (std::uint32_t i = 0; i < powers.nearest.size(); ++i) {
        const UInt128 power = exponential(kLn2 / 128 * i);
        const auto nearest = static_cast<double>(power);
        const Int128 rest = static_cast<Int128>(power) - static_cast<Int128>(nearest);
        powers.nearest[i] = nearest * 0x1p-121;
        powers.rest[i] = static_cast<double>(rest) * 0x1p-121;
    }
    return powers;
}

}  // namespace

constinit const HalfPowers kHalfPowers = make_half_powers();

}  // namespace dagscape
