#include "dagscape/numbers/fixed_products.hpp"

#include <cmath>

#include "dagscape/numbers/wide_products.hpp"

namespace dagscape {

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

}  // namespace dagscape
