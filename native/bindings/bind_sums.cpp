#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "bindings.hpp"
#include "dagscape/dag_sum.hpp"
#include "dagscape/order_sum.hpp"
#include "dagscape/parent_sums.hpp"
#include "dagscape/path_sum.hpp"
#include "dagscape/set_index.hpp"
#include "dagscape/tiled_order_sum.hpp"
#include "monitored.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dagscape {
namespace {

using Scores = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

unsigned variables(const Scores& scores, unsigned least) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    if (n < least || n > 40 || scores.shape(1) != std::size_t{1} << (n - 1)) {
        throw nb::value_error("the scores must have a row for each variable, and 2^(n-1) columns");
    }
    return n;
}

void fill(Matrix& matrix, const std::vector<double>& values) {
    if (matrix.size() != values.size()) throw nb::value_error("a matrix must have n rows and n columns");
    std::copy(values.begin(), values.end(), matrix.data());
}

// Fills the two matrices; returns mantissa and exponent of the total, the disagreement and the condition.
// The cube of paths may be empty, where they are not wanted.
std::tuple<double, double, double, double> dag_sum(Scores scores, int unit_bits, Matrix edges, Matrix ancestors,
                                                   Cube paths, unsigned threads, nb::object progress) {
    const unsigned n = variables(scores, 2);
    const bool with_paths = paths.size() > 0;
    if (with_paths && paths.size() != std::size_t{n} * n * n) throw nb::value_error("the paths must be n × n × n");
    DagSumResult result;
    std::vector<double> found_paths;
    run_monitored(std::move(progress), [&](Monitor& monitor) {
        const ParentSums sums(n, {scores.data(), scores.size()}, unit_bits, threads, monitor);
        DagSum dags(sums, threads, monitor, with_paths);
        result = dags.run();
        if (with_paths) found_paths = path_sum(sums, dags, threads, monitor);
    });
    std::copy(found_paths.begin(), found_paths.end(), paths.data());
    fill(edges, result.edges);
    fill(ancestors, result.ancestors);
    return {result.total_mantissa, result.total_exponent, result.disagreement, result.condition};
}

// Fills the matrix; returns mantissa and exponent of the total, and the disagreement.
std::tuple<double, double, double> order_sum_edges(Scores scores, int unit_bits, Matrix edges, unsigned threads,
                                                   nb::object progress) {
    const unsigned n = variables(scores, 1);
    OrderSumResult result;
    run_monitored(std::move(progress), [&](Monitor& monitor) {
        const ParentSums sums(n, {scores.data(), scores.size()}, unit_bits, threads, monitor);
        result = order_sum(sums, threads, monitor);
    });
    fill(edges, result.edges);
    return {result.total_mantissa, result.total_exponent, result.disagreement};
}

// The same from families by size: see tiled_order_sum.hpp.
std::tuple<double, double, double> tiled_order_sum_edges(Scores scores, unsigned max_parents, int unit_bits,
                                                         Matrix edges, unsigned threads, nb::object progress) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    if (n < 10 || n > 40 || max_parents >= n || scores.shape(1) != SetIndex(n, max_parents).size()) {
        throw nb::value_error("the scores must have a row for each variable, and a column for each set of parents");
    }
    OrderSumResult result;
    run_monitored(std::move(progress), [&](Monitor& monitor) {
        result = tiled_order_sum(n, max_parents, {scores.data(), scores.size()}, unit_bits, threads, monitor);
    });
    fill(edges, result.edges);
    return {result.total_mantissa, result.total_exponent, result.disagreement};
}

}  // namespace

void bind_sums(nb::module_& module) {
    module.def("dag_sum", &dag_sum, "scores"_a.noconvert(), "unit_bits"_a, "edges"_a.noconvert(),
               "ancestors"_a.noconvert(), "paths"_a.noconvert(), "threads"_a, "progress"_a.none());
    module.def("tiled_order_sum", &tiled_order_sum_edges, "scores"_a.noconvert(), "max_parents"_a, "unit_bits"_a,
               "edges"_a.noconvert(), "threads"_a, "progress"_a.none());
    module.def("order_sum", &order_sum_edges, "scores"_a.noconvert(), "unit_bits"_a, "edges"_a.noconvert(), "threads"_a,
               "progress"_a.none());
}

}  // namespace dagscape
