#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "dagscape/best/k_best.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 40;

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

// If all scores are equal, the lists contain all DAGs and all classes, whose numbers are known.
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

// 0 → 1 and 1 → 0 tie: the smaller last variable comes first. They belong to the same class.
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

// The networks found before memory runs out are correct, and the limit is exceeded by the last step at most.
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
    all_networks_come_best_first();
    everything_is_counted();
    ties_go_by_the_last_variable();
    all_layouts_give_the_same_networks();
    room_runs_out();
    a_stop_is_heeded();
}
