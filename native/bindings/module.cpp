#include "bindings.hpp"

namespace nb = nanobind;

namespace {

// Whether this processor supports the kernels built for x86-64-v3.
bool supports_v3() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

}  // namespace

NB_MODULE(DAGSCAPE_MODULE, module) {
    nb::set_leak_warnings(false);
    module.def("supports_v3", &supports_v3);
    dagscape::bind_best(module);
    dagscape::bind_editable_dag(module);
    dagscape::bind_equivalence(module);
    dagscape::bind_families(module);
    dagscape::bind_family_scorer(module);
    dagscape::bind_joint_scores(module);
    dagscape::bind_modes(module);
    dagscape::bind_sums(module);
}
