// Chains visit all DAGs on three and four variables as often as their weights say, whatever moves they make.
#include "dagscape/sampling/block_chain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "all_dags.hpp"
#include "check.hpp"
#include "dagscape/sets/subset.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

constexpr int kUnitBits = 30;

// Families as a chain takes them: in each list, some of the families are the core, heaviest first.
struct Arrays {
    std::vector<std::int64_t> first{0}, core, scores, parent_first{0};
    std::vector<std::uint16_t> parents;

    Arrays(const Families& families, std::size_t outside) {
        for (const auto& of_child : families) {
            std::vector<std::pair<std::int64_t, Subset>> sorted;
            for (const auto& [set, score] : of_child) sorted.emplace_back(score, set);
            std::sort(sorted.rbegin(), sorted.rend());
            const std::size_t inside = std::max<std::size_t>(sorted.size() - std::min(sorted.size() - 1, outside), 1);
            // The family without parents is in the core, so that there is a first network.
            for (std::size_t i = inside; i < sorted.size(); ++i) {
                if (sorted[i].second == 0)
                    std::rotate(sorted.begin(), sorted.begin() + static_cast<long>(i),
                                sorted.begin() + static_cast<long>(i) + 1);
            }
            std::sort(sorted.rbegin() + static_cast<long>(sorted.size() - inside), sorted.rend());
            core.push_back(static_cast<std::int64_t>(inside));
            for (const auto& [score, set] : sorted) {
                scores.push_back(score);
                for_each_member(set, [&](unsigned u) { parents.push_back(static_cast<std::uint16_t>(u)); });
                parent_first.push_back(static_cast<std::int64_t>(parents.size()));
            }
            first.push_back(static_cast<std::int64_t>(scores.size()));
        }
    }

    std::shared_ptr<const ChainFamilies> families() const {
        return std::make_shared<ChainFamilies>(ListedFamilies{first, core, scores, parent_first, parents, kUnitBits});
    }
};

// The probabilities of all DAGs, by their parents.
std::map<std::vector<Subset>, double> probabilities(const Families& families) {
    std::map<std::vector<Subset>, double> found = all_dag_scores(families);
    double highest = -HUGE_VAL, total = 0;
    for (auto& [dag, score] : found) highest = std::max(highest, score = std::ldexp(score, -kUnitBits));
    for (auto& [dag, score] : found) total += score = std::exp(score - highest);
    for (auto& [dag, weight] : found) weight /= total;
    return found;
}

void test_frequencies(unsigned n, std::int64_t spread, const ChainOptions& options, std::size_t outside,
                      std::mt19937& random) {
    const Families families = random_families(n, n - 1, spread, 0, random);
    const auto expected = probabilities(families);
    BlockChain chain(Arrays(families, outside).families(), std::vector<BlockChain::Parents>(n), options, random());
    constexpr int kBurnIn = 200, kSweeps = 15000;
    std::map<std::vector<Subset>, double> visits;
    for (int sweep = 0; sweep < kBurnIn; ++sweep) chain.sweep(false);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        chain.sweep(true);
        std::vector<Subset> dag(n, 0);
        for (unsigned v = 0; v < n; ++v) {
            for (const std::uint32_t parent : chain.parents()[v]) dag[v] |= singleton(parent);
        }
        CHECK(expected.count(dag) == 1);
        visits[dag] += 1.0 / kSweeps;
    }
    CHECK(chain.added() == kSweeps);
    std::vector<double> edges(std::size_t{n} * n, 0.0);
    for (const auto& [dag, probability] : expected) {
        // Sweeps are correlated: count one of four.
        CHECK_NEAR(visits[dag], probability, 5 * std::sqrt(probability * (1 - probability) * 4 / kSweeps) + 3e-4);
        for (unsigned v = 0; v < n; ++v) {
            for_each_member(dag[v], [&](unsigned u) { edges[v * n + u] += probability; });
        }
    }
    for (std::size_t place = 0; place < edges.size(); ++place) {
        const double error = std::sqrt(edges[place] * std::max(1 - edges[place], 0.0) * 4 / kSweeps);
        CHECK_NEAR(chain.edge_sums()[place] / kSweeps, edges[place], 5 * error + 3e-4);
    }
}

void test_moves(unsigned n, std::int64_t spread, std::mt19937& random) {
    const ChainOptions usual{n, n, 0.4, 0.5, 2, 0.5};
    test_frequencies(n, spread, usual, 0, random);
    test_frequencies(n, spread, usual, 3, random);
    test_frequencies(n, spread, {2, n, 0, 2, 0, 1}, 0, random);    // pairs
    test_frequencies(n, spread, {n, n, 0, 1, 0, 1}, 0, random);    // all at once
    test_frequencies(n, spread, {2, n, 1, 2, 0, 0.5}, 2, random);  // hubs
    test_frequencies(n, spread, {2, 2, 1, 2, 0, 0.5}, 0, random);  // hubs, some of them too wide
    test_frequencies(n, spread, {2, 2, 0, 0, 20, 1}, 0, random);   // single variables and covered edges
}

// A chain continues from its state with the same bits.
void test_restore(std::mt19937& random) {
    const Families families = random_families(5, 4, std::int64_t{3} << kUnitBits, 0, random);
    const auto lists = Arrays(families, 4).families();
    BlockChain chain(lists, std::vector<BlockChain::Parents>(5), {}, 1);
    for (int sweep = 0; sweep < 100; ++sweep) chain.sweep(false);
    BlockChain other(lists, std::vector<BlockChain::Parents>(5), {}, 2);
    other.restore(chain.parents(), chain.family_scores(), chain.random_state());
    for (int sweep = 0; sweep < 100; ++sweep) {
        chain.sweep(true);
        other.sweep(true);
        CHECK(chain.parents() == other.parents());
        CHECK(chain.score() == other.score());
    }
    CHECK(std::equal(chain.edge_sums().begin(), chain.edge_sums().end(), other.edge_sums().begin()));
}

// Families that are not listed can be set from outside; other moves leave them alone.
void test_unlisted(std::mt19937& random) {
    const Families families = random_families(4, 1, std::int64_t{1} << kUnitBits, 0, random);
    BlockChain chain(Arrays(families, 0).families(), std::vector<BlockChain::Parents>(4), {4, 4, 0.5, 2, 10, 1}, 3);
    chain.set_parents(3, {0, 1}, -12345);
    for (int sweep = 0; sweep < 200; ++sweep) {
        chain.sweep(true);
        CHECK((chain.parents()[3] == BlockChain::Parents{0, 1}));
        CHECK(chain.family_scores()[3] == -12345);
    }
    CHECK(chain.edge_sums()[3 * 4 + 0] == 200 && chain.edge_sums()[3 * 4 + 2] == 0);
    const auto below = chain.descendants(0);
    CHECK(std::find(below.begin(), below.end(), 3u) != below.end());
    CHECK(chain.counts().unlisted > 0);
}

}  // namespace

int main() {
    std::mt19937 random(1);
    test_moves(3, std::int64_t{3} << kUnitBits, random);
    test_moves(4, std::int64_t{2} << kUnitBits, random);
    // Beyond the range of doubles.
    for (int i = 0; i < 5; ++i) {
        test_frequencies(4, std::int64_t{3000} << kUnitBits, {4, 4, 0.4, 1, 2, 0.5}, 2, random);
    }
    test_restore(random);
    test_unlisted(random);
    return 0;
}
