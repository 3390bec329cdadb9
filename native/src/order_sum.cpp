#include "dagscape/order_sum.hpp"

#include <algorithm>
#include <cmath>

#include "dagscape/parallel.hpp"

namespace dagscape {
namespace {

// A sum of positive scaled numbers, kept relative to the largest exponent so far.
struct ScaledSum {
    double mantissa = 0;
    double exponent = kNothing;

    void add(double other, double other_exponent) {
        if (other == 0) return;
        if (other_exponent > exponent) {
            mantissa *= power_of_two(exponent - other_exponent);
            exponent = other_exponent;
        }
        mantissa += other * power_of_two(other_exponent - exponent);
    }
    void normalise() {
        if (mantissa == 0) return;
        int shift = 0;
        mantissa = std::frexp(mantissa, &shift);
        exponent += shift;
    }
};

struct Lattice {
    explicit Lattice(std::size_t sets) : mantissa(sets, 0), exponent(sets, kNothing) {}

    void set(Subset at, ScaledSum value) {
        value.normalise();
        mantissa[at] = value.mantissa;
        exponent[at] = value.exponent;
    }

    std::vector<double> mantissa, exponent;
};

constexpr Subset kSetsBetweenChecks = 1 << 14;

}  // namespace

OrderSumResult order_sum(const ParentSums& sums, unsigned threads, Monitor& monitor) {
    const unsigned n = sums.n();
    const Subset all = (Subset{1} << n) - 1;
    const auto report = [&](Subset set) {
        if (set % kSetsBetweenChecks != 0) return;
        monitor.advance(std::min(kSetsBetweenChecks, all + 1));
        monitor.check();
    };
    monitor.expect((2 + n) * (all + 1));
    Lattice forward(all + 1), backward(all + 1);
    forward.mantissa[0] = 1;
    forward.exponent[0] = 0;
    for (Subset set = 1; set <= all; ++set) {
        ScaledSum sum;
        for_each_member(set, [&](unsigned i) {
            const Subset less = set & ~singleton(i);
            sum.add(forward.mantissa[less] * sums.mantissa(i, less), forward.exponent[less] + sums.exponent(i, less));
        });
        forward.set(set, sum);
        report(set);
    }
    backward.mantissa[all] = 1;
    backward.exponent[all] = 0;
    for (Subset set = all; set-- > 0;) {
        ScaledSum sum;
        for_each_member(all & ~set, [&](unsigned i) {
            const Subset more = set | singleton(i);
            sum.add(backward.mantissa[more] * sums.mantissa(i, set), backward.exponent[more] + sums.exponent(i, set));
        });
        backward.set(set, sum);
        report(set);
    }

    OrderSumResult result;
    result.total_mantissa = forward.mantissa[all];
    result.total_exponent = forward.exponent[all];
    result.disagreement = std::abs(
        backward.mantissa[0] * power_of_two(backward.exponent[0] - result.total_exponent) / result.total_mantissa - 1);
    result.edges.assign(n * n, 0);
    run_tasks(n, threads, monitor, [&](std::size_t task, unsigned) {
        const auto v = static_cast<unsigned>(task);
        for (Subset set = 0; set <= all; ++set) {
            report(set);
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
    });
    return result;
}

}  // namespace dagscape
