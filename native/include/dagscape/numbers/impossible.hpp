// Integers that stand for impossible scores.
#pragma once

#include <cstdint>
#include <limits>

namespace dagscape {

// The score of an impossible family, or the value of an impossible set.
inline constexpr std::int64_t kImpossible = std::numeric_limits<std::int64_t>::min();

// The relative score of an impossible family. Scores relative to the best of each child are at most 0, and any sum of
// possible ones is greater than this. Adding this to itself or to a relative score does not overflow, and the maximum
// of this and such a sum is this again.
inline constexpr std::int64_t kRuledOut = -(std::int64_t{1} << 62);

}  // namespace dagscape
