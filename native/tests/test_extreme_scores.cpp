// Scores at the ends of the ranges that kernels accept: under the sanitizers, nothing overflows, and results are exact.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/best/best_scores.hpp"
#include "dagscape/best/k_best.hpp"
#include "dagscape/best/modes.hpp"
#include "dagscape/sums/dag_sum.hpp"
#include "dagscape/sums/order_sum.hpp"
#include "dagscape/sums/tiled_order_sum.hpp"
#include "one_block.hpp"
#include "random_families.hpp"
#include "whole_dag_sum.hpp"

using namespace dagscape;

namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 40;
constexpr double kForever = std::numeric_limits<double>::infinity();

// Scores within ±largest: its ends, their neighbours, zero, and anything between.
std::int64_t extreme(std::int64_t largest, std::mt19937_64& random) {
    const std::array<std::int64_t, 8> ends{largest, -largest, largest - 1, 1 - largest, largest / 2, 0, 1, -1};
    if (random() % 3 != 0) return ends[random() % ends.size()];
    return std::uniform_int_distribution<std::int64_t>(-largest, largest)(random);
}

Families extreme_families(unsigned n, unsigned max_parents, std::int64_t largest, double impossible,
                          std::mt19937_64& random) {
    std::mt19937 shape(static_cast<std::uint32_t>(random()));
    Families families = random_families(n, max_parents, 1, impossible, shape);
    for (auto& possible : families) {
        for (auto& [set, score] : possible) score = extreme(largest, random);
    }
    return families;
}

// The score of the best DAG; kImpossible if there is none.
std::int64_t best_by_definition(const Families& families) {
    const auto n = static_cast<unsigned>(families.size());
    std::vector<std::int64_t> best(std::size_t{1} << n, kImpossible);
    best[0] = 0;
    for (Subset set = 1; set < Subset{1} << n; ++set) {
        for_each_member(set, [&](unsigned sink) {
            const Subset rest = set & ~singleton(sink);
            if (best[rest] == kImpossible) return;
            for (const auto& [parents, score] : families[sink]) {
                if ((parents & ~rest) == 0) best[set] = std::max(best[set], best[rest] + score);
            }
        });
    }
    return best.back();
}

bool has_network(Families families) {
    for (auto& possible : families) {
        for (auto& [set, score] : possible) score = 0;
    }
    return best_by_definition(families) != kImpossible;
}

std::int64_t score_of(const Families& families, std::span<const Subset> parents) {
    std::int64_t sum = 0;
    for (std::size_t v = 0; v < families.size(); ++v) sum += families[v].at(parents[v]);
    return sum;
}

void search(const Families& families, const FamilyScores& view, std::size_t count, std::mt19937_64& random) {
    CHECK(view.in_range() && view.possible());
    Monitor monitor;
    std::vector<Subset> parents(view.n());
    std::int64_t score = 0, last = std::numeric_limits<std::int64_t>::max();
    const std::int64_t best = best_by_definition(families);
    for (const Space space : {Space::dags, Space::classes}) {
        BestNetworks networks(view, space, 1, kPlenty, monitor);
        last = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < count && networks.next(parents, score, monitor); ++i) {
            CHECK(score <= last && score == score_of(families, parents));
            CHECK(i > 0 || score == best);
            last = score;
        }
        CHECK((last == std::numeric_limits<std::int64_t>::max()) == (best == kImpossible));
    }
    const Subset all = (Subset{1} << view.n()) - 1, half = random() & all;
    const std::vector<Subset> groups = half == 0 || half == all ? std::vector{all} : std::vector{half, all & ~half};
    const auto delta = static_cast<unsigned>(random() % 5);
    ModeSearch modes(view, {delta, random() % 2 == 0, random() % 2 == 0, groups, kPlenty}, 1, monitor);
    std::vector<std::uint8_t> order(view.n());
    for (std::size_t i = 0; i < count; ++i) {
        if (modes.next(parents, order, score, kForever, monitor) != ModeSearch::Outcome::found) {
            CHECK(i > 0 || best == kImpossible);
            break;
        }
        CHECK(score == score_of(families, parents));
        CHECK(i > 0 || score == best);
    }
}

void searches_do_not_overflow() {
    std::mt19937_64 random(1);
    for (unsigned round = 0; round < 600; ++round) {
        const auto n = static_cast<unsigned>(1 + round % 6);
        const Families families = extreme_families(n, static_cast<unsigned>(random() % n), largest_score(n),
                                                   static_cast<double>(random() % 4) / 4, random);
        const Layouts layouts(families, n - 1);
        for (const FamilyScores& view : layouts.searched()) search(families, view, 20, random);
    }
    for (unsigned round = 0; round < 8; ++round) {
        const auto n = static_cast<unsigned>(10 + round % 2);
        const unsigned max_parents = 1 + round % 3;
        const Families families =
            extreme_families(n, max_parents, largest_score(n), static_cast<double>(round % 3) / 3, random);
        const Layouts layouts(families, max_parents);
        for (const FamilyScores& view : layouts.searched()) search(families, view, 10, random);
    }
}

// A list of 63 variables, as many as a search takes: families alone, because their sets cannot be walked.
void the_most_variables_do_not_overflow() {
    std::mt19937_64 random(2);
    std::vector<std::int64_t> first{0}, scores;
    std::vector<Subset> sets;
    for (unsigned child = 0; child < kMostVariables; ++child) {
        for (const std::int64_t score : {largest_score(kMostVariables), -largest_score(kMostVariables)}) {
            sets.push_back(sets.size() % 2 == 0 ? 0 : singleton((child + 1) % kMostVariables));
            scores.push_back(score);
        }
        first.push_back(static_cast<std::int64_t>(sets.size()));
    }
    const FamilyScores view = FamilyScores::listed(first, sets, scores);
    CHECK(view.in_range());
    CHECK(view.offset() == kMostVariables * largest_score(kMostVariables));
    Monitor monitor;
    const SortedFamilies sorted(view, SortedFamilies::Keep::all, 1, monitor);
    std::int64_t worst = 0;
    for (unsigned child = 0; child < kMostVariables; ++child) worst += sorted.score(child, 1);
    CHECK(worst > kRuledOut);
}

void scores_out_of_range_are_found() {
    std::mt19937_64 random(3);
    for (unsigned n = 1; n <= 8; ++n) {
        std::vector<std::int64_t> scores(std::size_t{n} << (n - 1), 0);
        std::int64_t& one = scores[random() % scores.size()];
        for (const std::int64_t score : {largest_score(n), -largest_score(n), kImpossible}) {
            one = score;
            CHECK(FamilyScores::by_mask(n, scores).in_range());
        }
        for (const std::int64_t score :
             {largest_score(n) + 1, -largest_score(n) - 1, kImpossible + 1, std::numeric_limits<std::int64_t>::max()}) {
            one = score;
            CHECK(!FamilyScores::by_mask(n, scores).in_range());
        }
    }
}

void check_probabilities(const std::vector<double>& found, double slack) {
    for (const double probability : found) CHECK(probability >= -slack && probability <= 1 + slack);
}

// Sums at the ends of their range; with terms of alternating sign they lose digits, but not their bounds.
void sums_do_not_overflow() {
    std::mt19937_64 random(4);
    Monitor monitor;
    for (unsigned round = 0; round < 400; ++round) {
        const auto n = static_cast<unsigned>(2 + round % 5);
        const int bits = std::array{0, 20, 30, -3, 33, 62, -20}[random() % 7];
        const auto largest = static_cast<std::int64_t>(std::min(std::ldexp(kWidestScore, bits), 0x1p62));
        const Families families = extreme_families(n, static_cast<unsigned>(random() % n), largest,
                                                   static_cast<double>(random() % 3) / 4, random);
        const std::vector<std::int64_t> scores = by_mask(families);
        CHECK(can_be_summed(scores, bits));
        const ParentSums sums(n, scores, bits, 1, monitor);
        const OrderSumResult orders = order_sum(sums, 1, monitor);
        const bool possible = has_network(families);
        CHECK((orders.total_mantissa > 0) == possible);
        if (possible) check_probabilities(orders.edges, 1e-9);
        DagSum dags(sums, 1, true);
        const DagSumResult result = run_all_steps(dags, monitor);
        CHECK(!std::isnan(result.total_mantissa));
        if (result.total_mantissa > 0 && result.disagreement < 1e-6 && result.condition < 1e3) {
            check_probabilities(result.edges, 1e-3);
            check_probabilities(result.ancestors, 1e-3);
        }
        all_paths(sums, dags, 1, monitor);
    }
}

void tiled_sums_do_not_overflow() {
    std::mt19937_64 random(5);
    Monitor monitor;
    for (unsigned round = 0; round < 6; ++round) {
        const unsigned n = kLow + round % 2, max_parents = 1 + round % 3;
        const int bits = std::array{0, 20, 40}[round % 3];
        // The ranges of all variables add up to less than the limit.
        const auto largest = static_cast<std::int64_t>(std::ldexp(0.999 * kWidestTiled, bits) / (2 * n));
        const Families families = extreme_families(n, max_parents, largest, static_cast<double>(round % 3) / 4, random);
        const std::vector<std::int64_t> scores = by_size(families, max_parents);
        CHECK(can_be_tiled(n, scores, bits));
        const OrderSumResult result = sum_in_one_block(n, max_parents, scores, bits, 2, monitor);
        CHECK((result.total_mantissa > 0) == has_network(families));
        check_probabilities(result.edges, 1e-6);
    }
}

void sums_out_of_range_are_found() {
    const auto limit = static_cast<std::int64_t>(std::ldexp(kWidestScore, 20));
    const std::vector<std::int64_t> inside{0, limit, -limit, kImpossible}, above{0, 0, 0, limit + 1},
        below{-limit - 1, 0, 0, 0}, zeros(4, 0);
    CHECK(can_be_summed(inside, 20));
    CHECK(!can_be_summed(inside, 19));
    CHECK(!can_be_summed(above, 20));
    CHECK(!can_be_summed(below, 20));
    for (const int bits : {std::numeric_limits<int>::min(), -63, 63, std::numeric_limits<int>::max()}) {
        CHECK(!can_be_summed(zeros, bits));
    }
    const auto narrow = static_cast<std::int64_t>(std::ldexp(kWidestTiled, 20));
    CHECK(can_be_tiled(2, std::vector<std::int64_t>{0, narrow / 2 - 1, 0, -narrow / 2}, 20));
    CHECK(!can_be_tiled(2, std::vector<std::int64_t>{0, narrow / 2, 0, -narrow / 2}, 20));
    CHECK(can_be_tiled(2, std::vector<std::int64_t>{kImpossible, kImpossible, narrow, narrow}, 20));
}

}  // namespace

int main() {
    searches_do_not_overflow();
    the_most_variables_do_not_overflow();
    scores_out_of_range_are_found();
    sums_do_not_overflow();
    tiled_sums_do_not_overflow();
    sums_out_of_range_are_found();
}
