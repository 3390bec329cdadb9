#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/scores/determinant_families.hpp"
#include "dagscape/scores/determinant_lattice.hpp"
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

void construct(DeterminantFunction* function, Input<double, 2> high, Input<double, 2> low,
               Input<std::uint32_t, 1> first, Words prior_logs, Words logs, Input<std::uint8_t, 1> possible,
               Words constants, Input<double, 1> prior_factors, Input<double, 1> factors, double least_eigenvalue,
               double least_determinant, int unit_bits) {
    const std::size_t columns = high.shape(0), variables = logs.shape(0), sizes = possible.size();
    const auto places = view(first);
    if (high.shape(1) != columns || low.shape(0) != columns || low.shape(1) != columns ||
        places.size() != variables + 1 || !divides(places, columns) || prior_logs.shape(0) != variables ||
        logs.shape(1) != 2 || prior_logs.shape(1) != 2 || sizes != columns + 1 || constants.shape(0) != sizes ||
        constants.shape(1) != 2 || prior_factors.size() != sizes || factors.size() != sizes) {
        throw nb::value_error("the shapes of the matrix, the logarithms and the constants do not match");
    }
    new (function) DeterminantFunction{};
    function->high.assign(high.data(), high.data() + high.size());
    function->low.assign(low.data(), low.data() + low.size());
    function->first.assign(places.begin(), places.end());
    for (std::size_t v = 0; v < variables; ++v) {
        function->logs.push_back({from_words(prior_logs, v), from_words(logs, v)});
    }
    function->possible.assign(possible.data(), possible.data() + sizes);
    for (std::size_t d = 0; d < sizes; ++d) function->constant.push_back(from_words(constants, d));
    function->prior_factor.assign(prior_factors.data(), prior_factors.data() + sizes);
    function->factor.assign(factors.data(), factors.data() + sizes);
    function->least_eigenvalue = least_eigenvalue;
    function->least_determinant = least_determinant;
    function->unit_bits = unit_bits;
}

std::vector<std::vector<std::uint16_t>> run(const DeterminantLattice& lattice, Values out, unsigned threads,
                                            const Progress& progress) {
    if (out.size() != lattice.index().size()) throw nb::value_error("out must have one entry for each set");
    std::vector<std::vector<std::uint16_t>> open;
    run_monitored(progress, [&](Monitor& monitor) { open = lattice.run({out.data(), out.size()}, threads, monitor); });
    return open;
}

std::unique_ptr<DeterminantFamilies> make_families(const std::vector<DeterminantFunction>& functions,
                                                   Input<std::uint32_t, 1> function_of) {
    const auto numbers = view(function_of);
    for (const std::uint32_t number : numbers) {
        if (number >= functions.size() || functions[number].variables() != numbers.size()) {
            throw nb::value_error("a child refers to a function that does not exist, or of other variables");
        }
    }
    return std::make_unique<DeterminantFamilies>(functions, std::vector(numbers.begin(), numbers.end()));
}

// Work on fewer families takes milliseconds, and is not worth a separate thread.
constexpr std::size_t kFewFamilies = 2048;

void run_families(std::size_t families, const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    (families > kFewFamilies ? run_monitored : run_here)(progress, kernel);
}

void check_members(const DeterminantFamilies& families, std::uint16_t child, std::span<const std::uint16_t> members) {
    const auto wrong = [&](std::uint16_t member) { return member >= families.variables() || member == child; };
    if (child >= families.variables() || std::any_of(members.begin(), members.end(), wrong)) {
        throw nb::value_error("a family contains a variable that does not exist, or the child as its own parent");
    }
}

void scores(const DeterminantFamilies& families, std::uint16_t child, Input<std::uint16_t, 2> sets, Values out,
            const Progress& progress) {
    check_members(families, child, view(sets));
    if (out.size() != sets.shape(0)) throw nb::value_error("out must have one entry for each set");
    run_families(out.size(), progress, [&](Monitor& monitor) {
        families.scores(child, view(sets), sets.shape(1), {out.data(), out.size()}, monitor);
    });
}

void additions(const DeterminantFamilies& families, std::uint16_t child, Input<std::uint16_t, 1> parents,
               Input<std::uint16_t, 1> candidates, Values out, const Progress& progress) {
    check_members(families, child, view(parents));
    check_members(families, child, view(candidates));
    if (out.size() != candidates.size()) throw nb::value_error("out must have one entry for each candidate");
    run_families(out.size(), progress, [&](Monitor& monitor) {
        families.additions(child, view(parents), view(candidates), {out.data(), out.size()}, monitor);
    });
}

}  // namespace

void bind_determinants(nb::module_& module) {
    nb::class_<DeterminantFunction> function(module, "DeterminantFunction");
    function.def("__init__", &construct, "high"_a.noconvert(), "low"_a.noconvert(), "first"_a.noconvert(),
                 "prior_logs"_a.noconvert(), "logs"_a.noconvert(), "possible"_a.noconvert(), "constants"_a.noconvert(),
                 "prior_factors"_a.noconvert(), "factors"_a.noconvert(), "least_eigenvalue"_a, "least_determinant"_a,
                 "unit_bits"_a);

    nb::class_<DeterminantLattice> lattice(module, "DeterminantLattice");
    lattice.def(nb::init<DeterminantFunction, unsigned>(), "function"_a, "max_size"_a);
    lattice.def("run", &run, "out"_a.noconvert(), "threads"_a, "progress"_a.none());
    lattice.def_prop_ro("bytes_per_thread", &DeterminantLattice::bytes_per_thread);

    nb::class_<DeterminantFamilies> families(module, "DeterminantFamilies");
    families.def(nb::new_(&make_families), "functions"_a, "function_of"_a.noconvert());
    families.def("scores", &scores, "child"_a, "sets"_a.noconvert(), "out"_a.noconvert(), "progress"_a.none());
    families.def("additions", &additions, "child"_a, "parents"_a.noconvert(), "candidates"_a.noconvert(),
                 "out"_a.noconvert(), "progress"_a.none());
    families.def_prop_ro("bytes", &DeterminantFamilies::bytes);
    module.attr("OPEN") = kOpen;
}

}  // namespace dagscape
