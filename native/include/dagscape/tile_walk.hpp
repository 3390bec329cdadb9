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

#include "dagscape/lattice_tasks.hpp"
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

// Words of tiles that are stored elsewhere: for each variable above the walk's own, those of a block of sets with one
// of these variables more or fewer.
struct ReceivedWords {
    std::vector<const std::int64_t*> blocks;  // by variable; null where none are needed
    unsigned bits = 0;                        // a block has 2^bits words
};

// Fills in the values of the sets that agree on the variables from `own` on, the members `fixed`. Each thread has its
// own walk, and may use it for any pattern: columns that were decided for the last one are kept where they still apply.
template <class Semiring>
class TileWalk {
public:
    using Column = typename Semiring::Column;
    using Four = typename Semiring::Four;

    // All threads share the families, one column per variable, restricted to the fixed members, and the words of the
    // 2^own sets.
    TileWalk(const Tiles& tiles, unsigned own, Subset fixed, std::span<const Column> families,
             std::span<std::int64_t> words)
        : tiles_(tiles), own_(own), fixed_(fixed), families_(families), words_(words), levels_(tiles.n),
          decided_(own, kUndecided), tile_(kTile / 4), streamed_(Semiring::tile_function()),
          low_(kLow, Semiring::tile_function()) {
        for (unsigned v = 0; v < tiles.n; ++v) {
            for (unsigned r = 0; r < own; ++r) {
                levels_[v].push_back(Semiring::room(families[v], r < kLow ? 0 : tiles.sets(r)));
            }
        }
    }

    // Walks over the sets that agree with `pattern` on all but the first `bits` variables.
    template <class Observer>
    void walk(Direction direction, Subset pattern, unsigned bits, const ReceivedWords& received, Monitor& monitor,
              Observer&& observer) {
        forwards_ = direction == Direction::forwards;
        received_ = &received;
        for (unsigned r = own_; r > bits; --r) decide(r, pattern & ~((Subset{1} << (r - 1)) - 1));
        descend(bits, pattern, monitor, observer);
    }

private:
    static constexpr Subset kUndecided = ~Subset{0};

    const Column& level(unsigned v, unsigned r) const { return r == own_ ? families_[v] : levels_[v][r]; }

    // Decides the variables before r.
    template <class Observer>
    void descend(unsigned r, Subset tile, Monitor& monitor, Observer& observer) {
        if (r == kLow) {
            monitor.check();
            fill(tile, observer);
            monitor.advance(1);
            return;
        }
        for (const bool first : {true, false}) {
            const bool take = first != forwards_;
            const Subset part = take ? tile | singleton(r - 1) : tile;
            decide(r, part);
            descend(r - 1, part, monitor, observer);
            observer.ascend(r, take);
        }
    }

    // Restricts the columns of all variables from the first r variables to the first r - 1, given the members among the
    // others.
    void decide(unsigned r, Subset members) {
        if (decided_[r - 1] == members) return;
        const bool take = contains(members, r - 1);
        for (unsigned v = 0; v < tiles_.n; ++v) {
            Column& to = levels_[v][r - 1];
            const Column& from = level(v, r);
            tiles_.decide(r, take, [&](std::size_t to_at, std::size_t from_at, std::size_t count, bool taken) {
                taken ? Semiring::add(to, to_at, from, from_at, count)
                      : Semiring::copy(to, to_at, from, from_at, count);
            });
        }
        decided_[r - 1] = members;
    }

    // The words of the tile with variable i more or fewer.
    const std::int64_t* neighbour(Subset tile, unsigned i) const {
        if (i < own_) return &words_[tile ^ singleton(i)];
        return received_->blocks[i - own_] + (tile & ((Subset{1} << received_->bits) - 1));
    }

    template <class Observer>
    void fill(Subset tile, Observer& observer) {
        observer.begin(tile);
        const Subset high = ((Subset{1} << tiles_.n) - 1) & ~(Subset{kTile} - 1);
        const Subset members = tile | fixed_;
        std::fill(tile_.begin(), tile_.end(), Semiring::zero());
        if (forwards_ && members == 0) Semiring::set_to_one(tile_.front(), 0);
        if (!forwards_ && members == high) Semiring::set_to_one(tile_.back(), 3);
        for_each_member(forwards_ ? members : high & ~members, [&](unsigned i) {
            semiring_.spread(level(i, kLow), tiles_.low_masks, streamed_);
            const std::int64_t* next = neighbour(tile, i);
            for (std::size_t q = 0; q < kTile / 4; ++q) {
                const Four four = Semiring::load(next + 4 * q);
                observer.neighbour(q, four);
                tile_[q] = Semiring::plus(tile_[q], Semiring::times(four, Semiring::at(streamed_, q)));
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
    const unsigned own_;
    const Subset fixed_;
    std::span<const Column> families_;
    std::span<std::int64_t> words_;
    Semiring semiring_;
    std::vector<std::vector<Column>> levels_;  // [v][r]
    std::vector<Subset> decided_;              // [r]: the members for which the columns of this level hold
    bool forwards_ = true;
    const ReceivedWords* received_ = nullptr;
    std::vector<Four> tile_;
    typename Semiring::Function streamed_;          // A_i of a high variable
    std::vector<typename Semiring::Function> low_;  // A_i of the low variables
};

}  // namespace dagscape
