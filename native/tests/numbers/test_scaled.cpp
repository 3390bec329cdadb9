// Scaled numbers one at a time and four at a time: the same bits.
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/numbers/scaled.hpp"
#include "dagscape/numbers/scaled_lanes.hpp"

using namespace dagscape;

namespace {

bool same(ScaledNumber a, ScaledNumber b) {
    return std::bit_cast<std::int64_t>(a.mantissa) == std::bit_cast<std::int64_t>(b.mantissa) &&
           std::bit_cast<std::int64_t>(a.exponent) == std::bit_cast<std::int64_t>(b.exponent);
}

// Normal numbers: near each other, far apart, just below and at powers of two, and zero.
std::vector<ScaledNumber> normal_numbers(std::mt19937_64& random) {
    std::vector<ScaledNumber> numbers{{}, {0.5, 0}, {0.5, 1}, {std::nextafter(1.0, 0.0), 0}, {0.75, -8000000}};
    for (const double range : {3.0, 60.0, 1500.0, 4e6}) {
        std::uniform_real_distribution<double> mantissa(0.5, 1), exponent(-range, range);
        for (int i = 0; i < 20; ++i) numbers.push_back({mantissa(random), std::round(exponent(random)) + 0.0});
    }
    return numbers;
}

// Lanes with a value in one lane and another value elsewhere, so that mixed-up lanes would show.
ScaledLanes lanes_with(ScaledNumber value, ScaledNumber other, unsigned lane) {
    ScaledLanes lanes = ScaledLanes::nothing();
    for (unsigned i = 0; i < 4; ++i) lanes.set(i, i == lane ? value : other);
    return lanes;
}

void operations_agree() {
    std::mt19937_64 random(3);
    const std::vector<ScaledNumber> numbers = normal_numbers(random);
    unsigned lane = 0;
    for (const ScaledNumber a : numbers) {
        for (const ScaledNumber b : numbers) {
            lane = (lane + 1) % 4;
            const ScaledLanes first = lanes_with(a, b, lane), second = lanes_with(b, a, lane);
            CHECK(same(plus(a, b), plus(first, second).get(lane)));
            CHECK(same(plus_carried(a, b), plus_carried(first, second).get(lane)));
            CHECK(same(times(a, b), times(first, second).get(lane)));
            const ScaledNumber product = normalised(times(a, b));
            CHECK(same(product, normalised(times(first, second)).get(lane)));
            CHECK(same(product, normalised(product)));
            // A sum of two needs only the carry.
            CHECK(same(plus_carried(a, b), normalised(plus(a, b))));
            CHECK(same(plus(a, b), plus(b, a)));
        }
    }
}

void packed_numbers_agree() {
    std::mt19937_64 random(4);
    for (const ScaledNumber a : normal_numbers(random)) {
        const std::int64_t bits = packed(a);
        for (unsigned lane = 0; lane < 4; ++lane) {
            CHECK(packed(lanes_with(a, {0.5, 7}, lane))[lane] == bits);
            LaneBits four{1, 2, 3, 4};
            four[lane] = bits;
            CHECK(same(unpacked(bits), unpacked(four).get(lane)));
        }
        const ScaledNumber back = unpacked(bits);
        CHECK((back.mantissa == 0) == (a.mantissa == 0));
        if (a.mantissa == 0) continue;
        CHECK(packed(back) == bits);
        CHECK_NEAR(back.mantissa / a.mantissa * power_of_two(back.exponent - a.exponent), 1, 0x1p-40);
    }
}

void powers_are_exact() {
    for (int exponent = -1000; exponent <= 1023; ++exponent) {
        CHECK(power_of_two(static_cast<double>(exponent)) == std::ldexp(1.0, exponent));
        if (exponent < 1000) CHECK(power_of_two(broadcast(exponent))[2] == std::ldexp(1.0, exponent));
    }
    CHECK(power_of_two(-1001.0) == 0);
    CHECK(std::isinf(power_of_two(1024.0)) && std::isinf(power_of_two(1e9)));
}

void normal_numbers_keep_their_sign() {
    CHECK(same(normalised(ScaledNumber{-6, 1}), {-0.75, 4}));
    CHECK(same(normalised(lanes_with({-6, 1}, {}, 1)).get(1), {-0.75, 4}));
}

}  // namespace

int main() {
    operations_agree();
    packed_numbers_agree();
    powers_are_exact();
    normal_numbers_keep_their_sign();
}
