// Arrays of local scores as kernels take them.
#pragma once

#include <nanobind/ndarray.h>

#include "dagscape/families.hpp"
#include "dagscape/set_index.hpp"

namespace dagscape {

using FamilyArray = nanobind::ndarray<const std::int64_t, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

inline constexpr unsigned kMostVariables = 40;

// A row for each variable. Where `max_parents` is negative, all 2^(n-1) sets of the others by mask; otherwise sets by size.
inline FamilyScores family_scores(const FamilyArray& scores, int max_parents) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    const std::span<const std::int64_t> all(scores.data(), scores.size());
    if (n >= 1 && n <= kMostVariables && max_parents < 0 && scores.shape(1) == std::size_t{1} << (n - 1)) {
        return FamilyScores::by_mask(n, all);
    }
    const auto most = static_cast<unsigned>(max_parents);
    if (max_parents >= 0 && n >= 10 && n <= kMostVariables && most < n && scores.shape(1) == SetIndex(n, most).size()) {
        return FamilyScores::by_size(n, most, all);
    }
    throw nanobind::value_error("the scores must have a row for each variable, and a column for each set of parents");
}

}  // namespace dagscape
