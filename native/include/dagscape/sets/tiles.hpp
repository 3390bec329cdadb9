// Tiles for walks over all sets of variables: the sets of a tile agree on all but a few variables.
//
// To restrict a function of the families to a tile, a walk decides the high variables one by one, starting with the
// last. Leaving a variable out drops the families that contain it; taking it merges each family that contains it with
// the one without it. The sets left after a decision are those of the first r variables with at most `max_parents`
// members, by size and then by mask.
#pragma once

#include <cstddef>
#include <vector>

#include "dagscape/sets/subset.hpp"

namespace dagscape {

// The sets of a tile differ in this many variables, an even number.
inline constexpr unsigned kLow = 10;
inline constexpr std::size_t kTile = std::size_t{1} << kLow;

struct Tiles {
    Tiles(unsigned n, unsigned max_parents);

    unsigned n, max_parents;
    std::vector<std::size_t> low_masks;           // the sets of low variables that families may contain, in order
    std::vector<std::vector<std::size_t>> first;  // [r][s]: the index of the first set of size s, out of r variables

    // The number of sets of at most `max_parents` out of r variables, added up over kLow ≤ r < end.
    static double sets_below(unsigned end, unsigned max_parents) noexcept;

    std::size_t choose(unsigned from, unsigned size) const { return first[from][size + 1] - first[from][size]; }
    std::size_t sets(unsigned from) const { return first[from][max_parents + 1]; }

    // Calls merge(to, from, count, taken) for each range of entries that the decision about variable r - 1 moves from
    // the sets of the first r variables to those of the first r - 1: once for the sets without it and, if it is taken,
    // once for the sets with it.
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
