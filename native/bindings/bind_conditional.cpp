#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/scores/conditional_families.hpp"
#include "dagscape/scores/conditional_lattice.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Values = Output<std::int64_t, 1>;

// Numbers in units of 2^-80, each as its upper and its lower 64 bits.
using Words = Input<std::int64_t, 2>;

Fixed from_words(const Words& words, std::size_t row) {
    const auto upper = static_cast<std::uint64_t>(words(row, 0)), lower = static_cast<std::uint64_t>(words(row, 1));
    return static_cast<Fixed>(static_cast<UInt128>(upper) << 64 | lower);
}

void construct_table(MixedTable* table, Input<std::uint32_t, 1> level_counts, Input<std::uint32_t, 2> codes,
                     Input<std::int64_t, 2> numbers) {
    if (codes.shape(0) != numbers.shape(0) || codes.shape(1) + numbers.shape(1) != level_counts.size()) {
        throw nb::value_error("the shapes of the codes, the numbers and the levels do not match");
    }
    new (table) MixedTable{};
    table->codes.resize(codes.shape(1)), table->numbers.resize(numbers.shape(1));
    std::uint32_t discrete = 0, measured = 0;
    for (const std::uint32_t levels : view(level_counts)) {
        table->is_discrete.push_back(levels > 0);
        table->place.push_back(levels > 0 ? discrete++ : measured++);
        if (levels > 0) table->arities.push_back(levels);
    }
    if (discrete != codes.shape(1)) throw nb::value_error("the number of discrete variables does not match");
    for (std::size_t row = 0; row < codes.shape(0); ++row) {
        for (std::size_t i = 0; i < discrete; ++i) {
            if (codes(row, i) >= table->arities[i]) throw nb::value_error("a code is not below the number of levels");
            table->codes[i].push_back(codes(row, i));
        }
        for (std::size_t i = 0; i < measured; ++i) table->numbers[i].push_back(numbers(row, i));
    }
}

// `words` are ln π and, with a prior, the degrees of freedom, ln α, and two values of lnΓ; α is 0 if there is no prior.
void construct_function(CellFunction* function, Input<std::uint32_t, 1> rows, Input<std::int32_t, 1> scale,
                        Input<std::int32_t, 1> natural, Words words, double alpha, Input<double, 2> nu,
                        Input<double, 2> diagonal, Words prior_logs, double price, std::uint64_t max_states,
                        int unit_bits, int guard_bits) {
    const std::size_t columns = scale.size(), of_prior = alpha > 0 ? columns : 0;
    if (natural.size() != columns || words.shape(1) != 2 || words.shape(0) != (alpha > 0 ? 5U : 1U) ||
        nu.shape(0) != of_prior || nu.shape(1) != 2 || diagonal.shape(0) != of_prior || diagonal.shape(1) != 2 ||
        prior_logs.shape(0) != of_prior || prior_logs.shape(1) != 2) {
        throw nb::value_error("the shapes of the columns, the logarithms and the prior do not match");
    }
    new (function) CellFunction{};
    function->rows.assign(rows.data(), rows.data() + rows.size());
    function->scale.assign(scale.data(), scale.data() + columns);
    function->natural.assign(natural.data(), natural.data() + columns);
    function->log_pi = from_words(words, 0);
    function->price = price;
    function->max_states = max_states;
    function->unit_bits = unit_bits;
    function->guard_bits = guard_bits;
    if (of_prior == 0) return;
    GaussianPrior prior{
        alpha, from_words(words, 1), from_words(words, 2), {from_words(words, 3), from_words(words, 4)}, {}, {}, {}};
    for (std::size_t i = 0; i < columns; ++i) {
        prior.nu.push_back({nu(i, 0), nu(i, 1)});
        prior.diagonal.push_back({diagonal(i, 0), diagonal(i, 1)});
        prior.logs.push_back(from_words(prior_logs, i));
    }
    function->prior = std::move(prior);
}

void check_function(const MixedTable& table, const CellFunction& function) {
    const std::size_t rows = !table.numbers.empty() ? table.numbers[0].size()
                             : !table.codes.empty() ? table.codes[0].size()
                                                    : 0;
    const auto wrong = [&](std::uint32_t row) { return row >= rows; };
    if (function.scale.size() != table.measured() || std::any_of(function.rows.begin(), function.rows.end(), wrong)) {
        throw nb::value_error("a function has other rows or columns than the table");
    }
}

std::unique_ptr<ConditionalLattice> make_lattice(const MixedTable& table, const CellFunction& function,
                                                 unsigned max_size) {
    check_function(table, function);
    return std::make_unique<ConditionalLattice>(table, function, max_size);
}

std::vector<std::vector<std::uint16_t>> run(const ConditionalLattice& lattice, Input<std::int64_t, 1> of_discrete,
                                            Values out, unsigned threads, const Progress& progress) {
    if (out.size() != lattice.index().size() || of_discrete.size() != lattice.discrete_index().size()) {
        throw nb::value_error("there must be one entry for each set");
    }
    std::vector<std::vector<std::uint16_t>> open;
    run_monitored(progress, [&](Monitor& monitor) {
        open = lattice.run(view(of_discrete), {out.data(), out.size()}, threads, monitor);
    });
    return open;
}

std::uint64_t trial(const ConditionalLattice& lattice, const std::vector<std::uint32_t>& discrete, unsigned most) {
    Monitor monitor;
    return lattice.trial(discrete, most, monitor);
}

std::unique_ptr<ConditionalFamilies> make_families(const MixedTable& table, const std::vector<CellFunction>& functions,
                                                   Input<std::uint32_t, 1> function_of, unsigned max_size,
                                                   unsigned threads, std::size_t most_bytes) {
    const auto numbers = view(function_of);
    const auto wrong = [&](std::uint32_t number) { return number >= functions.size(); };
    if (numbers.size() != table.variables() || std::any_of(numbers.begin(), numbers.end(), wrong)) {
        throw nb::value_error("a child refers to a function that does not exist");
    }
    for (const CellFunction& function : functions) check_function(table, function);
    return std::make_unique<ConditionalFamilies>(table, functions, std::vector(numbers.begin(), numbers.end()),
                                                 max_size, threads, most_bytes);
}

// Work on fewer rows takes milliseconds, and is not worth a separate thread.
constexpr std::size_t kBriefRows = std::size_t{1} << 16;

void run_families(std::size_t rows, const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    (rows > kBriefRows ? run_monitored : run_here)(progress, kernel);
}

void check_members(const ConditionalFamilies& families, std::uint16_t child, std::span<const std::uint16_t> members) {
    const MixedTable& table = families.table();
    const auto wrong = [&](std::uint16_t member) { return member >= table.variables() || member == child; };
    if (child >= table.variables() || table.is_discrete[child] || std::any_of(members.begin(), members.end(), wrong)) {
        throw nb::value_error("the child is not measured, or a family contains it twice or an unknown variable");
    }
}

void scores(ConditionalFamilies& families, std::uint16_t child, Input<std::uint16_t, 2> sets, Values out,
            const Progress& progress) {
    check_members(families, child, view(sets));
    if (out.size() != sets.shape(0)) throw nb::value_error("out must have one entry for each set");
    run_families(out.size() * families.table().numbers[0].size(), progress, [&](Monitor& monitor) {
        families.scores(child, view(sets), sets.shape(1), {out.data(), out.size()}, monitor);
    });
}

void additions(ConditionalFamilies& families, std::uint16_t child, Input<std::uint16_t, 1> parents,
               Input<std::uint16_t, 1> candidates, Values out, const Progress& progress) {
    check_members(families, child, view(parents));
    check_members(families, child, view(candidates));
    if (out.size() != candidates.size()) throw nb::value_error("out must have one entry for each candidate");
    run_families(out.size() * families.table().numbers[0].size(), progress, [&](Monitor& monitor) {
        families.additions(child, view(parents), view(candidates), {out.data(), out.size()}, monitor);
    });
}

std::tuple<std::int64_t, std::vector<std::uint32_t>, bool> parts(const ConditionalFamilies& families,
                                                                 std::uint32_t function,
                                                                 const std::vector<std::uint16_t>& members) {
    const auto wrong = [&](std::uint16_t member) { return member >= families.table().variables(); };
    if (function >= families.functions() || std::any_of(members.begin(), members.end(), wrong)) {
        throw nb::value_error("there is no such function or variable");
    }
    SetParts found = families.parts(function, members);
    return {found.sum, std::move(found.open), found.impossible};
}

std::pair<std::int64_t, std::uint64_t> constant(const ConditionalFamilies& families, std::uint32_t function,
                                                std::uint64_t rows, unsigned columns) {
    const Fixed found = families.constant(function, rows, columns);
    return {static_cast<std::int64_t>(found >> 64), static_cast<std::uint64_t>(found)};
}

}  // namespace

void bind_conditional(nb::module_& module) {
    nb::class_<MixedTable>(module, "MixedTable")
        .def("__init__", &construct_table, "level_counts"_a.noconvert(), "codes"_a.noconvert(),
             "numbers"_a.noconvert());

    nb::class_<CellFunction>(module, "CellFunction")
        .def("__init__", &construct_function, "rows"_a.noconvert(), "scale"_a.noconvert(), "natural"_a.noconvert(),
             "words"_a.noconvert(), "alpha"_a, "nu"_a.noconvert(), "diagonal"_a.noconvert(), "prior_logs"_a.noconvert(),
             "price"_a, "max_states"_a, "unit_bits"_a, "guard_bits"_a);

    nb::class_<ConditionalLattice> lattice(module, "ConditionalLattice");
    lattice.def(nb::new_(&make_lattice), "table"_a, "function"_a, "max_size"_a, nb::keep_alive<1, 2>());
    lattice.def("run", &run, "of_discrete"_a.noconvert(), "out"_a.noconvert(), "threads"_a, "progress"_a.none());
    lattice.def("trial", &trial, "discrete"_a, "most_measured"_a);
    lattice.def_static("bytes", &ConditionalLattice::bytes, "rows"_a, "discrete"_a, "measured"_a, "max_size"_a,
                       "threads"_a);

    nb::class_<ConditionalFamilies> families(module, "ConditionalFamilies");
    families.def(nb::new_(&make_families), "table"_a, "functions"_a, "function_of"_a.noconvert(), "max_size"_a,
                 "threads"_a, "most_bytes"_a);
    families.def("scores", &scores, "child"_a, "sets"_a.noconvert(), "out"_a.noconvert(), "progress"_a.none());
    families.def("additions", &additions, "child"_a, "parents"_a.noconvert(), "candidates"_a.noconvert(),
                 "out"_a.noconvert(), "progress"_a.none());
    families.def("parts", &parts, "function"_a, "members"_a);
    families.def("constant", &constant, "function"_a, "rows"_a, "columns"_a);
    families.def_static("fixed_bytes", &ConditionalFamilies::fixed_bytes, "rows"_a, "variables"_a, "functions"_a,
                        "max_size"_a, "threads"_a);
    families.def_prop_ro("cached_sets", &ConditionalFamilies::cached);
    families.def_prop_ro("bytes", &ConditionalFamilies::bytes);
}

}  // namespace dagscape
