// The contribution of one cell of a partition of the rows to a score, as int64 fixed point.
//
// Every score in this package is a sum over the cells of a set S of variables, which are its observed joint states. The
// term of a cell depends only on the number N of its rows and on the number q of joint states of S:
//
//   Dirichlet, shared    lnΓ(N + alpha/q) − lnΓ(alpha/q)      BDeu with equivalent sample size alpha  [heckerman1995]
//   Dirichlet, constant  lnΓ(N + alpha) − lnΓ(alpha)          K2: alpha = 1, and alpha = the arity    [cooper1992]
//   entropy              N ln N                               log-likelihood, and BIC, AIC, MDL on it
//
// Terms are rounded to multiples of 2^-(unit_bits + guard_bits), and their sum to a multiple of 2^-unit_bits. Sums of
// integers do not depend on the order of addition, so neither the order of the rows or variables nor the number of
// threads can change a score or break a tie. Terms are computed in fixed point (fixed_log.hpp), so neither can the
// compiler, the C library or the processor. Before rounding, the error of a term is below
// (24 + |S| + alpha/4096) 2^-77 for each of its rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dagscape/numbers/fixed_log.hpp"

namespace dagscape {

enum class CellTermKind : int { dirichlet_shared = 0, dirichlet_constant = 1, entropy = 2 };

struct CellTermSpec {
    CellTermKind kind;
    double alpha;
    int unit_bits;
    int guard_bits = 0;

    // Converts nats to an integer at the resolution of the terms.
    std::int64_t fine(Fixed nats) const noexcept { return rounded_to(nats, unit_bits + guard_bits); }

    // Rounds a sum of terms to the nearest unit.
    std::int64_t rounded(std::int64_t sum) const noexcept {
        return guard_bits == 0 ? sum : (sum + (std::int64_t{1} << (guard_bits - 1))) >> guard_bits;
    }
};

// The terms of one kind for one number of joint states, for every count N: tabulated up to a bound, and computed by
// Stirling's series beyond it.
class CellTerms {
public:
    CellTerms(const CellTermSpec& spec, Fixed alpha, Fixed log_alpha);

    // Extends the table to counts up to `count`, or to the largest count that is ever tabulated.
    void reserve(std::uint32_t count);

    std::int64_t operator()(std::uint32_t count) const noexcept {
        return count < table_.size() ? table_[count] : beyond_table(count);
    }
    // The terms of the tabulated counts.
    std::span<const std::int64_t> table() const noexcept { return table_; }
    // The maximum number of bytes of the terms of counts up to `count`.
    static std::size_t most_bytes(std::uint64_t count) noexcept;
    // Includes the overhead of a hash map entry.
    std::size_t bytes() const noexcept { return table_.capacity() * sizeof(std::int64_t) + sizeof(CellTerms) + 48; }

private:
    std::int64_t beyond_table(std::uint32_t count) const noexcept;

    CellTermSpec spec_;
    Fixed alpha_;
    Fixed log_alpha_;
    Fixed last_ = 0;  // the term of the last tabulated count, before it is rounded
    std::vector<std::int64_t> table_{0};
};

// The logarithms of the numbers of levels. Their sum is the logarithm of the number of joint states of a set; it does
// not depend on the order of the variables.
class LogStates {
public:
    explicit LogStates(std::span<const std::uint32_t> arities);

    Fixed of_variable(std::size_t variable) const noexcept { return log_arity_[variable]; }

private:
    std::vector<Fixed> log_arity_;
};

// The terms for every number of joint states seen so far. Each thread has its own cache; the terms are the same in all.
class CellTermCache {
public:
    static constexpr std::size_t kCapacity = std::size_t{16} << 20;

    explicit CellTermCache(const CellTermSpec& spec, std::size_t capacity = kCapacity)
        : spec_(spec), capacity_(capacity) {}

    // Drops all terms if they exceed the capacity.
    void make_room();

    // The reference is valid until the next call of make_room().
    const CellTerms& terms(Fixed log_states, std::uint32_t largest_count);

    std::size_t bytes() const noexcept { return bytes_; }

private:
    struct Hash {
        std::size_t operator()(Fixed number) const noexcept {
            return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(number >> 32));
        }
    };

    CellTermSpec spec_;
    std::size_t capacity_;
    std::unordered_map<Fixed, CellTerms, Hash> by_states_;
    std::size_t bytes_ = 0;
};

}  // namespace dagscape
