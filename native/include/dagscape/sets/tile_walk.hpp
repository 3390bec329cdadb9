// A walk over all sets of variables in tiles (tile_fill.hpp).
//
// A_i is never stored: each tile builds the part that it needs from the families, which the walk restricts to the
// members above the tile (tiles.hpp). Besides the functions that tiles need, a semiring defines
//
//   Column             a function of the families; add() and copy() work on ranges of it, buffer() allocates one
//   spread()           converts a column at a tile to the function A_i of the tile's sets
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/lattice_tasks.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/tile_fill.hpp"
#include "dagscape/sets/tiles.hpp"

namespace dagscape {

// The observer of a walk.
struct WalkObserver : TileObserver {
    void begin(Subset) {}           // before a tile is filled
    void ascend(unsigned, bool) {}  // after all tiles with, or without, variable r - 1
};

// Packed values of tiles that are stored elsewhere: for each variable above the walk's own, those of a block of sets
// with one of these variables more or fewer.
struct ReceivedBlocks {
    std::vector<const std::int64_t*> blocks;  // by variable; null where none are needed
    unsigned bits = 0;                        // a block has 2^bits values

    const std::int64_t* tile(unsigned variable, Subset tile) const {
        return blocks[variable] + (tile & ((Subset{1} << bits) - 1));
    }
};

// Restricts a column from the sets of the first r variables to those of the first r - 1, after the decision whether to
// take variable r - 1 (tiles.hpp).
template <class Semiring>
void restrict_column(const Tiles& tiles, unsigned r, bool take, const typename Semiring::Column& from,
                     typename Semiring::Column& to) {
    tiles.decide(r, take, [&](std::size_t to_at, std::size_t from_at, std::size_t count, bool taken) {
        taken ? Semiring::add(to, to_at, from, from_at, count) : Semiring::copy(to, to_at, from, from_at, count);
    });
}

// Fills in the values of the sets that agree on the variables from `own` on, the members `fixed`. Each thread has its
// own walk, and may use it for any pattern: columns that were decided for the last one are kept where they still apply.
template <class Semiring>
class TileWalk {
public:
    using Column = typename Semiring::Column;

    // All threads share the families, one column per variable, restricted to the fixed members, and the packed values
    // of the 2^own sets.
    TileWalk(const Tiles& tiles, unsigned own, Subset fixed, std::span<const Column> families,
             std::span<std::int64_t> packed)
        : tiles_(tiles), own_(own), fixed_(fixed), families_(families), packed_(packed), levels_(tiles.n),
          decided_(own, kUndecided) {
        for (unsigned v = 0; v < tiles.n; ++v) {
            for (unsigned r = 0; r < own; ++r) {
                levels_[v].push_back(Semiring::buffer(families[v], r < kLow ? 0 : tiles.sets(r)));
            }
        }
    }

    // Walks over the sets that agree with `pattern` on all but the first `bits` variables.
    template <class Observer>
    void walk(Direction direction, Subset pattern, unsigned bits, const ReceivedBlocks& received, Monitor& monitor,
              Observer&& observer) {
        // Columns that one direction needs, the other may not.
        if (direction != direction_) std::fill(decided_.begin(), decided_.end(), kUndecided);
        direction_ = direction;
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
            const bool take = first == (direction_ == Direction::backwards);
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
            if (!needed(v, r, members)) continue;
            restrict_column<Semiring>(tiles_, r, take, level(v, r), levels_[v][r - 1]);
        }
        decided_[r - 1] = members;
    }

    // Whether A_v is needed in tiles with these members from variable r - 1 on: that of members forwards, and that of
    // others backwards.
    bool needed(unsigned v, unsigned r, Subset members) const {
        return v < r - 1 || v < kLow || contains(members | fixed_, v) == (direction_ == Direction::forwards);
    }

    template <class Observer>
    void fill(Subset tile, Observer& observer) {
        observer.begin(tile);
        fill_.fill(
            tiles_.n, direction_, tile | fixed_, &packed_[tile],
            [&](unsigned i) { return i < own_ ? &packed_[tile ^ singleton(i)] : received_->tile(i - own_, tile); },
            [&](unsigned i, auto& sums) { semiring_.spread(level(i, kLow), tiles_.low_masks, sums); }, observer);
    }

    const Tiles& tiles_;
    const unsigned own_;
    const Subset fixed_;
    std::span<const Column> families_;
    std::span<std::int64_t> packed_;
    Semiring semiring_;
    TileFill<Semiring> fill_;
    std::vector<std::vector<Column>> levels_;  // [v][r]
    std::vector<Subset> decided_;              // [r]: the members for which the columns of this level hold
    Direction direction_ = Direction::forwards;
    const ReceivedBlocks* received_ = nullptr;
};

}  // namespace dagscape
