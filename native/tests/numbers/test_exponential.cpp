// Exponentials and logarithms of vectors against those of long doubles.
#include "dagscape/numbers/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/numbers/logarithm_lanes.hpp"

using namespace dagscape;

namespace {

using Numbers = std::vector<double>;

void exponentials_have_errors_below_one_unit() {
    std::mt19937 random(1);
    Numbers x{-1e-320, kLeastExponent, -0.34657359027997264, -0.34657359027997275};
    for (int i = 0; i < 20001; ++i)
        x.push_back(-std::ldexp(static_cast<double>(random()), -32) * (i % 2 == 0 ? 1 : 708));
    Numbers found(x.size());
    exponentials_of_nonpositive(x, found);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double expected = std::exp(static_cast<long double>(x[i]));
        const double unit = found[i] - std::nextafter(found[i], 0.0);
        CHECK(std::abs(static_cast<long double>(found[i]) - expected) < unit);
    }
}

void exponentials_at_the_ends() {
    Numbers x{0.0, -0.0, -5e-324, -708.0000001, -1e300, -std::numeric_limits<double>::infinity()};
    exponentials_of_nonpositive(x, x);
    CHECK((x == Numbers{1, 1, 1, 0, 0, 0}));
}

void logarithms_are_accurate() {
    std::mt19937 random(3);
    Numbers x{1.0, 2.0, 0.5, std::sqrt(0.5), std::nextafter(std::sqrt(0.5), 0.0), std::sqrt(2.0), 1e-300, 1e300};
    for (int i = 0; i < 20000; ++i) {
        const double mantissa = 1 + std::ldexp(static_cast<double>(random()), -32);
        x.push_back(std::ldexp(mantissa, static_cast<int>(random() % 2000) - 1000));
        x.push_back(1 + std::ldexp(mantissa - 1.5, -static_cast<int>(random() % 50)));
    }
    for (const double number : x) {
        const double found = log_of_positive(broadcast(number))[0];
        const long double expected = std::log(static_cast<long double>(number));
        const double unit = std::abs(found) - std::nextafter(std::abs(found), 0.0);
        CHECK(std::abs(static_cast<long double>(found) - expected) <= 2 * std::max(unit, 0x1p-54));
    }
    CHECK(log_of_positive(broadcast(1))[3] == 0.0);
}

}  // namespace

int main() {
    exponentials_have_errors_below_one_unit();
    exponentials_at_the_ends();
    logarithms_are_accurate();
    return 0;
}
