// The zeta transform in each semiring, compared with its definition as a sum over all subsets or supersets.
#include <algorithm>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/sets/zeta.hpp"

using namespace dagscape;

namespace {

bool is_summed(std::size_t part, std::size_t set, Over over) {
    return over == Over::subsets ? (part & ~set) == 0 : (set & ~part) == 0;
}

// Small integers, so that sums are exact in any order.
template <Over over>
void sums_are_right(unsigned n, std::mt19937& random) {
    const std::size_t sets = std::size_t{1} << n;
    std::uniform_int_distribution<int> value(0, 1000);
    std::vector<std::int64_t> given(sets);
    for (std::int64_t& at : given) at = value(random) < 300 ? kRuledOut : value(random);
    std::vector<std::int64_t> best = given;
    std::vector<double> plain(sets), mantissa(sets), exponent(sets);
    for (std::size_t set = 0; set < sets; ++set) {
        plain[set] = given[set] == kRuledOut ? 0 : static_cast<double>(given[set]);
        const ScaledNumber scaled = normalised(ScaledNumber{plain[set], 5000});
        mantissa[set] = scaled.mantissa;
        exponent[set] = scaled.exponent;
    }
    const std::vector<double> addends = plain;
    unsigned checks = 0;
    zeta<Sums, over>(plain.data(), sets, [&] { ++checks; });
    zeta<Maxima, over>(best.data(), sets, [] {});
    zeta<ScaledSums, over>({mantissa.data(), exponent.data()}, sets, [] {});
    CHECK(checks > 0);
    for (std::size_t set = 0; set < sets; ++set) {
        double sum = 0;
        std::int64_t largest = kRuledOut;
        for (std::size_t part = 0; part < sets; ++part) {
            if (!is_summed(part, set, over)) continue;
            sum += addends[part];
            largest = std::max(largest, given[part]);
        }
        CHECK(plain[set] == sum);
        CHECK(best[set] == largest);
        const ScaledNumber scaled = normalised(ScaledNumber{sum, 5000});
        CHECK(mantissa[set] == scaled.mantissa && exponent[set] == scaled.exponent);
    }
}

// Numbers so far apart that only one of them contributes to a sum.
void no_range_is_too_wide() {
    std::vector<double> mantissa{0.5, 0.75, 0, 0.5, 0.5, 0.625, 0, 0.5};
    std::vector<double> exponent{-90000, 4000, kNothing, -90000, 70000, 70000, kNothing, 0};
    zeta<ScaledSums, Over::subsets>({mantissa.data(), exponent.data()}, 8, [] {});
    CHECK(mantissa[3] == 0.75 && exponent[3] == 4000);
    CHECK(mantissa[7] == 0.5625 && exponent[7] == 70001);
    CHECK(mantissa[2] == 0.5 && exponent[2] == -90000);
}

}  // namespace

int main() {
    std::mt19937 random(8);
    for (unsigned n = 2; n <= 9; ++n) {
        sums_are_right<Over::subsets>(n, random);
        sums_are_right<Over::supersets>(n, random);
    }
    no_range_is_too_wide();
}
