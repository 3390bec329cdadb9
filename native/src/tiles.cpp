#include "dagscape/tiles.hpp"

#include <algorithm>

#include "dagscape/byte_counts.hpp"
#include "dagscape/set_index.hpp"

namespace dagscape {
namespace {

constexpr unsigned kTop = 4;

}  // namespace

Tiles::Tiles(unsigned variables, unsigned most_parents)
    : n(variables), max_parents(most_parents), top(std::min(kTop, variables - kLow)) {
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

double Tiles::walk_numbers(unsigned n, unsigned max_parents) noexcept {
    double sum = 0;
    for (unsigned r = kLow; r < n && sum < kEndless; ++r) sum += set_count(r, max_parents);
    return at_most_endless(n * sum);
}

std::vector<std::vector<Subset>> Tiles::layers(Direction direction) const {
    std::vector<std::vector<Subset>> found(top + 1);
    for (Subset pattern = 0; pattern < Subset{1} << top; ++pattern) {
        const auto size = static_cast<unsigned>(std::popcount(pattern));
        found[direction == Direction::forwards ? size : top - size].push_back(pattern << (n - top));
    }
    return found;
}

}  // namespace dagscape
