#include "dagscape/sets/tiles.hpp"

#include <bit>

#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/sets/set_index.hpp"

namespace dagscape {

Tiles::Tiles(unsigned variables, unsigned most_parents) : n(variables), max_parents(most_parents) {
    const SetIndex index(n, max_parents);
    for (unsigned r = 0; r <= n; ++r) {
        std::vector<std::size_t> begin{0};
        for (unsigned s = 0; s <= max_parents; ++s) begin.push_back(begin.back() + (s <= r ? index.choose(r, s) : 0));
        first.push_back(begin);
    }
    for (unsigned size = 0; size <= max_parents; ++size) {
        for (std::size_t mask = 0; mask < kTile; ++mask) {
            if (static_cast<unsigned>(std::popcount(mask)) == size) low_masks.push_back(mask);
        }
    }
}

double Tiles::sets_below(unsigned end, unsigned max_parents) noexcept {
    double sum = 0;
    for (unsigned r = kLow; r < end && sum < kEndless; ++r) sum += set_count(r, max_parents);
    return at_most_endless(sum);
}

}  // namespace dagscape
