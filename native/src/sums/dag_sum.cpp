#include "dagscape/sums/dag_sum.hpp"

#include <algorithm>
#include <cmath>

namespace dagscape {

DagSum::DagSum(const ParentSums& sums, unsigned threads, bool record_nondescendants)
    : sums_(sums), n_(sums.n()), threads_(threads), record_nondescendants_(record_nondescendants), range_(sums),
      forward_(sums, range_) {}

DagBackward& DagSum::backward() {
    if (!backward_) backward_.emplace(sums_, range_, forward_.numbers(), record_nondescendants_);
    return *backward_;
}

// Computes what is not part of the state, if it is missing.
void DagSum::prepare(bool for_backward, Monitor& monitor) {
    if (!forward_prepared_) forward_.start(threads_, monitor);
    forward_prepared_ = true;
    if (step_ < forward_steps()) return;
    if (!condition_) condition_ = forward_.condition(threads_, monitor);
    if (!for_backward || backward_prepared_) return;
    backward().start(threads_, monitor);
    backward_prepared_ = true;
}

void DagSum::run_until(unsigned end, Monitor& monitor) {
    // A step visits each tile of a layer and each set disjoint from it.
    const unsigned variables = n_ - kLaneVariables;
    const auto pairs = static_cast<std::uint64_t>(std::pow(3.0, variables));
    monitor.expect(end > forward_steps() ? 2 * pairs : pairs);
    const auto size = [&](unsigned step) { return step <= variables ? step : steps() - 1 - step; };
    double sets = 1;  // of the layer
    for (unsigned step = 0; step < step_; ++step) {
        monitor.advance(static_cast<std::uint64_t>(std::ldexp(sets, static_cast<int>(variables - size(step)))));
        if (step < variables) sets = sets * (variables - step) / (step + 1);
        if (step > variables) sets = sets * size(step) / (variables - size(step) + 1);
    }
    const bool for_backward = end > forward_steps();
    for (prepare(for_backward, monitor); step_ < end; prepare(for_backward, monitor)) {
        if (step_ < forward_steps()) {
            forward_.run_layer(size(step_), threads_, monitor);
        } else {
            backward().run_layer(size(step_), threads_, monitor);
        }
        ++step_;
    }
}

DagSumResult DagSum::result() {
    DagSumResult result;
    const Subset all = (Subset{1} << n_) - 1;
    const ScaledNumber total = forward(all);
    result.total_mantissa = total.mantissa;
    result.total_exponent = total.exponent;
    result.condition = condition_.value();
    if (step_ < steps()) return result;
    const ScaledNumber again = backward().numbers().get(all);
    result.disagreement = std::abs(again.mantissa / total.mantissa * power_of_two(again.exponent - total.exponent) - 1);
    DagFeatures& features = backward().features();
    for (const double mass : features.mass()) result.disagreement = std::max(result.disagreement, std::abs(mass - 1));
    result.edges.assign(features.edges().begin(), features.edges().end());
    result.ancestors.assign(features.ancestors().begin(), features.ancestors().end());
    return result;
}

std::vector<std::span<double>> DagSum::state() {
    std::vector<std::span<double>> numbers{forward_.numbers().value};
    if (step_ <= forward_steps()) return numbers;
    numbers.emplace_back(backward().numbers().value);
    numbers.push_back(backward().features().values());
    if (record_nondescendants_) numbers.push_back(backward().nondescendants());
    return numbers;
}

void DagSum::restore(unsigned step) {
    step_ = step;
    forward_prepared_ = backward_prepared_ = false;
    condition_.reset();
}

void DagSum::copy_forward(double* mantissa, double* exponent) const {
    for (Subset set = 0; set < Subset{1} << n_; ++set) {
        const ScaledNumber value = forward(set);
        mantissa[set] = value.mantissa;
        exponent[set] = value.exponent;
    }
}

}  // namespace dagscape
