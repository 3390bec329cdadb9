#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_families.hpp"
#include "dagscape/best/modes.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Parents = Output<Subset, 1>;
using Order = Output<std::uint8_t, 1>;

struct BoundModeSearch {
    unsigned n;
    std::unique_ptr<ModeSearch> search;
};

void construct(BoundModeSearch* bound, const BoundFamilies& families, unsigned delta, bool merge, bool distinct_classes,
               std::vector<Subset> groups, unsigned threads, std::size_t most_bytes, const Progress& progress) {
    if (delta > kMostDelta) throw nb::value_error("delta is too large");
    Subset grouped = 0;
    for (const Subset group : groups) {
        if (group == 0 || (grouped & group) != 0) throw nb::value_error("the groups must be non-empty and disjoint");
        grouped |= group;
    }
    if (grouped != singleton(families.view.n()) - 1) throw nb::value_error("the groups must cover all variables");
    std::unique_ptr<ModeSearch> search;
    run_monitored(progress, [&](Monitor& monitor) {
        if (!families.view.possible()) return;
        const ModeOptions options{delta, merge, distinct_classes, std::move(groups), most_bytes};
        search = std::make_unique<ModeSearch>(families.view, options, threads, monitor);
    });
    new (bound) BoundModeSearch{families.view.n(), std::move(search)};
}

// Writes the next network and its ordering; returns the outcome and the score.
std::tuple<ModeSearch::Outcome, std::int64_t> next(BoundModeSearch& bound, Parents parents, Order order, double seconds,
                                                   const Progress& progress) {
    if (parents.size() != bound.n || order.size() != bound.n)
        throw nb::value_error("parents and order must have n entries");
    if (!bound.search) return {ModeSearch::Outcome::no_more, 0};
    ModeSearch::Outcome outcome{};
    std::int64_t score = 0;
    run_monitored(progress, [&](Monitor& monitor) {
        outcome = bound.search->next({parents.data(), bound.n}, {order.data(), bound.n}, score, seconds, monitor);
    });
    return {outcome, score};
}

std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t> counts(const BoundModeSearch& bound) {
    if (!bound.search) return {0, 0, 0, 0};
    const ModeSearch::Counts counts = bound.search->counts();
    return {counts.expanded, counts.generated, counts.failed, counts.merged};
}

}  // namespace

void bind_modes(nb::module_& module) {
    module.attr("MOST_DELTA") = kMostDelta;
    nb::enum_<ModeSearch::Outcome>(module, "ModeOutcome")
        .value("FOUND", ModeSearch::Outcome::found)
        .value("NO_MORE", ModeSearch::Outcome::no_more)
        .value("OUT_OF_ROOM", ModeSearch::Outcome::out_of_room)
        .value("OUT_OF_TIME", ModeSearch::Outcome::out_of_time);
    nb::class_<BoundModeSearch> search(module, "ModeSearch");
    search.def("__init__", &construct, "families"_a, "delta"_a, "merge"_a, "distinct_classes"_a, "groups"_a,
               "threads"_a, "most_bytes"_a, "progress"_a.none());
    search.def("next", &next, "parents"_a.noconvert(), "order"_a.noconvert(), "seconds"_a, "progress"_a.none());
    search.def_prop_ro("bound",
                       [](const BoundModeSearch& bound) { return bound.search ? bound.search->bound() : kImpossible; });
    search.def_prop_ro("counts", &counts);
    search.def_prop_ro("bytes", [](const BoundModeSearch& bound) { return bound.search ? bound.search->bytes() : 0; });
}

}  // namespace dagscape
