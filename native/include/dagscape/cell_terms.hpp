// What one cell of a partition of the rows contributes to a score, as int64 fixed point.
//
// Every score of this package is a sum over the cells (the observed joint states) of a set S of variables, of a term
// that depends only on the number of rows in the cell and on the number of joint states q of S:
//
//   Dirichlet, shared    lnΓ(N + alpha/q) − lnΓ(alpha/q)      BDeu with equivalent sample size alpha  [heckerman1995]
//   Dirichlet, constant  lnΓ(N + alpha) − lnΓ(alpha)          K2: alpha = 1, and alpha = the arity    [cooper1992]
//   entropy              N ln N                               log-likelihood, and BIC, AIC, MDL on it
//
// Terms are rounded to multiples of 2^-(unit_bits + guard_bits), and their sum to a multiple of 2^-unit_bits; sums of
// integers do not depend on their order, so neither the order of the rows, nor that of the variables, nor the number of
// threads can change a score or break a tie. Before rounding a term is within a few ulps of a long double.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dagscape {

enum class CellTermKind : int { dirichlet_shared = 0, dirichlet_constant = 1, entropy = 2 };

struct CellTermSpec {
    CellTermKind kind;
    double alpha;
    int unit_bits;
    int guard_bits = 0;

    // Nats as an integer, as fine as terms are.
    std::int64_t fine(long double nats) const noexcept { return std::llrint(std::ldexp(nats, unit_bits + guard_bits)); }

    // A sum of terms in units, to the nearest.
    std::int64_t rounded(std::int64_t sum) const noexcept {
        return guard_bits == 0 ? sum : (sum + (std::int64_t{1} << (guard_bits - 1))) >> guard_bits;
    }
};

// The terms of one kind for one number of joint states, for every count N: tabulated up to a bound, and by Stirling's
// series beyond it.
class CellTerms {
public:
    CellTerms(const CellTermSpec& spec, long double alpha, long double log_alpha);

    // Makes table lookups valid for counts up to `count` (or up to the largest tabulated one).
    void reserve(std::uint32_t count);

    std::int64_t operator()(std::uint32_t count) const noexcept {
        return count < table_.size() ? table_[count] : beyond_table(count);
    }
    // The terms of the counts that are tabulated.
    std::span<const std::int64_t> table() const noexcept { return table_; }
    // The most bytes that the terms of counts up to `count` take.
    static std::size_t most_bytes(std::uint64_t count) noexcept;
    // With what a hash map needs for an entry.
    std::size_t bytes() const noexcept { return table_.capacity() * sizeof(std::int64_t) + sizeof(CellTerms) + 48; }

private:
    std::int64_t beyond_table(std::uint32_t count) const noexcept;

    CellTermSpec spec_;
    long double alpha_;
    long double log_alpha_;
    // The unrounded term of the last tabulated count, with the part lost to rounding so far.
    long double last_ = 0;
    long double last_low_ = 0;
    std::vector<std::int64_t> table_{0};
};

// ln of the number of joint states of a set, as a sum of integers: the same for any order of the variables.
class LogStates {
public:
    explicit LogStates(std::span<const std::uint32_t> arities);

    std::uint64_t of_variable(std::size_t variable) const noexcept { return log_arity_[variable]; }
    long double natural_log(std::uint64_t log_states) const;

private:
    int bits_;
    std::vector<std::uint64_t> log_arity_;
};

// The terms for every number of joint states met so far. One per thread: the numbers are the same for all, only the
// tables are not shared.
class CellTermCache {
public:
    static constexpr std::size_t kCapacity = std::size_t{16} << 20;

    CellTermCache(const CellTermSpec& spec, const LogStates& log_states, std::size_t capacity = kCapacity)
        : spec_(spec), log_states_(log_states), capacity_(capacity) {}

    // Forgets all terms if they take more bytes than the capacity.
    void make_room();

    // Valid until room is made.
    const CellTerms& terms(std::uint64_t log_states, std::uint32_t largest_count);

    std::size_t bytes() const noexcept { return bytes_; }

private:
    CellTermSpec spec_;
    const LogStates& log_states_;
    std::size_t capacity_;
    std::unordered_map<std::uint64_t, CellTerms> by_states_;
    std::size_t bytes_ = 0;
};

}  // namespace dagscape
