// Exact and independent samples of pairs of an order and a DAG, from the forward table F of a sum over orders.
//
// With F(S) = Σ_{v∈S} A_v(S∖v) F(S∖v) (order_sum.hpp), the last variable of an order of S is v with weight
// A_v(S∖v) F(S∖v), and its parents are a set G ⊆ S∖v with weight B_v(G); then the same for S∖v. All terms are positive,
// so no digits are lost. The order is not recorded.
//
// The sums A are stored if families have any number of parents. Otherwise they are computed from lists of families,
// best first: a sum ends where the rest of the list cannot change it. Weights for sets at the top, which samples share,
// are kept.
#pragma once

#include <cstdint>
#include <span>

#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sampling/draws.hpp"
#include "dagscape/scores/families.hpp"
#include "dagscape/sums/order_sum.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

// Each thread keeps up to `kept_bytes` of weights. From sums over all sets of parents, whose scores are by mask:
Loss sample_orders(const ParentSums& sums, const SetSums& forward, std::span<const std::int64_t> scores, int unit_bits,
                   const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor);

// From lists of families and the packed numbers F of tiled_order_sum.hpp, relative to the best family of each variable.
Loss sample_listed_orders(const SortedFamilies& families, int unit_bits, std::span<const std::int64_t> packed,
                          const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor);

// Bytes of the sorted families.
inline double listed_family_bytes(unsigned n, unsigned max_parents, unsigned threads) noexcept {
    // While a list is sorted, it is there twice.
    const double families = n + std::min(threads, n);
    return at_most_endless(families * set_count(n, max_parents) * SortedFamilies::kFamilyBytes);
}

}  // namespace dagscape
