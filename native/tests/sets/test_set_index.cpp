#include <bit>
#include <vector>

#include "check.hpp"
#include "dagscape/sets/set_index.hpp"

using namespace dagscape;

namespace {

std::vector<std::uint16_t> members_of(std::uint64_t mask) {
    std::vector<std::uint16_t> members;
    for (; mask != 0; mask &= mask - 1) members.push_back(static_cast<std::uint16_t>(std::countr_zero(mask)));
    return members;
}

// Sets are numbered by size, and within a size in the order of their masks, without a gap.
void bounded_sets_are_numbered_by_size_then_mask() {
    for (unsigned n = 1; n <= 9; ++n) {
        for (unsigned max_size = 0; max_size < n; ++max_size) {
            const SetIndex index(n, max_size);
            std::uint64_t expected = 0;
            for (unsigned size = 0; size <= max_size; ++size) {
                for (std::uint64_t mask = 0; mask < std::uint64_t{1} << n; ++mask) {
                    if (static_cast<unsigned>(std::popcount(mask)) != size) continue;
                    CHECK(index.rank(members_of(mask)) == expected);
                    ++expected;
                }
            }
            CHECK(index.size() == expected);
        }
    }
}

void all_sets_are_numbered_by_mask() {
    const SetIndex index(7, 20);
    CHECK(index.size() == 128);
    for (std::uint64_t mask = 0; mask < 128; ++mask) CHECK(index.rank(members_of(mask)) == mask);
}

void extensions_are_counted() {
    const SetIndex index(10, 3);
    CHECK(index.extensions(10, 0) == index.size());
    CHECK(index.extensions(4, 2) == 5);
    CHECK(index.extensions(4, 3) == 1);
    CHECK(index.extensions(0, 1) == 1);
}

void counts_beyond_measure_stop_growing() {
    const SetIndex index(200, 100);
    CHECK(index.size() == std::uint64_t{1} << 62);
    CHECK(index.choose(200, 100) == std::uint64_t{1} << 62);
    CHECK(index.choose(200, 2) == 19900);
}

}  // namespace

int main() {
    bounded_sets_are_numbered_by_size_then_mask();
    all_sets_are_numbered_by_mask();
    extensions_are_counted();
    counts_beyond_measure_stop_growing();
}
