#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_dag_sum.hpp"
#include "dagscape/sums/dag_sum.hpp"
#include "dagscape/sums/order_ancestors.hpp"
#include "dagscape/sums/order_sum.hpp"
#include "dagscape/sums/parent_sums.hpp"
#include "dagscape/sums/path_sum.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Scores = Input<std::int64_t, 2>;
using Cube = Output<double, 3>;
using Matrix = Output<double, 2>;

unsigned variables(const Scores& scores, unsigned least) {
    const auto n = static_cast<unsigned>(scores.shape(0));
    if (n < least || n > 40 || scores.shape(1) != std::size_t{1} << (n - 1)) {
        throw nb::value_error("the scores must have a row for each variable, and 2^(n-1) columns");
    }
    return n;
}

void check_range(bool in_range) {
    if (!in_range) throw nb::value_error("the scores span a wider range than sums support");
}

void fill(Matrix& matrix, const std::vector<double>& values) {
    if (matrix.size() != values.size()) throw nb::value_error("a matrix must have n rows and n columns");
    std::copy(values.begin(), values.end(), matrix.data());
}

void construct(BoundDagSum* self, Scores scores, int unit_bits, unsigned threads, bool with_paths,
               const Progress& progress) {
    const unsigned n = variables(scores, 2);
    check_range(can_be_summed(view(scores), unit_bits));
    BoundDagSum bound;
    bound.with_paths = with_paths;
    run_monitored(progress, [&](Monitor& monitor) {
        bound.sums = std::make_unique<ParentSums>(n, view(scores), unit_bits, threads, monitor);
        bound.dags = std::make_unique<DagSum>(*bound.sums, threads, with_paths);
    });
    new (self) BoundDagSum(std::move(bound));
}

void check_step(const BoundDagSum& bound, unsigned step) {
    if (step > bound.dags->steps()) throw nb::value_error("the sum has fewer steps");
}

void run_until(BoundDagSum& bound, unsigned end, const Progress& progress) {
    check_step(bound, end);
    run_monitored(progress, [&](Monitor& monitor) { bound.dags->run_until(end, monitor); });
}

void check_forward(const BoundDagSum& bound) {
    if (bound.dags->step() < bound.dags->forward_steps()) throw nb::value_error("the forward steps are not complete");
}

// The mantissa and exponent of the total, and the condition.
std::tuple<double, double, double> total(BoundDagSum& bound) {
    check_forward(bound);
    const DagSumResult result = bound.dags->result();
    return {result.total_mantissa, result.total_exponent, result.condition};
}

// Fills the two matrices; returns the disagreement.
double features(BoundDagSum& bound, Matrix edges, Matrix ancestors) {
    if (bound.dags->step() < bound.dags->steps()) throw nb::value_error("the steps are not complete");
    const DagSumResult result = bound.dags->result();
    fill(edges, result.edges);
    fill(ancestors, result.ancestors);
    return result.disagreement;
}

// A table has mantissas in [1/2, 1), followed by exponents; zero has the mantissa 0.
void check_table(const auto& table, std::size_t numbers) {
    if (table.shape(0) != 2 || table.size() != 2 * numbers) {
        throw nb::value_error("a table must have one mantissa and one exponent for each set");
    }
}

// Copies H: 2 × 2^n numbers.
void copy_forward(const BoundDagSum& bound, Matrix table) {
    check_forward(bound);
    const std::size_t sets = std::size_t{1} << bound.sums->n();
    check_table(table, sets);
    bound.dags->copy_forward(table.data(), table.data() + sets);
}

// Copies A: 2 × n × 2^(n-1) numbers.
void copy_parent_sums(const BoundDagSum& bound, Cube table) {
    const unsigned n = bound.sums->n();
    const std::size_t sets = std::size_t{n} << (n - 1);
    check_table(table, sets);
    bound.sums->copy_to(table.data(), table.data() + sets);
}

// Adds the probabilities of some chunks of paths (path_sum.hpp).
void add_paths(BoundDagSum& bound, std::size_t first, std::size_t end, Cube paths, unsigned threads,
               const Progress& progress) {
    const unsigned n = bound.sums->n();
    if (!bound.with_paths || bound.dags->step() < bound.dags->steps()) {
        throw nb::value_error("the steps are not complete, or the sum is not one with paths");
    }
    if (first > end || end > path_chunks(n)) throw nb::value_error("there are fewer chunks");
    if (paths.size() != std::size_t{n} * n * n) throw nb::value_error("the paths must have the shape (n, n, n)");
    run_monitored(progress, [&](Monitor& monitor) {
        monitor.expect(static_cast<std::uint64_t>(std::pow(4.0, n) * static_cast<double>(end - first) /
                                                  static_cast<double>(path_chunks(n))));
        add_path_chunks(*bound.sums, *bound.dags, first, end, {paths.data(), paths.size()}, threads, monitor);
    });
}

// The sizes of the arrays of the state.
std::vector<std::size_t> state_sizes(BoundDagSum& bound) {
    std::vector<std::size_t> sizes;
    for (const std::span<double> numbers : bound.dags->state()) sizes.push_back(numbers.size());
    return sizes;
}

std::vector<std::span<double>> checked_state(BoundDagSum& bound, const auto& arrays) {
    const std::vector<std::span<double>> numbers = bound.dags->state();
    const auto same_size = [](const auto& array, std::span<double> own) { return array.size() == own.size(); };
    if (!std::equal(arrays.begin(), arrays.end(), numbers.begin(), numbers.end(), same_size)) {
        throw nb::value_error("the arrays must have the sizes of those of the state");
    }
    return numbers;
}

// Copies the state to arrays.
void save(BoundDagSum& bound, std::vector<Output<double, 1>> arrays) {
    const std::vector<std::span<double>> numbers = checked_state(bound, arrays);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        std::copy(numbers[i].begin(), numbers[i].end(), arrays[i].data());
    }
}

void restore(BoundDagSum& bound, unsigned step, const std::vector<Input<double, 1>>& arrays) {
    check_step(bound, step);
    bound.dags->restore(step);
    const std::vector<std::span<double>> numbers = checked_state(bound, arrays);
    for (std::size_t i = 0; i < arrays.size(); ++i) std::copy_n(arrays[i].data(), numbers[i].size(), numbers[i].data());
}

// Fills the matrix; returns the mantissa and exponent of the total, and the disagreement.
std::tuple<double, double, double> order_sum_edges(Scores scores, int unit_bits, Matrix edges, unsigned threads,
                                                   const Progress& progress) {
    const unsigned n = variables(scores, 1);
    check_range(can_be_summed(view(scores), unit_bits));
    OrderSumResult result;
    run_monitored(progress, [&](Monitor& monitor) {
        const ParentSums sums(n, {scores.data(), scores.size()}, unit_bits, threads, monitor);
        result = order_sum(sums, threads, monitor);
    });
    fill(edges, result.edges);
    return {result.total_mantissa, result.total_exponent, result.disagreement};
}

// The mantissa and exponent of the total.
std::tuple<double, double> order_total_alone(Scores scores, int unit_bits, unsigned threads, const Progress& progress) {
    const unsigned n = variables(scores, 1);
    check_range(can_be_summed(view(scores), unit_bits));
    ScaledNumber total;
    run_monitored(progress, [&](Monitor& monitor) {
        total = order_total(ParentSums(n, view(scores), unit_bits, threads, monitor), threads, monitor);
    });
    return {total.mantissa, total.exponent};
}

// Fills the matrix; returns the disagreement.
double order_ancestors_of(Scores scores, int unit_bits, Matrix ancestors, unsigned threads, const Progress& progress) {
    const unsigned n = variables(scores, 1);
    check_range(can_be_summed(view(scores), unit_bits));
    OrderAncestors result;
    run_monitored(progress, [&](Monitor& monitor) {
        result = order_ancestors(ParentSums(n, view(scores), unit_bits, threads, monitor), threads, monitor);
    });
    fill(ancestors, result.ancestors);
    return result.disagreement;
}

// Includes the bytes of the scores.
double dag_sum_bytes(unsigned n, unsigned threads, bool paths) {
    const double scores = times_sets(sizeof(std::int64_t) * static_cast<double>(n), n - 1);
    const double sums = scores + ParentSums::bytes(n, threads) + DagSum::bytes(n, threads, paths);
    return at_most_endless(sums + (paths ? path_sum_bytes(n, threads) : 0));
}

double dense_order_sum_bytes(unsigned n, unsigned threads) {
    const double scores = times_sets(sizeof(std::int64_t) * static_cast<double>(n), n - 1);
    return at_most_endless(scores + ParentSums::bytes(n, threads) + order_sum_bytes(n));
}

double dense_order_ancestors_bytes(unsigned n, unsigned threads) {
    const double scores = times_sets(sizeof(std::int64_t) * static_cast<double>(n), n - 1);
    return at_most_endless(scores + ParentSums::bytes(n, threads) + order_ancestors_bytes(n));
}

}  // namespace

void bind_sums(nb::module_& module) {
    module.attr("WIDEST_SCORE") = kWidestScore;
    nb::class_<BoundDagSum>(module, "DagSum")
        .def("__init__", &construct, "scores"_a.noconvert(), "unit_bits"_a, "threads"_a, "with_paths"_a = false,
             "progress"_a.none() = nb::none())
        .def_prop_ro("path_chunks", [](const BoundDagSum& bound) { return path_chunks(bound.sums->n()); })
        .def_prop_ro("forward_steps", [](const BoundDagSum& bound) { return bound.dags->forward_steps(); })
        .def_prop_ro("steps", [](const BoundDagSum& bound) { return bound.dags->steps(); })
        .def_prop_ro("step", [](const BoundDagSum& bound) { return bound.dags->step(); })
        .def("run_until", &run_until, "end"_a, "progress"_a.none() = nb::none())
        .def("total", &total)
        .def("features", &features, "edges"_a.noconvert(), "ancestors"_a.noconvert())
        .def("copy_forward", &copy_forward, "table"_a.noconvert())
        .def("copy_parent_sums", &copy_parent_sums, "table"_a.noconvert())
        .def("add_paths", &add_paths, "first"_a, "end"_a, "paths"_a.noconvert(), "threads"_a,
             "progress"_a.none() = nb::none())
        .def_prop_ro("state_sizes", &state_sizes)
        .def("save", &save, "arrays"_a)
        .def("restore", &restore, "step"_a, "arrays"_a);
    module.def("dag_sum_bytes", &dag_sum_bytes, "n"_a, "threads"_a, "paths"_a = false);
    module.def("order_sum_bytes", &dense_order_sum_bytes, "n"_a, "threads"_a);
    module.def("order_ancestors_bytes", &dense_order_ancestors_bytes, "n"_a, "threads"_a);
    module.def("order_ancestors", &order_ancestors_of, "scores"_a.noconvert(), "unit_bits"_a, "ancestors"_a.noconvert(),
               "threads"_a, "progress"_a.none());
    module.def("order_total", &order_total_alone, "scores"_a.noconvert(), "unit_bits"_a, "threads"_a,
               "progress"_a.none());
    module.def("order_sum", &order_sum_edges, "scores"_a.noconvert(), "unit_bits"_a, "edges"_a.noconvert(), "threads"_a,
               "progress"_a.none());
}

}  // namespace dagscape
