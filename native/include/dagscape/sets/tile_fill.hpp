// A recurrence over all sets of variables, one tile at a time, for sums in any semiring.
//
//   forwards   value(S) = Σ over i ∈ S of  value(S∖i) · A_i(S∖i),   value(∅) = 1
//   backwards  value(S) = Σ over i ∉ S of  value(S∪i) · A_i(S),     value(V) = 1
//
// where A_i(S) is the sum over the families of i inside S. No family of i contains i, so A_i(S∪i) = A_i(S), and either
// can be read.
//
// A semiring defines sums, products and storage:
//
//   Function           a function of the sets of a tile; at() returns four of its values
//   Four               four values: zero(), plus(), times(), set_to_one(), add_product() for single lanes, and
//                      finished() once the sum of a set is complete
//   load(), store()    four values, packed in one integer each
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagscape/sets/lattice_tasks.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/tiles.hpp"

namespace dagscape {

// The observer of a tile, which may do more than fill in the values.
struct TileObserver {
    template <class Four>
    void neighbour(std::size_t, const Four&) {}  // four values of the tile with one high variable more or fewer
    void neighbours_seen(unsigned) {}            // after all of them, for one variable
    template <class Four>
    void end(const std::vector<Four>&) {}  // after a tile is filled
};

template <class Semiring>
class TileFill {
public:
    using Four = typename Semiring::Four;

    // Fills in the packed values of the tile with the given high members. packed_of(i) are those of the tile with
    // variable i more or fewer, and spread(i, sums) finds A_i.
    template <class PackedOf, class Spread, class Observer>
    void fill(unsigned n, Direction direction, Subset members, std::int64_t* packed, PackedOf&& packed_of,
              Spread&& spread, Observer&& observer) {
        forwards_ = direction == Direction::forwards;
        const Subset high = ((Subset{1} << n) - 1) & ~(Subset{kTile} - 1);
        std::fill(tile_.begin(), tile_.end(), Semiring::zero());
        if (forwards_ && members == 0) Semiring::set_to_one(tile_.front(), 0);
        if (!forwards_ && members == high) Semiring::set_to_one(tile_.back(), 3);
        for_each_member(forwards_ ? members : high & ~members, [&](unsigned i) {
            spread(i, streamed_);
            const std::int64_t* next = packed_of(i);
            for (std::size_t q = 0; q < kTile / 4; ++q) {
                const Four four = Semiring::load(next + 4 * q);
                observer.neighbour(q, four);
                tile_[q] = Semiring::plus(tile_[q], Semiring::times(four, Semiring::at(streamed_, q)));
            }
            observer.neighbours_seen(i);
        });
        for (unsigned i = 0; i < kLow; ++i) spread(i, low_[i]);
        for (std::size_t q = 0; q < kTile / 4; ++q) fill_four(forwards_ ? q : kTile / 4 - 1 - q);
        for (std::size_t q = 0; q < kTile / 4; ++q) Semiring::store(packed + 4 * q, tile_[q]);
        observer.end(tile_);
    }

private:
    // Fills four sets that agree on all but the first two variables, from their neighbours.
    void fill_four(std::size_t q) {
        Four four = tile_[q];
        for_each_member(forwards_ ? q : ~q & (kTile / 4 - 1), [&](unsigned bit) {
            const std::size_t next = q ^ std::size_t{1} << bit;
            four = Semiring::plus(four, Semiring::times(tile_[next], Semiring::at(low_[bit + 2], q)));
        });
        const Four first = Semiring::at(low_[0], q), second = Semiring::at(low_[1], q);
        if (forwards_) {
            Semiring::add_product(four, 1, 0, first);
            Semiring::add_product(four, 2, 0, second);
            Semiring::add_product(four, 3, 1, second);
            Semiring::add_product(four, 3, 2, first);
        } else {
            Semiring::add_product(four, 2, 3, first);
            Semiring::add_product(four, 1, 3, second);
            Semiring::add_product(four, 0, 1, first);
            Semiring::add_product(four, 0, 2, second);
        }
        tile_[q] = Semiring::finished(four);
    }

    bool forwards_ = true;
    std::vector<Four> tile_ = std::vector<Four>(kTile / 4);
    // A_i of a high variable, and of the low ones.
    typename Semiring::Function streamed_ = Semiring::tile_function();
    std::vector<typename Semiring::Function> low_ =
        std::vector<typename Semiring::Function>(kLow, Semiring::tile_function());
};

}  // namespace dagscape
