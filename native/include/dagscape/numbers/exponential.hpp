// e^x for x <= 0, without the mathematical library: fast, and the same bits on every machine.
#pragma once

#include <span>

namespace dagscape {

// Below this, e^x counts as zero: it has no full double.
inline constexpr double kLeastExponent = -708;

// With errors of less than one unit in the last place. The result may be written over the numbers.
void exponentials_of_nonpositive(std::span<const double> x, std::span<double> out) noexcept;

}  // namespace dagscape
