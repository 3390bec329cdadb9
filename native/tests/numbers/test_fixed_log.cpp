// Logarithms, exponentials and powers against values from arbitrary-precision arithmetic.
#include <bit>
#include <vector>

#include "check.hpp"
#include "dagscape/numbers/fixed_log.hpp"
#include "dagscape/numbers/score_weights.hpp"

using namespace dagscape;

namespace {

constexpr Fixed make(std::uint64_t high, std::uint64_t low) { return (static_cast<Fixed>(high) << 64) + low; }

Fixed distance(Fixed a, Fixed b) { return a < b ? b - a : a - b; }

void logarithms_are_accurate() {
    struct Case {
        Fixed mantissa;
        int exponent;
        Fixed log;
    };
    const std::vector<Case> cases{
        {make(0x0, 0x1), 0, make(0x0, 0x0)},
        {make(0x0, 0x2), 0, make(0xb172, 0x17f7d1cf79abc9e4)},
        {make(0x0, 0x3), 0, make(0x1193e, 0xa7aad030a976a41a)},
        {make(0x0, 0xa), 0, make(0x24d76, 0x3776aaa2b05ba95b)},
        {make(0x0, 0xffffffff), 0, make(0x162e42, 0xfef939ef3578bc76)},
        {make(0x0, 0xffffffffffffffff), 0, make(0x2c5c85, 0xfdf473de6af178ed)},
        {make(0xffffffffffffffff, 0xffffffffffffffff), -128, make(0x0, 0x0)},
        {make(0x8000000000000000, 0x1), -127, make(0x0, 0x0)},
        {make(0x8080000000000000, 0x0), -127, make(0xff, 0x805515885e025043)},
        {make(0x807fffffffffffff, 0xffffffffffffffff), -127, make(0xff, 0x805515885e025043)},
        {make(0xbf80000000000000, 0x0), -127, make(0x6721, 0xac0b70218a6e8115)},
        {make(0xff80000000000000, 0x0), -127, make(0xb0f1, 0xf7ed232334bc91b0)},
        {make(0x0, 0x1), -1074, -make(0x2e870a8, 0x8dae386c72b4fd47)},
        {make(0x0, 0x1fffffffffffff), 971, make(0x2c5c85f, 0xdf473de6a7278ece)},
        {make(0xd8f4d3e27, 0xdda1494c73cf256d), -80, make(0xdb28c, 0xe51715f013d2fcc2)},
        {make(0x1dcd35f, 0xc7fde805ec99108d), -80, make(0x62aca, 0x67fe61a49d72af9f)},
        {make(0x36b91, 0x8201e2bd73ab4877), -80, make(0x13acd, 0x58610df802e16bcc)},
        {make(0xcdcc69292f45e678, 0x309d6b79965eda33), -200, -make(0x321ff7, 0xf08ddd753b375bc0)},
    };
    for (const auto& [mantissa, exponent, log] : cases) {
        CHECK(distance(fixed_log(static_cast<UInt128>(mantissa), exponent), log) < 8);
    }
    CHECK(fixed_log(std::uint64_t{1}) == 0);
    CHECK(fixed_log(1.0) == 0);
    CHECK(fixed_log(fixed(std::uint64_t{1})) == 0);
    CHECK(fixed_log(0.75) == fixed_log(static_cast<UInt128>(3), -2));
}

// ln(a b) = ln a + ln b, over the whole table of reciprocals.
void products_have_sums_of_logarithms() {
    for (std::uint64_t a = 1; a < 5000; ++a) {
        const std::uint64_t b = 3 * a * a + 1;
        CHECK(distance(fixed_log(a * b), fixed_log(a) + fixed_log(b)) < 24);
    }
}

void exponentials_are_accurate() {
    struct Case {
        Fixed exponent, power;
    };
    const std::vector<Case> cases{
        {make(0x0, 0x0), make(0x10000, 0x0)},
        {make(0x10000, 0x0), make(0x2b7e1, 0x51628aed2a6abf71)},
        {-make(0x10000, 0x0), make(0x5e2d, 0x58d8b3bcdf1abadf)},
        {make(0x160000, 0x0), make(0xd5ad6dce21af, 0xfc0dd9a3592a7c3a)},
        {-make(0x320000, 0x0), make(0x0, 0xe9)},
        {make(0x58b9, 0xbfbe8e7bcd5e4f1), make(0x16a09, 0xe667f3bcc908b2fa)},
        {-make(0x41, 0x89374bc6a7ef9db2), make(0xffbe, 0x7f2b78d4edd22e43)},
        {make(0x74000, 0x0), make(0x5801ad7, 0x54fa363912642e46)},
    };
    for (const auto& [exponent, power] : cases) {
        CHECK(distance(fixed_exp(exponent), power) <= 128 * (1 + (power >> kFixedBits)));
    }
    CHECK(fixed_exp(0) == fixed(std::uint64_t{1}));
    CHECK(fixed_exp(-fixed(std::uint64_t{700000})) == 0);
    for (std::uint64_t n = 1; n < 3000; ++n) {
        CHECK(distance(fixed_exp(fixed_log(n)), fixed(n)) < 200 * static_cast<Fixed>(n));
    }
}

void products_are_accurate() {
    CHECK(product(fixed(2.5), fixed(3.25)) == fixed(8.125));
    CHECK(product(fixed(0.5), fixed(std::uint64_t{1} << 33) + 2) == fixed(std::uint64_t{1} << 32) + 1);
    CHECK(distance(product(fixed_log(std::uint64_t{7}), fixed(0.375)), multiple(fixed_log(std::uint64_t{7}), 3) / 8) <=
          2);
}

void numbers_are_rounded_to_the_nearest() {
    CHECK(rounded_to(fixed(2.5), 0) == 3 && rounded_to(-fixed(2.5), 0) == -2 && rounded_to(fixed(2.25), 2) == 9);
    CHECK(nearest_double(fixed(0.1)) == 0.1 && nearest_double(-fixed(1e9)) == -1e9);
}

void binary_logarithms_of_scores() {
    struct Case {
        std::int64_t score;
        int unit_bits;
        std::int64_t whole;
        std::uint64_t fraction;
    };
    const std::vector<Case> cases{
        {-1, 0, -2, 0x8eab89ad47d01e88},
        {-12345678901234567, 48, -64, 0xb8f1d3eeac4787c4},
        {2305843009213693952, 47, 23637, 0x1d94ae0bf85ddf43},
        {-5, -2, -29, 0x2566c1899c4262aa},
        {-4611686018427387904LL, 30, -6196328019, 0x47d01e8882f0025f},
        {3, 60, 0, 0x45},
    };
    for (const auto& [score, unit_bits, whole, fraction] : cases) {
        const BinaryLog log = binary_log(score, unit_bits);
        const double size = std::abs(std::ldexp(static_cast<double>(score), -unit_bits)) * 1.5;
        const Fixed allowed = 2 + static_cast<Fixed>(size / 2);
        CHECK(distance(make(log.whole, log.fraction), make(whole, fraction)) <= allowed);
    }
    CHECK(binary_log(0, -500).whole == 0 && binary_log(0, -500).fraction == 0);
}

void powers_are_accurate() {
    struct Case {
        std::uint64_t fraction;
        double power;
    };
    const std::vector<Case> cases{
        {0x0, 0x1.0000000000000p-1},
        {0x1, 0x1.0000000000000p-1},
        {0x200000000000000, 0x1.0163da9fb3335p-1},
        {0x1ffffffffffffff, 0x1.0163da9fb3335p-1},
        {0x123456789abcdef0, 0x1.0cef3c5d12322p-1},
        {0x8000000000000000, 0x1.6a09e667f3bcdp-1},
        {0xb504f333f9de6484, 0x1.a1ed48c0d3951p-1},
        {0xfedcba9876543210, 0x1.fe6cd575bbeb6p-1},
        {0xfeffffffffffffff, 0x1.fe9d96b2a23d9p-1},
    };
    for (const auto& [fraction, power] : cases) CHECK(std::abs(half_power(fraction) - power) <= 0x1p-53);
    CHECK(half_power(0) == 0.5 && half_power(~std::uint64_t{0}) < 1);
    // 2^(x/2 - 1/2) is the square root of 2^x / 2.
    for (std::uint64_t i = 0; i < 100000; ++i) {
        const std::uint64_t fraction = i * 0x9E3779B97F4A7C15;
        const double root = half_power((fraction >> 1) + (std::uint64_t{1} << 63));
        CHECK_NEAR(root * root, half_power(fraction), 0x1p-51);
    }
}

}  // namespace

int main() {
    logarithms_are_accurate();
    products_have_sums_of_logarithms();
    exponentials_are_accurate();
    products_are_accurate();
    numbers_are_rounded_to_the_nearest();
    binary_logarithms_of_scores();
    powers_are_accurate();
}
