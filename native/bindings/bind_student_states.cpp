#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/student/student_states.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

// Smaller problems take a few milliseconds: they run on the calling thread, because EM makes thousands of such calls.
constexpr double kQuickOperations = 1e7;

struct BoundStates {
    std::unique_ptr<StudentStates> states;
    // Calls use buffers of the object, so that only one may run at a time.
    std::unique_ptr<std::mutex> busy;
};

bool are_sets_of_skills(std::span<const std::uint32_t> sets, unsigned skills) {
    return std::all_of(sets.begin(), sets.end(), [&](std::uint32_t set) { return set != 0 && set >> skills == 0; });
}

void construct(BoundStates* bound, Input<std::uint32_t, 1> masks, unsigned skills, Input<std::int8_t, 2> patterns,
               Input<double, 1> weights) {
    if (skills < 1 || skills > kMostSkills) throw nb::value_error("the number of skills must be from 1 to 16");
    if (patterns.size() == 0 || patterns.shape(0) != weights.size() || patterns.shape(1) != masks.size()) {
        throw nb::value_error("the shapes of masks, patterns and weights do not match");
    }
    if (!are_sets_of_skills(view(masks), skills)) {
        throw nb::value_error("a mask is empty, or names a skill that does not exist");
    }
    const auto answers = view(patterns);
    if (!std::all_of(answers.begin(), answers.end(), [](std::int8_t answer) { return answer >= -1 && answer <= 1; })) {
        throw nb::value_error("an answer is neither 0 nor 1, nor -1 (missing)");
    }
    const auto counts = view(weights);
    if (!std::all_of(counts.begin(), counts.end(), [](double w) { return std::isfinite(w) && w >= 0; })) {
        throw nb::value_error("a weight is negative or not finite");
    }
    auto states = std::make_unique<StudentStates>(view(masks), skills, answers, counts);
    new (bound) BoundStates{std::move(states), std::make_unique<std::mutex>()};
}

StudentModelLogs checked(const BoundStates& bound, const Input<double, 1>& log_prior, const Input<double, 1>& right,
                         const Input<double, 1>& wrong, unsigned threads) {
    const StudentModelLogs model{view(log_prior), view(right), view(wrong)};
    if (model.prior.size() != bound.states->states() || model.right.size() != bound.states->cells() ||
        model.wrong.size() != bound.states->cells()) {
        throw nb::value_error("log_prior needs one number for each state, right and wrong one for each cell");
    }
    const auto is_finite_log = [](double value) { return value <= 0 && std::isfinite(value); };
    if (!std::all_of(model.prior.begin(), model.prior.end(), [](double value) { return value < HUGE_VAL; }) ||
        std::none_of(model.prior.begin(), model.prior.end(), [](double value) { return std::isfinite(value); })) {
        throw nb::value_error("log_prior must have no NaN and no infinity, and a state that is possible");
    }
    if (!std::all_of(model.right.begin(), model.right.end(), is_finite_log) ||
        !std::all_of(model.wrong.begin(), model.wrong.end(), is_finite_log)) {
        throw nb::value_error("right and wrong must be finite logarithms of probabilities");
    }
    if (threads == 0) throw nb::value_error("threads must be at least 1");
    return model;
}

void run(const BoundStates& bound, std::size_t patterns, const Progress& progress,
         const std::function<void(Monitor&)>& kernel) {
    const auto alone = [&](Monitor& monitor) {
        const std::lock_guard lock(*bound.busy);
        kernel(monitor);
    };
    const bool quick = bound.states->operations(patterns) < kQuickOperations;
    quick ? run_here(progress, alone) : run_monitored(progress, alone);
}

double expect(const BoundStates& bound, Input<double, 1> log_prior, Input<double, 1> right, Input<double, 1> wrong,
              unsigned threads, Output<double, 1> state_counts, Output<double, 2> cell_counts,
              const Progress& progress) {
    const StudentModelLogs model = checked(bound, log_prior, right, wrong, threads);
    StudentStates& states = *bound.states;
    if (state_counts.size() != states.states() || cell_counts.shape(0) != states.cells() || cell_counts.shape(1) != 2) {
        throw nb::value_error("state_counts needs one number for each state, cell_counts two for each cell");
    }
    double log_likelihood = 0;
    run(bound, states.patterns(), progress, [&](Monitor& monitor) {
        log_likelihood = states.expect(model, threads, {state_counts.data(), state_counts.size()},
                                       {cell_counts.data(), cell_counts.size()}, monitor);
    });
    return log_likelihood;
}

void marginals(const BoundStates& bound, Input<double, 1> log_prior, Input<double, 1> right, Input<double, 1> wrong,
               Input<std::uint32_t, 1> sets, unsigned threads, Output<double, 2> out, Output<double, 1> log_likelihoods,
               const Progress& progress) {
    const StudentModelLogs model = checked(bound, log_prior, right, wrong, threads);
    StudentStates& states = *bound.states;
    const auto of_sets = view(sets);
    if (!are_sets_of_skills(of_sets, states.skills())) {
        throw nb::value_error("a set is empty, or names a skill that does not exist");
    }
    std::size_t width = 0;
    for (const std::uint32_t set : of_sets) width += std::size_t{1} << std::popcount(set);
    if (out.shape(0) != states.patterns() || out.shape(1) != width || log_likelihoods.size() != states.patterns()) {
        throw nb::value_error("out needs a row for each pattern, with a number for each substate of each set");
    }
    run(bound, states.patterns(), progress, [&](Monitor& monitor) {
        states.marginals(model, of_sets, threads, {out.data(), out.size()},
                         {log_likelihoods.data(), log_likelihoods.size()}, monitor);
    });
}

void posteriors(const BoundStates& bound, Input<double, 1> log_prior, Input<double, 1> right, Input<double, 1> wrong,
                unsigned threads, std::size_t first, Output<double, 2> out) {
    const StudentModelLogs model = checked(bound, log_prior, right, wrong, threads);
    StudentStates& states = *bound.states;
    if (out.shape(1) != states.states() || out.shape(0) > states.patterns() ||
        first > states.patterns() - out.shape(0)) {
        throw nb::value_error("out needs one number for each state, and no more rows than there are patterns");
    }
    run(bound, out.shape(0), {},
        [&](Monitor& monitor) { states.posteriors(model, first, threads, {out.data(), out.size()}, monitor); });
}

}  // namespace

void bind_student_states(nb::module_& module) {
    nb::class_<BoundStates> states(module, "StudentStates");
    states.def("__init__", &construct, "masks"_a.noconvert(), "skills"_a, "patterns"_a.noconvert(),
               "weights"_a.noconvert());
    states.def("expect", &expect, "log_prior"_a.noconvert(), "right"_a.noconvert(), "wrong"_a.noconvert(), "threads"_a,
               "state_counts"_a.noconvert(), "cell_counts"_a.noconvert(), "progress"_a.none());
    states.def("marginals", &marginals, "log_prior"_a.noconvert(), "right"_a.noconvert(), "wrong"_a.noconvert(),
               "sets"_a.noconvert(), "threads"_a, "out"_a.noconvert(), "log_likelihoods"_a.noconvert(),
               "progress"_a.none());
    states.def("states", &posteriors, "log_prior"_a.noconvert(), "right"_a.noconvert(), "wrong"_a.noconvert(),
               "threads"_a, "first"_a, "out"_a.noconvert());
    states.def(
        "bytes", [](const BoundStates& self, unsigned threads) { return self.states->bytes(threads); }, "threads"_a);
    states.def_prop_ro("cells", [](const BoundStates& self) { return self.states->cells(); });
}

}  // namespace dagscape
