#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/sets/directions.hpp"
#include "dagscape/sets/equivalence.hpp"

namespace dagscape {
namespace {

using Graphs = Input<Subset, 3>;
using Sets = Output<Subset, 3>;
using Keys = nb::ndarray<std::uint64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

GraphArray checked(const Graphs& parents) {
    if (parents.shape(1) == 0 || parents.shape(2) != words_for(parents.shape(1))) {
        throw nb::value_error(
            "the graphs must have the shape (graphs, variables, words), with one word per 64 variables");
    }
    return {parents.data(), parents.shape(0), parents.shape(1)};
}

void bound_class_keys(Graphs parents, Keys keys) {
    const GraphArray graphs = checked(parents);
    if (keys.shape(0) != graphs.count) throw nb::value_error("the keys must have the shape (graphs, 2)");
    nb::gil_scoped_release unlocked;
    class_keys(graphs, keys.data());
}

void check_outputs(const Graphs& parents, const Sets& directed, const Sets& undirected) {
    for (const Sets* out : {&directed, &undirected}) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (out->shape(axis) != parents.shape(axis)) {
                throw nb::value_error("the outputs must have the same shape as the graphs");
            }
        }
    }
}

// Returns the index of the first graph with a cycle, at which the work stops; -1 if no graph has a cycle.
std::int64_t bound_cpdags(Graphs parents, Sets directed, Sets undirected) {
    const GraphArray graphs = checked(parents);
    check_outputs(parents, directed, undirected);
    nb::gil_scoped_release unlocked;
    const std::size_t done = cpdags(graphs, directed.data(), undirected.data());
    return done == graphs.count ? -1 : static_cast<std::int64_t>(done);
}

// Returns what bound_cpdags does.
std::int64_t bound_limited_classes(Graphs parents, Input<Subset, 2> fixed, Input<Subset, 1> unscored, Sets directed,
                                   Sets undirected) {
    const GraphArray graphs = checked(parents);
    check_outputs(parents, directed, undirected);
    if (fixed.shape(0) != parents.shape(1) || fixed.shape(1) != parents.shape(2) ||
        unscored.shape(0) != parents.shape(2)) {
        throw nb::value_error("the limits must have the shapes (variables, words) and (words,)");
    }
    nb::gil_scoped_release unlocked;
    const std::size_t done =
        limited_classes(graphs, {fixed.data(), unscored.data()}, directed.data(), undirected.data());
    return done == graphs.count ? -1 : static_cast<std::int64_t>(done);
}

}  // namespace

void bind_equivalence(nb::module_& module) {
    module.def("class_keys", &bound_class_keys, "parents"_a.noconvert(), "keys"_a.noconvert());
    module.def("cpdags", &bound_cpdags, "parents"_a.noconvert(), "directed"_a.noconvert(), "undirected"_a.noconvert());
    module.def("limited_classes", &bound_limited_classes, "parents"_a.noconvert(), "fixed"_a.noconvert(),
               "unscored"_a.noconvert(), "directed"_a.noconvert(), "undirected"_a.noconvert());
}

}  // namespace dagscape
