#include <bit>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dagscape/scores/joint_counts.hpp"
#include "monitored.hpp"

namespace dagscape {
namespace {

void run(Input<std::uint64_t, 1> counts, int count_bits, unsigned max_size, int unit_bits, int guard_bits,
         double penalty_per_state, Output<std::int64_t, 1> out, unsigned threads, const Progress& progress) {
    if (!std::has_single_bit(counts.size()) || counts.size() > std::size_t{1} << 32) {
        throw nb::value_error("counts must have one entry for each joint state");
    }
    if (count_bits < 1 || count_bits > 63) throw nb::value_error("count_bits must be between 1 and 63");
    const SetIndex index(static_cast<unsigned>(std::countr_zero(counts.size())), max_size);
    if (out.size() != index.size()) throw nb::value_error("out must have one entry for each set");
    const JointScoreSpec spec{
        {CellTermKind::entropy, 1.0, unit_bits, guard_bits}, penalty_per_state, std::uint64_t{counts.size()}};
    run_monitored(progress, [&](Monitor& monitor) {
        joint_count_scores({view(counts), count_bits}, index, spec, {out.data(), out.size()}, threads, monitor);
    });
}

}  // namespace

void bind_joint_counts(nb::module_& module) {
    module.def("joint_count_scores", &run, "counts"_a.noconvert(), "count_bits"_a, "max_size"_a, "unit_bits"_a,
               "guard_bits"_a, "penalty_per_state"_a, "out"_a.noconvert(), "threads"_a, "progress"_a.none());
}

}  // namespace dagscape
