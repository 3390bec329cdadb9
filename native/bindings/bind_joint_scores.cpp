#include <variant>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/scores/joint_scores.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

using Values = Output<std::int64_t, 1>;

// The arguments of a job. The job itself is constructed when it runs, because sorting many rows takes time and Ctrl-C
// must work meanwhile.
struct BoundJob {
    std::variant<Input<std::uint8_t, 2>, Input<std::uint32_t, 2>> codes;
    Input<std::uint32_t, 1> weights;
    Input<std::uint32_t, 1> arities;
    unsigned max_size;
    JointScoreSpec spec;

    JointScoreJob make(Monitor& monitor) const {
        const auto of_codes = [&](const auto& table) {
            return JointScoreJob(view(table), view(weights), view(arities), max_size, spec, monitor);
        };
        return std::visit(of_codes, codes);
    }
};

template <class Code>
void construct(BoundJob* job, Input<Code, 2> codes, Input<std::uint32_t, 1> weights, Input<std::uint32_t, 1> arities,
               unsigned max_size, int term, double alpha, int unit_bits, int guard_bits, double penalty_per_state,
               std::uint64_t max_states) {
    if (codes.shape(0) == 0 || codes.shape(0) != weights.size() || codes.shape(1) != arities.size()) {
        throw nb::value_error("the shapes of codes, weights and arities do not match");
    }
    const JointScoreSpec spec{
        {static_cast<CellTermKind>(term), alpha, unit_bits, guard_bits}, penalty_per_state, max_states};
    new (job) BoundJob{codes, weights, arities, max_size, spec};
}

void run(const BoundJob& job, Values out, unsigned threads, const Progress& progress) {
    if (out.size() != SetIndex(static_cast<unsigned>(job.arities.size()), job.max_size).size()) {
        throw nb::value_error("out must have one entry for each set");
    }
    run_monitored(progress,
                  [&](Monitor& monitor) { job.make(monitor).run({out.data(), out.size()}, threads, monitor); });
}

double seconds_per_set(const BoundJob& job, double budget) {
    double seconds = 0;
    run_monitored({}, [&](Monitor& monitor) { seconds = job.make(monitor).seconds_per_set(budget, monitor); });
    return seconds;
}

double visits_per_set(const BoundJob& job, unsigned samples) {
    double visits = 0;
    run_monitored({}, [&](Monitor& monitor) { visits = job.make(monitor).visits_per_set(samples, monitor); });
    return visits;
}

template <class Code>
void bind_constructor(nb::class_<BoundJob>& job) {
    job.def("__init__", &construct<Code>, "codes"_a.noconvert(), "weights"_a.noconvert(), "arities"_a.noconvert(),
            "max_size"_a, "term"_a, "alpha"_a, "unit_bits"_a, "guard_bits"_a, "penalty_per_state"_a, "max_states"_a);
}

}  // namespace

void bind_joint_scores(nb::module_& module) {
    nb::class_<BoundJob> job(module, "JointScoreJob");
    bind_constructor<std::uint8_t>(job);
    bind_constructor<std::uint32_t>(job);
    job.def("run", &run, "out"_a.noconvert(), "threads"_a, "progress"_a.none());
    job.def("seconds_per_set", &seconds_per_set, "budget"_a);
    job.def("visits_per_set", &visits_per_set, "samples"_a);
    module.attr("IMPOSSIBLE") = kImpossible;
    module.attr("TERM_CACHE_BYTES") = CellTermCache::kCapacity;
}

}  // namespace dagscape
