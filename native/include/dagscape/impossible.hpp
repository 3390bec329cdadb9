// The score of an impossible family, or the value of an impossible set.
#pragma once

#include <cstdint>
#include <limits>

namespace dagscape {

inline constexpr std::int64_t kImpossible = std::numeric_limits<std::int64_t>::min();

}  // namespace dagscape
