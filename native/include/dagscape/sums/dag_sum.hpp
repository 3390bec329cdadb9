// Sums over all DAGs: the total weight, and the posterior of every edge and ancestor relation, in O(3^n).
//
// With A_v(U) the sum of the weights of v's families inside U, g_U(T) = (-1)^|T| Π_{v∈T} A_v(U), and V all variables:
//
//   H(S)   = Σ over DAGs on S                                  H(U ∪ T) -= H(U) g_U(T)  for all U and T ≠ ∅
//   RR(X)  = Σ over DAGs in which X takes any parents in V     RR(X) = -Σ_{Y ⊊ X} w(Y)
//   q_v(U) = Σ over DAGs in which v has nondescendants U       q_v(U) = -H(U) Σ_{Y ⊆ X, v ∉ Y} w(Y)
//
// where U = V∖X and w(Y) = RR(Y) g_U(X∖Y) in the last two lines. Then
//
//   total = H(V) = RR(V) = Σ_U q_v(U) for every v
//   P(s ⇝ t) = Σ_{U ∌ t} q_s(U) / total
//   P(u → v) = Σ_{U ∋ u} q_v(U) (1 - A_v(U∖u) / A_v(U)) / total
//
// H and RR are defined in sections 3 and 4 of [tian2009]. Sums are pushed from U instead of pulled to S, which saves a
// factor of n, and ancestor relations follow from q at no extra cost. Variables 0 and 1 are the lanes of the vectors:
// for each pair of sets of the other variables, four sources meet four targets, and nine of the sixteen pairs are real.
// How numbers beyond the range of doubles are stored is described in set_numbers.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dagscape/numbers/scaled.hpp"
#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sums/dag_backward.hpp"
#include "dagscape/sums/dag_forward.hpp"
#include "dagscape/sums/parent_sums.hpp"
#include "dagscape/sums/set_numbers.hpp"

namespace dagscape {

struct DagSumResult {
    // The total is mantissa · 2^exponent.
    double total_mantissa = 0;
    double total_exponent = 0;
    // The maximum relative difference of RR(V) and the sums of q from H(V).
    double disagreement = 0;
    // Σ |terms| / |Σ terms| in the last step of H.
    double condition = 0;
    std::vector<double> edges;      // [u * n + v]: P(u → v)
    std::vector<double> ancestors;  // [s * n + t]: P(s ⇝ t)
};

// A sum runs in steps, one for each layer of tiles: forward for H, then backward for RR and the features. Between two
// steps, its state can be saved, and restored in another object for the same weights; results have the same bits. The
// forward steps suffice for the total.
class DagSum {
public:
    // Needs at least two variables. The sums must outlive this object. Recording the nondescendants needs n 2^n
    // numbers.
    DagSum(const ParentSums& sums, unsigned threads, bool record_nondescendants = false);

    unsigned forward_steps() const noexcept { return n_ - kLaneVariables + 1; }
    unsigned steps() const noexcept { return 2 * forward_steps(); }
    // The next step.
    unsigned step() const noexcept { return step_; }

    // Runs the steps before `end`. If it throws, the state is lost.
    void run_until(unsigned end, Monitor& monitor);
    // The total and its condition after the forward steps; everything after all steps.
    DagSumResult result();

    // The numbers that the completed steps have computed: H; after backward steps also RR, the features, and the
    // nondescendants if they are recorded.
    std::vector<std::span<double>> state();
    // Continues with this step, after the caller has copied numbers to the new state().
    void restore(unsigned step);

    // Bytes of H, RR and their exponents, of the nondescendants, and of the products for groups of tiles.
    static double bytes(unsigned n, unsigned threads, bool record_nondescendants) noexcept {
        const double numbers = 2 * SetNumbers::kBytesForEachSet + (record_nondescendants ? n * sizeof(double) : 0);
        return times_sets(numbers + threads * DagBackward::kWorkBytesForEachSet, n);
    }

    // After the forward steps: H(S). After all steps: q_v(U) / total if it was recorded.
    ScaledNumber forward(Subset S) const noexcept { return forward_.numbers().get(S); }
    // Copies H of all sets as normal numbers (scaled.hpp), from which DAGs can be sampled: 2^n mantissas and 2^n
    // exponents.
    void copy_forward(double* mantissa, double* exponent) const;
    double nondescendants(unsigned v, Subset U) const noexcept { return backward_->nondescendants(v, U); }

private:
    void prepare(bool for_backward, Monitor& monitor);
    DagBackward& backward();

    const ParentSums& sums_;
    unsigned n_, threads_;
    bool record_nondescendants_;
    unsigned step_ = 0;
    BlockRange range_;
    DagForward forward_;
    std::optional<DagBackward> backward_;  // created after the forward steps
    bool forward_prepared_ = false, backward_prepared_ = false;
    std::optional<double> condition_;
};

}  // namespace dagscape
