// Products of A_v(U) over sets of variables, for the four sets U of a tile at a time (dag_sum.hpp).
//
// The products over all subsets of some variables come by doubling. Those over variables outside the block of a tile
// (set_numbers.hpp) are scaled numbers. Those over the variables of the block are plain doubles, and also scaled
// numbers if there are wide blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/numbers/scaled.hpp"
#include "dagscape/numbers/scaled_lanes.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sums/parent_sums.hpp"
#include "dagscape/sums/set_numbers.hpp"

namespace dagscape {

// The tiles of a layer that differ only in inner variables: at most C(6, 3).
inline constexpr std::size_t kLargestGroup = 20;

// The tiles of a group work on the blocks that differ only in this many middle variables, which stay in the cache. The
// other variables outside the block are outer variables.
inline constexpr unsigned kMiddleVariables = 3;

inline ScaledLanes negative(ScaledLanes value) noexcept { return {-value.mantissa, value.exponent}; }

inline bool any(LaneBits conditions) noexcept {
    return (conditions[0] | conditions[1] | conditions[2] | conditions[3]) != 0;
}

template <class Visit>
void for_each_lane(Visit&& visit) {
    visit.template operator()<0>();
    visit.template operator()<1>();
    visit.template operator()<2>();
    visit.template operator()<3>();
}

// Products over all subsets of some variables, as scaled numbers.
class ScaledProducts {
public:
    std::size_t size() const noexcept { return size_; }
    ScaledLanes operator[](std::size_t i) const noexcept { return {mantissa_[i], exponent_[i]}; }
    Subset set(std::size_t i) const noexcept { return set_[i]; }

    void start(ScaledLanes first, Subset first_set) {
        reserve(1);
        mantissa_[0] = first.mantissa;
        exponent_[0] = first.exponent;
        set_[0] = first_set;
        size_ = 1;
    }
    void extend(unsigned member, ScaledLanes factor) {
        reserve(2 * size_);
        for (std::size_t i = 0; i < size_; ++i) {
            mantissa_[size_ + i] = mantissa_[i] * factor.mantissa;
            exponent_[size_ + i] = exponent_[i] + factor.exponent;
            set_[size_ + i] = set_[i] | singleton(member);
        }
        size_ *= 2;
    }

private:
    // Memory is kept from tile to tile.
    void reserve(std::size_t count) {
        if (set_.size() >= count) return;
        mantissa_.resize(count);
        exponent_.resize(count);
        set_.resize(count);
    }

    std::vector<Lanes> mantissa_, exponent_;
    std::vector<Subset> set_;
    std::size_t size_ = 0;
};

// -A of the two lane variables, for the sets of a tile.
struct LaneFactors {
    LaneFactors(const ParentSums& sums, Subset tile) noexcept : LaneFactors(negative(sums.row(sums.first_row(tile)))) {}

    ScaledNumber first, first_after_other, other, other_after_first;

private:
    explicit LaneFactors(ScaledLanes row) noexcept
        : first(row.get(0)), first_after_other(row.get(1)), other(row.get(2)), other_after_first(row.get(3)) {}
};

// For each pair of sets of lanes: g_U over the lanes that one has beyond the other, or zero if it is not a superset.
struct LaneWeights {
    ScaledLanes row[4];

    static ScaledLanes lanes(ScaledNumber a, ScaledNumber b, ScaledNumber c, ScaledNumber d) noexcept {
        return {Lanes{a.mantissa, b.mantissa, c.mantissa, d.mantissa},
                Lanes{a.exponent, b.exponent, c.exponent, d.exponent}};
    }
};

// Products over all subsets of the inner variables, with the weights of lanes: four vectors of doubles for each.
class PlainProducts {
public:
    using Rows = std::array<Lanes, 4>;

    std::size_t size() const noexcept { return size_; }
    const Rows* rows() const noexcept { return rows_.data(); }
    const std::uint32_t* sets() const noexcept { return set_.data(); }

    void start(const LaneWeights& weights, const BlockRange& range) noexcept {
        for (unsigned i = 0; i < 4; ++i) rows_[0][i] = range.plain(weights.row[i].mantissa, weights.row[i].exponent);
        set_[0] = 0;
        size_ = 1;
    }
    void extend(unsigned member, const Rows& factors, const BlockRange& range) noexcept {
        for (std::size_t k = 0; k < size_; ++k) {
            for (unsigned i = 0; i < 4; ++i) rows_[size_ + k][i] = range.floored(rows_[k][i] * factors[i]);
            set_[size_ + k] = set_[k] | std::uint32_t{1} << member;
        }
        size_ *= 2;
    }

private:
    std::array<Rows, std::size_t{1} << kInnerVariables> rows_;
    std::array<std::uint32_t, std::size_t{1} << kInnerVariables> set_;
    std::size_t size_ = 0;
};

}  // namespace dagscape
