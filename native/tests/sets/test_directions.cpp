#include <array>
#include <map>
#include <utility>
#include <vector>

#include "check.hpp"
#include "dagscape/sets/directions.hpp"

using namespace dagscape;

namespace {

using Graph = std::array<Subset, 4>;

std::vector<Graph> all_dags() {
    std::vector<Graph> found;
    Graph directed{}, undirected{};
    for (std::uint32_t code = 0; code < 1U << 16; ++code) {
        Graph parents{};
        bool loop = false;
        for (unsigned v = 0; v < 4; ++v) {
            parents[v] = code >> (4 * v) & 15;
            loop = loop || contains(parents[v], v);
        }
        if (!loop && cpdags({parents.data(), 1, 4}, directed.data(), undirected.data()) == 1) found.push_back(parents);
    }
    return found;
}

// Of the members of the class, those are left that have all edges of the graph that cannot be reversed.
void members_that_keep_edges() {
    const auto dags = all_dags();
    const Subset unscored = 0;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Graph>> classes;
    const auto members_of = [&](const Graph& dag) -> std::vector<Graph>& {
        const ClassKey key = class_key(dag);
        return classes[{key.low, key.high}];
    };
    for (const auto& dag : dags) members_of(dag).push_back(dag);
    for (const Graph fixed : {Graph{2, 1, 0, 0}, Graph{0, 13, 2, 2}, Graph{12, 12, 3, 3}, Graph{14, 1, 1, 1}}) {
        std::vector<Graph> directed(dags.size()), undirected(dags.size());
        CHECK(limited_classes({dags.data()->data(), dags.size(), 4}, {fixed.data(), &unscored}, directed.data()->data(),
                              undirected.data()->data()) == dags.size());
        for (std::size_t i = 0; i < dags.size(); ++i) {
            Graph agreed = dags[i];
            for (const Graph& member : members_of(dags[i])) {
                Subset lost = 0;
                for (unsigned v = 0; v < 4; ++v) lost |= dags[i][v] & fixed[v] & ~member[v];
                for (unsigned v = 0; v < 4 && lost == 0; ++v) agreed[v] &= member[v];
            }
            CHECK(directed[i] == agreed);
        }
    }
}

// Edges into a variable that is never scored are open, unless they are fixed, and make no v-structures.
void unscored_variables() {
    const Graph collider{0, 0, 3, 4};
    const Graph fixed{0, 0, 1, 4};
    const Subset third = 4;
    Graph directed{}, undirected{};
    CHECK(limited_classes({collider.data(), 1, 4}, {fixed.data(), &third}, directed.data(), undirected.data()) == 1);
    CHECK((directed == Graph{0, 0, 1, 4}));
    CHECK((undirected == Graph{0, 4, 2, 0}));
}

// Fixing the first edge of a path directs all others, across words.
void long_paths() {
    constexpr std::size_t n = 300;
    const std::size_t words = words_for(n);
    std::vector<Subset> parents(n * words), fixed(n * words), unscored(words), directed(n * words),
        undirected(n * words);
    for (unsigned v = 0; v + 1 < n; ++v) insert(&parents[v * words], v + 1, words);
    insert(&fixed[(n - 2) * words], n - 1, words);
    const GraphArray graphs{parents.data(), 1, n};
    CHECK(limited_classes(graphs, {fixed.data(), unscored.data()}, directed.data(), undirected.data()) == 1);
    CHECK(directed == parents);
    insert(&parents[(n - 1) * words], 0, words);
    CHECK(limited_classes(graphs, {fixed.data(), unscored.data()}, directed.data(), undirected.data()) == 0);
}

}  // namespace

int main() {
    members_that_keep_edges();
    unscored_variables();
    long_paths();
}
