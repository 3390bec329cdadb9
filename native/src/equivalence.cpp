#include "dagscape/equivalence.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dagscape {
namespace {

// The finaliser of the generator SplitMix64, a bijection of words that looks random.
constexpr std::uint64_t mixed(std::uint64_t word) noexcept {
    word += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

constexpr std::uint64_t kSecondWord = 0x9FB21C651E98DF25;

void add_feature(ClassKey& key, std::uint64_t feature) noexcept {
    key.low += mixed(feature);
    key.high += mixed(feature ^ kSecondWord);
}

}  // namespace

bool topological_order(std::span<const Subset> parents, std::span<std::uint8_t> order) {
    const auto n = static_cast<unsigned>(parents.size());
    Subset placed = 0;
    unsigned filled = 0;
    // Sweeps in increasing order: graphs that were grown along an order need one or two.
    for (bool progress = true; progress && filled < n;) {
        progress = false;
        for (unsigned v = 0; v < n; ++v) {
            if (contains(placed, v) || (parents[v] & ~placed) != 0) continue;
            placed |= singleton(v);
            order[filled++] = static_cast<std::uint8_t>(v);
            progress = true;
        }
    }
    return filled == n;
}

void compelled_parents(std::span<const Subset> parents, std::span<const std::uint8_t> order,
                       std::span<Subset> compelled) {
    std::array<std::uint8_t, 64> place{};
    for (unsigned i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint8_t>(i);
    for (const std::uint8_t child : order) {
        const Subset above = parents[child];
        compelled[child] = 0;
        if (above == 0) continue;
        unsigned last = lowest(above);
        for_each_member(above, [&](unsigned parent) {
            if (place[parent] > place[last]) last = parent;
        });
        // The edge from the last parent decides about all: either each is compelled, or just those that follow a
        // compelled edge into it.
        const bool all = (compelled[last] & ~above) != 0 || (above & ~parents[last] & ~singleton(last)) != 0;
        compelled[child] = all ? above : compelled[last];
    }
}

bool cpdag(std::span<const Subset> parents, std::span<Subset> directed, std::span<Subset> undirected) {
    std::array<std::uint8_t, 64> order{};
    const std::span<std::uint8_t> places(order.data(), parents.size());
    if (!topological_order(parents, places)) return false;
    compelled_parents(parents, places, directed);
    std::fill(undirected.begin(), undirected.end(), Subset{0});
    for (unsigned child = 0; child < parents.size(); ++child) {
        for_each_member(parents[child] & ~directed[child], [&](unsigned parent) {
            undirected[child] |= singleton(parent);
            undirected[parent] |= singleton(child);
        });
    }
    return true;
}

void ClassKey::add_edge(unsigned a, unsigned b) noexcept {
    if (a > b) std::swap(a, b);
    add_feature(*this, std::uint64_t{a} << 32 | b);
}

void ClassKey::add_v_structure(unsigned a, unsigned child, unsigned b) noexcept {
    if (a > b) std::swap(a, b);
    add_feature(*this, std::uint64_t{1} << 63 | std::uint64_t{a} << 42 | std::uint64_t{b} << 21 | child);
}

void ClassKey::add_family(unsigned child, Subset parents) noexcept {
    add_feature(*this, mixed(parents) + (std::uint64_t{1} << 61) + child);
}

void ClassKey::add_vertex(unsigned vertex) noexcept { add_feature(*this, std::uint64_t{1} << 62 | vertex); }

void ClassKey::add_tail(std::uint64_t tail) noexcept { add_feature(*this, mixed(tail) + 1); }

ClassKey class_key(std::span<const Subset> parents) {
    std::array<Subset, 64> adjacent{};
    for (unsigned child = 0; child < parents.size(); ++child) {
        adjacent[child] |= parents[child];
        for_each_member(parents[child], [&](unsigned parent) { adjacent[parent] |= singleton(child); });
    }
    ClassKey key;
    for (unsigned child = 0; child < parents.size(); ++child) {
        for_each_member(parents[child], [&](unsigned a) {
            key.add_edge(a, child);
            const Subset later = parents[child] & ~adjacent[a] & ~(singleton(a) | (singleton(a) - 1));
            for_each_member(later, [&](unsigned b) { key.add_v_structure(a, child, b); });
        });
    }
    return key;
}

}  // namespace dagscape
