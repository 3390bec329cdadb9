// Numbers with an extended exponent on a GPU: those of native/include/dagscape/numbers/scaled.hpp, with integer
// exponents.
//
// A scaled number is mantissa · 2^exponent. It is normal if it is zero, or its mantissa is in [1/2, 1). Zero has the
// exponent kNothing, which is so low that it vanishes when aligned to another number. The words of sums over orders
// have the same bits as on the CPU: 40 of mantissa, and 24 of exponent above them.

using Word = unsigned long long;

constexpr int kNothing = -(1 << 29);
constexpr long long kImpossible = -0x7FFFFFFFFFFFFFFFLL - 1;

constexpr int kFractionBits = 52;
constexpr long long kHalf = 1022LL << kFractionBits;
constexpr int kPackedMantissaBits = 40;
constexpr int kDroppedBits = kFractionBits - kPackedMantissaBits;
constexpr int kExponentBias = 1 << 23;

struct Scaled {
    double mantissa;
    int exponent;
};

__device__ inline Scaled nothing() { return {0.0, kNothing}; }

// 2^exponent, which is zero below 2^-1022 and at most 2^1023.
__device__ inline double power_of_two(int exponent) {
    return __hiloint2double((min(max(exponent, -1023), 1023) + 1023) << 20, 0);
}

__device__ inline Scaled normalised(Scaled value) {
    if (value.mantissa == 0) return nothing();
    const int high = __double2hiint(value.mantissa);
    const int shift = ((high >> 20) & 2047) - 1022;
    return {__hiloint2double((high & ~(2047 << 20)) | (1022 << 20), __double2loint(value.mantissa)),
            value.exponent + shift};
}

__device__ inline Scaled plus(Scaled a, Scaled b) {
    const int exponent = max(a.exponent, b.exponent);
    return {a.mantissa * power_of_two(a.exponent - exponent) + b.mantissa * power_of_two(b.exponent - exponent),
            exponent};
}

__device__ inline Scaled times(Scaled a, Scaled b) { return {a.mantissa * b.mantissa, a.exponent + b.exponent}; }

// A non-negative number, rounded to 40 bits of mantissa.
__device__ inline Word packed(Scaled value) {
    if (value.mantissa == 0) return 0;
    const Scaled normal = normalised(value);
    // A carry propagates into the exponent.
    const long long rounded =
        (__double_as_longlong(normal.mantissa) - kHalf + (1LL << (kDroppedBits - 1))) >> kDroppedBits;
    return Word(rounded) + (Word(normal.exponent + kExponentBias) << kPackedMantissaBits);
}

__device__ inline Scaled unpacked(Word word) {
    if (word == 0) return nothing();
    const long long fraction = word & ((Word(1) << kPackedMantissaBits) - 1);
    return {__longlong_as_double((fraction << kDroppedBits) + kHalf), int(word >> kPackedMantissaBits) - kExponentBias};
}

// e^(score · 2^-unit_bits) of a score of at most 0. The binary logarithm is computed in integers, as in
// native/include/dagscape/numbers/score_weights.hpp.
__device__ inline Scaled weight_of_score(long long score, int unit_bits) {
    if (score == kImpossible) return nothing();
    constexpr Word kLog2E = 0xB8AA3B295C17F0BCULL;  // with 63 binary digits after the point
    const int digits = 63 + max(unit_bits, -62);
    const Word size = Word(-score);
    const Word high = __umul64hi(size, kLog2E), low = size * kLog2E;
    Word whole, fraction;
    if (digits >= 64) {
        whole = high >> (digits - 64);
        fraction = digits == 64 ? low : (high << (128 - digits)) | (low >> (digits - 64));
    } else {
        whole = (high << (64 - digits)) | (low >> digits);
        fraction = low << (64 - digits);
    }
    const double power = exp2(-double(fraction >> 11) * 0x1p-53);
    return normalised({power, -int(whole)});
}
