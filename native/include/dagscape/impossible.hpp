// The score of a family, or the value of a set, that is impossible.
#pragma once

#include <cstdint>
#include <limits>

namespace dagscape {

inline constexpr std::int64_t kImpossible = std::numeric_limits<std::int64_t>::min();

}  // namespace dagscape
