// H(S): the sum over all DAGs on S, for every set S, in O(3^n); the notation is that of dag_sum.hpp.
//
// Each U pushes its terms to all its supersets: H(U ∪ T) -= H(U) g_U(T). A term is the weight of the DAGs on U ∪ T in
// which all of T are sinks, so it is at most H(U ∪ T), and at most the share of H(U ∪ T) that a smaller T had.
#pragma once

#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sums/dag_products.hpp"
#include "dagscape/sums/parent_sums.hpp"
#include "dagscape/sums/set_numbers.hpp"

namespace dagscape {

class DagForward {
public:
    // The sums must outlive this object.
    DagForward(const ParentSums& sums, const BlockRange& range);

    // References; H(∅) is set to 1.
    void start(unsigned threads, Monitor& monitor);
    // Completes the tiles with `size` members, and pushes from them; layers are run in increasing order.
    void run_layer(unsigned size, unsigned threads, Monitor& monitor);

    // After the last layer: Σ |H(U) g_U(V∖U)| / H(V), the factor by which rounding errors of the terms are amplified in
    // the total.
    double condition(unsigned threads, Monitor& monitor) const;

    const SetNumbers& numbers() const noexcept { return numbers_; }
    SetNumbers& numbers() noexcept { return numbers_; }

private:
    struct Work;

    unsigned tile_variables() const noexcept { return sums_.n() - kLaneVariables; }
    void finish_tile(Subset tile);
    void find_products(Subset tile, Subset owned, Subset owner_mask, Work& work) const;
    void push_group(std::span<const Work> group);
    void push(ScaledLanes outer, Subset target, const Work& work);
    void push_plain(Lanes outer, Subset target, std::size_t first, const Work& work);
    void push_scaled(ScaledLanes outer, Subset target, std::size_t first, const Work& work);
    double magnitude(Subset tile) const;

    const ParentSums& sums_;
    const BlockRange& range_;
    SetNumbers numbers_;
};

}  // namespace dagscape
