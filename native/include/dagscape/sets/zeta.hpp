// The zeta transform of a function of sets: every set gets the sum over its subsets, or over its supersets.
//
// Variables are processed in turn: f(S ∪ v) += f(S) for every S without v. Sums may be those of any semiring; three are
// defined here. The first two variables are the lanes of vectors of four sets. The others are processed two at a time,
// which halves the passes over memory and gives the same bits: (f(∅) + f(a)) + (f(b) + f(ab)) either way.
// Cost: n 2^(n-1) additions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/numbers/lanes.hpp"
#include "dagscape/numbers/scaled_lanes.hpp"

namespace dagscape {

enum class Over { subsets, supersets };

// Ordinary sums of doubles.
struct Sums {
    using Values = double*;
    using Four = Lanes;

    static Lanes load_four(const double* values, std::size_t at) noexcept { return load(values + at); }
    static void store_four(double* values, std::size_t at, Lanes four) noexcept { store(values + at, four); }
    static Lanes add(Lanes a, Lanes b) noexcept { return a + b; }
    template <int a, int b, int c, int d>
    static Lanes lanes_or_zero(Lanes four) noexcept {
        return shuffled<a, b, c, d>(four, broadcast(0));
    }
};

// The maximum of two integers as their sum, and kRuledOut as zero.
struct Maxima {
    using Values = std::int64_t*;
    using Four = LaneBits;

    static LaneBits load_four(const std::int64_t* values, std::size_t at) noexcept { return load(values + at); }
    static void store_four(std::int64_t* values, std::size_t at, LaneBits four) noexcept { store(values + at, four); }
    static LaneBits add(LaneBits a, LaneBits b) noexcept { return a > b ? a : b; }
    template <int a, int b, int c, int d>
    static LaneBits lanes_or_zero(LaneBits four) noexcept {
        return shuffled<a, b, c, d>(four, broadcast_bits(kRuledOut));
    }
};

// Sums of non-negative normal scaled numbers.
struct ScaledSums {
    struct Values {
        double* mantissa;
        double* exponent;
    };
    using Four = ScaledLanes;

    static ScaledLanes load_four(Values values, std::size_t at) noexcept {
        return {load(values.mantissa + at), load(values.exponent + at)};
    }
    static void store_four(Values values, std::size_t at, ScaledLanes four) noexcept {
        store(values.mantissa + at, four.mantissa);
        store(values.exponent + at, four.exponent);
    }
    static ScaledLanes add(ScaledLanes a, ScaledLanes b) noexcept { return plus_carried(a, b); }
    template <int a, int b, int c, int d>
    static ScaledLanes lanes_or_zero(ScaledLanes four) noexcept {
        return {shuffled<a, b, c, d>(four.mantissa, broadcast(0)),
                shuffled<a, b, c, d>(four.exponent, broadcast(kNothing))};
    }
};

// The two variables that distinguish the lanes of a vector.
template <class Semiring, Over over>
typename Semiring::Four zeta_of_lanes(typename Semiring::Four four) noexcept {
    if constexpr (over == Over::subsets) {
        four = Semiring::add(four, Semiring::template lanes_or_zero<4, 0, 6, 2>(four));
        return Semiring::add(four, Semiring::template lanes_or_zero<4, 5, 0, 1>(four));
    } else {
        four = Semiring::add(four, Semiring::template lanes_or_zero<1, 5, 3, 7>(four));
        return Semiring::add(four, Semiring::template lanes_or_zero<2, 3, 6, 7>(four));
    }
}

// Two variables: four vectors, with neither, one, the other and both of them.
template <class Semiring, Over over>
void zeta_of_two(typename Semiring::Values values, std::size_t at, std::size_t step) noexcept {
    const auto none = Semiring::load_four(values, at), one = Semiring::load_four(values, at + step);
    const auto other = Semiring::load_four(values, at + 2 * step), both = Semiring::load_four(values, at + 3 * step);
    const auto all = Semiring::add(Semiring::add(none, one), Semiring::add(other, both));
    if constexpr (over == Over::subsets) {
        Semiring::store_four(values, at + step, Semiring::add(none, one));
        Semiring::store_four(values, at + 2 * step, Semiring::add(none, other));
        Semiring::store_four(values, at + 3 * step, all);
    } else {
        Semiring::store_four(values, at, all);
        Semiring::store_four(values, at + step, Semiring::add(one, both));
        Semiring::store_four(values, at + 2 * step, Semiring::add(other, both));
    }
}

// Transforms the values of 2^n sets, n ≥ 2, in place. Calls check() at least every 2^18 sets.
template <class Semiring, Over over, class Check>
void zeta(typename Semiring::Values values, std::size_t sets, Check&& check) {
    constexpr std::size_t kBetweenChecks = std::size_t{1} << 16;
    for (std::size_t at = 0; at < sets; at += 4) {
        if (at % kBetweenChecks == 0) check();
        const auto four = Semiring::load_four(values, at);
        Semiring::store_four(values, at, zeta_of_lanes<Semiring, over>(four));
    }
    std::size_t step = 4;
    for (; 4 * step <= sets; step *= 4) {
        for (std::size_t block = 0; block < sets; block += 4 * step) {
            for (std::size_t at = block; at < block + step; at += 4) {
                if (at % kBetweenChecks == 0) check();
                zeta_of_two<Semiring, over>(values, at, step);
            }
        }
    }
    if (step == sets) return;
    // If n is odd, one variable is left.
    for (std::size_t at = 0; at < step; at += 4) {
        if (at % kBetweenChecks == 0) check();
        const auto without = Semiring::load_four(values, at), with = Semiring::load_four(values, at + step);
        Semiring::store_four(values, over == Over::subsets ? at + step : at, Semiring::add(without, with));
    }
}

}  // namespace dagscape
