// RR(X) and q_v(U) for every set and variable, and the features that follow from them, in O(3^n); the notation is that
// of dag_sum.hpp.
//
// For U = V∖X, the terms w(Y) = RR(Y) g_U(X∖Y) are pulled from all Y ⊊ X. A term is the weight of the DAGs in which all
// of X∖Y have only parents in U, so it is at most RR(X), and at most the term of a larger Y.
//
// Example: three variables with the weights B_0(∅) = 1, B_0({1}) = 2, B_1(∅) = 1, B_1({0}) = 1, B_2(∅) = 1 and
// B_2({0}) = 3 of their families. A set is written as its members. H is 1 for ∅, 0, 1, 2 and 12, 4 for 01 and 02, and
// H(012) = 16 is the total. RR(∅) = 1, and RR(X) is minus the sum of the terms:
//
//   X     U    RR(X)   w(Y)
//   0     12     3     ∅: -3
//   1     02     2     ∅: -2
//   2     01     4     ∅: -4
//   01    2      4     ∅: 1    0: -3   1: -2
//   02    1     12     ∅: 3    0: -3   2: -12
//   12    0      8     ∅: 8    1: -8   2: -8
//   012   ∅     16     ∅: -1   0: 3    1: 2     2: 4    01: -4   02: -12   12: -8
//
// For X = 02, w(2) = RR(2) g_1(0) = 4 · (-A_0(1)) = 4 · (-3), and the terms without 0 give q_0(1) = -H(1) (3 - 12) = 9.
// The others are q_0(12) = 3, q_0(2) = 1 and q_0(∅) = 3, and all add up to 16 again. So P(0 ⇝ 2) is (q_0(1) + q_0(∅)) /
// 16 = 12/16, and P(1 → 0) is (q_0(1) + q_0(12)) (1 - A_0(∅) / A_0(1)) / 16 = 12 · 2/3 / 16 = 8/16.
//
// As variables 0 and 1 are lanes, the rows ∅, 0, 1 and 01 are those of one tile, U with 2, and are computed first; then
// the others, those of the tile without 2. They pull the terms of all Y without 2 from the first tile (pull_group), and
// add those that lack only lanes (finish_pull).
#pragma once

#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sums/dag_products.hpp"
#include "dagscape/sums/parent_sums.hpp"
#include "dagscape/sums/set_numbers.hpp"

namespace dagscape {

// Sums of q_v(U) / total, in one array.
class DagFeatures {
public:
    explicit DagFeatures(unsigned n) : n_(n), values_(n * (1 + 2 * n), 0) {}

    std::span<double> values() noexcept { return values_; }
    // [v]: over all U; [s * n + t]: P(s ⇝ t); [u * n + v]: P(u → v)
    std::span<double> mass() noexcept { return values().first(n_); }
    std::span<double> ancestors() noexcept { return values().subspan(n_, n_ * n_); }
    std::span<double> edges() noexcept { return values().last(n_ * n_); }

private:
    std::size_t n_;
    std::vector<double> values_;
};

class DagBackward {
public:
    // The sums, and H, must outlive this object. Recording the nondescendants needs n 2^n numbers.
    DagBackward(const ParentSums& sums, const BlockRange& range, const SetNumbers& forward, bool record_nondescendants);

    // Products and sums over the outer variables, on one thread.
    static constexpr double kWorkBytesForEachSet = static_cast<double>(kLargestGroup) *
                                                   (3 * sizeof(Lanes) + sizeof(Subset)) /
                                                   (1 << (kLaneVariables + kInnerVariables + kMiddleVariables));

    // References; H is complete by now.
    void start(unsigned threads, Monitor& monitor);
    // Computes RR of the complements of tiles with `size` members, and their features; layers are run in decreasing
    // order.
    void run_layer(unsigned size, unsigned threads, Monitor& monitor);

    SetNumbers& numbers() noexcept { return numbers_; }
    DagFeatures& features() noexcept { return features_; }
    std::span<double> nondescendants() noexcept { return nondescendants_; }
    double nondescendants(unsigned v, Subset U) const noexcept {
        return nondescendants_[(std::size_t{v} << sums_.n()) + U];
    }

private:
    struct Part;
    struct Work;

    unsigned tile_variables() const noexcept { return sums_.n() - kLaneVariables; }
    Subset tiles() const noexcept { return Subset{1} << tile_variables(); }
    void find_products(Subset tile, Work& work) const;
    void pull_group(std::span<Work> group) const;
    Lanes pull(ScaledLanes outer, Subset lacking, Work& work) const;
    Lanes pull_plain(Lanes outer, Subset largest, std::size_t first, Work& work) const;
    Lanes pull_scaled(ScaledLanes outer, Subset largest, std::size_t first, Work& work) const;
    void finish_tile(Work& work, Part& part);
    void finish_pull(Work& work);
    void add_features(const Work& work, unsigned v, Lanes sums, Part& part);
    void add_edges(const Work& work, Part& part) const;

    const ParentSums& sums_;
    const BlockRange& range_;
    const SetNumbers& forward_;
    SetNumbers numbers_;
    ScaledNumber total_;
    DagFeatures features_;
    std::vector<double> nondescendants_;  // q / total, by variable and set, or empty
};

}  // namespace dagscape
