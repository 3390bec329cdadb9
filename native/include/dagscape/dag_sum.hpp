// Sums over all DAGs: the total weight, and the posterior of every edge and ancestor relation, in O(3^n).
//
// With A_v(U) the sum of the weights of v's families inside U, g_U(T) = (-1)^|T| Π_{v∈T} A_v(U), and V all variables:
//
//   H(S)  = Σ over DAGs on S                                          H(U ∪ T) -= H(U) g_U(T)  for all U and T ≠ ∅
//   RR(X) = Σ over DAGs in which X takes any parents in V             RR(X) = -Σ_{Y ⊊ X} w(Y),  w(Y) = RR(Y) g_U(X∖Y),
//   U = V∖X q_v(U) = -H(U) Σ_{Y ⊆ X, v ∉ Y} w(Y)                              the weight of the DAGs in which the
//   nondescendants of v are U
//
//   total = H(V) = RR(V) = Σ_U q_v(U) for every v
//   P(s ⇝ t) = Σ_{U ∌ t} q_s(U) / total
//   P(u → v) = Σ_{U ∋ u} q_v(U) (1 - A_v(U∖u) / A_v(U)) / total
//
// H and RR are those of [tian2009], section 3 and 4; the sums are pushed from U instead of pulled to S, which saves a
// factor of n, and ancestor relations come from q without further work. Two variables, 0 and 1, are the lanes of the
// vectors: for each pair of sets of the others, four sources meet four targets (nine of the sixteen pairs are real).
//
// Range: H(S) is stored relative to 2^h(S), where h(S) is the best sum of exponents of A along an order of S. Every
// order's product of A's is a part of H(S), and H(S) is at most the sum over all orders: so the stored number is
// between 2^-n and n!. The same holds for RR.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/byte_counts.hpp"
#include "dagscape/lanes.hpp"
#include "dagscape/monitor.hpp"
#include "dagscape/parent_sums.hpp"
#include "dagscape/scaled.hpp"
#include "dagscape/subset.hpp"

namespace dagscape {

struct DagSumResult {
    // The total is mantissa · 2^exponent.
    double total_mantissa = 0;
    double total_exponent = 0;
    // How far RR(V) and the sums of q are from H(V), relative to it, at most.
    double disagreement = 0;
    // Σ |terms| / |Σ terms| in the last step of H.
    double condition = 0;
    std::vector<double> edges;      // [u * n + v]: P(u → v)
    std::vector<double> ancestors;  // [s * n + t]: P(s ⇝ t)
};

class DagSum {
public:
    // Needs at least two variables. The sums must stay alive. Recording the nondescendants takes n 2^n numbers.
    DagSum(const ParentSums& sums, unsigned threads, Monitor& monitor, bool record_nondescendants = false);

    DagSumResult run();

    // Bytes of H, RR and their references, and of the nondescendants.
    static double bytes(unsigned n, bool record_nondescendants) noexcept {
        return times_sets(sizeof(double) * (4.0 + (record_nondescendants ? n : 0)), n);
    }

    // After run(): H(S), and q_v(U) / total where it was recorded.
    ScaledNumber forward(Subset S) const noexcept { return {forward_[S], forward_reference_[S]}; }
    // H of all sets, normal (scaled.hpp): 2^n mantissas and exponents, from which DAGs can be drawn.
    void copy_forward(double* mantissa, double* exponent) const;
    double nondescendants(unsigned v, Subset U) const noexcept { return nondescendants_[(std::size_t{v} << n()) + U]; }

private:
    struct Features;

    unsigned n() const noexcept { return sums_.n(); }
    // The lanes are variables 0 and 1; tiles are sets of the others.
    unsigned tile_variables() const noexcept { return n() - 2; }
    Subset tiles() const noexcept { return Subset{1} << tile_variables(); }

    void find_references();
    void sum_forward();
    void finish_tile(Subset tile);
    void push_tile(Subset tile, Subset owned, Subset owner_mask);
    void sum_backward(DagSumResult& result);
    void pull_tile(Subset tile, Features& features);
    void start_pull(Subset tile, Features& features);
    void sum_subsets(Subset tile, Features& features) const;
    void finish_pull(Subset tile, Features& features);
    void add_features(Subset tile, unsigned v, Lanes unfinished, Features& features);
    double top_condition() const;

    const ParentSums& sums_;
    unsigned threads_;
    Monitor& monitor_;
    std::vector<double> forward_, forward_reference_;    // H, by set
    std::vector<double> backward_, backward_reference_;  // RR, by set
    std::vector<double> nondescendants_;                 // q / total, by variable and set, or empty
};

}  // namespace dagscape
