#include <array>
#include <map>
#include <vector>

#include "check.hpp"
#include "dagscape/equivalence.hpp"

using namespace dagscape;

namespace {

// Every DAG on four variables, by trying all sixteen-bit choices of parents.
std::vector<std::array<Subset, 4>> all_dags() {
    std::vector<std::array<Subset, 4>> found;
    std::array<std::uint8_t, 4> order{};
    for (std::uint32_t code = 0; code < 1U << 16; ++code) {
        std::array<Subset, 4> parents{};
        bool loop = false;
        for (unsigned v = 0; v < 4; ++v) {
            parents[v] = code >> (4 * v) & 15;
            loop = loop || contains(parents[v], v);
        }
        if (!loop && topological_order(parents, order)) found.push_back(parents);
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
            CHECK(cpdag(member, directed, undirected));
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
    CHECK(!cpdag(cycle, directed, undirected));
}

void the_last_of_64_variables() {
    std::vector<Subset> parents(64, 0);
    parents[63] = singleton(0) | singleton(62);
    std::vector<Subset> directed(64), undirected(64);
    CHECK(cpdag(parents, directed, undirected));
    CHECK(directed[63] == parents[63]);
    const ClassKey collider = class_key(parents);
    parents[63] = singleton(0);
    parents[62] = singleton(63);
    CHECK(!(class_key(parents) == collider));
}

}  // namespace

int main() {
    classes_of_four_variables();
    cycles_are_noticed();
    the_last_of_64_variables();
}
