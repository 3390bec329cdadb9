#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/scores/families.hpp"
#include "dagscape/search/order_search.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Numbers = Input<std::int64_t, 1>;
using Variables = Input<Variable, 1>;
using Clock = OrderSearch::Clock;

struct BoundOrderSearch {
    Clock::time_point start;
    std::unique_ptr<OrderSearch> search;
};

void check_families(const RawFamilies& raw) {
    if (!divides(raw.first, raw.scores.size()) || raw.first.size() < 2 ||
        !divides(raw.parent_first, raw.parents.size()) || raw.parent_first.size() != raw.scores.size() + 1) {
        throw nb::value_error("the arrays of the families do not match");
    }
    const std::size_t n = raw.first.size() - 1;
    if (n > kMostListedVariables) throw nb::value_error("there are too many variables");
    const std::int64_t largest = largest_score(static_cast<unsigned>(n));
    for (std::size_t child = 0; child < n; ++child) {
        bool possible = false;
        for (std::int64_t f = raw.first[child]; f < raw.first[child + 1]; ++f) {
            const std::int64_t score = raw.scores[static_cast<std::size_t>(f)];
            if (score == kImpossible) continue;
            if (score > largest || score < -largest) throw nb::value_error("a score is out of range");
            possible = true;
        }
        if (!possible) throw nb::value_error("every child needs a possible family");
        for (std::int64_t p = raw.parent_first[static_cast<std::size_t>(raw.first[child])];
             p < raw.parent_first[static_cast<std::size_t>(raw.first[child + 1])]; ++p) {
            const Variable parent = raw.parents[static_cast<std::size_t>(p)];
            if (parent >= n || parent == child) throw nb::value_error("parents must be other variables");
        }
    }
}

void check_order(std::span<const Variable> order, std::size_t n) {
    std::vector<Variable> sorted(order.begin(), order.end());
    std::sort(sorted.begin(), sorted.end());
    bool all = sorted.size() == n;
    for (std::size_t v = 0; all && v < n; ++v) all = sorted[v] == v;
    if (!all) throw nb::value_error("the order must hold every variable once");
}

void construct(BoundOrderSearch* bound, Numbers first, Numbers scores, Numbers parent_first, Variables parents,
               Variables order, unsigned window, std::int64_t nat, std::uint64_t seed) {
    const RawFamilies raw{view(first), view(scores), view(parent_first), view(parents)};
    check_families(raw);
    check_order(view(order), raw.first.size() - 1);
    if (window < 2 || window > kWidestWindow) throw nb::value_error("the width of the windows is out of range");
    if (nat < 0 || nat > kLargestNat) throw nb::value_error("a nat is out of range");
    const auto start = Clock::now();
    std::unique_ptr<OrderSearch> search;
    run_monitored(std::nullopt, [&](Monitor& monitor) {
        search = std::make_unique<OrderSearch>(FamilyLists(raw, seed, monitor), view(order),
                                               OrderOptions{window, nat, seed});
    });
    new (bound) BoundOrderSearch{start, std::move(search)};
}

Clock::time_point deadline(double seconds) {
    // A duration of more than a century is as good as none, and does not overflow.
    if (!(seconds < 1e9)) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool run_round(BoundOrderSearch& bound, double seconds) {
    bool finished = false;
    run_monitored(std::nullopt,
                  [&](Monitor& monitor) { finished = bound.search->run_round(deadline(seconds), monitor); });
    return finished;
}

std::int64_t absolute(const BoundOrderSearch& bound, const OrderState::Value& value) {
    return value.impossible != 0 ? kImpossible : bound.search->lists().offset() + value.score;
}

std::vector<std::vector<Variable>> parents(const BoundOrderSearch& bound) {
    std::vector<std::vector<Variable>> found;
    for (unsigned v = 0; v < bound.search->lists().n(); ++v) {
        const auto chosen = bound.search->lists().parents(bound.search->state().family(v));
        found.emplace_back(chosen.begin(), chosen.end());
        std::sort(found.back().begin(), found.back().end());
    }
    return found;
}

std::vector<Variable> order(const BoundOrderSearch& bound) {
    const auto order = bound.search->state().order();
    return {order.begin(), order.end()};
}

// The move, a variable, the score and the seconds since the search was made, of each gain.
std::vector<std::tuple<OrderSearch::Move, unsigned, std::int64_t, double>> gains(const BoundOrderSearch& bound) {
    std::vector<std::tuple<OrderSearch::Move, unsigned, std::int64_t, double>> found;
    for (const auto& gain : bound.search->gains()) {
        found.emplace_back(gain.move, gain.variable, absolute(bound, gain.value),
                           std::chrono::duration<double>(gain.time - bound.start).count());
    }
    return found;
}

}  // namespace

void bind_order_search(nb::module_& module) {
    module.attr("WIDEST_WINDOW") = kWidestWindow;
    module.attr("LARGEST_NAT") = kLargestNat;
    nb::enum_<OrderSearch::Move>(module, "OrderMove")
        .value("INSERT", OrderSearch::Move::insert)
        .value("PERTURB", OrderSearch::Move::perturb)
        .value("PROMOTE", OrderSearch::Move::promote)
        .value("WINDOW", OrderSearch::Move::window);
    nb::class_<BoundOrderSearch> search(module, "OrderSearch");
    search.def("__init__", &construct, "first"_a.noconvert(), "scores"_a.noconvert(), "parent_first"_a.noconvert(),
               "parents"_a.noconvert(), "order"_a.noconvert(), "window"_a, "nat"_a, "seed"_a);
    search.def("run_round", &run_round, "seconds"_a);
    search.def("parents", &parents);
    search.def("order", &order);
    search.def("gains", &gains);
    search.def_prop_ro("score",
                       [](const BoundOrderSearch& bound) { return absolute(bound, bound.search->state().value()); });
    search.def_prop_ro("repetitions", [](const BoundOrderSearch& bound) { return bound.search->repetitions(); });
    search.def_prop_ro("unproductive", [](const BoundOrderSearch& bound) { return bound.search->unproductive(); });
    search.def_prop_ro("families", [](const BoundOrderSearch& bound) { return bound.search->lists().size(); });
}

}  // namespace dagscape
