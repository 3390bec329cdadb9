#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/search/max_min.hpp"
#include "random_table.hpp"

using namespace dagscape;

namespace {

using Members = std::vector<std::uint16_t>;
using Parents = std::vector<std::vector<bool>>;  // parents[v][u]: u → v

Parents random_dag(std::mt19937& random, std::size_t n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    Parents parents(n, std::vector<bool>(n, false));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) parents[order[i]][order[j]] = random() % 3 == 0;
    }
    return parents;
}

// Whether two variables are d-separated: no path in the moral graph of the ancestors avoids the given set.
bool separated(const Parents& parents, std::uint16_t first, std::uint16_t second,
               std::span<const std::uint16_t> given) {
    const std::size_t n = parents.size();
    std::vector<bool> ancestor(n, false), blocked(n, false), reached(n, false);
    ancestor[first] = ancestor[second] = true;
    for (const std::uint16_t member : given) ancestor[member] = blocked[member] = true;
    for (std::size_t round = 0; round < n; ++round) {
        for (std::size_t v = 0; v < n; ++v) {
            for (std::size_t u = 0; u < n; ++u) {
                if (ancestor[v] && parents[v][u]) ancestor[u] = true;
            }
        }
    }
    const auto joined = [&](std::size_t u, std::size_t v) {
        if (!ancestor[u] || !ancestor[v]) return false;
        if (parents[u][v] || parents[v][u]) return true;
        for (std::size_t child = 0; child < n; ++child) {
            if (ancestor[child] && parents[child][u] && parents[child][v]) return true;
        }
        return false;
    };
    reached[first] = true;
    for (std::size_t round = 0; round < n; ++round) {
        for (std::size_t u = 0; u < n; ++u) {
            for (std::size_t v = 0; v < n; ++v) {
                if (reached[u] && !blocked[v] && joined(u, v)) reached[v] = true;
            }
        }
    }
    return !reached[second];
}

// With d-separation in place of tests, the symmetric sets are the parents and children, whatever the associations are.
void perfect_tests_find_parents_and_children() {
    std::mt19937 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t n = 2 + random() % 7;
        const Parents parents = random_dag(random, n);
        std::vector<std::uint32_t> rank(n);
        std::iota(rank.begin(), rank.end(), 0U);
        std::shuffle(rank.begin(), rank.end(), random);
        std::vector<std::vector<bool>> found(n, std::vector<bool>(n, false));
        for (std::uint16_t target = 0; target < n; ++target) {
            const auto associate = [&](std::uint16_t candidate, std::span<const std::uint16_t> given) {
                return separated(parents, target, candidate, given) ? kIndependent : 1.0 + random() % 5;
            };
            for (const Neighbour& neighbour : MaxMinSearch(rank, n, associate).run(target)) {
                found[target][neighbour.variable] = true;
            }
        }
        for (std::size_t u = 0; u < n; ++u) {
            for (std::size_t v = 0; v < n; ++v) {
                CHECK((found[u][v] && found[v][u]) == (parents[u][v] || parents[v][u]));
            }
        }
    }
}

// Every set that can be tested is tested at most once for each candidate, and none is larger than the limit.
void sets_are_tested_once() {
    std::mt19937 random(2);
    const std::vector<std::uint32_t> rank{0, 1, 2, 3, 4, 5, 6};
    for (const std::size_t most_given : {0, 1, 2, 7}) {
        std::vector<Members> seen;
        const auto associate = [&](std::uint16_t candidate, std::span<const std::uint16_t> given) {
            CHECK(given.size() <= most_given);
            Members test(given.begin(), given.end());
            std::sort(test.begin(), test.end());
            test.push_back(candidate);
            CHECK(std::find(seen.begin(), seen.end(), test) == seen.end());
            seen.push_back(test);
            return 1.0 + random() % 100;
        };
        const auto found = MaxMinSearch(rank, most_given, associate).run(0);
        CHECK(found.size() == 6);
        // Six candidates, and all subsets of the five others up to the limit.
        CHECK(seen.size() == (most_given == 0 ? 6 : most_given == 1 ? 6 * 6 : most_given == 2 ? 6 * 16 : 6 * 32));
    }
}

void threads_change_nothing() {
    std::mt19937 random(3);
    Table table = random_table(random, 12, 3, 2000, 1);
    const std::size_t n = table.arities.size();
    for (std::size_t row = 0; row < table.weights.size(); ++row) {
        // Each variable copies its predecessor half of the time.
        for (std::size_t i = 1; i < n; ++i) {
            std::uint32_t& code = table.codes[row * n + i];
            if (random() % 2 == 0) code = table.codes[row * n + i - 1] % table.arities[i];
        }
    }
    Monitor monitor;
    const TestTable tests(std::span<const std::uint32_t>(table.codes), table.weights, table.arities, monitor);
    std::vector<std::uint32_t> rank(n);
    std::iota(rank.begin(), rank.end(), 0U);
    std::vector<double> first(n * n), second(n * n);
    std::vector<std::uint64_t> first_tests(n), second_tests(n);
    max_min_parents_and_children(tests, {0.05, 5, n, rank, 1}, first, first_tests, monitor);
    max_min_parents_and_children(tests, {0.05, 5, n, rank, 3}, second, second_tests, monitor);
    CHECK(first == second && first_tests == second_tests);
    CHECK(*std::max_element(first.begin(), first.end()) > 0);
    std::vector<std::int64_t> pairs(n * n);
    pairwise_statistics(tests, 2, pairs, monitor);
    for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v < n; ++v) CHECK(pairs[u * n + v] == pairs[v * n + u]);
    }
}

}  // namespace

int main() {
    perfect_tests_find_parents_and_children();
    sets_are_tested_once();
    threads_change_nothing();
}
