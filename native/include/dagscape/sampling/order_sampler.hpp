// Exact and independent samples of pairs of an order and a DAG, from the forward table F of a sum over orders.
//
// With F(S) = Σ_{v∈S} A_v(S∖v) F(S∖v) (order_sum.hpp), the last variable of an order of S is v with weight
// A_v(S∖v) F(S∖v), and its parents are a set G ⊆ S∖v with weight B_v(G); then the same for S∖v. All terms are positive,
// so no digits are lost. The order is not recorded.
//
// The sums A are stored if families have any number of parents. Otherwise they are computed from lists of families
// (weight_lists.hpp), as few as possible: variables are asked for in the order of the weights of their best families,
// and F(S) says when the one drawn is among them. Weights for sets at the top, which samples share, are kept.
#pragma once

#include <cstdint>
#include <span>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sampling/draws.hpp"
#include "dagscape/sampling/weight_lists.hpp"
#include "dagscape/sums/order_sum.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

// Each thread keeps up to `kept_bytes` of weights. From sums over all sets of parents, whose scores are by mask:
Loss sample_orders(const ParentSums& sums, const SetSums& forward, std::span<const std::int64_t> scores, int unit_bits,
                   const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor);

// From lists of families and the packed numbers F of tiled_order_sum.hpp. The best family of each variable must have
// the score 0, to which the lists are relative.
Loss sample_listed_orders(const WeightLists& lists, std::span<const std::int64_t> packed, const SampledRows& rows,
                          double kept_bytes, unsigned threads, Monitor& monitor);

}  // namespace dagscape
