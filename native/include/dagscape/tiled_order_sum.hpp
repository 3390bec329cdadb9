// Sums over orders in 8 bytes per set: for many variables and few parents each.
//
// The recurrences of order_sum.hpp are evaluated in tiles (tile_walk.hpp), without storing A_i. Forwards, a tile stores
// F; backwards, it reads F and overwrites it with R. Backwards, the weights F(U) R(U∪v) of a tile also propagate to the
// families, against the direction of the walk:
//
//   Γ_v(G) = Σ_{U ⊇ G} F(U) R(U∪v)        P(u → v) = Σ_{G ∋ u} B_v(G) Γ_v(G) / total
//
// F and R are words of a 40-bit mantissa and a 24-bit exponent, relative to the best family of each variable: the
// ranges of the scores, added up over the variables, must stay below 2^23 powers of two (kWidestTiled).
// Cost: O(n 2^n) transforms of length ten.
#pragma once

#include <cstdint>
#include <span>

#include "dagscape/monitor.hpp"
#include "dagscape/order_sum.hpp"

namespace dagscape {

// The largest sum of the ranges of the scores of all variables, in nats: 7.2 million powers of two.
inline constexpr double kWidestTiled = 5e6;

// Whether the scores of n variables can be summed in tiles: like can_be_summed, and with a sum of ranges below
// kWidestTiled.
bool can_be_tiled(unsigned n, std::span<const std::int64_t> scores, int unit_bits) noexcept;

// `scores` has, for each variable, the local scores of all sets of at most `max_parents` variables, by size and then by
// mask (set_index.hpp); they are kImpossible for sets that contain the variable and for impossible families. Needs at
// least ten variables, and more than `max_parents`.
OrderSumResult tiled_order_sum(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits,
                               unsigned threads, Monitor& monitor);

// Bytes needed, including the scores passed in. If the scores of a variable span a wide range, as those of many rows
// do, its numbers have separate exponents.
double tiled_order_sum_bytes(unsigned n, unsigned max_parents, unsigned threads, bool wide) noexcept;

}  // namespace dagscape
