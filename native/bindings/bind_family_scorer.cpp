#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/scores/family_scorer.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Values = Output<std::int64_t, 1>;

// A set function: its term, alpha, unit_bits, guard_bits, penalty_per_state, max_states, and its subset of the rows.
using Function = std::tuple<int, double, int, int, double, std::uint64_t, std::uint32_t>;

struct BoundScorer {
    std::unique_ptr<FamilyScorer> scores;
};

FamilyFunctions functions_from(const std::vector<Function>& functions, const Input<std::uint8_t, 2>& subsets,
                               const Input<std::uint32_t, 1>& family, const Input<std::uint32_t, 1>& parents,
                               const Input<std::uint32_t, 1>& segments) {
    FamilyFunctions made;
    for (const auto& [term, alpha, unit_bits, guard_bits, penalty_per_state, max_states, subset] : functions) {
        if (subset >= subsets.shape(0))
            throw nb::value_error("a function refers to a subset of the rows that does not exist");
        made.specs.push_back(
            {{static_cast<CellTermKind>(term), alpha, unit_bits, guard_bits}, penalty_per_state, max_states});
        made.subset.push_back(subset);
    }
    made.chosen.assign(subsets.data(), subsets.data() + subsets.size());
    made.segment.assign(segments.data(), segments.data() + segments.size());
    made.family.assign(family.data(), family.data() + family.size());
    made.parents.assign(parents.data(), parents.data() + parents.size());
    for (std::size_t child = 0; child < made.family.size(); ++child) {
        if (std::max(made.family[child], made.parents[child]) >= made.specs.size() ||
            made.subset[made.family[child]] != made.subset[made.parents[child]]) {
            throw nb::value_error("a child refers to functions that do not exist or that use different rows");
        }
    }
    return made;
}

template <class Code>
void construct(BoundScorer* bound, Input<Code, 2> codes, Input<std::uint32_t, 1> weights,
               Input<std::uint32_t, 1> arities, const std::vector<Function>& functions, Input<std::uint8_t, 2> subsets,
               Input<std::uint32_t, 1> family, Input<std::uint32_t, 1> parents, Input<std::uint32_t, 1> segments,
               unsigned threads, std::size_t most_bytes) {
    if (codes.shape(0) == 0 || codes.shape(0) != weights.size() || codes.shape(1) != arities.size() ||
        subsets.shape(1) != weights.size() || family.size() != arities.size() || parents.size() != arities.size() ||
        (segments.size() != 0 && segments.size() != weights.size())) {
        throw nb::value_error("the shapes of codes, weights, arities, subsets, segments and functions do not match");
    }
    FamilyFunctions made = functions_from(functions, subsets, family, parents, segments);
    std::unique_ptr<FamilyScorer> scores;
    run_monitored({}, [&](Monitor& monitor) {
        scores = std::make_unique<FamilyScorer>(view(codes), view(weights), view(arities), std::move(made), threads,
                                                most_bytes, monitor);
    });
    new (bound) BoundScorer{std::move(scores)};
}

// Work of fewer row visits takes milliseconds, and is not worth a separate thread.
constexpr std::size_t kBriefVisits = std::size_t{1} << 22;

void run(std::size_t visits, const Progress& progress, const std::function<void(Monitor&)>& kernel) {
    (visits > kBriefVisits ? run_monitored : run_here)(progress, kernel);
}

void check_members(const FamilyScorer& scores, std::uint16_t child, std::span<const std::uint16_t> members) {
    const auto wrong = [&](std::uint16_t member) { return member >= scores.variables() || member == child; };
    if (child >= scores.variables() || std::any_of(members.begin(), members.end(), wrong)) {
        throw nb::value_error("a family contains a variable that does not exist, or the child as its own parent");
    }
}

void scores(BoundScorer& bound, std::uint16_t child, Input<std::uint16_t, 2> sets, Values out,
            const Progress& progress) {
    check_members(*bound.scores, child, view(sets));
    if (out.size() != sets.shape(0)) throw nb::value_error("out must have one entry for each set");
    const std::size_t visits = sets.shape(0) * (sets.shape(1) + 1) * bound.scores->rows();
    run(visits, progress, [&](Monitor& monitor) {
        bound.scores->scores(child, view(sets), sets.shape(1), {out.data(), out.size()}, monitor);
    });
}

void additions(BoundScorer& bound, std::uint16_t child, Input<std::uint16_t, 1> parents,
               Input<std::uint16_t, 1> candidates, Values out, const Progress& progress) {
    check_members(*bound.scores, child, view(parents));
    check_members(*bound.scores, child, view(candidates));
    if (out.size() != candidates.size()) throw nb::value_error("out must have one entry for each candidate");
    const std::size_t visits = (parents.size() + candidates.size() + 1) * bound.scores->rows();
    run(visits, progress, [&](Monitor& monitor) {
        bound.scores->additions(child, view(parents), view(candidates), {out.data(), out.size()}, monitor);
    });
}

std::size_t fixed_bytes(std::size_t rows, Input<std::uint32_t, 1> arities, std::uint64_t weight, std::size_t subsets,
                        std::size_t terms, unsigned threads, bool segmented) {
    return FamilyScorer::fixed_bytes(rows, view(arities), weight, subsets, terms, threads, segmented);
}

template <class Code>
void bind_constructor(nb::class_<BoundScorer>& scores) {
    scores.def("__init__", &construct<Code>, "codes"_a.noconvert(), "weights"_a.noconvert(), "arities"_a.noconvert(),
               "functions"_a, "subsets"_a.noconvert(), "family"_a.noconvert(), "parents"_a.noconvert(),
               "segments"_a.noconvert(), "threads"_a, "most_bytes"_a);
}

}  // namespace

void bind_family_scorer(nb::module_& module) {
    nb::class_<BoundScorer> bound(module, "FamilyScorer");
    bind_constructor<std::uint8_t>(bound);
    bind_constructor<std::uint32_t>(bound);
    bound.def("scores", &scores, "child"_a, "sets"_a.noconvert(), "out"_a.noconvert(), "progress"_a.none());
    bound.def("additions", &additions, "child"_a, "parents"_a.noconvert(), "candidates"_a.noconvert(),
              "out"_a.noconvert(), "progress"_a.none());
    bound.def_static("fixed_bytes", &fixed_bytes, "rows"_a, "arities"_a.noconvert(), "weight"_a, "subsets"_a, "terms"_a,
                     "threads"_a, "segmented"_a);
    bound.def_prop_ro("cached_sets", [](const BoundScorer& self) { return self.scores->cached_sets(); });
    bound.def_prop_ro("bytes", [](const BoundScorer& self) { return self.scores->bytes(); });
}

}  // namespace dagscape
