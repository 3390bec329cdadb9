#include "dagscape/parent_sums.hpp"

#include <algorithm>
#include <numbers>

#include "dagscape/parallel.hpp"

namespace dagscape {
namespace {

constexpr std::size_t kSetsBetweenChecks = std::size_t{1} << 16;

// Adds the numbers at `from` to those at `to`, and keeps mantissas in [1/2, 1).
void add_scaled(double* to_mantissa, double* to_exponent, const double* from_mantissa, const double* from_exponent,
                std::size_t count) {
    for (std::size_t i = 0; i < count; i += 4) {
        const Lanes a = load(to_exponent + i);
        const Lanes b = load(from_exponent + i);
        Lanes exponent = a > b ? a : b;
        Lanes mantissa =
            load(to_mantissa + i) * power_of_two(a - exponent) + load(from_mantissa + i) * power_of_two(b - exponent);
        const auto carry = mantissa >= broadcast(1);
        mantissa = carry ? mantissa * broadcast(0.5) : mantissa;
        exponent = carry ? exponent + broadcast(1) : exponent;
        store(to_mantissa + i, mantissa);
        store(to_exponent + i, exponent);
    }
}

}  // namespace

ParentSums::ParentSums(unsigned n, std::span<const std::int64_t> scores, int unit_bits, unsigned threads,
                       Monitor& monitor)
    : n_(n), mantissa_(std::size_t{n} << (n - 1)), exponent_(std::size_t{n} << (n - 1)) {
    const std::size_t sets = std::size_t{1} << (n - 1);
    run_tasks(n, threads, monitor, [&](std::size_t v, unsigned) {
        fill(static_cast<unsigned>(v), scores.subspan(v * sets, sets), unit_bits, monitor);
    });
}

void ParentSums::fill(unsigned v, std::span<const std::int64_t> scores, int unit_bits, const Monitor& monitor) {
    const std::size_t sets = scores.size();
    // Padded to whole lanes: two variables have but two sets.
    std::vector<double> exponent(std::max<std::size_t>(sets, 4), kNothing);
    std::vector<double> mantissa(exponent.size(), 0.0);
    for (std::size_t set = 0; set < sets; ++set) {
        if (set % kSetsBetweenChecks == 0) monitor.check();
        if (scores[set] == INT64_MIN) continue;
        // In long double: the whole part may need 30 bits of the 64.
        const long double log2 =
            std::ldexp(static_cast<long double>(scores[set]), -unit_bits) * std::numbers::log2e_v<long double>;
        const long double whole = std::floor(log2) + 1;
        mantissa[set] = std::exp2(static_cast<double>(log2 - whole));
        exponent[set] = static_cast<double>(whole);
    }
    for (unsigned bit = 0; (std::size_t{1} << bit) < sets; ++bit) {
        monitor.check();
        const std::size_t step = std::size_t{1} << bit;
        if (step >= 4) {
            for (std::size_t block = 0; block < sets; block += 2 * step) {
                if (block % kSetsBetweenChecks == 0) monitor.check();
                add_scaled(&mantissa[block + step], &exponent[block + step], &mantissa[block], &exponent[block], step);
            }
            continue;
        }
        // Within one group of lanes: each set that holds the bit gets the one without it.
        for (std::size_t group = 0; group < exponent.size(); group += 4) {
            Lanes from_mantissa{}, from_exponent = broadcast(kNothing);
            for (std::size_t lane = 0; lane < 4; ++lane) {
                if ((lane & step) == 0) continue;
                from_mantissa[lane] = mantissa[group + lane - step];
                from_exponent[lane] = exponent[group + lane - step];
            }
            double addend[4], addend_exponent[4];
            store(addend, from_mantissa);
            store(addend_exponent, from_exponent);
            add_scaled(&mantissa[group], &exponent[group], addend, addend_exponent, 4);
        }
    }
    for (std::size_t set = 0; set < sets; ++set) {
        if (set % kSetsBetweenChecks == 0) monitor.check();
        const std::size_t at = (std::size_t{v} << (n_ - 1)) + set;
        mantissa_[at] = mantissa[set];
        exponent_[at] = mantissa[set] == 0 ? kPackedNothing : static_cast<std::int32_t>(exponent[set]);
    }
}

}  // namespace dagscape
