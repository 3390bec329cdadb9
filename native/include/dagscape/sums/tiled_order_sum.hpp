// Sums over orders in 8 bytes per set: for many variables and few parents each.
//
// The recurrences of order_sum.hpp are evaluated in tiles (tile_walk.hpp), without storing A_i. Forwards, a tile stores
// F; backwards, it reads F and overwrites it with R. Backwards, the weights F(U) R(U∪v) of a tile also propagate to the
// families, against the direction of the walk (share_tree.hpp):
//
//   Γ_v(G) = Σ_{U ⊇ G} F(U) R(U∪v)        P(u → v) = Σ_{G ∋ u} B_v(G) Γ_v(G) / total
//
// F and R are packed numbers (scaled.hpp), relative to the best family of each variable: the
// ranges of the scores, added up over the variables, must stay below 2^23 powers of two (kWidestTiled).
// Cost: O(n 2^n) transforms of length ten.
//
// They may be divided among 2^k ranks, each of which has the sets that agree on the last k variables, and among
// blocks of a rank. The result has the same bits for any number of ranks, blocks and threads.
//
// Example: the three variables of dag_backward.hpp, in tiles of one low variable instead of ten. A tile has the sets
// without and with 0, and is named after its high members:
//
//   tile             ∅           1           2          12
//   set            ∅    0      1   01      2   02     12  012
//   F, forwards    1    1      1    5      1    5      2   36     36 = F(012) is the total,
//   R, backwards  36   16     15    4      5    2      3    1     and so is R(∅)
//
// Forwards, tile 1 first takes A_1 F from tile ∅, which gives 1 · 1 and 2 · 1, and then adds A_0(1) F(1) = 3 · 1 to its
// second set: F(01) = 5. Backwards, R replaces F from the last tile on, and each tile adds its share of Γ. For v = 2,
// tile 1 has F(1) R(12) = 3 and F(01) R(012) = 5; summed over supersets, 8 for ∅ and 5 for 0. Tile ∅ has F(∅) R(2) = 5
// and F(0) R(02) = 2: 7 and 2. Together, Γ_2(∅) = 8 + 7 = 15 and Γ_2(0) = 5 + 2 = 7; those of the sets with 1, which
// tile 1 alone contains, are 8 and 5. So P(0 → 2) = B_2({0}) Γ_2(0) / total = 3 · 7 / 36.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/lattice_tasks.hpp"
#include "dagscape/sets/tiles.hpp"
#include "dagscape/sums/column.hpp"
#include "dagscape/sums/lane_sets.hpp"
#include "dagscape/sums/order_sum.hpp"
#include "dagscape/sums/plain_tile.hpp"
#include "dagscape/sums/share_tree.hpp"

namespace dagscape {

// The largest sum of the ranges of the scores of all variables, in nats: 7.2 million powers of two.
inline constexpr double kWidestTiled = 5e6;

// Whether the scores of n variables can be summed in tiles: like can_be_summed, and with a sum of ranges below
// kWidestTiled.
bool can_be_tiled(unsigned n, std::span<const std::int64_t> scores, int unit_bits) noexcept;

// 2^rank_bits ranks; this is number `rank`, whose sets contain the members of rank << (n - rank_bits).
struct RankOfMany {
    unsigned rank_bits = 0;
    Subset rank = 0;
};

// 2^bits sets of a rank, kLow ≤ bits, with the packed numbers of the same block of other ranks, in the order of the
// variables.
struct SumBlock {
    unsigned bits = 0;
    std::size_t index = 0;
    std::vector<const std::int64_t*> received;
};

class TiledOrderSum {
public:
    // `scores` has, for each variable, the local scores of all sets of at most `max_parents` variables, by size and
    // then by mask (set_index.hpp); they are kImpossible for sets that contain the variable and for impossible
    // families. Needs at least ten variables besides those of the ranks, and more than `max_parents`. The packed
    // numbers of the rank's sets may have any values.
    TiledOrderSum(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits,
                  std::span<std::int64_t> packed, RankOfMany rank = {});
    ~TiledOrderSum();

    // The number of variables that distinguish the sets of this rank.
    unsigned own() const noexcept { return own_; }
    // How many blocks forward() and backward() receive: one for each member of the rank, and for each other one.
    std::size_t received_forwards() const noexcept;
    std::size_t received_backwards() const noexcept;

    // Fills in F of a block, in increasing order. It receives F of the ranks with one member fewer.
    void forward(const SumBlock& block, unsigned threads, Monitor& monitor);

    // Overwrites F with R, in decreasing order of the blocks, and adds the shares of the block. It receives R of the
    // ranks with one member more. `total` is F(V), the last number of the last rank, and must not be zero. If it is
    // stopped, the numbers and shares are meaningless.
    void backward(const SumBlock& block, std::int64_t total, unsigned threads, Monitor& monitor);
    // The sets done so far: backward() expects the block before them.
    Subset sets_done() const noexcept { return done_; }

    // The sum over all orders, from F(V).
    ScaledNumber total(std::int64_t packed) const noexcept;

    // The shares of all sets of this rank once all its blocks are done, or of several ranks.
    std::vector<double> shares() const;
    std::size_t share_count() const { return tree_.numbers(tree_.level()); }
    bool all_done() const { return tree_.shares() != nullptr; }
    // How many variables distinguish the sets whose shares this rank has.
    unsigned level() const noexcept { return tree_.level(); }
    // Adds the shares of as many sets that also contain the next variable, which this rank's sets do not contain.
    void merge(std::span<const double> shares);
    // On rank 0, which has the shares of all sets and R(∅).
    OrderSumResult finish() const;

    // The sets done, the total and the partial sums of the shares, to continue after the same block later.
    std::vector<double> state() const;
    // Whether these are such numbers; they are used if so.
    bool restore(std::span<const double> state);

private:
    struct Worker;

    // The weights of all families of a variable, and their scale.
    std::pair<Column, double> families_of(unsigned v) const;
    std::vector<Column> restricted_families();
    Column restricted_further(unsigned v) const;
    std::unique_ptr<Worker> make_worker();
    // Calls visit(worker, index, bits, received) for units of 2^bits sets.
    template <class Visit>
    void run(const SumBlock& block, Direction direction, unsigned threads, Monitor& monitor, Visit&& visit);

    const Tiles tiles_;
    const std::vector<LaneSets> sets_;  // by variable
    const unsigned own_;
    const Subset fixed_;
    std::span<const std::int64_t> scores_;
    const int unit_bits_;
    std::span<std::int64_t> packed_;  // F, then R
    double scale_ = 0;                // the numbers of a child are relative to its best family: the sum of all of these
    std::vector<Column> families_;    // restricted to this rank's sets
    const bool plain_;                // no column has separate exponents
    ShareTree tree_;
    Subset done_ = 0;
    ScaledNumber total_;
    std::vector<ExponentRange> ranges_;  // of the tiles, if the columns are plain
    std::vector<std::unique_ptr<Worker>> workers_;
};

// Bytes needed by each rank, including the scores passed in and the packed numbers. If the scores of a variable span a
// wide range, as those of many rows do, its numbers have separate exponents.
double tiled_order_sum_bytes(unsigned n, unsigned max_parents, unsigned threads, bool wide,
                             unsigned rank_bits = 0) noexcept;

}  // namespace dagscape
