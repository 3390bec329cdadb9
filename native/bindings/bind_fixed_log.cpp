#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "dagscape/numbers/fixed_log.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dagscape {
namespace {

double natural_log(std::uint64_t mantissa, int exponent) {
    if (mantissa == 0 || exponent <= -(1 << 15) || exponent >= 1 << 15) {
        throw nb::value_error("the mantissa must be positive, and the exponent between -32767 and 32767");
    }
    return nearest_double(fixed_log(UInt128{mantissa}, exponent));
}

}  // namespace

void bind_fixed_log(nb::module_& module) { module.def("natural_log", &natural_log, "mantissa"_a, "exponent"_a); }

}  // namespace dagscape
