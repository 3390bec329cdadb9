#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "dagscape/scores/families.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

void check_visits(const FamilyScores& scores, const Families& families) {
    std::int64_t offset = 0;
    for (unsigned child = 0; child < scores.n(); ++child) {
        CHECK(scores.best(child) == best_of(families[child]));
        offset += scores.best(child);
        std::map<Subset, std::int64_t> visited;
        scores.for_each(child, [&](Subset set, std::int64_t score) {
            CHECK(!visited.contains(set));
            visited[set] = score + scores.best(child);
        });
        CHECK(visited == families[child]);
    }
    CHECK(scores.offset() == offset);
    CHECK(scores.possible());
    CHECK(scores.relative(0, kImpossible) == kRuledOut);
    CHECK(scores.relative(0, scores.best(0) - 5) == -5);
}

void all_layouts_visit_every_possible_family() {
    std::mt19937 random(1);
    for (unsigned n = 1; n <= 7; ++n) {
        for (unsigned max_parents = 0; max_parents < n; ++max_parents) {
            const Families families = random_families(n, max_parents, 100, 0.3, random);
            const Layouts layouts(families, max_parents);
            for (const FamilyScores& view : layouts.views) check_visits(view, families);
            CHECK(layouts.views[0].layout() == FamilyScores::Layout::by_mask);
            CHECK(layouts.views[1].layout() == FamilyScores::Layout::by_size);
            CHECK(layouts.views[2].layout() == FamilyScores::Layout::listed);
            CHECK(layouts.views[1].max_parents() == max_parents);
            CHECK(layouts.views[2].max_parents() <= max_parents);
        }
    }
}

void a_child_without_families_makes_all_impossible() {
    std::vector<std::int64_t> scores(2 * 2, kImpossible);
    scores[0] = 7;
    CHECK(!FamilyScores::by_mask(2, scores).possible());
    const std::vector<std::int64_t> first{0, 1, 1}, score{7};
    const std::vector<Subset> sets{0};
    CHECK(!FamilyScores::listed(first, sets, score).possible());
}

void sorted_families_stand_by_score_then_size_then_mask() {
    std::mt19937 random(2);
    for (const std::int64_t range : {0, 1, 1000}) {
        const unsigned n = 6;
        const Families families = random_families(n, n - 1, range, 0.3, random);
        const std::vector<std::int64_t> scores = by_mask(families);
        Monitor monitor;
        const SortedFamilies sorted(FamilyScores::by_mask(n, scores), SortedFamilies::Keep::all, 2, monitor);
        for (unsigned child = 0; child < n; ++child) {
            std::vector<std::tuple<std::int64_t, unsigned, Subset>> expected;
            for (const auto& [set, score] : families[child]) expected.emplace_back(-score, size_of(set), set);
            std::sort(expected.begin(), expected.end());
            const auto sets = sorted.sets(child);
            CHECK(sets.size() == expected.size());
            for (std::size_t rank = 0; rank < sets.size(); ++rank) {
                CHECK(sets[rank] == std::get<2>(expected[rank]));
                CHECK(sorted.score(child, rank) == -std::get<0>(expected[rank]) - best_of(families[child]));
            }
            // From every rank, even if fewer families are left than are tested at once.
            for (Subset within = 0; within < Subset{1} << n; ++within) {
                for (std::size_t from = 0; from <= sets.size(); ++from) {
                    std::size_t next = from;
                    while (next < sets.size() && (sets[next] & ~within) != 0) ++next;
                    CHECK(sorted.next_within(child, within, from) == next);
                }
                CHECK(sorted.best_score(child, within) == best_within(families[child], within));
            }
        }
    }
}

void families_that_are_never_best_can_be_left_out() {
    std::mt19937 random(3);
    const unsigned n = 6;
    const Families families = random_families(n, n - 1, 3, 0.3, random);
    const std::vector<std::int64_t> scores = by_mask(families);
    Monitor monitor;
    const SortedFamilies sorted(FamilyScores::by_mask(n, scores), SortedFamilies::Keep::all, 1, monitor);
    const SortedFamilies kept(FamilyScores::by_mask(n, scores), SortedFamilies::Keep::undominated, 2, monitor);
    for (unsigned child = 0; child < n; ++child) {
        std::set<Subset> best;
        for (Subset within = 0; within < Subset{1} << n; ++within) {
            const std::size_t first = sorted.next_within(child, within, 0);
            if (first < sorted.sets(child).size()) best.insert(sorted.sets(child)[first]);
        }
        CHECK(best == std::set<Subset>(kept.sets(child).begin(), kept.sets(child).end()));
        CHECK(best.size() == kept.sets(child).size());
        for (Subset within = 0; within < Subset{1} << n; ++within) {
            CHECK(kept.best_score(child, within) == sorted.best_score(child, within));
        }
        for (std::size_t rank = 0; rank < best.size(); ++rank) {
            CHECK(kept.score(child, rank) == families[child].at(kept.sets(child)[rank]) - best_of(families[child]));
        }
    }
}

void best_families_are_those_within_a_set() {
    std::mt19937 random(4);
    for (unsigned n = 1; n <= 7; ++n) {
        const Families families = random_families(n, n - 1, 50, 0.6, random);
        const Layouts layouts(families, n - 1);
        for (const FamilyScores& view : layouts.views) {
            Monitor monitor;
            const BestFamilies best(view, 2, monitor);
            for (unsigned child = 0; child < n; ++child) {
                for (Subset set = 0; set < Subset{1} << n; ++set) {
                    CHECK(best(child, set) == best_within(families[child], set & ~singleton(child)));
                }
            }
        }
    }
}

}  // namespace

int main() {
    all_layouts_visit_every_possible_family();
    a_child_without_families_makes_all_impossible();
    sorted_families_stand_by_score_then_size_then_mask();
    families_that_are_never_best_can_be_left_out();
    best_families_are_those_within_a_set();
}
