#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings.hpp"
#include "dagscape/equivalence.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dagscape {
namespace {

using Graphs = nb::ndarray<const Subset, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<Subset, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

auto row(const auto& array, std::size_t i) { return std::span(array.data() + i * array.shape(1), array.shape(1)); }

void check_graphs(const Graphs& parents) {
    if (parents.shape(1) > 64) throw nb::value_error("graphs may have up to 64 variables");
}

void class_keys(Graphs parents, Output keys) {
    check_graphs(parents);
    if (keys.shape(0) != parents.shape(0) || keys.shape(1) != 2) throw nb::value_error("keys must be graphs × 2");
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < parents.shape(0); ++i) {
        const ClassKey key = class_key(row(parents, i));
        row(keys, i)[0] = key.low;
        row(keys, i)[1] = key.high;
    }
}

// The number of the first graph with a cycle, where the work ended, or -1.
std::int64_t cpdags(Graphs parents, Output directed, Output undirected) {
    check_graphs(parents);
    for (const Output* out : {&directed, &undirected}) {
        if (out->shape(0) != parents.shape(0) || out->shape(1) != parents.shape(1)) {
            throw nb::value_error("the outputs must have the shape of the graphs");
        }
    }
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < parents.shape(0); ++i) {
        if (!cpdag(row(parents, i), row(directed, i), row(undirected, i))) return static_cast<std::int64_t>(i);
    }
    return -1;
}

}  // namespace

void bind_equivalence(nb::module_& module) {
    module.def("class_keys", &class_keys, "parents"_a.noconvert(), "keys"_a.noconvert());
    module.def("cpdags", &cpdags, "parents"_a.noconvert(), "directed"_a.noconvert(), "undirected"_a.noconvert());
}

}  // namespace dagscape
