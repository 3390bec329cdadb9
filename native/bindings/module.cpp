#include "bindings.hpp"
#include "dagscape/runtime/parallel.hpp"

namespace nb = nanobind;

namespace {

// A build for x86-64-v3 refuses to load on other processors. Nothing that runs before this check may need v3: the
// kernels have no static constructors, and the linker prefers the copies of inline functions that the bindings and
// nanobind, which are compiled for any processor, bring along.
void check_processor() {
#if defined(DAGSCAPE_NEEDS_V3)
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
          __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt"))) {
        throw nb::import_error("the processor does not support x86-64-v3 (AVX2, BMI2 and FMA)");
    }
#endif
}

}  // namespace

NB_MODULE(DAGSCAPE_MODULE, module) {
    check_processor();
    // The importing thread throws exceptions, too. If memory is already short, there is nothing to be done about it.
    static_cast<void>(dagscape::prepare_thread());
    nb::set_leak_warnings(false);
    dagscape::bind_best(module);
    dagscape::bind_block_chain(module);
    dagscape::bind_class_moves(module);
    dagscape::bind_conditional(module);
    dagscape::bind_determinants(module);
    dagscape::bind_editable_dag(module);
    dagscape::bind_equivalence(module);
    dagscape::bind_families(module);
    dagscape::bind_family_scorer(module);
    dagscape::bind_fixed_log(module);
    dagscape::bind_independence(module);
    dagscape::bind_joint_counts(module);
    dagscape::bind_joint_scores(module);
    dagscape::bind_modes(module);
    dagscape::bind_move_evaluator(module);
    dagscape::bind_order_search(module);
    dagscape::bind_sampling(module);
    dagscape::bind_student_states(module);
    dagscape::bind_sums(module);
    dagscape::bind_tiled_order_sum(module);
}
