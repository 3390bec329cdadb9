#include "dagscape/scores/determinants.hpp"

#include <algorithm>
#include <cmath>

#include "dagscape/numbers/fixed_products.hpp"
#include "dagscape/numbers/impossible.hpp"

namespace dagscape {
namespace {

// Errors of more nats than this are never certain; the product with 2^kFixedBits must fit into a Fixed.
constexpr double kHopeless = 0x1p40;

}  // namespace

void Determinant::multiply(DoubleDouble pivot) noexcept {
    ++columns;
    if (!(pivot.high > 0x1p-900) || value == 0) {
        value = 0;
        return;
    }
    value *= pivot.high;
    log += fixed_log(pivot);
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
