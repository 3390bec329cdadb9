#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/search/editable_dag.hpp"

using namespace dagscape;

namespace {

using Matrix = std::vector<std::vector<bool>>;

// Warshall's algorithm: whether there is a path from u to v.
Matrix paths(Matrix reach) {
    const std::size_t n = reach.size();
    for (std::size_t middle = 0; middle < n; ++middle) {
        for (std::size_t u = 0; u < n; ++u) {
            if (!reach[u][middle]) continue;
            for (std::size_t v = 0; v < n; ++v) reach[u][v] = reach[u][v] || reach[middle][v];
        }
    }
    return reach;
}

void check_everything(const EditableDag& dag, const Matrix& edges) {
    const auto n = static_cast<unsigned>(edges.size());
    const Matrix reach = paths(edges);
    const std::unique_ptr<bool[]> space(new bool[2 * n]);
    const std::span<bool> additions(space.get(), n), reversals(space.get() + n, n);
    for (unsigned v = 0; v < n; ++v) {
        dag.additions(v, additions);
        dag.reversals(v, reversals);
        for (unsigned u = 0; u < n; ++u) {
            CHECK(dag.has_edge(u, v) == edges[u][v]);
            CHECK(contains(dag.children(u), v, dag.words()) == edges[u][v]);
            CHECK(dag.has_path(u, v) == reach[u][v]);
            CHECK(contains(dag.descendants(u), v, dag.words()) == reach[u][v]);
            const bool addable = u != v && !edges[u][v] && !reach[v][u];
            CHECK(dag.can_add(u, v) == addable && additions[u] == addable);
            bool detour = false;
            for (unsigned middle = 0; middle < n; ++middle) detour = detour || (edges[u][middle] && reach[middle][v]);
            CHECK(reversals[u] == (edges[u][v] && !detour));
        }
    }
}

void random_walk(unsigned n, unsigned moves, unsigned stride, std::uint32_t seed) {
    std::mt19937 random(seed);
    EditableDag dag(n);
    Matrix edges(n, std::vector<bool>(n));
    for (unsigned move = 0; move < moves; ++move) {
        const auto u = static_cast<unsigned>(random() % n), v = static_cast<unsigned>(random() % n);
        if (dag.can_add(u, v)) {
            dag.add(u, v);
            edges[u][v] = true;
        } else if (dag.has_edge(u, v) && dag.can_reverse(u, v) && random() % 2 == 0) {
            dag.reverse(u, v);
            edges[u][v] = false;
            edges[v][u] = true;
        } else if (dag.has_edge(u, v)) {
            dag.remove(u, v);
            edges[u][v] = false;
        }
        if (move % stride == 0) check_everything(dag, edges);
    }
    check_everything(dag, edges);
}

}  // namespace

int main() {
    for (std::uint32_t seed = 0; seed < 20; ++seed) random_walk(6, 200, 1, seed);
    random_walk(1, 5, 1, 1);
    random_walk(64, 2000, 250, 2);
    random_walk(65, 2000, 250, 3);
    random_walk(130, 6000, 2000, 4);
}
