#include <nanobind/stl/tuple.h>

#include <memory>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_families.hpp"
#include "dagscape/best/best_scores.hpp"
#include "dagscape/best/k_best.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Graphs = Output<Subset, 2>;
using Numbers = Output<std::int64_t, 1>;

void best_scores_of_sets(const BoundFamilies& families, bool forwards, Numbers out, unsigned threads,
                         const Progress& progress) {
    if (out.size() != std::size_t{1} << families.view.n())
        throw nb::value_error("out must have one entry for each set");
    const Direction direction = forwards ? Direction::forwards : Direction::backwards;
    run_monitored(progress, [&](Monitor& monitor) {
        const SortedFamilies sorted(families.view, SortedFamilies::Keep::undominated, threads, monitor);
        const std::vector<std::int64_t> values = best_scores(families.view, sorted, direction, threads, monitor);
        std::copy(values.begin(), values.end(), out.data());
    });
}

// A search that can be continued, unless it was interrupted or ran out of memory.
struct BoundBestNetworks {
    unsigned n;
    std::unique_ptr<BestNetworks> search;
    bool broken = false;
    bool refused = false;  // whether the system refused memory
};

void construct(BoundBestNetworks* bound, const BoundFamilies& families, bool classes, unsigned threads,
               std::size_t most_bytes, const Progress& progress, std::size_t bytes_per_network) {
    std::unique_ptr<BestNetworks> search;
    run_monitored(progress, [&](Monitor& monitor) {
        if (!families.view.possible()) return;
        const Space space = classes ? Space::classes : Space::dags;
        search = std::make_unique<BestNetworks>(families.view, space, threads, most_bytes, monitor, bytes_per_network);
    });
    new (bound) BoundBestNetworks{families.view.n(), std::move(search)};
}

// Fills the rows with the next networks and their scores. Returns the number of networks found, and whether the search
// ran out of memory. If it did not, fewer networks than rows mean that there are no more.
std::tuple<std::size_t, bool> next(BoundBestNetworks& bound, Graphs parents, Numbers scores, const Progress& progress) {
    if (bound.broken) throw nb::value_error("the search was interrupted or ran out of memory, and cannot continue");
    if (parents.shape(0) != scores.size() || parents.shape(1) != bound.n) {
        throw nb::value_error("parents and scores must have a row for each network");
    }
    if (!bound.search) return {0, false};
    bound.broken = true;
    std::size_t found = 0;
    bool out_of_room = false;
    run_monitored(progress, [&](Monitor& monitor) {
        monitor.expect(scores.size());
        try {
            for (; found < scores.size(); ++found) {
                const std::span<Subset> row(parents.data() + found * bound.n, bound.n);
                if (!bound.search->next(row, scores.data()[found], monitor)) return;
                monitor.advance(1);
            }
        } catch (const OutOfRoom&) {
            out_of_room = true;
        } catch (const std::bad_alloc&) {
            out_of_room = bound.refused = true;
        }
    });
    bound.broken = out_of_room;
    return {found, out_of_room};
}

}  // namespace

void bind_best(nb::module_& module) {
    module.def("best_scores", &best_scores_of_sets, "families"_a, "forwards"_a, "out"_a.noconvert(), "threads"_a,
               "progress"_a.none());
    module.def("best_scores_bytes_by_mask", &best_scores_bytes_by_mask, "n"_a);
    module.def("best_scores_bytes_by_size", &best_scores_bytes_by_size, "n"_a, "max_parents"_a, "threads"_a);
    nb::class_<BoundBestNetworks> search(module, "BestNetworks");
    search.def("__init__", &construct, "families"_a, "classes"_a, "threads"_a, "most_bytes"_a, "progress"_a.none(),
               "bytes_per_network"_a = 0);
    search.def("next", &next, "parents"_a.noconvert(), "scores"_a.noconvert(), "progress"_a.none());
    search.def_prop_ro("stored",
                       [](const BoundBestNetworks& bound) { return bound.search ? bound.search->stored() : 0; });
    search.def_prop_ro("bytes",
                       [](const BoundBestNetworks& bound) { return bound.search ? bound.search->bytes() : 0; });
    search.def_prop_ro("refused", [](const BoundBestNetworks& bound) { return bound.refused; });
}

}  // namespace dagscape
