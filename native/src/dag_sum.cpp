#include "dagscape/dag_sum.hpp"

#include <algorithm>
#include <cmath>

namespace dagscape {

DagSum::DagSum(const ParentSums& sums, unsigned threads, bool record_nondescendants)
    : n_(sums.n()), threads_(threads), range_(sums), forward_(sums, range_),
      backward_(sums, range_, forward_.numbers(), record_nondescendants) {}

DagSumResult DagSum::run(Monitor& monitor) {
    const unsigned layers = n_ - kLaneVariables + 1;
    // Each tile and each set disjoint from it, twice.
    monitor.expect(2 * static_cast<std::uint64_t>(std::pow(3.0, n_ - kLaneVariables)));
    forward_.start(threads_, monitor);
    for (unsigned size = 0; size < layers; ++size) forward_.run_layer(size, threads_, monitor);
    DagSumResult result;
    const Subset all = (Subset{1} << n_) - 1;
    const ScaledNumber total = forward(all);
    result.total_mantissa = total.mantissa;
    result.total_exponent = total.exponent;
    result.condition = forward_.condition(threads_, monitor);
    backward_.start(threads_, monitor);
    for (unsigned size = layers; size-- > 0;) backward_.run_layer(size, threads_, monitor);
    const ScaledNumber again = backward_.numbers().get(all);
    result.disagreement = std::abs(again.mantissa / total.mantissa * power_of_two(again.exponent - total.exponent) - 1);
    const DagFeatures& features = backward_.features();
    for (const double mass : features.mass) result.disagreement = std::max(result.disagreement, std::abs(mass - 1));
    result.edges = features.edges;
    result.ancestors = features.ancestors;
    return result;
}

void DagSum::copy_forward(double* mantissa, double* exponent) const {
    for (Subset set = 0; set < Subset{1} << n_; ++set) {
        const ScaledNumber value = forward(set);
        mantissa[set] = value.mantissa;
        exponent[set] = value.exponent;
    }
}

}  // namespace dagscape
