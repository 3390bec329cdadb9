#include "dagscape/numbers/fixed_products.hpp"

#include "dagscape/numbers/wide_products.hpp"

namespace dagscape {

Fixed times(Fixed number, double factor) noexcept {
    if (factor < 0x1p-1000) return 0;
    // The factor is digits · 2^-dropped.
    constexpr std::uint64_t kLeading = std::uint64_t{1} << 52;
    const auto bits = std::bit_cast<std::uint64_t>(factor);
    const std::uint64_t digits = (bits & (kLeading - 1)) | kLeading;
    const int dropped = 1075 - static_cast<int>(bits >> 52);
    const UInt128 magnitude = static_cast<UInt128>(number < 0 ? -number : number);
    const UInt128 upper_part = wide(upper(magnitude), digits), lower_part = wide(lower(magnitude), digits);
    UInt128 found = 0;
    if (dropped < 128) found += lower_part >> dropped;
    if (dropped <= 64) found += upper_part << (64 - dropped);
    if (dropped > 64 && dropped < 192) found += upper_part >> (dropped - 64);
    return number < 0 ? -static_cast<Fixed>(found) : static_cast<Fixed>(found);
}

}  // namespace dagscape
