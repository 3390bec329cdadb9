// How walks over all sets of variables go by tiles of sets that agree on all but a few variables.
//
// A function of the families is brought to a tile by deciding the high variables one after the other, from the last on:
// passing one over drops the families that hold it, taking it in merges each family that holds it with the one without.
// The sets that are left after a decision are those of the first r variables with at most `max_parents` members, by
// size and then by mask.
#pragma once

#include <cstddef>
#include <vector>

#include "dagscape/subset.hpp"

namespace dagscape {

// Tiles are sets that differ in this many variables, an even number.
inline constexpr unsigned kLow = 10;
inline constexpr std::size_t kTile = std::size_t{1} << kLow;

// Whether sets come after their subsets, or before them.
enum class Direction { forwards, backwards };

struct Tiles {
    Tiles(unsigned n, unsigned max_parents);

    unsigned n, max_parents;
    unsigned top;                        // tiles that agree on the last so many variables are walked by one thread
    std::vector<std::size_t> low_masks;  // the sets of low variables that families may hold, in their order
    std::vector<std::vector<std::size_t>> first;  // [r][s]: where the sets of size s begin, out of r variables

    // How many numbers a walk keeps for the families of n variables while it decides about them (TileWalk::levels_).
    static double walk_numbers(unsigned n, unsigned max_parents) noexcept;

    std::size_t choose(unsigned from, unsigned size) const { return first[from][size + 1] - first[from][size]; }
    std::size_t sets(unsigned from) const { return first[from][max_parents + 1]; }

    // The choices of the last variables, layer by layer as a walk has to take them; those of one layer, which have as
    // many members, are independent of each other.
    std::vector<std::vector<Subset>> layers(Direction direction) const;

    // Calls merge(to, from, count, taken) for each run of places in which deciding variable r - 1 brings the sets of
    // the first r variables to those of the first r - 1: once for the sets without it, and where it is taken once more.
    template <class Merge>
    void decide(unsigned r, bool take, Merge&& merge) const {
        for (unsigned s = 0; s <= max_parents; ++s) {
            const std::size_t count = choose(r - 1, s);
            merge(first[r - 1][s], first[r][s], count, false);
            if (take && s < max_parents) merge(first[r - 1][s], first[r][s + 1] + choose(r - 1, s + 1), count, true);
        }
    }
};

}  // namespace dagscape
