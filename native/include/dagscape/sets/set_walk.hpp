// The recurrence over all sets of variables (tile_fill.hpp), one set at a time, for sums in any semiring.
//
// For functions A_i that are stored for all sets, or looked up. Where A_i is built from the families of a few parents,
// tiles share that work: tile_fill.hpp has the same recurrence four sets at a time.
//
// A semiring defines numbers and where they are stored:
//
//   Number             zero(), one(), plus(), times(), and finished() once the sum of a set is complete
//   Values             load() and store() the number of a set
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/lattice_tasks.hpp"
#include "dagscape/sets/subset.hpp"

namespace dagscape {

// Fills in the values of all sets of n variables; function(i, set) is A_i of a set without i. Advances the monitor by
// one for each set.
template <class Semiring, class Function>
void walk_sets(unsigned n, Direction direction, typename Semiring::Values& values, const Function& function,
               unsigned threads, Monitor& monitor) {
    constexpr unsigned kBlockBits = 4;
    constexpr Subset kSetsBetweenChecks = Subset{1} << 14;
    const bool forwards = direction == Direction::forwards;
    // The sets of a block agree on the last variables, of which there are none if there are few sets.
    const unsigned top = n > 14 ? kBlockBits : 0;
    const Subset block = Subset{1} << (n - top), all = (Subset{1} << n) - 1;
    const Subset start = forwards ? 0 : all;
    const auto fill = [&](Subset set) {
        if (set == start) return Semiring::store(values, set, Semiring::one());
        auto value = Semiring::zero();
        for_each_member(forwards ? set : all & ~set, [&](unsigned i) {
            const auto before = Semiring::load(values, set ^ singleton(i));
            value = Semiring::plus(value, Semiring::times(before, function(i, set & ~singleton(i))));
        });
        Semiring::store(values, set, Semiring::finished(value));
    };
    const auto fill_block = [&](Subset first) {
        const Subset step = std::min(block, kSetsBetweenChecks);
        for (Subset done = 0; done < block; done += step) {
            monitor.check();
            for (Subset i = done; i < done + step; ++i) fill(first + (forwards ? i : block - 1 - i));
            monitor.advance(step);
        }
    };
    // Blocks with the same number of last variables are independent.
    for (unsigned layer = 0; layer <= top; ++layer) {
        const unsigned size = forwards ? layer : top - layer;
        std::vector<Subset> blocks;
        for (Subset pattern = 0; pattern < Subset{1} << top; ++pattern) {
            if (static_cast<unsigned>(std::popcount(pattern)) == size) blocks.push_back(pattern * block);
        }
        run_tasks(blocks.size(), threads, monitor, [&](std::size_t task, unsigned) { fill_block(blocks[task]); });
    }
}

}  // namespace dagscape
