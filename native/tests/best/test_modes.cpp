#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "check.hpp"
#include "dagscape/best/modes.hpp"
#include "dagscape/scores/families.hpp"
#include "dagscape/sets/equivalence.hpp"
#include "dagscape/sets/set_index.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

using Outcome = ModeSearch::Outcome;
using Order = std::vector<std::uint8_t>;

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr std::size_t kAll = 100'000;

// A mode: its score, its network and its ordering.
struct Found {
    std::int64_t score;
    std::vector<Subset> parents;
    Order order;

    bool operator==(const Found&) const = default;
};

Subset all_of(std::size_t n) { return (Subset{1} << n) - 1; }

// The network of an ordering, and its score; returns false if a variable has no family.
bool follow(const Families& families, Found& found) {
    found.score = 0;
    found.parents.assign(families.size(), 0);
    Subset before = 0;
    for (const std::uint8_t v : found.order) {
        bool any = false;
        std::int64_t best = 0;
        for (const auto& [set, score] : families[v]) {
            if ((set & ~before) != 0) continue;
            const Subset old = found.parents[v];
            // Ties are broken by fewer parents, then by the smaller mask, which comes first in the map.
            if (any && (score < best || (score == best && size_of(set) >= size_of(old)))) continue;
            any = true;
            best = score;
            found.parents[v] = set;
        }
        if (!any) return false;
        found.score += best;
        before |= singleton(v);
    }
    return true;
}

unsigned kendall(const Order& a, const Order& b) {
    unsigned distance = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = i + 1; j < a.size(); ++j) {
            distance += std::find(b.begin(), b.end(), a[i]) > std::find(b.begin(), b.end(), a[j]);
        }
    }
    return distance;
}

bool precedes(const Found& a, const Found& b) { return a.score != b.score ? a.score > b.score : a.order < b.order; }

// The networks of all modes, best first, by the definition; or the first of each class.
std::vector<Found> every_mode(const Families& families, unsigned delta, bool classes) {
    std::vector<Found> possible;
    Order order(families.size());
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    do {
        Found next{0, {}, order};
        if (follow(families, next)) possible.push_back(next);
    } while (std::next_permutation(order.begin(), order.end()));
    std::sort(possible.begin(), possible.end(), precedes);
    std::vector<Found> modes;
    std::set<std::vector<Subset>> seen;
    for (std::size_t i = 0; i < possible.size(); ++i) {
        bool mode = true;
        for (std::size_t j = 0; j < i && mode; ++j) mode = kendall(possible[i].order, possible[j].order) > delta;
        if (!mode) continue;
        std::vector<Subset> key = possible[i].parents;
        if (classes) {
            std::vector<Subset> directed(key.size()), undirected(key.size());
            CHECK(cpdags({key.data(), 1, key.size()}, directed.data(), undirected.data()) == 1);
            key = directed;
            key.insert(key.end(), undirected.begin(), undirected.end());
        }
        if (seen.insert(key).second) modes.push_back(possible[i]);
    }
    return modes;
}

Outcome next_of(ModeSearch& search, Found& found, double seconds = kForever) {
    Monitor monitor;
    return search.next(found.parents, found.order, found.score, seconds, monitor);
}

// Up to `count` further modes, and the outcome that ended the list: `found` if nothing ended it.
std::vector<Found> some_of(ModeSearch& search, unsigned n, std::size_t count, Outcome& outcome) {
    std::vector<Found> list;
    Found next{0, std::vector<Subset>(n), Order(n)};
    outcome = Outcome::found;
    while (list.size() < count && (outcome = next_of(search, next)) == Outcome::found) list.push_back(next);
    return list;
}

std::vector<Found> modes_of(const FamilyScores& scores, const ModeOptions& options, unsigned threads = 1) {
    Monitor monitor;
    ModeSearch search(scores, options, threads, monitor);
    Outcome outcome;
    std::vector<Found> list = some_of(search, scores.n(), kAll, outcome);
    CHECK(outcome == Outcome::no_more);
    CHECK(search.bound() == kImpossible);
    Found none = list.empty() ? Found{0, std::vector<Subset>(scores.n()), Order(scores.n())} : list[0];
    CHECK(next_of(search, none) == Outcome::no_more);
    CHECK(search.counts().expanded <= search.counts().generated);
    return list;
}

// One group of all variables, groups that are or are not the first variables, and one group per variable.
std::vector<std::vector<Subset>> partitions_of(unsigned n) {
    const Subset all = all_of(n);
    std::vector<Subset> alone;
    for (unsigned v = 0; v < n; ++v) alone.push_back(singleton(v));
    return {
        {all}, {0b11, all & ~Subset{0b11}}, {all & ~Subset{0b101}, 0b101}, {0b1, 0b1010, all & ~Subset{0b1011}}, alone};
}

void modes_are_those_of_all_orderings() {
    std::mt19937 random(1);
    for (const unsigned n : {4U, 5U}) {
        for (const std::int64_t range : {0, 1, 3, 1'000'000}) {
            for (const double impossible : {0.0, 0.5}) {
                const Families families = random_families(n, n - 1, range, impossible, random);
                const Layouts layouts(families, static_cast<unsigned>(families.size()) - 1);
                for (unsigned delta = 0; delta <= 4; ++delta) {
                    for (const bool classes : {false, true}) {
                        const std::vector<Found> expected = every_mode(families, delta, classes);
                        for (const std::vector<Subset>& groups : partitions_of(n)) {
                            for (const bool merge : {true, false}) {
                                const ModeOptions options{delta, merge, classes, groups};
                                for (const FamilyScores& view : layouts.searched())
                                    CHECK(modes_of(view, options) == expected);
                            }
                        }
                    }
                }
            }
        }
    }
}

// All larger distances, up to those at which all orderings are neighbours and only the best one is a mode.
void windows_may_be_as_large_as_the_ordering() {
    std::mt19937 random(2);
    for (unsigned n = 1; n <= 4; ++n) {
        const Families families = random_families(n, n - 1, 2, 0.2, random);
        const Layouts layouts(families, static_cast<unsigned>(families.size()) - 1);
        for (unsigned delta = 0; delta <= kMostDelta; ++delta) {
            const std::vector<Found> expected = every_mode(families, delta, false);
            const ModeOptions options{delta, true, false, {all_of(n)}};
            for (const FamilyScores& view : layouts.searched()) CHECK(modes_of(view, options, 2) == expected);
            if (delta >= n * (n - 1) / 2) CHECK(expected.size() <= 1);
        }
    }
}

// A network without edges has no edge or v-structure to hash, but is still a class.
void the_empty_network_is_a_class() {
    const std::vector<std::int64_t> scores{0, -1, 0, -1};
    const FamilyScores view = FamilyScores::by_mask(2, scores);
    for (const bool classes : {false, true}) {
        CHECK((modes_of(view, {1, true, classes, {0b11}}) == std::vector<Found>{{0, {0, 0}, {0, 1}}}));
    }
}

// In each of three pairs, both variables need the other as a parent. No sum with kRuledOut may overflow.
void where_nothing_is_possible_nothing_is_found() {
    Families families(6);
    for (unsigned child = 0; child < 6; ++child) families[child][singleton(child ^ 1)] = child;
    const Layouts layouts(families, static_cast<unsigned>(families.size()) - 1);
    for (const std::vector<Subset>& groups :
         {std::vector<Subset>{0b111111}, {0b11, 0b1100, 0b110000}, {0b010101, 0b101010}}) {
        for (const FamilyScores& view : layouts.searched()) CHECK(modes_of(view, {1, true, false, {groups}}).empty());
    }
}

// With and without tiles, and with groups large enough for tiles.
void all_layouts_and_groups_give_the_same_modes() {
    std::mt19937 random(3);
    const unsigned n = 12, max_parents = 2;
    const Subset all = all_of(n);
    const std::vector<std::vector<Subset>> partitions{
        {all}, {all >> 2, all & ~(all >> 2)}, {all & ~Subset{0b1000}, 0b1000}, {0b101010101010, 0b010101010101}};
    for (const std::int64_t range : {2, 1000}) {
        const Families families = random_families(n, max_parents, range, 0.3, random);
        const Layouts layouts(families, max_parents);
        const unsigned delta = range == 2 ? 1 : 3;
        std::vector<Found> expected;
        for (const FamilyScores& view : layouts.searched()) {
            for (const std::vector<Subset>& groups : partitions) {
                Monitor monitor;
                ModeSearch search(view, {delta, true, false, groups}, 2, monitor);
                Outcome outcome;
                const std::vector<Found> found = some_of(search, n, 10, outcome);
                CHECK(found.size() == 10);
                if (expected.empty()) expected = found;
                CHECK(found == expected);
                CHECK(search.bound() <= found.back().score);
            }
        }
    }
}

// Each of nine variables prefers only the next one as a parent, so only the whole window identifies a mode.
void the_largest_windows() {
    const unsigned n = kMostDelta + 1;
    Families families(n);
    for (unsigned child = 0; child < n; ++child) {
        families[child] = {{0, 0}};
        if (child + 1 < n) families[child][singleton(child + 1)] = 1;
    }
    const Layouts layouts(families, static_cast<unsigned>(families.size()) - 1);
    Found best{0, std::vector<Subset>(n), Order(n)};
    for (unsigned i = 0; i < n; ++i) best.order[i] = static_cast<std::uint8_t>(n - 1 - i);
    CHECK(follow(families, best));
    CHECK(best.score == kMostDelta);
    for (const FamilyScores& view : layouts.searched()) {
        CHECK((modes_of(view, {kMostDelta, true, false, {all_of(n)}}) == std::vector<Found>{best}));
    }
}

void bounds_hold_and_fall() {
    std::mt19937 random(4);
    const Families families = random_families(5, 4, 5, 0.2, random);
    const Layouts layouts(families, static_cast<unsigned>(families.size()) - 1);
    const std::vector<Found> expected = every_mode(families, 1, false);
    CHECK(expected.size() > 3);
    for (const std::vector<Subset>& groups : partitions_of(5)) {
        Monitor monitor;
        ModeSearch search(layouts.views[0], {1, true, false, groups}, 1, monitor);
        std::int64_t last = search.bound();
        Found next{0, std::vector<Subset>(5), Order(5)};
        for (const Found& mode : expected) {
            CHECK(search.bound() >= mode.score);
            CHECK(next_of(search, next) == Outcome::found);
            CHECK(search.bound() <= last);
            last = search.bound();
        }
        CHECK(next_of(search, next) == Outcome::no_more);
    }
}

void time_runs_out_and_the_search_goes_on() {
    std::mt19937 random(5);
    const Families families = random_families(5, 4, 3, 0.2, random);
    const Layouts layouts(families, static_cast<unsigned>(families.size()) - 1);
    const std::vector<Found> expected = every_mode(families, 0, false);
    CHECK(expected.size() > 5);
    Monitor monitor;
    ModeSearch search(layouts.views[0], {0, true, false, {all_of(5)}}, 1, monitor);
    Found next{0, std::vector<Subset>(5), Order(5)};
    for (const Found& mode : expected) {
        CHECK(next_of(search, next, 0) == Outcome::out_of_time);
        CHECK(next_of(search, next, -1) == Outcome::out_of_time);
        CHECK(search.bound() >= mode.score);
        CHECK(next_of(search, next) == Outcome::found);
        CHECK(next == mode);
    }
    CHECK(next_of(search, next) == Outcome::no_more);
    CHECK(next_of(search, next, 0) == Outcome::no_more);
}

void room_runs_out() {
    std::mt19937 random(6);
    const unsigned n = 8;
    const Families families = random_families(n, n - 1, 1000, 0, random);
    const Layouts layouts(families, static_cast<unsigned>(families.size()) - 1);
    const ModeOptions plenty{0, true, false, {all_of(n)}};
    ModeOptions little = plenty;
    little.most_bytes = 200'000;
    Monitor monitor;
    ModeSearch search(layouts.views[0], little, 1, monitor);
    CHECK(search.bytes() >= (std::size_t{8} << n));
    Outcome outcome;
    const std::vector<Found> found = some_of(search, n, kAll, outcome);
    CHECK(outcome == Outcome::out_of_room);
    CHECK(found.size() > 10);
    CHECK(search.bytes() > little.most_bytes);
    CHECK(search.bytes() < 2 * little.most_bytes);
    // A second request still runs out of memory and does not change the bound.
    const std::int64_t bound = search.bound();
    Found next{0, std::vector<Subset>(n), Order(n)};
    CHECK(next_of(search, next) == Outcome::out_of_room);
    CHECK(search.bound() == bound);

    ModeSearch whole(layouts.views[0], plenty, 1, monitor);
    CHECK(some_of(whole, n, found.size(), outcome) == found);
    CHECK(next_of(whole, next) == Outcome::found);
    CHECK(next.score <= bound);
}

void a_stop_is_heeded_and_the_search_goes_on() {
    const std::vector<std::int64_t> scores(std::size_t{6} << 5, -1);
    Monitor monitor;
    ModeSearch search(FamilyScores::by_mask(6, scores), {0, true, false, {all_of(6)}}, 1, monitor);
    Found next{0, std::vector<Subset>(6), Order(6)};
    monitor.stop();
    bool stopped = false;
    try {
        search.next(next.parents, next.order, next.score, kForever, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
    CHECK(next_of(search, next) == Outcome::found);
    CHECK((next == Found{-6, std::vector<Subset>(6), {0, 1, 2, 3, 4, 5}}));
    CHECK(next_of(search, next) == Outcome::no_more);
}

// All orderings tie: without merging, each is followed to its end; with merging, only one for each set.
void merging_saves_work() {
    const std::vector<std::int64_t> scores(std::size_t{6} << 5, 0);
    std::uint64_t expanded[2];
    for (const bool merge : {false, true}) {
        Monitor monitor;
        ModeSearch search(FamilyScores::by_mask(6, scores), {0, merge, false, {all_of(6)}}, 1, monitor);
        Outcome outcome;
        CHECK(some_of(search, 6, kAll, outcome).size() == 1);
        CHECK((search.counts().merged > 0) == merge);
        CHECK(search.counts().failed == 0);
        expanded[merge] = search.counts().expanded;
    }
    CHECK(expanded[true] == 63);
    // 1 + 6 + 6·5 + … incomplete prefixes.
    CHECK(expanded[false] == 1 + 6 + 30 + 120 + 360 + 720);
}

}  // namespace

int main() {
    modes_are_those_of_all_orderings();
    windows_may_be_as_large_as_the_ordering();
    the_empty_network_is_a_class();
    where_nothing_is_possible_nothing_is_found();
    all_layouts_and_groups_give_the_same_modes();
    the_largest_windows();
    bounds_hold_and_fall();
    time_runs_out_and_the_search_goes_on();
    room_runs_out();
    a_stop_is_heeded_and_the_search_goes_on();
    merging_saves_work();
}
