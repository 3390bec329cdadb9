#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "dagscape/best_scores.hpp"
#include "dagscape/families.hpp"
#include "dagscape/k_best.hpp"
#include "dagscape/set_index.hpp"

using namespace dagscape;

namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 40;

// The possible families of each child, by set of parents: what all layouts are made from.
using Families = std::vector<std::map<Subset, std::int64_t>>;

unsigned size_of(Subset set) { return static_cast<unsigned>(std::popcount(set)); }

// Random whole numbers, which tie the more the smaller their range. Every child keeps a family, if not that without parents.
Families random_families(unsigned n, unsigned max_parents, std::int64_t range, double impossible, std::mt19937& random) {
    std::uniform_int_distribution<std::int64_t> score(-range, range);
    std::uniform_real_distribution<double> uniform(0, 1);
    Families families(n);
    for (unsigned child = 0; child < n; ++child) {
        while (families[child].empty()) {
            for (Subset set = 0; set < Subset{1} << n; ++set) {
                if (contains(set, child) || size_of(set) > max_parents || uniform(random) < impossible) continue;
                families[child][set] = score(random);
            }
        }
    }
    return families;
}

// Scores J(G ∪ {i}) − J(G), with J random: the same for equivalent networks.
Families equivalent_families(unsigned n, unsigned max_parents, std::int64_t range, std::mt19937& random) {
    std::uniform_int_distribution<std::int64_t> score(-range, range);
    std::vector<std::int64_t> joint(std::size_t{1} << n);
    for (std::int64_t& value : joint) value = score(random);
    Families families(n);
    for (unsigned child = 0; child < n; ++child) {
        for (Subset set = 0; set < Subset{1} << n; ++set) {
            if (contains(set, child) || size_of(set) > max_parents) continue;
            families[child][set] = joint[set | singleton(child)] - joint[set];
        }
    }
    return families;
}

std::vector<std::int64_t> by_mask(const Families& families) {
    const auto n = static_cast<unsigned>(families.size());
    std::vector<std::int64_t> scores(std::size_t{n} << (n - 1), INT64_MIN);
    for (unsigned child = 0; child < n; ++child) {
        for (const auto& [set, score] : families[child]) {
            scores[(std::size_t{child} << (n - 1)) + place_without(set, child)] = score;
        }
    }
    return scores;
}

std::vector<std::int64_t> by_size(const Families& families, unsigned max_parents) {
    const auto n = static_cast<unsigned>(families.size());
    const SetIndex index(n, max_parents);
    std::vector<std::int64_t> scores(n * index.size(), INT64_MIN);
    for (unsigned child = 0; child < n; ++child) {
        for (const auto& [set, score] : families[child]) {
            std::vector<std::uint16_t> members;
            for_each_member(set, [&](unsigned u) { members.push_back(static_cast<std::uint16_t>(u)); });
            scores[child * index.size() + index.rank(members)] = score;
        }
    }
    return scores;
}

// All three layouts of the same families, and the arrays that they look at.
struct Layouts {
    std::vector<std::int64_t> masks, sizes, first, listed;
    std::vector<Subset> sets;
    std::vector<FamilyScores> views;

    Layouts(const Families& families, unsigned max_parents)
        : masks(by_mask(families)), sizes(by_size(families, max_parents)), first{0} {
        for (const auto& possible : families) {
            for (const auto& [set, score] : possible) {
                sets.push_back(set);
                listed.push_back(score);
            }
            first.push_back(static_cast<std::int64_t>(sets.size()));
        }
        const auto n = static_cast<unsigned>(families.size());
        views.push_back(FamilyScores::by_mask(n, masks));
        views.push_back(FamilyScores::by_size(n, max_parents, sizes));
        views.push_back(FamilyScores::listed(first, sets, listed));
    }
    Layouts(const Layouts&) = delete;
    Layouts& operator=(const Layouts&) = delete;
};

std::int64_t best_of(const std::map<Subset, std::int64_t>& families) {
    std::int64_t best = INT64_MIN;
    for (const auto& [set, score] : families) best = std::max(best, score);
    return best;
}

std::int64_t best_within(const std::map<Subset, std::int64_t>& families, Subset within) {
    std::int64_t best = kRuledOut;
    for (const auto& [set, score] : families) {
        if ((set & ~within) == 0) best = std::max(best, score - best_of(families));
    }
    return best;
}

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
    CHECK(scores.relative(0, INT64_MIN) == kRuledOut);
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
    std::vector<std::int64_t> scores(2 * 2, INT64_MIN);
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
            // From every rank on, also where fewer are left than are looked at together.
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

// The recurrences of best_scores.hpp, as they stand there.
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

std::vector<std::int64_t> scores_of_sets(const FamilyScores& view, Direction direction, unsigned threads, bool dominated = true) {
    Monitor monitor;
    const SortedFamilies sorted(view, dominated ? SortedFamilies::Keep::all : SortedFamilies::Keep::undominated, threads, monitor);
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

struct Found {
    std::int64_t score;
    std::vector<Subset> parents;

    bool operator==(const Found&) const = default;
};

std::vector<Found> first_networks(BestNetworks& search, unsigned n, std::size_t count) {
    Monitor monitor;
    std::vector<Found> found;
    Found next{0, std::vector<Subset>(n)};
    while (found.size() < count && search.next(next.parents, next.score, monitor)) found.push_back(next);
    return found;
}

std::vector<Found> first_networks(const FamilyScores& scores, Space space, std::size_t count) {
    Monitor monitor;
    BestNetworks search(scores, space, 2, kPlenty, monitor);
    return first_networks(search, scores.n(), count);
}

// Every DAG, with its score.
std::map<std::vector<Subset>, std::int64_t> every_dag(const Families& families) {
    const auto n = static_cast<unsigned>(families.size());
    std::map<std::vector<Subset>, std::int64_t> found;
    std::vector<Subset> parents(n);
    const std::function<void(unsigned, std::int64_t)> choose = [&](unsigned v, std::int64_t score) {
        if (v < n) {
            for (const auto& [set, own] : families[v]) {
                parents[v] = set;
                choose(v + 1, score + own);
            }
            return;
        }
        Subset placed = 0;
        for (unsigned round = 0; round < n; ++round) {
            for (unsigned u = 0; u < n; ++u) {
                if ((parents[u] & ~placed) == 0) placed |= singleton(u);
            }
        }
        if (placed == (Subset{1} << n) - 1) found[parents] = score;
    };
    choose(0, 0);
    return found;
}

void all_networks_come_best_first() {
    std::mt19937 random(7);
    for (unsigned n = 1; n <= 4; ++n) {
        for (const std::int64_t range : {0, 2, 1000}) {
            const Families families = random_families(n, n - 1, range, 0.2, random);
            const auto expected = every_dag(families);
            const std::vector<std::int64_t> scores = by_mask(families);
            const std::vector<Found> found = first_networks(FamilyScores::by_mask(n, scores), Space::dags, 1000);
            CHECK(found.size() == expected.size());
            std::set<std::vector<Subset>> distinct;
            for (std::size_t i = 0; i < found.size(); ++i) {
                CHECK(i == 0 || found[i].score <= found[i - 1].score);
                CHECK(expected.at(found[i].parents) == found[i].score);
                distinct.insert(found[i].parents);
            }
            CHECK(distinct.size() == found.size());
        }
    }
}

// Where all scores are the same: the numbers of DAGs and of classes on so many variables.
void everything_is_counted() {
    const std::vector<std::size_t> dags{1, 3, 25, 543}, classes{1, 2, 11, 185};
    for (unsigned n = 1; n <= 4; ++n) {
        const std::vector<std::int64_t> scores(std::size_t{n} << (n - 1), -3);
        const FamilyScores view = FamilyScores::by_mask(n, scores);
        CHECK(first_networks(view, Space::dags, 1000).size() == dags[n - 1]);
        const std::vector<Found> found = first_networks(view, Space::classes, 1000);
        CHECK(found.size() == classes[n - 1]);
        for (const Found& network : found) CHECK(network.score == -3 * std::int64_t{n});
    }
}

// 0 → 1 and 1 → 0 tie: the smaller last variable comes first. As a class, the two are one.
void ties_go_by_the_last_variable() {
    const std::vector<std::int64_t> scores{0, 5, 0, 5};
    const FamilyScores view = FamilyScores::by_mask(2, scores);
    const std::vector<Found> dags = first_networks(view, Space::dags, 10);
    CHECK((dags == std::vector<Found>{{5, {0b10, 0}}, {5, {0, 0b01}}, {0, {0, 0}}}));
    const std::vector<Found> classes = first_networks(view, Space::classes, 10);
    CHECK((classes == std::vector<Found>{{5, {0b10, 0}}, {0, {0, 0}}}));
}

void all_layouts_give_the_same_networks() {
    std::mt19937 random(8);
    for (const auto& [n, max_parents] : {std::pair{10U, 2U}, {11U, 3U}}) {
        for (const std::int64_t range : {1, 100'000}) {
            for (const Space space : {Space::dags, Space::classes}) {
                const Families families = space == Space::dags ? random_families(n, max_parents, range, 0.2, random)
                                                               : equivalent_families(n, max_parents, range, random);
                const Layouts layouts(families, max_parents);
                const std::vector<Found> found = first_networks(layouts.views[0], space, 100);
                CHECK(found.size() == 100);
                CHECK(first_networks(layouts.views[1], space, 100) == found);
                CHECK(first_networks(layouts.views[2], space, 100) == found);
            }
        }
    }
}

// What was found before the room was filled is right, and no more was taken than allowed, but for the last step.
void room_runs_out() {
    std::mt19937 random(9);
    const unsigned n = 8;
    const Families families = random_families(n, n - 1, 1000, 0, random);
    const std::vector<std::int64_t> scores = by_mask(families);
    const FamilyScores view = FamilyScores::by_mask(n, scores);
    const std::size_t most = 100'000;
    Monitor monitor;
    BestNetworks search(view, Space::dags, 1, most, monitor);
    std::vector<Found> found;
    Found next{0, std::vector<Subset>(n)};
    bool full = false;
    try {
        while (found.size() < most && search.next(next.parents, next.score, monitor)) found.push_back(next);
    } catch (const OutOfRoom&) {
        full = true;
    }
    CHECK(full);
    CHECK(found.size() > 10);
    CHECK(search.stored() >= found.size());
    CHECK(search.bytes() < 2 * most);
    CHECK(first_networks(view, Space::dags, found.size()) == found);
}

void a_stop_is_heeded() {
    const std::vector<std::int64_t> scores(std::size_t{6} << 5, 0);
    Monitor monitor;
    BestNetworks search(FamilyScores::by_mask(6, scores), Space::classes, 1, kPlenty, monitor);
    std::vector<Subset> parents(6);
    std::int64_t score = 1;
    CHECK(search.next(parents, score, monitor));
    CHECK(score == 0);
    monitor.stop();
    bool stopped = false;
    try {
        search.next(parents, score, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
}

}  // namespace

int main() {
    all_layouts_visit_every_possible_family();
    a_child_without_families_makes_all_impossible();
    sorted_families_stand_by_score_then_size_then_mask();
    families_that_are_never_best_can_be_left_out();
    best_families_are_those_within_a_set();
    scores_of_sets_follow_their_recurrences();
    all_layouts_give_the_same_scores();
    all_networks_come_best_first();
    everything_is_counted();
    ties_go_by_the_last_variable();
    all_layouts_give_the_same_networks();
    room_runs_out();
    a_stop_is_heeded();
}
