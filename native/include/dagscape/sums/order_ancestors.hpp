// Ancestor relations in the sum over all orders, each with all DAGs consistent with it (order_sum.hpp).
//
// Which variables descend from s is decided in the order in which variables are added: the next one, v, descends from s
// if it has a parent among s and its descendants so far. Let U be the variables so far, with s among them, and T those
// of U∖s that descend from s. Of the weight of v, which is A_v(U), the part A_v(U∖T∖s) has no parent in T∪s. With F as
// in order_sum.hpp, the share p of the structures on U in which T descends from s follows from smaller sets:
//
//   p(U, T) = [T = ∅] F(U∖s) A_s(U∖s) / F(U)
//           + Σ_{v ∈ U∖T∖s}  F(U∖v) / F(U) · A_v(U∖v∖T∖s) · p(U∖v, T)
//           + Σ_{v ∈ T}      F(U∖v) / F(U) · (A_v(U∖v) - A_v(U∖T∖s)) · p(U∖v, T∖v)
//
//   P(s ⇝ t) = Σ_{T ∋ t} p(V, T)
//
// If orders have weights q (order_weights.hpp), every A_v in a term is multiplied by q_v(U∖v).
//
// All terms are positive, and p is a share, so plain doubles are enough; the shares of all T add up to 1, which is
// checked. Sets of one size depend only on those with one variable less: two layers are held at a time. Cost:
// n (n - 1) 3^(n-2) terms for all pairs.
#pragma once

#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sums/order_weights.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

struct OrderAncestors {
    std::vector<double> ancestors;  // [s * n + t]: P(s ⇝ t)
    double disagreement = 0;        // of the sum of the shares and 1
};

// Bytes of F, the places of sets, and the shares of two layers.
double order_ancestors_bytes(unsigned n) noexcept;

OrderAncestors order_ancestors(const ParentSums& sums, unsigned threads, Monitor& monitor,
                               const OrderWeights& weights = {});

}  // namespace dagscape
