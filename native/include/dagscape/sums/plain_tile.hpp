// One tile of a sum over orders in plain doubles, relative to one power of two, the frame of the tile.
//
// A packed number m · 2^e (scaled.hpp) with a mantissa in [1/2, 1) is the double m · 2^(e - frame), and two integer
// operations convert one to the other. The frame puts the largest number of the tiles from which this one is computed
// just below 2^kHeadroom:
//
// - Nothing overflows. There are at most 2^39 families of a variable, each below 2, so A < 2^40. With at most 30 high
//   variables, the terms from other tiles add up to less than 2^(kHeadroom + 45); each of the ten low variables
//   multiplies this by less than 10 · 2^40 + 1 < 2^43.4, so that all numbers are below 2^(kHeadroom + 479).
// - All numbers of those tiles are normal doubles, because their exponents differ by at most kWidestTile.
// - Terms that are too small for a normal double lose digits, or vanish: each of at most 40 terms of a number loses
//   less than 2^-1022. If the number is at least 2^kLeast, this is less than 2^-110 of it. A tile with a smaller number
//   cannot be computed like this, nor one with zeros; if A_i(∅) is positive for all i, there are none.
//
// The shares of a variable v, F(U) R(U∪v) / total, are doubles as they are: F(U) A_v(U) R(U∪v) is at most the total,
// and A_v is at least 2^-990. F(U) / total is multiplied by 2^frame, so that R may stay in the frame. R(U∪v) is below
// 2^526 there: it is a number of a neighbour if v is a high variable, and otherwise, if h is a high variable that U
// lacks, an order with h first shows that R(U∪v) ≤ 40 max A_h · R(U∪v∪h), which is a neighbour's. Where the product is
// below 2^-700, the share is therefore below 2^-174, and its contribution to any sum of shares is lost in rounding.
//
// The transforms (zeta.hpp) of the eight variables that do not distinguish lanes take two passes, of four variables
// each; a pass keeps 16 vectors in registers. The lists of families (lane_sets.hpp) are summed over the other two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/numbers/scaled.hpp"
#include "dagscape/sets/lattice_tasks.hpp"
#include "dagscape/sets/tiles.hpp"
#include "dagscape/sums/lane_sets.hpp"

namespace dagscape {

// The smallest and largest exponents of the packed numbers of a tile; unknown unless lowest ≤ highest.
struct ExponentRange {
    std::int32_t lowest = 1, highest = 0;

    bool known() const noexcept { return lowest <= highest; }
    void include(ExponentRange other) noexcept;
};

// The range of a tile without zeros.
ExponentRange exponents_of(const std::int64_t* packed) noexcept;

// The families of a variable in a tile: where its vectors are in lists (LaneSets::offsets), and the list.
struct LaneList {
    const std::uint16_t* offsets;
    const double* numbers;
};

class PlainTile {
public:
    // Whether a tile can be computed from others with these exponents.
    static bool suits(ExponentRange neighbours) noexcept;
    // Whether shares can be computed in addition: `own` are the exponents of F of the tile.
    static bool suits_shares(ExponentRange neighbours, ExponentRange own, ScaledNumber total) noexcept;

    // Begins a tile. The first one has no neighbours: the number of the set without predecessors is 1.
    void start(ExponentRange neighbours);
    void set_first_to_one(Direction direction);
    static constexpr ExponentRange without_neighbours() noexcept { return {kHeadroom, kHeadroom}; }
    // Reads F of the tile, for shares.
    void read_forward(const std::int64_t* packed, ScaledNumber total);

    // Adds the terms of a high variable, from the list of its families and the packed numbers of the tile with that
    // variable more or fewer; the second function also finds the shares of that variable, as a list.
    void add_neighbour(LaneList families, const std::int64_t* packed);
    void add_neighbour(LaneList families, const std::int64_t* packed, double* shares);

    // Completes the tile, once it has the lists of the low variables; false if a number is too small.
    void set_low(unsigned v, LaneList families);
    bool finish(Direction direction);
    ExponentRange store(std::int64_t* to) const;
    void low_shares(unsigned v, LaneList families, double* shares);

    // A of the sets of a tile; and shares as a list, from F(U) R(U∪v) / total of the sets of a tile.
    void sums_over_subsets(LaneList families, Lanes* sums);
    void shares_of(const Lanes* weights, LaneList families, double* shares);

private:
    static constexpr int kHeadroom = 480, kWidestTile = 1200;
    static constexpr double kLeast = 0x1p-900;

    using Vectors = std::vector<Lanes>;

    template <bool forwards>
    void recur();

    std::int64_t frame_ = 0;
    Vectors tile_ = Vectors(kTile / 4), forward_ = Vectors(kTile / 4), work_ = Vectors(kTile / 4);
    // A_v of the low variables; that of a variable that does not distinguish lanes only in sets without it.
    std::vector<Vectors> low_ = std::vector<Vectors>(kLow, Vectors(kTile / 4));
};

}  // namespace dagscape
