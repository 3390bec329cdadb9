// Sums over all orders of the variables, each with all DAGs consistent with it: the order-modular prior [koivisto2004].
//
//   F(S) = Σ_{i∈S} A_i(S∖i) F(S∖i)        R(U) = Σ_{i∉U} A_i(U) R(U∪i)        total = F(V) = R(∅)
//   P(u → v) = Σ_{U ∌ v, U ∋ u} F(U) R(U∪v) (A_v(U) - A_v(U∖u)) / total
//
// If orders have weights q (order_weights.hpp), q_i(S) A_i(S) takes the place of A_i(S), and the difference of two A_v
// is multiplied by q_v(U).
//
// All terms are positive, so nothing cancels. F and R are scaled numbers. Cost: O(n² 2^n) for all edges, and
// O(n 2^n) for the total alone.
#pragma once

#include <vector>

#include "dagscape/numbers/scaled.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sums/order_weights.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

struct OrderSumResult {
    double total_mantissa = 0;
    double total_exponent = 0;
    double disagreement = 0;    // of F(V) and R(∅), relative to the total
    std::vector<double> edges;  // [u * n + v]: P(u → v)
};

// A scaled number for every set.
struct SetSums {
    explicit SetSums(std::size_t sets) : mantissa(sets, 0), exponent(sets, kNothing) {}

    ScaledNumber get(Subset set) const noexcept { return {mantissa[set], exponent[set]}; }

    std::vector<double> mantissa, exponent;
};

// Bytes of F and R.
inline double order_sum_bytes(unsigned n) noexcept { return times_sets(4 * sizeof(double), n); }

// F of all sets.
SetSums order_forward(const ParentSums& sums, unsigned threads, Monitor& monitor, const OrderWeights& weights = {});
ScaledNumber order_total(const ParentSums& sums, unsigned threads, Monitor& monitor, const OrderWeights& weights = {});
OrderSumResult order_sum(const ParentSums& sums, unsigned threads, Monitor& monitor, const OrderWeights& weights = {});

}  // namespace dagscape
