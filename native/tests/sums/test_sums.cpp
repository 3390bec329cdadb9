#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "check.hpp"
#include "dagscape/numbers/impossible.hpp"
#include "dagscape/scores/families.hpp"
#include "dagscape/sets/set_index.hpp"
#include "dagscape/sums/dag_sum.hpp"
#include "dagscape/sums/order_ancestors.hpp"
#include "dagscape/sums/order_sum.hpp"
#include "one_block.hpp"
#include "whole_dag_sum.hpp"

using namespace dagscape;

namespace {

constexpr int kBits = 30;

std::vector<std::int64_t> random_scores(unsigned n, double range, double impossible, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<std::int64_t> scores(std::size_t{n} << (n - 1));
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const bool empty = i % (std::size_t{1} << (n - 1)) == 0;
        scores[i] = !empty && uniform(random) < impossible ? kImpossible
                                                           : std::llround(std::ldexp(-range * uniform(random), kBits));
    }
    return scores;
}

struct Obvious {
    std::vector<double> edges, ancestors;
    double total = 0;
};

// Sums over every DAG, for ranges that fit a double; for orders, times the number of orders consistent with the DAG, or
// the sum of their weights, if these are given in the unit of the scores.
Obvious add_up(unsigned n, const std::vector<std::int64_t>& scores, bool over_orders,
               const std::vector<std::int64_t>& weights = {}) {
    Obvious found{std::vector<double>(n * n, 0), std::vector<double>(n * n, 0)};
    std::vector<Subset> parents(n);
    const std::function<double(Subset)> orders = [&](Subset placed) -> double {
        if (placed == (Subset{1} << n) - 1) return 1;
        double count = 0;
        for (unsigned v = 0; v < n; ++v) {
            if (contains(placed, v) || (parents[v] & ~placed) != 0) continue;
            const std::int64_t log =
                weights.empty() ? 0 : weights[(std::size_t{v} << (n - 1)) + index_without(placed, v)];
            const double weight = log == kImpossible ? 0 : std::exp(std::ldexp(static_cast<double>(log), -kBits));
            count += weight * orders(placed | singleton(v));
        }
        return count;
    };
    const std::function<void(unsigned, double)> choose = [&](unsigned v, double weight) {
        if (v < n) {
            for (Subset set = 0; set < Subset{1} << n; ++set) {
                const std::int64_t score =
                    contains(set, v) ? kImpossible : scores[(std::size_t{v} << (n - 1)) + index_without(set, v)];
                if (score == kImpossible) continue;
                parents[v] = set;
                choose(v + 1, weight * std::exp(std::ldexp(static_cast<double>(score), -kBits)));
            }
            return;
        }
        const double agreeing = orders(0);
        if (agreeing == 0) return;
        weight *= over_orders ? agreeing : 1;
        std::vector<Subset> ancestors = parents;
        for (unsigned round = 0; round < n; ++round) {
            for (unsigned t = 0; t < n; ++t)
                for_each_member(ancestors[t], [&](unsigned u) { ancestors[t] |= ancestors[u]; });
        }
        found.total += weight;
        for (unsigned t = 0; t < n; ++t) {
            for_each_member(parents[t], [&](unsigned u) { found.edges[u * n + t] += weight; });
            for_each_member(ancestors[t], [&](unsigned u) { found.ancestors[u * n + t] += weight; });
        }
    };
    choose(0, 1);
    return found;
}

void compare(const std::vector<double>& found, const std::vector<double>& sums, double total) {
    CHECK(found.size() == sums.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK_NEAR(found[i], sums[i] / total, 1e-11);
}

void sums_agree_with_every_dag() {
    std::mt19937 random(11);
    for (unsigned n = 2; n <= 4; ++n) {
        for (const double range : {0.0, 3.0, 60.0}) {
            for (const double impossible : {0.0, 0.5}) {
                const std::vector<std::int64_t> scores = random_scores(n, range, impossible, random);
                for (const unsigned threads : {1U, 3U}) {
                    Monitor monitor;
                    const ParentSums sums(n, scores, kBits, threads, monitor);
                    const DagSumResult dags = sum_over_dags(sums, threads, monitor);
                    const Obvious expected = add_up(n, scores, false);
                    const double total = std::ldexp(dags.total_mantissa, static_cast<int>(dags.total_exponent));
                    CHECK_NEAR(total / expected.total, 1, 1e-12);
                    CHECK(dags.disagreement < 1e-12);
                    compare(dags.edges, expected.edges, expected.total);
                    compare(dags.ancestors, expected.ancestors, expected.total);
                    const OrderSumResult orders = order_sum(sums, threads, monitor);
                    const Obvious with_orders = add_up(n, scores, true);
                    compare(orders.edges, with_orders.edges, with_orders.total);
                    CHECK(orders.disagreement < 1e-12);
                    const OrderAncestors relations = order_ancestors(sums, threads, monitor);
                    compare(relations.ancestors, with_orders.ancestors, with_orders.total);
                    CHECK(relations.disagreement < 1e-12);
                }
            }
        }
    }
}

void weights_of_orders_agree_with_every_order() {
    std::mt19937 random(12);
    for (unsigned n = 1; n <= 4; ++n) {
        for (const double impossible : {0.0, 0.3}) {
            const std::vector<std::int64_t> scores = random_scores(n, 20, 0.2, random);
            const std::vector<std::int64_t> logs = random_scores(n, 20, impossible, random);
            const Obvious expected = add_up(n, scores, true, logs);
            const OrderWeights weights(n, logs, kBits);
            Monitor monitor;
            const ParentSums sums(n, scores, kBits, 2, monitor);
            const OrderSumResult orders = order_sum(sums, 2, monitor, weights);
            const ScaledNumber total = order_total(sums, 1, monitor, weights);
            CHECK(total.mantissa == orders.total_mantissa && total.exponent == orders.total_exponent);
            if (expected.total == 0) {
                CHECK(total.mantissa == 0);
                continue;
            }
            CHECK_NEAR(std::ldexp(total.mantissa, static_cast<int>(total.exponent)) / expected.total, 1, 1e-12);
            CHECK(orders.disagreement < 1e-12);
            compare(orders.edges, expected.edges, expected.total);
            const OrderAncestors relations = order_ancestors(sums, 2, monitor, weights);
            compare(relations.ancestors, expected.ancestors, expected.total);
            CHECK(relations.disagreement < 1e-12);
        }
    }
}

// More variables than fit in one table of products, so that inner and outer tables are both used.
void threads_give_the_same_bits() {
    std::mt19937 random(5);
    const unsigned n = 12;
    const std::vector<std::int64_t> scores = random_scores(n, 4000, 0.2, random);
    std::vector<DagSumResult> results;
    for (const unsigned threads : {1U, 2U, 5U}) {
        Monitor monitor;
        const ParentSums sums(n, scores, kBits, threads, monitor);
        results.push_back(sum_over_dags(sums, threads, monitor));
        CHECK(results.back().disagreement < 1e-9);
    }
    for (const DagSumResult& result : results) {
        CHECK(result.edges == results[0].edges);
        CHECK(result.ancestors == results[0].ancestors);
        CHECK(result.total_mantissa == results[0].total_mantissa);
    }
}

void orders_give_the_same_bits_on_threads() {
    std::mt19937 random(6);
    const unsigned n = 15;
    const std::vector<std::int64_t> scores = random_scores(n, 4000, 0.2, random);
    Monitor monitor;
    const ParentSums sums(n, scores, kBits, 2, monitor);
    const OrderSumResult one = order_sum(sums, 1, monitor), several = order_sum(sums, 3, monitor);
    CHECK(one.edges == several.edges);
    CHECK(one.total_mantissa == several.total_mantissa);
    CHECK(one.total_mantissa == order_total(sums, 2, monitor).mantissa);
    CHECK(one.disagreement < 1e-9);
}

// The example of dag_backward.hpp, tiled_order_sum.hpp and plain_walk.hpp.
void examples_in_headers_hold() {
    constexpr unsigned n = 3;
    std::vector<std::int64_t> scores(n << (n - 1), kImpossible);
    const auto set_weight = [&](unsigned v, Subset parents, double weight) {
        scores[(v << (n - 1)) + index_without(parents, v)] = std::llround(std::ldexp(std::log(weight), kBits));
    };
    for (unsigned v = 0; v < n; ++v) set_weight(v, 0, 1);
    set_weight(0, singleton(1), 2);
    set_weight(1, singleton(0), 1);
    set_weight(2, singleton(0), 3);
    Monitor monitor;
    const ParentSums sums(n, scores, kBits, 1, monitor);
    DagSum dags(sums, 1, true);
    const DagSumResult over_dags = run_all_steps(dags, monitor);
    const OrderSumResult over_orders = order_sum(sums, 1, monitor);
    const auto value = [](double mantissa, double exponent) { return mantissa * power_of_two(exponent); };
    const std::vector<double> H{1, 1, 1, 4, 1, 4, 1, 16}, q_0{3, 0, 9, 0, 1, 0, 3, 0};
    for (Subset set = 0; set < 8; ++set) {
        CHECK_NEAR(value(dags.forward(set).mantissa, dags.forward(set).exponent), H[set], 1e-7);
        CHECK_NEAR(16 * dags.nondescendants(0, set), q_0[set], 1e-7);
    }
    CHECK_NEAR(value(over_dags.total_mantissa, over_dags.total_exponent), 16, 1e-7);
    CHECK_NEAR(over_dags.ancestors[0 * n + 2], 12.0 / 16, 1e-8);
    CHECK_NEAR(over_dags.edges[1 * n + 0], 8.0 / 16, 1e-8);
    CHECK_NEAR(value(over_orders.total_mantissa, over_orders.total_exponent), 36, 1e-7);
    CHECK_NEAR(over_orders.edges[0 * n + 2], 3 * 7 / 36.0, 1e-8);
    CHECK_NEAR(over_orders.edges[1 * n + 0], 2 * 6 / 36.0, 1e-8);
}

// The blocks of the neighbours of a rank that have, or do not have, the bits that it does not have.
SumBlock block_of(const std::vector<std::vector<std::int64_t>>& packed, unsigned rank_bits, Subset rank,
                  std::size_t index, bool members) {
    SumBlock block{kLow, index, {}};
    for (unsigned bit = 0; bit < rank_bits; ++bit) {
        if (contains(rank, bit) == members) block.received.push_back(&packed[rank ^ singleton(bit)][index * kTile]);
    }
    return block;
}

// The same sum on several ranks, in blocks of one tile.
OrderSumResult sum_on_ranks(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits,
                            unsigned rank_bits, Monitor& monitor) {
    const std::size_t ranks = std::size_t{1} << rank_bits, size = std::size_t{1} << (n - rank_bits);
    std::vector<std::vector<std::int64_t>> packed(ranks, std::vector<std::int64_t>(size));
    std::vector<std::unique_ptr<TiledOrderSum>> sums;
    for (Subset rank = 0; rank < ranks; ++rank) {
        sums.push_back(std::make_unique<TiledOrderSum>(n, max_parents, scores, unit_bits, packed[rank],
                                                       RankOfMany{rank_bits, rank}));
    }
    for (Subset rank = 0; rank < ranks; ++rank) {
        for (std::size_t index = 0; index < size / kTile; ++index)
            sums[rank]->forward(block_of(packed, rank_bits, rank, index, true), 2, monitor);
    }
    const std::int64_t total = packed.back().back();
    for (Subset rank = ranks; rank-- > 0;) {
        for (std::size_t index = size / kTile; index-- > 0;)
            sums[rank]->backward(block_of(packed, rank_bits, rank, index, false), total, 2, monitor);
    }
    for (std::size_t step = 1; step < ranks; step *= 2) {
        for (std::size_t rank = 0; rank < ranks; rank += 2 * step) sums[rank]->merge(sums[rank + step]->shares());
    }
    return sums[0]->finish();
}

// Compares families by size, as tiles use them, with all sets, as the plain sum uses them.
void tiles_agree_with_the_plain_sum() {
    std::mt19937 random(21);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (const unsigned n : {10U, 11U, 13U}) {
        for (const double range : {5.0, 300.0, 4000.0}) {
            const unsigned max_parents = 3;
            const SetIndex index(n, max_parents);
            std::vector<std::int64_t> by_size(n * index.size(), kImpossible),
                dense(std::size_t{n} << (n - 1), kImpossible);
            for (unsigned v = 0; v < n; ++v) {
                for (Subset set = 0; set < Subset{1} << n; ++set) {
                    const auto size = static_cast<unsigned>(std::popcount(set));
                    if (contains(set, v) || size > max_parents || (size > 0 && uniform(random) < 0.2)) continue;
                    std::vector<std::uint16_t> members;
                    for_each_member(set, [&](unsigned u) { members.push_back(static_cast<std::uint16_t>(u)); });
                    const std::int64_t score = std::llround(std::ldexp(-range * uniform(random), kBits));
                    by_size[v * index.size() + index.rank(members)] = score;
                    dense[(std::size_t{v} << (n - 1)) + index_without(set, v)] = score;
                }
            }
            Monitor monitor;
            const OrderSumResult plain = order_sum(ParentSums(n, dense, kBits, 1, monitor), 1, monitor);
            const OrderSumResult tiled = sum_in_one_block(n, max_parents, by_size, kBits, 2, monitor);
            CHECK(tiled.total_exponent == plain.total_exponent);
            CHECK_NEAR(tiled.total_mantissa / plain.total_mantissa, 1, 1e-10);
            CHECK(tiled.disagreement < 1e-10);
            for (std::size_t i = 0; i < plain.edges.size(); ++i) CHECK_NEAR(tiled.edges[i], plain.edges[i], 1e-10);
            CHECK(sum_in_one_block(n, max_parents, by_size, kBits, 1, monitor).edges == tiled.edges);
            for (const unsigned rank_bits : {0U, 1U, 3U}) {
                if (n < kLow + rank_bits) continue;
                const OrderSumResult parts = sum_on_ranks(n, max_parents, by_size, kBits, rank_bits, monitor);
                CHECK(parts.edges == tiled.edges);
                CHECK(parts.total_mantissa == tiled.total_mantissa);
                CHECK(parts.total_exponent == tiled.total_exponent);
                CHECK(parts.disagreement == tiled.disagreement);
            }
        }
    }
}

void paths_lead_through_chains() {
    // Only 0 -> 1 -> 2 is possible.
    const unsigned n = 3;
    std::vector<std::int64_t> scores(std::size_t{n} << (n - 1), kImpossible);
    scores[0] = 0;  // 0 has no parents
    scores[4 + index_without(singleton(0), 1)] = 0;
    scores[8 + index_without(singleton(1), 2)] = 0;
    Monitor monitor;
    const ParentSums sums(n, scores, kBits, 1, monitor);
    DagSum dags(sums, 1, true);
    run_all_steps(dags, monitor);
    const std::vector<double> paths = all_paths(sums, dags, 2, monitor);
    for (std::size_t i = 0; i < paths.size(); ++i) CHECK_NEAR(paths[i], i == (0 * n + 1) * n + 2 ? 1.0 : 0.0, 1e-14);
}

void a_stop_is_heeded() {
    std::mt19937 random(5);
    const std::vector<std::int64_t> scores = random_scores(10, 10, 0, random);
    Monitor monitor;
    const ParentSums sums(10, scores, kBits, 1, monitor);
    monitor.stop();
    bool stopped = false;
    try {
        sum_over_dags(sums, 2, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
}

}  // namespace

int main() {
    sums_agree_with_every_dag();
    weights_of_orders_agree_with_every_order();
    threads_give_the_same_bits();
    orders_give_the_same_bits_on_threads();
    examples_in_headers_hold();
    tiles_agree_with_the_plain_sum();
    paths_lead_through_chains();
    a_stop_is_heeded();
}
