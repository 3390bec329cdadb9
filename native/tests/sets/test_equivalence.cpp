#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "dagscape/sets/equivalence.hpp"

using namespace dagscape;

namespace {

// Computes the CPDAG of one graph; returns false if it has a cycle.
bool cpdag(std::span<const Subset> parents, std::size_t n, std::span<Subset> directed, std::span<Subset> undirected) {
    return cpdags({parents.data(), 1, n}, directed.data(), undirected.data()) == 1;
}

// Every DAG on four variables, by trying all sixteen-bit choices of parents.
std::vector<std::array<Subset, 4>> all_dags() {
    std::vector<std::array<Subset, 4>> found;
    std::array<Subset, 4> directed{}, undirected{};
    for (std::uint32_t code = 0; code < 1U << 16; ++code) {
        std::array<Subset, 4> parents{};
        bool loop = false;
        for (unsigned v = 0; v < 4; ++v) {
            parents[v] = code >> (4 * v) & 15;
            loop = loop || contains(parents[v], v);
        }
        if (!loop && cpdag(parents, 4, directed, undirected)) found.push_back(parents);
    }
    return found;
}

void classes_of_four_variables() {
    const auto dags = all_dags();
    CHECK(dags.size() == 543);
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::array<Subset, 4>>> classes;
    for (const auto& dag : dags) {
        const ClassKey key = class_key(dag);
        classes[{key.low, key.high}].push_back(dag);
    }
    CHECK(classes.size() == 185);
    for (const auto& [key, members] : classes) {
        std::array<Subset, 4> agreed{15, 15, 15, 15};
        for (const auto& member : members) {
            for (unsigned v = 0; v < 4; ++v) agreed[v] &= member[v];
        }
        for (const auto& member : members) {
            std::array<Subset, 4> directed{}, undirected{};
            CHECK(cpdag(member, 4, directed, undirected));
            CHECK(directed == agreed);
            for (unsigned v = 0; v < 4; ++v) {
                CHECK((member[v] & ~directed[v] & ~undirected[v]) == 0);
                for_each_member(undirected[v], [&](unsigned u) { CHECK(contains(undirected[u], v)); });
            }
        }
    }
}

void cycles_are_noticed() {
    const std::array<Subset, 3> cycle{4, 1, 2};
    std::array<Subset, 3> directed{}, undirected{};
    CHECK(!cpdag(cycle, 3, directed, undirected));
}

void the_last_of_64_variables() {
    std::vector<Subset> parents(64, 0);
    parents[63] = singleton(0) | singleton(62);
    std::vector<Subset> directed(64), undirected(64);
    CHECK(cpdag(parents, 64, directed, undirected));
    CHECK(directed[63] == parents[63]);
    const ClassKey collider = class_key(parents);
    parents[63] = singleton(0);
    parents[62] = singleton(63);
    CHECK(!(class_key(parents) == collider));
}

// Four variables spread over several words give the same results as four adjacent ones.
void several_words() {
    constexpr std::size_t n = 200;
    constexpr std::array<unsigned, 4> numbers{3, 63, 64, 199};
    const std::size_t words = words_for(n);
    std::vector<Subset> parents(n * words), directed(n * words), undirected(n * words);
    std::array<Subset, 4> small_directed{}, small_undirected{};
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> keys;
    for (const auto& dag : all_dags()) {
        std::fill(parents.begin(), parents.end(), Subset{0});
        for (unsigned v = 0; v < 4; ++v) {
            for_each_member(dag[v], [&](unsigned u) { insert(&parents[numbers[v] * words], numbers[u], words); });
        }
        CHECK(cpdag(parents, n, directed, undirected));
        CHECK(cpdag(dag, 4, small_directed, small_undirected));
        for (unsigned v = 0; v < 4; ++v) {
            for (unsigned u = 0; u < 4; ++u) {
                CHECK(contains(&directed[numbers[v] * words], numbers[u], words) == contains(small_directed[v], u));
                CHECK(contains(&undirected[numbers[v] * words], numbers[u], words) == contains(small_undirected[v], u));
            }
        }
        std::array<std::uint64_t, 2> large{}, small{};
        class_keys({parents.data(), 1, n}, large.data());
        class_keys({dag.data(), 1, 4}, small.data());
        const auto [known, added] = keys.try_emplace({small[0], small[1]}, large[0], large[1]);
        CHECK(known->second == std::pair(large[0], large[1]));
    }
    CHECK(keys.size() == 185);
}

// A path from the last variable to the first, then closed to a cycle.
void long_paths() {
    constexpr std::size_t n = 1000;
    const std::size_t words = words_for(n);
    std::vector<Subset> parents(n * words), directed(n * words), undirected(n * words);
    for (unsigned v = 0; v + 1 < n; ++v) insert(&parents[v * words], v + 1, words);
    CHECK(cpdag(parents, n, directed, undirected));
    for (const Subset word : directed) CHECK(word == 0);
    CHECK(contains(&undirected[500 * words], 499, words) && contains(&undirected[500 * words], 501, words));
    insert(&parents[(n - 1) * words], 0, words);
    CHECK(!cpdag(parents, n, directed, undirected));
}

}  // namespace

int main() {
    classes_of_four_variables();
    cycles_are_noticed();
    the_last_of_64_variables();
    several_words();
    long_paths();
}
