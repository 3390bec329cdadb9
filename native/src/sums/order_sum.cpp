#include "dagscape/sums/order_sum.hpp"

#include <algorithm>
#include <cmath>

#include "dagscape/numbers/scaled.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/set_walk.hpp"

namespace dagscape {
namespace {

// The semiring of scaled numbers, for walks over sets.
struct ScaledNumbers {
    using Values = SetSums;

    static ScaledNumber zero() noexcept { return {}; }
    static ScaledNumber one() noexcept { return {1, 0}; }
    static ScaledNumber plus(ScaledNumber a, ScaledNumber b) noexcept { return dagscape::plus(a, b); }
    static ScaledNumber times(ScaledNumber a, ScaledNumber b) noexcept { return dagscape::times(a, b); }
    static ScaledNumber finished(ScaledNumber sum) noexcept { return normalised(sum); }
    static ScaledNumber load(const SetSums& values, Subset set) noexcept { return values.get(set); }
    static void store(SetSums& values, Subset set, ScaledNumber value) noexcept {
        values.mantissa[set] = value.mantissa;
        values.exponent[set] = value.exponent;
    }
};

// F forwards, and R backwards.
SetSums sums_of_sets(const ParentSums& sums, const OrderWeights& weights, Direction direction, unsigned threads,
                     Monitor& monitor) {
    SetSums values(std::size_t{1} << sums.n());
    const auto weight = [&](unsigned i, Subset set) { return weights.times(sums.get(i, set), i, set); };
    walk_sets<ScaledNumbers>(sums.n(), direction, values, weight, threads, monitor);
    return values;
}

constexpr Subset kSetsBetweenChecks = 1 << 14;

// P(u → v) for all u.
void add_edges(const ParentSums& sums, const OrderWeights& weights, const SetSums& forward, const SetSums& backward,
               unsigned v, OrderSumResult& result, Monitor& monitor) {
    const unsigned n = sums.n();
    const Subset all = (Subset{1} << n) - 1;
    for (Subset set = 0; set <= all; ++set) {
        if (set % kSetsBetweenChecks == 0) {
            monitor.advance(std::min(kSetsBetweenChecks, all + 1));
            monitor.check();
        }
        if (contains(set, v)) continue;
        const Subset more = set | singleton(v);
        const ScaledNumber before = weights.times(forward.get(set), v, set);
        const double scale = before.exponent + backward.exponent[more] - result.total_exponent;
        const double weight = before.mantissa * backward.mantissa[more] / result.total_mantissa;
        for_each_member(set, [&](unsigned u) {
            const Subset less = set & ~singleton(u);
            const double whole = sums.mantissa(v, set) * power_of_two(scale + sums.exponent(v, set));
            const double rest = sums.mantissa(v, less) * power_of_two(scale + sums.exponent(v, less));
            result.edges[u * n + v] += weight * (whole - rest);
        });
    }
}

}  // namespace

SetSums order_forward(const ParentSums& sums, unsigned threads, Monitor& monitor, const OrderWeights& weights) {
    return sums_of_sets(sums, weights, Direction::forwards, threads, monitor);
}

ScaledNumber order_total(const ParentSums& sums, unsigned threads, Monitor& monitor, const OrderWeights& weights) {
    const Subset all = (Subset{1} << sums.n()) - 1;
    monitor.expect(all + 1);
    return order_forward(sums, threads, monitor, weights).get(all);
}

OrderSumResult order_sum(const ParentSums& sums, unsigned threads, Monitor& monitor, const OrderWeights& weights) {
    const unsigned n = sums.n();
    const Subset all = (Subset{1} << n) - 1;
    monitor.expect((2 + n) * (all + 1));
    const SetSums forward = order_forward(sums, threads, monitor, weights);
    const SetSums backward = sums_of_sets(sums, weights, Direction::backwards, threads, monitor);
    OrderSumResult result;
    result.total_mantissa = forward.mantissa[all];
    result.total_exponent = forward.exponent[all];
    result.disagreement = std::abs(
        backward.mantissa[0] * power_of_two(backward.exponent[0] - result.total_exponent) / result.total_mantissa - 1);
    result.edges.assign(std::size_t{n} * n, 0);
    run_tasks(n, threads, monitor, [&](std::size_t v, unsigned) {
        add_edges(sums, weights, forward, backward, static_cast<unsigned>(v), result, monitor);
    });
    return result;
}

}  // namespace dagscape
