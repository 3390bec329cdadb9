// q_v(U): the weight of an order in which the variables of U, and no others, come before v.
//
// The weight of an order is the product of those of its variables. Weights are stored as logarithms in units, like
// scores, and converted when they are read: a sum reads each of them a few times.
#pragma once

#include <cstdint>
#include <span>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/numbers/scaled.hpp"
#include "dagscape/numbers/score_weights.hpp"
#include "dagscape/sets/subset.hpp"

namespace dagscape {

class OrderWeights {
public:
    // All orders have the weight 1.
    OrderWeights() = default;
    // `logs` has, for each variable, the logarithms of the weights of all 2^(n-1) sets of the others, in units of
    // 2^-unit_bits nats, by mask with the variable's bit removed; kImpossible is the weight 0. It must outlive this.
    OrderWeights(unsigned n, std::span<const std::int64_t> logs, int unit_bits) noexcept
        : logs_(logs), unit_bits_(unit_bits), n_(n) {}

    // For a variable v and a set U without it.
    ScaledNumber get(unsigned v, Subset U) const noexcept {
        const Subset below = U & (singleton(v) - 1);
        const std::int64_t log = logs_[(std::size_t{v} << (n_ - 1)) + ((U ^ below) >> 1 | below)];
        if (log == kImpossible) return {};
        const BinaryLog binary = binary_log(log, unit_bits_);
        return {half_power(binary.fraction), static_cast<double>(binary.whole + 1)};
    }

    // A number times q_v(U); the same bits if all orders have the weight 1.
    ScaledNumber times(ScaledNumber value, unsigned v, Subset U) const noexcept {
        if (logs_.empty()) return value;
        const ScaledNumber weight = get(v, U);
        if (weight.mantissa == 0 || value.mantissa == 0) return {};
        return dagscape::times(value, weight);
    }

private:
    std::span<const std::int64_t> logs_;
    int unit_bits_ = 0;
    unsigned n_ = 0;
};

}  // namespace dagscape
