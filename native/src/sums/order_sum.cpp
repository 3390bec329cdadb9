#include "dagscape/sums/order_sum.hpp"

#include <algorithm>
#include <cmath>

#include "dagscape/numbers/scaled.hpp"
#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

struct Lattice {
    explicit Lattice(std::size_t sets) : mantissa(sets, 0), exponent(sets, kNothing) {}

    ScaledNumber get(Subset at) const noexcept { return {mantissa[at], exponent[at]}; }
    void set(Subset at, ScaledNumber value) noexcept {
        mantissa[at] = value.mantissa;
        exponent[at] = value.exponent;
    }

    std::vector<double> mantissa, exponent;
};

constexpr Subset kSetsBetweenChecks = 1 << 14;

// Called for every set up to `all`.
void report(Subset set, Subset all, Monitor& monitor) {
    if (set % kSetsBetweenChecks != 0) return;
    monitor.advance(std::min(kSetsBetweenChecks, all + 1));
    monitor.check();
}

void sum_forward(const ParentSums& sums, Lattice& forward, Monitor& monitor) {
    const Subset all = (Subset{1} << sums.n()) - 1;
    forward.set(0, {1, 0});
    for (Subset set = 1; set <= all; ++set) {
        ScaledNumber sum;
        for_each_member(set, [&](unsigned i) {
            const Subset less = set & ~singleton(i);
            sum = plus(sum, times(forward.get(less), sums.get(i, less)));
        });
        forward.set(set, normalised(sum));
        report(set, all, monitor);
    }
}

void sum_backward(const ParentSums& sums, Lattice& backward, Monitor& monitor) {
    const Subset all = (Subset{1} << sums.n()) - 1;
    backward.set(all, {1, 0});
    for (Subset set = all; set-- > 0;) {
        ScaledNumber sum;
        for_each_member(all & ~set, [&](unsigned i) {
            sum = plus(sum, times(backward.get(set | singleton(i)), sums.get(i, set)));
        });
        backward.set(set, normalised(sum));
        report(set, all, monitor);
    }
}

// P(u → v) for all u.
void add_edges(const ParentSums& sums, const Lattice& forward, const Lattice& backward, unsigned v,
               OrderSumResult& result, Monitor& monitor) {
    const unsigned n = sums.n();
    const Subset all = (Subset{1} << n) - 1;
    for (Subset set = 0; set <= all; ++set) {
        report(set, all, monitor);
        if (contains(set, v)) continue;
        const Subset more = set | singleton(v);
        const double scale = forward.exponent[set] + backward.exponent[more] - result.total_exponent;
        const double weight = forward.mantissa[set] * backward.mantissa[more] / result.total_mantissa;
        for_each_member(set, [&](unsigned u) {
            const Subset less = set & ~singleton(u);
            const double whole = sums.mantissa(v, set) * power_of_two(scale + sums.exponent(v, set));
            const double rest = sums.mantissa(v, less) * power_of_two(scale + sums.exponent(v, less));
            result.edges[u * n + v] += weight * (whole - rest);
        });
    }
}

}  // namespace

ScaledNumber order_total(const ParentSums& sums, Monitor& monitor) {
    const Subset all = (Subset{1} << sums.n()) - 1;
    monitor.expect(all + 1);
    Lattice forward(all + 1);
    sum_forward(sums, forward, monitor);
    return forward.get(all);
}

OrderSumResult order_sum(const ParentSums& sums, unsigned threads, Monitor& monitor) {
    const unsigned n = sums.n();
    const Subset all = (Subset{1} << n) - 1;
    monitor.expect((2 + n) * (all + 1));
    Lattice forward(all + 1), backward(all + 1);
    sum_forward(sums, forward, monitor);
    sum_backward(sums, backward, monitor);
    OrderSumResult result;
    result.total_mantissa = forward.mantissa[all];
    result.total_exponent = forward.exponent[all];
    result.disagreement = std::abs(
        backward.mantissa[0] * power_of_two(backward.exponent[0] - result.total_exponent) / result.total_mantissa - 1);
    result.edges.assign(std::size_t{n} * n, 0);
    run_tasks(n, threads, monitor, [&](std::size_t v, unsigned) {
        add_edges(sums, forward, backward, static_cast<unsigned>(v), result, monitor);
    });
    return result;
}

}  // namespace dagscape
