#include "dagscape/scores/determinants.hpp"

#include <algorithm>
#include <cmath>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/numbers/wide_products.hpp"

namespace dagscape {
namespace {

// The binary digits of a pivot from which its logarithm is computed.
constexpr int kPivotBits = 100;

// Errors of more nats than this are never certain; the product with 2^kFixedBits must fit into a Fixed.
constexpr double kHopeless = 0x1p40;

Fixed log_of(DoubleDouble number) noexcept {
    int exponent = 0;
    const double mantissa = std::frexp(number.high, &exponent);
    const auto upper_part = static_cast<Int128>(static_cast<std::int64_t>(std::ldexp(mantissa, 53)));
    const auto lower_part =
        static_cast<Int128>(static_cast<std::int64_t>(std::ldexp(number.low, kPivotBits - exponent)));
    return fixed_log(static_cast<UInt128>((upper_part << (kPivotBits - 53)) + lower_part), exponent - kPivotBits);
}

// The product of a Fixed and a number from 0 to 2^40, at most 2 units of 2^-80 from the exact one.
Fixed times(Fixed number, double factor) noexcept {
    if (factor == 0) return 0;
    int exponent = 0;
    const auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(factor, &exponent), 53));
    const int dropped = 53 - exponent;
    const UInt128 magnitude = static_cast<UInt128>(number < 0 ? -number : number);
    const UInt128 upper_part = wide(upper(magnitude), digits), lower_part = wide(lower(magnitude), digits);
    UInt128 found = 0;
    if (dropped < 128) found += lower_part >> dropped;
    if (dropped <= 64) found += upper_part << (64 - dropped);
    if (dropped > 64 && dropped < 192) found += upper_part >> (dropped - 64);
    return number < 0 ? -static_cast<Fixed>(found) : static_cast<Fixed>(found);
}

}  // namespace

void Determinant::multiply(DoubleDouble pivot) noexcept {
    ++columns;
    if (!(pivot.high > 0) || value == 0) {
        value = 0;
        return;
    }
    value *= pivot.high;
    log += log_of(pivot);
}

std::int64_t DeterminantFunction::value(DiagonalLogs of_set, const Determinant& determinant) const noexcept {
    const unsigned d = determinant.columns;
    if (!possible[d]) return kImpossible;
    if (d > 0 && !(determinant.value > least_determinant)) return kOpen;
    const double least = std::max(least_eigenvalue, determinant.value / 2.8);
    const double size = d, elimination = size * size * size * 0x1p-100 / least;
    // Each logarithm, of a pivot or of a variable, has an error below 2^-77.
    const double error = factor[d] * (elimination + size * 0x1p-75) + prior_factor[d] * size * 0x1p-79 + 0x1p-77;
    if (d > 0 && !(error < kHopeless)) return kOpen;
    const Fixed nats =
        constant[d] + times(of_set.prior, prior_factor[d]) - times(of_set.posterior + determinant.log, factor[d]);
    const Fixed slack = d == 0 ? 0 : static_cast<Fixed>(std::ldexp(error, kFixedBits)) + 1;
    const std::int64_t units = rounded_to(nats - slack, unit_bits);
    return rounded_to(nats + slack, unit_bits) == units ? units : kOpen;
}

}  // namespace dagscape
