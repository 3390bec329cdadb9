#include "dagscape/search/order_search.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

constexpr auto kForever = OrderSearch::Clock::time_point::max();

// Families as lists of parents, shuffled within each child.
struct Listed {
    std::vector<std::int64_t> first{0}, scores, parent_first{0};
    std::vector<Variable> parents;

    Listed(const Families& families, std::mt19937& random) {
        for (const auto& possible : families) {
            std::vector<std::pair<Subset, std::int64_t>> entries(possible.begin(), possible.end());
            std::shuffle(entries.begin(), entries.end(), random);
            for (const auto& [set, score] : entries) {
                for_each_member(set, [&](unsigned u) { parents.push_back(static_cast<Variable>(u)); });
                parent_first.push_back(static_cast<std::int64_t>(parents.size()));
                scores.push_back(score);
            }
            first.push_back(static_cast<std::int64_t>(scores.size()));
        }
    }
    RawFamilies raw() const { return {first, scores, parent_first, parents}; }
};

FamilyLists lists_of(const Families& families, std::mt19937& random, std::uint64_t seed = 1) {
    const Listed listed(families, random);
    Monitor monitor;
    return FamilyLists(listed.raw(), seed, monitor);
}

std::vector<Variable> identity(unsigned n) {
    std::vector<Variable> order(n);
    std::iota(order.begin(), order.end(), Variable{0});
    return order;
}

// The number of children without a possible family, and the sum of the scores of the others.
std::pair<std::size_t, std::int64_t> worth(const Families& families, std::span<const Variable> order) {
    std::pair<std::size_t, std::int64_t> total{0, 0};
    Subset before = 0;
    for (const Variable v : order) {
        const std::int64_t best = best_within(families[v], before);
        if (best == kRuledOut) {
            ++total.first;
        } else {
            total.second += best;
        }
        before |= singleton(v);
    }
    return total;
}

void check_state(const Families& families, const OrderState& state) {
    const auto [impossible, score] = worth(families, state.order());
    CHECK(state.value().impossible == impossible);
    if (impossible == 0) CHECK(state.value().score == score);
    const OrderState fresh(state.lists(), state.order());
    CHECK(fresh.value() == state.value());
    for (unsigned v = 0; v < state.n(); ++v) {
        CHECK(fresh.family(v) == state.family(v));
        CHECK(state.order()[state.position(v)] == v);
    }
}

// Lists hold exactly the families that are best within some set, best first.
void lists_hold_what_is_of_use(std::mt19937& random) {
    const Families families = random_families(5, 3, 6, 0.3, random);
    const FamilyLists lists = lists_of(families, random);
    std::int64_t offset = 0;
    for (unsigned child = 0; child < 5; ++child) {
        offset += best_of(families[child]);
        CHECK(lists.parents(lists.last(child)).empty());
        CHECK(lists.substitute(child, lists.last(child)) == !families[child].contains(0));
        for (Subset within = 0; within < Subset{1} << 5; ++within) {
            Rank rank = lists.first(child);
            while (std::any_of(lists.parents(rank).begin(), lists.parents(rank).end(),
                               [&](Variable p) { return !contains(within, p); }))
                ++rank;
            const std::int64_t best = best_within(families[child], within);
            if (best == kRuledOut) {
                CHECK(lists.substitute(child, rank));
            } else {
                CHECK(lists.score(rank) == best);
            }
        }
        for (Rank rank = lists.first(child); rank < lists.last(child); ++rank) {
            CHECK(lists.score(rank) >= lists.score(rank + 1));
        }
    }
    CHECK(lists.offset() == offset);
}

// A profile covers all positions, and its scores differ as those of the orders do.
void profiles_match_orders(std::mt19937& random) {
    const Families families = random_families(6, 3, 20, 0.2, random);
    const FamilyLists lists = lists_of(families, random);
    std::vector<Variable> order = identity(6);
    std::shuffle(order.begin(), order.end(), random);
    for (unsigned v = 0; v < 6; ++v) {
        OrderState state(lists, order);
        const auto profile = state.profile(v, true);
        const std::vector<OrderState::Range> ranges(profile.begin(), profile.end());
        std::uint32_t end = 6;
        OrderState moved_last(lists, order);
        moved_last.profile(v, true);
        moved_last.move(ranges.front(), 5);
        const std::int64_t shift = moved_last.value().score - ranges.front().score;
        for (const auto& range : ranges) {
            CHECK(range.hi + 1 == end);
            end = range.lo;
            for (std::uint32_t to = range.lo; to <= range.hi; ++to) {
                OrderState moved(lists, order);
                moved.profile(v, true);
                moved.move(range, to);
                check_state(families, moved);
                CHECK(moved.value().score == range.score + shift);
                moved.undo();
                CHECK(std::equal(order.begin(), order.end(), moved.order().begin()));
                check_state(families, moved);
            }
        }
        CHECK(end == 0);
        // What is left out is not best.
        const auto best = [](std::span<const OrderState::Range> all) {
            return std::max_element(all.begin(), all.end(), [](auto& a, auto& b) { return a.score < b.score; })->score;
        };
        CHECK(best(ranges) == best(state.profile(v, false)));
    }
}

// A promotion gives the variable at least the family that was asked for, and can be undone.
void promotions_succeed(std::mt19937& random) {
    const Families families = random_families(7, 3, 50, 0.1, random);
    const FamilyLists lists = lists_of(families, random);
    RandomBits bits(random());
    OrderState state(lists, identity(7));
    for (unsigned v = 0; v < 7; ++v) {
        for (Rank rank = lists.first(v); rank <= lists.last(v); ++rank) {
            state.promote(v, rank, bits);
            CHECK(state.family(v) <= rank);
            check_state(families, state);
            state.undo();
            CHECK(std::is_sorted(state.order().begin(), state.order().end()));
            check_state(families, state);
        }
    }
}

// A window over all variables finds the best order; a smaller one never loses.
void windows_are_optimal(std::mt19937& random) {
    const Families families = random_families(6, 3, 20, 0.2, random);
    const FamilyLists lists = lists_of(families, random);
    RandomBits bits(random());
    for (unsigned width = 2; width <= 6; ++width) {
        for (std::uint32_t from = 0; from + width <= 6; ++from) {
            OrderState state(lists, identity(6));
            OrderWindow window(state);
            window.optimise(state, from, width, bits);
            check_state(families, state);
            std::vector<Variable> order = identity(6);
            do {
                const OrderState other(lists, order);
                CHECK(!other.value().better_than(state.value()));
            } while (std::next_permutation(order.begin() + from, order.begin() + from + width));
        }
    }
}

void search_finds_the_best_order(std::mt19937& random) {
    const Families families = random_families(6, 4, 1000, 0.3, random);
    std::vector<Variable> order = identity(6);
    auto best = worth(families, order);
    do {
        const auto next = worth(families, order);
        if (next.first < best.first || (next.first == best.first && next.second > best.second)) best = next;
    } while (std::next_permutation(order.begin(), order.end()));
    OrderSearch search(lists_of(families, random), order, {3, 1, random()});
    Monitor monitor;
    while (search.unproductive() < 200) CHECK(search.run_round(kForever, monitor));
    check_state(families, search.state());
    CHECK(search.state().value().impossible == best.first);
    if (best.first == 0) CHECK(search.state().value().score == best.second);
}

// The same seed gives the same search; without time it is where it was; gains add up.
void searches_are_reproducible(std::mt19937& random) {
    const Families families = random_families(9, 3, 1000, 0.5, random);
    const auto lists = lists_of(families, random);
    OrderSearch first(lists, identity(9), {4, 100, 5}), second(lists, identity(9), {4, 100, 5});
    Monitor monitor;
    for (int round = 0; round < 3; ++round) {
        CHECK(first.run_round(kForever, monitor) && second.run_round(kForever, monitor));
        CHECK(std::equal(first.state().order().begin(), first.state().order().end(), second.state().order().begin()));
        OrderState::Value last = OrderState(lists, identity(9)).value();
        for (const auto& gain : first.gains()) {
            CHECK(gain.value.better_than(last));
            last = gain.value;
        }
        CHECK(last == first.state().value());
    }
    OrderSearch third(lists, identity(9), {4, 100, 5});
    CHECK(!third.run_round(OrderSearch::Clock::now(), monitor));
    CHECK(third.repetitions() == 0);
    monitor.stop();
    bool stopped = false;
    try {
        first.run_round(kForever, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
}

void one_variable(std::mt19937& random) {
    OrderSearch search(lists_of({{{0, -7}}}, random), identity(1), {12, 1, 0});
    Monitor monitor;
    CHECK(search.run_round(kForever, monitor));
    CHECK(search.lists().offset() + search.state().value().score == -7);
}

// Scores at the ends of the range do not overflow.
void extreme_scores(std::mt19937& random) {
    const std::int64_t most = largest_score(3);
    const Families families{{{2, most}, {4, -most}}, {{1, most}, {4, -most}}, {{3, most}, {1, -most}}};
    OrderSearch search(lists_of(families, random), identity(3), {2, kLargestNat, 3});
    Monitor monitor;
    while (search.unproductive() < 60) CHECK(search.run_round(kForever, monitor));
    CHECK(search.state().value().impossible == 1);
}

}  // namespace

int main() {
    std::mt19937 random(20);
    for (int trial = 0; trial < 30; ++trial) {
        lists_hold_what_is_of_use(random);
        profiles_match_orders(random);
        promotions_succeed(random);
        search_finds_the_best_order(random);
    }
    for (int trial = 0; trial < 5; ++trial) {
        windows_are_optimal(random);
        searches_are_reproducible(random);
    }
    one_variable(random);
    extreme_scores(random);
}
