#include <algorithm>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/best/best_scores.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

// The recurrences of best_scores.hpp, implemented literally.
std::vector<std::int64_t> obvious_scores(const Families& families, Direction direction) {
    const auto n = static_cast<unsigned>(families.size());
    const Subset all = (Subset{1} << n) - 1;
    const bool forwards = direction == Direction::forwards;
    std::vector<std::int64_t> values(std::size_t{1} << n, kRuledOut);
    values[forwards ? 0 : all] = 0;
    for (Subset count = 0; count <= all; ++count) {
        const Subset set = forwards ? count : all - count;
        for_each_member(forwards ? set : all & ~set, [&](unsigned i) {
            const std::int64_t family = best_within(families[i], set & ~singleton(i));
            const std::int64_t rest = values[set ^ singleton(i)];
            if (family != kRuledOut && rest != kRuledOut) values[set] = std::max(values[set], family + rest);
        });
    }
    return values;
}

std::vector<std::int64_t> scores_of_sets(const FamilyScores& view, Direction direction, unsigned threads,
                                         bool dominated = true) {
    Monitor monitor;
    const SortedFamilies sorted(view, dominated ? SortedFamilies::Keep::all : SortedFamilies::Keep::undominated,
                                threads, monitor);
    return best_scores(view, sorted, direction, threads, monitor);
}

void scores_of_sets_follow_their_recurrences() {
    std::mt19937 random(5);
    for (unsigned n = 1; n <= 7; ++n) {
        for (const double impossible : {0.0, 0.5, 0.9}) {
            const Families families = random_families(n, n - 1, 1000, impossible, random);
            const Layouts layouts(families, n - 1);
            for (const Direction direction : {Direction::forwards, Direction::backwards}) {
                const std::vector<std::int64_t> expected = obvious_scores(families, direction);
                for (const unsigned threads : {1U, 3U}) {
                    CHECK(scores_of_sets(layouts.views[0], direction, threads) == expected);
                    CHECK(scores_of_sets(layouts.views[2], direction, threads) == expected);
                    CHECK(scores_of_sets(layouts.views[2], direction, threads, false) == expected);
                }
            }
        }
    }
}

void all_layouts_give_the_same_scores() {
    std::mt19937 random(6);
    const std::vector<std::pair<unsigned, unsigned>> shapes{{10, 2}, {10, 9}, {11, 3}, {11, 0}, {13, 2}, {15, 1}};
    for (const auto& [n, max_parents] : shapes) {
        for (const double impossible : {0.0, 0.7}) {
            const Families families = random_families(n, max_parents, std::int64_t{1} << 50, impossible, random);
            const Layouts layouts(families, max_parents);
            for (const Direction direction : {Direction::forwards, Direction::backwards}) {
                const std::vector<std::int64_t> expected = scores_of_sets(layouts.views[0], direction, 2);
                CHECK(scores_of_sets(layouts.views[1], direction, 1) == expected);
                CHECK(scores_of_sets(layouts.views[1], direction, 3) == expected);
                CHECK(scores_of_sets(layouts.views[2], direction, 2) == expected);
            }
        }
    }
}

}  // namespace

int main() {
    scores_of_sets_follow_their_recurrences();
    all_layouts_give_the_same_scores();
}
