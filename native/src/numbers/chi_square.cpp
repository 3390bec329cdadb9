#include "dagscape/numbers/chi_square.hpp"

#include <cmath>
#include <limits>

namespace dagscape {
namespace {

constexpr double kPrecise = std::numeric_limits<double>::epsilon() / 2;

double logarithm(double number) noexcept { return nearest_double(fixed_log(number)); }

double exponential(double number) noexcept {
    const Fixed magnitude = fixed(std::abs(number));
    return nearest_double(fixed_exp(number < 0 ? -magnitude : magnitude));
}

// 1 + x/(a + 1) + x²/((a + 1)(a + 2)) + …, which is P(a, x) without its factor e^-x x^a / Γ(a + 1).
double power_series(double a, double x) noexcept {
    double term = 1, sum = 1;
    for (double k = a + 1; term > sum * kPrecise; ++k) {
        term *= x / k;
        sum += term;
    }
    return sum;
}

// 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − 2(2 − a)/(x + 5 − a − …))), which is Q(a, x) without its factor e^-x x^a / Γ(a),
// by Lentz's method. For x >= a + 1 no denominator vanishes.
double continued_fraction(double a, double x) noexcept {
    double b = x + 1 - a;
    double ratio = std::numeric_limits<double>::max();
    double inverse = 1 / b;
    double value = inverse;
    for (double k = 1;; ++k) {
        const double numerator = k * (a - k);
        b += 2;
        inverse = 1 / (numerator * inverse + b);
        ratio = b + numerator / ratio;
        const double step = ratio * inverse;
        value *= step;
        if (std::abs(step - 1) <= 2 * kPrecise) return value;
    }
}

}  // namespace

double ChiSquareTail::log_gamma_of_half(std::uint64_t number) {
    constexpr double kPi = 3.14159265358979323846;
    if (log_gamma_.empty()) log_gamma_ = {fixed_log(kPi) / 2, 0};
    // Γ(z + 1) = z Γ(z)
    while (log_gamma_.size() < number) {
        const std::size_t i = log_gamma_.size();
        log_gamma_.push_back(log_gamma_[i - 2] + fixed_log(static_cast<double>(i - 1) / 2));
    }
    return nearest_double(log_gamma_[number - 1]);
}

double ChiSquareTail::log_tail(double half, std::uint64_t freedom) {
    if (half <= 0) return 0;
    const double a = static_cast<double>(freedom) / 2;
    const double log_factor = a * logarithm(half) - half - log_gamma_of_half(freedom);
    if (half >= a + 1) return log_factor + logarithm(continued_fraction(a, half));
    return logarithm(1 - power_series(a, half) / a * exponential(log_factor));
}

CriticalValues::CriticalValues(double alpha, int unit_bits) : log_alpha_(logarithm(alpha)), unit_bits_(unit_bits) {}

double CriticalValues::log_tail(std::int64_t statistic, std::uint64_t freedom) {
    return tail_.log_tail(std::ldexp(static_cast<double>(statistic), -unit_bits_), freedom);
}

std::int64_t CriticalValues::at(std::uint64_t freedom) {
    if (known_.size() <= freedom) known_.resize(freedom + 1, 0);
    std::int64_t& known = known_[freedom];
    if (known != 0) return known;
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    std::int64_t below = 0, above = std::int64_t{1} << unit_bits_;
    while (above < kLargest / 2 && log_tail(above, freedom) > log_alpha_) below = above, above *= 2;
    while (above - below > 1) {
        const std::int64_t middle = below + (above - below) / 2;
        (log_tail(middle, freedom) <= log_alpha_ ? above : below) = middle;
    }
    return known = above;
}

}  // namespace dagscape
