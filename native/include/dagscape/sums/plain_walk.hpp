// A walk over tiles of plain doubles (plain_tile.hpp); a tile that does not fit them is computed with scaled numbers.
//
// For sums over orders in which no column has separate exponents. As in tile_walk.hpp, each thread has its own walk,
// and columns are restricted to the members above a tile one variable at a time: by size and mask for the first
// decisions, and as lists of vectors from LaneSets::top() variables on. Lists of sets that leave a variable out are not
// copied.
//
// Which tiles are computed with scaled numbers depends on the packed numbers alone, so the bits do not depend on who
// computes them.
//
// Example: variable 0 in the sum of tiled_order_sum.hpp, where it is the only low variable, with at most one parent. By
// size and mask, the weights of its families are [∅: 1, 1: 2, 2: 0]. Tiles are filled in the order of their masks, and
// list() restricts the families to a tile by deciding first variable 2 and then variable 1, unless that has been done:
//
//   tile   variable 2               variable 1         A_0
//   ∅      left out   [∅: 1, 1: 2]  left out  [∅: 1]    1     the beginnings of the list: nothing is copied
//   1      as before                taken     [∅: 3]    3     1 + 2
//   2      taken      [∅: 1, 1: 2]  left out  [∅: 1]    1     1 + 0; {1, 2} is no family, so {1} stays as it is
//   12     as before                taken     [∅: 3]    3
//
// Tile 12 is computed from tiles 1 and 2. Their numbers 1 and 5 are packed as 1/2 · 2^1 and 5/8 · 2^3; the frame is
// 3 - 480, in which they are the doubles 2^477 and 5 · 2^477. F(012) is 36 · 2^477 there: 2 · 5 from tile 2 by
// variable 1, 4 · 5 from tile 1 by variable 2, and 3 · F(12) = 3 · 2 within the tile.
//
// Backwards, the shares of 0 are joined (join) as soon as both halves of a node are there, the half that takes the
// variable first:
//
//   tile   F(U) R(U∪0)
//   12     2 · 1 = 2                                        kept, as it takes 1
//   2      1 · 2 = 2     [∅: 2 + 2, 1: 2] = [4, 2]          kept, as it takes 2
//   1      1 · 4 = 4                                        kept, as it takes 1
//   ∅      1 · 16 = 16   [∅: 4 + 16, 1: 4] = [20, 4]        then [∅: 4 + 20, 1: 2 + 4, 2: 4] = [24, 6, 4] = Γ_0
//
// So P(1 → 0) = B_0({1}) Γ_0(1) / total = 2 · 6 / 36.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/lattice_tasks.hpp"
#include "dagscape/sets/tile_fill.hpp"
#include "dagscape/sets/tile_walk.hpp"
#include "dagscape/sums/column.hpp"
#include "dagscape/sums/lane_sets.hpp"
#include "dagscape/sums/plain_tile.hpp"
#include "dagscape/sums/scaled_arithmetic.hpp"
#include "dagscape/sums/share_tree.hpp"

namespace dagscape {

// What all threads share. The families of a rank are restricted to its fixed members: by size and mask, or as lists if
// there are few variables.
struct PlainProblem {
    const Tiles& tiles;
    std::span<const LaneSets> sets;  // by variable
    unsigned own;
    Subset fixed;
    std::span<const Column> families;
    std::span<std::int64_t> packed;
    std::span<ExponentRange> ranges;  // of the tiles, where they are known
};

class PlainWalk {
public:
    explicit PlainWalk(const PlainProblem& problem);

    // Walks over the sets that agree with `pattern` on all but the first `bits` variables.
    void forward(Subset pattern, unsigned bits, const ReceivedBlocks& received, Monitor& monitor);
    // Returns the shares of these sets.
    Shares backward(Subset pattern, unsigned bits, ScaledNumber total, const ReceivedBlocks& received,
                    Monitor& monitor);

private:
    using Numbers = std::vector<Lanes>;
    struct ScaledShares;

    static constexpr Subset kUndecided = ~Subset{0};

    bool backwards() const noexcept { return direction_ == Direction::backwards; }
    Subset high() const noexcept;
    bool taken(unsigned r, Subset tile) const noexcept;
    const std::int64_t* packed_of(Subset tile, unsigned i) const;
    ExponentRange range_of(Subset tile, unsigned i) const;

    void walk(Direction direction, Subset pattern, unsigned bits, const ReceivedBlocks& received, Monitor& monitor);
    void fill(Subset tile);
    bool fill_plain(Subset tile, ExponentRange neighbours);
    void fill_scaled(Subset tile);
    LaneList list(Subset tile, unsigned v);
    void decide(unsigned r, unsigned v, bool take);
    void reserve_shares(unsigned bits);
    double* list_shares(Subset tile, unsigned v);
    void join(Subset tile, unsigned v);
    Shares shares_of_unit(unsigned bits, Subset members) const;

    const PlainProblem problem_;
    Direction direction_ = Direction::forwards;
    unsigned bits_ = kLow;
    const ReceivedBlocks* received_ = nullptr;
    ScaledNumber total_;
    PlainTile tile_;
    TileFill<ScaledArithmetic> scaled_;

    std::vector<std::vector<Column>> columns_;       // [r][v], above the top of the lists
    Column last_column_;                             // at the top of the lists, before it becomes a list
    std::vector<std::vector<Numbers>> buffers_;      // [r][v], for lists
    std::vector<std::vector<const double*>> lists_;  // [r][v]
    std::vector<std::vector<Subset>> decided_;       // [v][r]: the members for which the column or list holds
    // The shares of v in the last node at a level that takes its last variable, as lists; in a unit, or at the top of
    // the lists; and above it, also in the last node that leaves its last variable out.
    std::vector<std::vector<Numbers>> taken_shares_;    // [r][v]
    std::vector<Numbers> unit_shares_;                  // [v]
    std::vector<std::array<Shares, 2>> column_shares_;  // [r][taken][v]
};

}  // namespace dagscape
