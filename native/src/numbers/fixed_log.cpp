#include "dagscape/numbers/fixed_log.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "dagscape/numbers/wide_products.hpp"

namespace dagscape {
namespace {

// ln 2 with 120 digits; it is multiplied by exponents with 112.
constexpr UInt128 kLn2 = log_of_ratio(1, 3, 120);
constexpr int kLn2Bits = 112;

// ---- Logarithm. A mantissa m in [1, 2) is multiplied by a 14-bit approximation C of 1/m, from a table by the first
// eight binary digits of m, so that m C = 1 + r with 0 <= r < 2^-7.9. Then ln m = -ln C + ln(1 + r).

constexpr int kLogIndexBits = 8;
constexpr int kReciprocalBits = 13;

struct LogTable {
    std::array<std::uint16_t, 1U << kLogIndexBits> reciprocal;
    std::array<Fixed, 1U << kLogIndexBits> log;  // -ln C
};

constexpr LogTable make_log_table() {
    LogTable table{};
    constexpr std::uint32_t kOne = 1U << kReciprocalBits;
    for (std::uint32_t i = 0; i < table.log.size(); ++i) {
        const std::uint32_t start = (1U << kLogIndexBits) + i;
        const std::uint32_t reciprocal = ((kOne << kLogIndexBits) + start - 1) / start;
        table.reciprocal[i] = static_cast<std::uint16_t>(reciprocal);
        const UInt128 log = log_of_ratio(kOne - reciprocal, kOne + reciprocal, 110);
        table.log[i] = static_cast<Fixed>((log + (1U << 29)) >> 30);
    }
    return table;
}

constexpr LogTable kLogTable = make_log_table();

constexpr std::uint64_t digits63(std::uint64_t divisor) { return (std::uint64_t{1} << 63) / divisor; }

// ln(1 + r), where r has 126 digits after the point: r - r^2 (1/2 - r (1/3 - ...)), the series with 63 digits.
Fixed log_of_sum(UInt128 r) noexcept {
    const std::uint64_t short_r = static_cast<std::uint64_t>((r + (UInt128{1} << 55)) >> 56);  // 70 digits
    std::uint64_t series = digits63(10);
    for (const std::uint64_t coefficient :
         {digits63(9), digits63(8), digits63(7), digits63(6), digits63(5), digits63(4), digits63(3), digits63(2)}) {
        series = coefficient - (upper(wide(short_r, series)) >> 6);
    }
    const std::uint64_t square = static_cast<std::uint64_t>(wide(short_r, short_r) >> 61);  // 79 digits
    return static_cast<Fixed>(r >> (126 - kFixedBits)) - static_cast<Fixed>(wide(square, series) >> 62);
}

// ---- Exponential. e^t with t in [0, ln 2) is e^(j/64) e^u with 0 <= u < 1/64.

constexpr int kExpIndexBits = 6;
constexpr std::size_t kExpSteps = 45;  // 44/64 < ln 2 < 45/64

constexpr std::array<UInt128, kExpSteps> make_exp_table() {
    std::array<UInt128, kExpSteps> table{};
    for (std::uint32_t j = 0; j < kExpSteps; ++j) table[j] = exp_of_ratio(j, 1U << kExpIndexBits);
    return table;
}

constexpr std::array<UInt128, kExpSteps> kExpTable = make_exp_table();

// e^u - 1 = u + u^2 (1/2 + u (1/6 + ...)) with 80 digits.
UInt128 exp_minus_one(UInt128 u) noexcept {
    const auto short_u = static_cast<std::uint64_t>(u >> 10);  // 70 digits
    std::uint64_t series = digits63(3628800);
    for (const std::uint64_t coefficient : {digits63(362880), digits63(40320), digits63(5040), digits63(720),
                                            digits63(120), digits63(24), digits63(6), digits63(2)}) {
        series = coefficient + (upper(wide(short_u, series)) >> 6);
    }
    const std::uint64_t square = upper(wide(short_u, short_u));  // 76 digits
    return u + (wide(square, series) >> 59);
}

// The product of ln 2 and an integer.
Fixed ln2_times(int number) noexcept {
    const UInt128 magnitude = (kLn2 >> (120 - kLn2Bits)) * static_cast<std::uint64_t>(std::abs(number));
    const auto product = static_cast<Fixed>(magnitude >> (kLn2Bits - kFixedBits));
    return number < 0 ? -product : product;
}

int leading_zeros(UInt128 number) noexcept {
    return upper(number) != 0 ? std::countl_zero(upper(number)) : 64 + std::countl_zero(lower(number));
}

}  // namespace

Fixed fixed(double number) noexcept { return static_cast<Fixed>(std::ldexp(number, kFixedBits)); }

double nearest_double(Fixed number) noexcept { return std::ldexp(static_cast<double>(number), -kFixedBits); }

Fixed product(Fixed small, Fixed other) noexcept {
    constexpr UInt128 kFraction = (UInt128{1} << kFixedBits) - 1;
    const auto factor = static_cast<UInt128>(small), fraction = static_cast<UInt128>(other) & kFraction;
    const UInt128 integral = factor * static_cast<std::uint64_t>(other >> kFixedBits);
    return static_cast<Fixed>(integral + (upper_product(factor << 43, fraction << 48) >> 43));
}

Fixed fixed_log(UInt128 mantissa, int exponent) noexcept {
    const int zeros = leading_zeros(mantissa);
    const UInt128 normal = mantissa << zeros;  // m with 127 digits
    const std::size_t index = (upper(normal) >> (63 - kLogIndexBits)) - (std::size_t{1} << kLogIndexBits);
    const std::uint64_t reciprocal = kLogTable.reciprocal[index];
    // The upper part of m C has 63 + 13 digits, the lower one 64 more; r has 126.
    const UInt128 over = wide(upper(normal), reciprocal) - (UInt128{1} << (63 + kReciprocalBits));
    const UInt128 r = (over << 50) + (wide(lower(normal), reciprocal) >> 14);
    return ln2_times(exponent + 127 - zeros) + kLogTable.log[index] + log_of_sum(r);
}

Fixed fixed_log(double number) noexcept {
    int exponent = 0;
    const double mantissa = std::frexp(number, &exponent);
    return fixed_log(static_cast<UInt128>(std::ldexp(mantissa, 53)), exponent - 53);
}

Fixed fixed_exp(Fixed exponent) noexcept {
    constexpr double kLog2E = 1.4426950408889634;
    if (exponent < -fixed(std::uint64_t{57})) return 0;  // below 2^-82
    int power = static_cast<int>(std::floor(nearest_double(exponent) * kLog2E));
    Fixed rest = exponent - ln2_times(power);
    if (rest < 0) rest = exponent - ln2_times(--power);
    const UInt128 remainder = static_cast<UInt128>(rest);
    const auto step = static_cast<std::size_t>(remainder >> (kFixedBits - kExpIndexBits));
    const UInt128 u = remainder & ((UInt128{1} << (kFixedBits - kExpIndexBits)) - 1);
    // The factors have 127 and 132 digits, their product 131.
    const UInt128 more = upper_product(kExpTable[step] << 7, exp_minus_one(u) << 52) >> 11;
    const int dropped = 120 - kFixedBits - power;
    return static_cast<Fixed>((kExpTable[step] + more + (UInt128{1} << (dropped - 1))) >> dropped);
}

}  // namespace dagscape
