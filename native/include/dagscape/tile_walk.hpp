// A recurrence over all sets of variables, walked in tiles, for sums in any semiring.
//
//   forwards   value(S) = Σ over i ∈ S of  value(S∖i) · A_i(S∖i),   value(∅) = 1
//   backwards  value(S) = Σ over i ∉ S of  value(S∪i) · A_i(S),     value(V) = 1
//
// where A_i(S) is the sum over the families of i inside S. A_i is never stored: each tile builds the part that it needs
// from the families (tiles.hpp). No family of i contains i, so A_i(S∪i) = A_i(S), and either can be read.
//
// A semiring defines sums, products and storage:
//
//   Column             a function of the families; add() and copy() work on ranges of it, room() allocates one
//   Function           a function of the sets of a tile; at() returns four of its values
//   spread()           converts a column at a tile to the function A_i of the tile's sets
//   Four               four values: zero(), plus(), times(), set_to_one(), add_product() for single lanes, and
//                      finished() once the sum of a set is complete
//   load(), store()    four values in words
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/monitor.hpp"
#include "dagscape/subset.hpp"
#include "dagscape/tiles.hpp"

namespace dagscape {

// The callbacks of a walk. Observers derive from this to do more than fill in the values.
struct TileObserver {
    void begin(Subset) {}  // before a tile is filled
    template <class Four>
    void neighbour(std::size_t, const Four&) {}  // four values of the tile with one high variable more or fewer
    void neighbours_seen(unsigned) {}            // after all of them, for one variable
    template <class Four>
    void end(const std::vector<Four>&) {}  // after a tile is filled
    void ascend(unsigned, bool) {}         // after all tiles with, or without, variable r - 1
};

// Fills in the values, one pattern of the last variables at a time. Each thread has its own walk.
template <class Semiring>
class TileWalk {
public:
    using Column = typename Semiring::Column;
    using Four = typename Semiring::Four;

    // All threads share the families, one column per variable, and the words of all sets.
    TileWalk(const Tiles& tiles, Direction direction, std::span<const Column> families, std::span<std::int64_t> words,
             Monitor& monitor)
        : tiles_(tiles), forwards_(direction == Direction::forwards), families_(families), words_(words),
          monitor_(monitor), levels_(tiles.n), tile_(kTile / 4), streamed_(Semiring::tile_function()),
          low_(kLow, Semiring::tile_function()) {
        for (unsigned v = 0; v < tiles.n; ++v) {
            for (unsigned r = 0; r < tiles.n; ++r) {
                levels_[v].push_back(Semiring::room(families[v], r < kLow ? 0 : tiles.sets(r)));
            }
        }
    }

    template <class Observer>
    void walk(Subset top, Observer&& observer) {
        descend(tiles_.n, 0, top, observer);
    }

private:
    const Column& level(unsigned v, unsigned r) const { return r == tiles_.n ? families_[v] : levels_[v][r]; }

    // Decides variable r - 1, and those before it.
    template <class Observer>
    void descend(unsigned r, Subset tile, Subset top, Observer& observer) {
        if (r == kLow) {
            monitor_.check();
            fill(tile, observer);
            monitor_.advance(1);
            return;
        }
        const bool fixed = r + tiles_.top > tiles_.n;
        for (const bool first : {true, false}) {
            const bool take = first != forwards_;
            if (fixed && contains(top, r - 1) != take) continue;
            for (unsigned v = 0; v < tiles_.n; ++v) decide(levels_[v][r - 1], level(v, r), r, take);
            descend(r - 1, take ? tile | singleton(r - 1) : tile, top, observer);
            observer.ascend(r, take);
        }
    }

    void decide(Column& to, const Column& from, unsigned r, bool take) const {
        tiles_.decide(r, take, [&](std::size_t to_at, std::size_t from_at, std::size_t count, bool taken) {
            taken ? Semiring::add(to, to_at, from, from_at, count) : Semiring::copy(to, to_at, from, from_at, count);
        });
    }

    template <class Observer>
    void fill(Subset tile, Observer& observer) {
        observer.begin(tile);
        const Subset high = ((Subset{1} << tiles_.n) - 1) & ~(Subset{kTile} - 1);
        std::fill(tile_.begin(), tile_.end(), Semiring::zero());
        if (forwards_ && tile == 0) Semiring::set_to_one(tile_.front(), 0);
        if (!forwards_ && tile == high) Semiring::set_to_one(tile_.back(), 3);
        for_each_member(forwards_ ? tile : high & ~tile, [&](unsigned i) {
            semiring_.spread(level(i, kLow), tiles_.low_masks, streamed_);
            const std::int64_t* next = &words_[tile ^ singleton(i)];
            for (std::size_t q = 0; q < kTile / 4; ++q) {
                const Four neighbour = Semiring::load(next + 4 * q);
                observer.neighbour(q, neighbour);
                tile_[q] = Semiring::plus(tile_[q], Semiring::times(neighbour, Semiring::at(streamed_, q)));
            }
            observer.neighbours_seen(i);
        });
        for (unsigned i = 0; i < kLow; ++i) semiring_.spread(level(i, kLow), tiles_.low_masks, low_[i]);
        for (std::size_t q = 0; q < kTile / 4; ++q) fill_four(forwards_ ? q : kTile / 4 - 1 - q);
        for (std::size_t q = 0; q < kTile / 4; ++q) Semiring::store(&words_[tile + 4 * q], tile_[q]);
        observer.end(tile_);
    }

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

    const Tiles& tiles_;
    const bool forwards_;
    std::span<const Column> families_;
    std::span<std::int64_t> words_;
    Monitor& monitor_;
    Semiring semiring_;
    std::vector<std::vector<Column>> levels_;  // [v][r]
    std::vector<Four> tile_;
    typename Semiring::Function streamed_;          // A_i of a high variable
    std::vector<typename Semiring::Function> low_;  // A_i of the low variables
};

}  // namespace dagscape
