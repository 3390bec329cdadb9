// Walks over all sets against the recurrence written out, with integers modulo 2^64 as numbers.
#include "dagscape/sets/set_walk.hpp"

#include <cstdint>
#include <vector>

#include "check.hpp"

using namespace dagscape;

namespace {

using Numbers = std::vector<std::uint64_t>;

struct Modular {
    using Values = Numbers;

    static std::uint64_t zero() noexcept { return 0; }
    static std::uint64_t one() noexcept { return 1; }
    static std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept { return a + b; }
    static std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept { return a * b; }
    static std::uint64_t finished(std::uint64_t sum) noexcept { return sum ^ 5; }
    static std::uint64_t load(const Numbers& values, Subset set) noexcept { return values[set]; }
    static void store(Numbers& values, Subset set, std::uint64_t value) noexcept { values[set] = value; }
};

std::uint64_t function(unsigned i, Subset set) {
    CHECK(!contains(set, i));
    return (set + 1) * (2 * i + 3);
}

Numbers written_out(unsigned n, Direction direction) {
    const Subset all = (Subset{1} << n) - 1;
    Numbers values(all + 1);
    for (Subset count = 0; count <= all; ++count) {
        const Subset set = direction == Direction::forwards ? count : all - count;
        for (unsigned i = 0; i < n; ++i) {
            if (direction == Direction::forwards && contains(set, i)) {
                values[set] += values[set - singleton(i)] * function(i, set - singleton(i));
            } else if (direction == Direction::backwards && !contains(set, i)) {
                values[set] += values[set + singleton(i)] * function(i, set);
            }
        }
        values[set] = count == 0 ? 1 : values[set] ^ 5;
    }
    return values;
}

}  // namespace

int main() {
    // Few sets, and enough for several blocks.
    for (const unsigned n : {1U, 2U, 7U, 14U, 15U, 17U}) {
        for (const Direction direction : {Direction::forwards, Direction::backwards}) {
            const Numbers expected = written_out(n, direction);
            for (const unsigned threads : {1U, 3U}) {
                Numbers values(expected.size(), 99);
                Monitor monitor;
                walk_sets<Modular>(n, direction, values, function, threads, monitor);
                CHECK(values == expected);
                CHECK(monitor.done() == expected.size());
            }
        }
    }
}
