#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/numbers/chi_square.hpp"
#include "dagscape/search/max_min.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

struct BoundTests {
    std::unique_ptr<TestTable> table;
    std::uint64_t rows_per_cell;
};

template <class Code>
void construct(BoundTests* bound, Input<Code, 2> codes, Input<std::uint32_t, 1> weights,
               Input<std::uint32_t, 1> arities, std::uint64_t rows_per_cell) {
    if (codes.shape(0) == 0 || codes.shape(0) != weights.size() || codes.shape(1) != arities.size()) {
        throw nb::value_error("the shapes of codes, weights and arities do not match");
    }
    if (rows_per_cell == 0) throw nb::value_error("rows_per_cell must be at least 1");
    std::unique_ptr<TestTable> table;
    run_monitored({}, [&](Monitor& monitor) {
        table = std::make_unique<TestTable>(view(codes), view(weights), view(arities), monitor);
    });
    new (bound) BoundTests{std::move(table), rows_per_cell};
}

// G², its degrees of freedom and the logarithm of its p-value; none if there are too few rows.
using Outcome = std::optional<std::tuple<double, std::uint64_t, double>>;

Outcome test(const BoundTests& bound, std::uint16_t first, std::uint16_t second, Input<std::uint16_t, 1> given) {
    std::vector<std::uint16_t> members(given.data(), given.data() + given.size());
    members.insert(members.end(), {first, second});
    std::sort(members.begin(), members.end());
    if (members.back() >= bound.table->variables() ||
        std::adjacent_find(members.begin(), members.end()) != members.end()) {
        throw nb::value_error("a test names a variable that does not exist, or one twice");
    }
    IndependenceTester tester(*bound.table, bound.rows_per_cell);
    tester.set_target(first);
    if (!tester.is_possible(second, view(given))) return std::nullopt;
    const IndependenceTest test = tester.test(second, view(given));
    const double half = std::ldexp(static_cast<double>(test.statistic), -bound.table->unit_bits());
    const double log_p = test.freedom == 0 ? 0.0 : ChiSquareTail().log_tail(half, test.freedom);
    return std::tuple(2 * half, test.freedom, log_p);
}

void max_min(const BoundTests& bound, double alpha, std::size_t most_given, Input<std::uint32_t, 1> rank,
             unsigned threads, Output<double, 2> least, Output<std::uint64_t, 1> tests, const Progress& progress) {
    const std::size_t n = bound.table->variables();
    if (rank.size() != n || least.shape(0) != n || least.shape(1) != n || tests.size() != n) {
        throw nb::value_error("the shapes of rank, least and tests do not match the number of variables");
    }
    run_monitored(progress, [&](Monitor& monitor) {
        max_min_parents_and_children(*bound.table, {alpha, bound.rows_per_cell, most_given, view(rank), threads},
                                     {least.data(), least.size()}, {tests.data(), tests.size()}, monitor);
    });
}

void pair_statistics(const BoundTests& bound, unsigned threads, Output<std::int64_t, 2> out, const Progress& progress) {
    const std::size_t n = bound.table->variables();
    if (out.shape(0) != n || out.shape(1) != n)
        throw nb::value_error("out must have one entry for every two variables");
    run_monitored(progress, [&](Monitor& monitor) {
        pairwise_statistics(*bound.table, threads, {out.data(), out.size()}, monitor);
    });
}

std::size_t most_bytes(std::size_t rows, Input<std::uint32_t, 1> arities, std::uint64_t weight, std::size_t depth,
                       unsigned threads) {
    return TestTable::most_bytes(rows, view(arities), weight, depth, threads);
}

template <class Code>
void bind_constructor(nb::class_<BoundTests>& tests) {
    tests.def("__init__", &construct<Code>, "codes"_a.noconvert(), "weights"_a.noconvert(), "arities"_a.noconvert(),
              "rows_per_cell"_a);
}

}  // namespace

void bind_independence(nb::module_& module) {
    nb::class_<BoundTests> bound(module, "IndependenceTests");
    bind_constructor<std::uint8_t>(bound);
    bind_constructor<std::uint32_t>(bound);
    bound.def("test", &test, "first"_a, "second"_a, "given"_a.noconvert());
    bound.def("max_min", &max_min, "alpha"_a, "most_given"_a, "rank"_a.noconvert(), "threads"_a, "least"_a.noconvert(),
              "tests"_a.noconvert(), "progress"_a.none());
    bound.def("pair_statistics", &pair_statistics, "threads"_a, "out"_a.noconvert(), "progress"_a.none());
    bound.def_static("most_bytes", &most_bytes, "rows"_a, "arities"_a.noconvert(), "weight"_a, "depth"_a, "threads"_a);
    bound.def_prop_ro("unit_bits", [](const BoundTests& self) { return self.table->unit_bits(); });
}

}  // namespace dagscape
