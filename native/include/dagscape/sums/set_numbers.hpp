// A number for each set of variables, such as H and RR of dag_sum.hpp, beyond the range of doubles.
//
// A block is the sets that differ only in the first eight variables. Its numbers share one exponent if their range
// allows it; sums and products are then those of plain doubles. Otherwise each set has an exponent of its own.
//
// Range. Let n be the number of variables, f ≥ log2 n!, and 2^a ≥ 1 an upper bound of the products of A over variables
// of a block. The reference h(S) is the best sum of exponents of A along an order of S. The product of A along any
// order is part of the number of S, which is at most the sum of these products over all orders. The number is therefore
// between 2^(h-n) and 2^(h+f).
//
// The number of S is an alternating sum of at most 2^n terms. No term exceeds the sum, and the share of a term only
// decreases as more variables are added to its set T (dag_forward.hpp, dag_backward.hpp). A term is the product of an
// outer factor, which is a number times A of the variables of T outside the block, and an inner factor, which is the
// product of A over the others. Let c be the largest difference between references of a block. In narrow blocks,
//
//   - outer factors are zero if they are certain to be below 2^-(2n+60) of every number of the block that they meet;
//     the term without inner variables is then at most 2^-(n+60) of its sum, and so are those with inner variables;
//   - inner factors are zero if they, or partial products, are below 2^-(f+a+c+2n+60). The others of a term are at most
//     2^(f+c+n) times its sum (its number meets another of the same block), so the term is below 2^-(n+60) of the sum.
//
// What is left out is thus at most 2^-59 of each sum, less than one rounding of its largest term.
//
// A block is narrow if c ≤ (1880-3f-2a-8n)/2. Its exponent is the highest reference less t = 1020-f-a-n. The backward
// pass computes sums relative to references less g = min(1020-f-2n, 990). With the bounds above, all nonzero factors,
// products and sums are between 2^-1020 and 2^1020: nothing overflows, and nothing else underflows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/numbers/scaled.hpp"
#include "dagscape/numbers/scaled_lanes.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/layers.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

// The first two variables are the lanes of vectors. A tile is the four sets that differ only in them; its number is the
// set of the other variables.
inline constexpr unsigned kLaneVariables = 2;

// The variables of a block other than the lanes.
inline constexpr unsigned kInnerVariables = 6;

// The reference of a set without any DAG: every number aligned to it vanishes.
inline constexpr double kNoReference = -kNothing;

// The powers of two explained above.
struct BlockRange {
    explicit BlockRange(const ParentSums& sums);

    double drop, span, top, lift;
    double lowest_outer;                   // of exponents of outer factors relative to a narrow block: forward
    double lowest_factor, highest_factor;  // and backward, where a higher factor is that of a set without DAGs
    double floor;                          // 2^-(f+a+c+2n+60)

    // Plain doubles; zero below the floor.
    Lanes plain(Lanes mantissa, Lanes exponent) const noexcept { return floored(mantissa * power_of_two(exponent)); }
    Lanes floored(Lanes values) const noexcept {
        const Lanes lowest = broadcast(floor);
        return values < lowest && values > -lowest ? broadcast(0) : values;
    }
};

class SetNumbers {
public:
    explicit SetNumbers(unsigned n);

    static constexpr double kBytesForEachSet = sizeof(double) * (2 + 1.0 / (1 << (kInnerVariables + kLaneVariables)));

    // The number of a set as a normal number.
    ScaledNumber get(Subset S) const noexcept { return normalised(ScaledNumber{value[S], unit(S)}); }
    void set(Subset S, ScaledNumber number) noexcept {
        value[S] = number.mantissa == 0 ? 0 : number.mantissa * power_of_two(number.exponent - unit(S));
    }
    void add(Subset S, ScaledNumber number) noexcept {
        value[S] += number.mantissa * power_of_two(number.exponent - unit(S));
    }
    // The same for the four sets of a tile.
    ScaledLanes get_tile(Subset tile) const noexcept {
        return normalised(ScaledLanes{load(&value[tile << kLaneVariables]), units(tile)});
    }
    Lanes references(Subset tile) const noexcept { return load(&reference[tile << kLaneVariables]); }

    unsigned inner_variables() const noexcept { return inner_variables_; }
    bool is_narrow(Subset tile) const noexcept { return unit_[tile >> inner_variables_] != kNoReference; }
    bool any_wide() const noexcept { return any_wide_; }
    // The exponent of a narrow block.
    double block_unit(Subset tile) const noexcept { return unit_[tile >> inner_variables_]; }

    // The references of all sets: the highest reference(S∖v) plus an exponent of v over the members v of S.
    // exponents(v, tile) are those of the four sets of a tile, with v numbered without the lanes; exponent(v, S) is
    // that of one set.
    template <class Exponents, class Exponent>
    void find_references(unsigned threads, Monitor& monitor, Exponents&& exponents, Exponent&& exponent);

    // Decides which blocks are narrow, once the references are known.
    void choose_units(const BlockRange& range);

    std::vector<double> value;      // relative to 2^unit
    std::vector<double> reference;  // by set

private:
    double unit(Subset S) const noexcept {
        const double block = block_unit(S >> kLaneVariables);
        return block != kNoReference ? block : reference[S];
    }
    Lanes units(Subset tile) const noexcept {
        const double block = block_unit(tile);
        return block != kNoReference ? broadcast(block) : references(tile);
    }

    unsigned inner_variables_;
    bool any_wide_ = false;
    std::vector<double> unit_;  // by block; kNoReference if it is wide
};

template <class Exponents, class Exponent>
void SetNumbers::find_references(unsigned threads, Monitor& monitor, Exponents&& exponents, Exponent&& exponent) {
    // Sums with kNothing stay below this.
    constexpr double kVanished = kNothing / 2;
    const unsigned variables = lowest(value.size()) - kLaneVariables;
    const auto visit = [&](Subset tile) {
        Lanes best = broadcast(kNothing);
        for_each_member(tile, [&](unsigned v) {
            const Lanes before = references(tile & ~singleton(v));
            const Lanes sum = exponents(v, tile) + (before == broadcast(kNoReference) ? broadcast(kNothing) : before);
            best = sum > best ? sum : best;
        });
        if (tile == 0) best[0] = 0;
        const Subset base = tile << kLaneVariables;
        best[1] = std::max(best[1], best[0] + exponent(0, base | 1));
        best[2] = std::max(best[2], best[0] + exponent(1, base | 2));
        best[3] = std::max({best[3], best[1] + exponent(1, base | 3), best[2] + exponent(0, base | 3)});
        store(&reference[base], best < kVanished ? broadcast(kNoReference) : best);
    };
    for (unsigned size = 0; size <= variables; ++size) {
        for_each_of_layer(layer(variables, size), threads, monitor, visit);
    }
}

}  // namespace dagscape
