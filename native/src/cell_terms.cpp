#include "dagscape/cell_terms.hpp"

#include <algorithm>
#include <cmath>

namespace dagscape {
namespace {

constexpr std::uint32_t kTabulated = 1U << 14;

// lnΓ(x + more) − lnΓ(x), for x >= kTabulated: three terms of Stirling's series leave an error below 1e-23. The large
// parts of the two are subtracted before they are rounded, which matters where x is far larger than the difference.
long double log_gamma_step(long double x, long double more) {
    const auto correction = [](long double at) {
        const long double inverse = 1 / at;
        const long double square = inverse * inverse;
        return inverse * (1 / 12.0L - square * (1 / 360.0L - square / 1260.0L));
    };
    const long double sum = x + more;
    return (x - 0.5L) * std::log1p(more / x) + more * (std::log(sum) - 1) + (correction(sum) - correction(x));
}

}  // namespace

CellTerms::CellTerms(const CellTermSpec& spec, long double alpha, long double log_alpha)
    : spec_(spec), alpha_(alpha), log_alpha_(log_alpha) {}

void CellTerms::reserve(std::uint32_t count) {
    const std::uint32_t wanted = std::min(count, kTabulated) + 1;
    if (wanted <= table_.size()) return;
    // Growing by a factor of 1.5 keeps the number of reallocations small.
    // Tiny tables do not grow ahead: terms of counts far above the number of rows could overflow.
    const std::uint32_t ahead = wanted < 16 ? wanted : wanted / 2 * 3;
    const std::uint32_t grown = std::min<std::uint32_t>(kTabulated + 1, std::max(wanted, ahead));
    for (auto n = static_cast<std::uint32_t>(table_.size()); n < grown; ++n) {
        if (spec_.kind == CellTermKind::entropy) {
            last_ = n * std::log(static_cast<long double>(n));
        } else {
            // lnΓ(n + a) = lnΓ(n - 1 + a) + ln(n - 1 + a). Neumaier summation keeps the rounding error of each
            // addition. ln a is passed in, because a itself may underflow.
            const long double increment = n == 1 ? log_alpha_ : std::log(n - 1 + alpha_);
            const long double sum = last_ + increment;
            last_low_ +=
                std::fabs(last_) >= std::fabs(increment) ? (last_ - sum) + increment : (increment - sum) + last_;
            last_ = sum;
        }
        table_.push_back(spec_.fine(last_ + last_low_));
    }
}

std::size_t CellTerms::most_bytes(std::uint64_t count) noexcept {
    // The table grows by a factor of 1.5, and a growing vector may allocate twice its length.
    const std::uint64_t tabulated = std::min<std::uint64_t>(kTabulated + 1, (count + 2) / 2 * 3);
    return 2 * tabulated * sizeof(std::int64_t) + sizeof(CellTerms) + 48;
}

std::int64_t CellTerms::beyond_table(std::uint32_t count) const noexcept {
    if (spec_.kind == CellTermKind::entropy) return spec_.fine(count * std::log(static_cast<long double>(count)));
    const auto tabulated = static_cast<long double>(table_.size() - 1);
    return spec_.fine(last_ + log_gamma_step(tabulated + alpha_, count - tabulated) + last_low_);
}

LogStates::LogStates(std::span<const std::uint32_t> arities) {
    long double sum = 1;
    for (const std::uint32_t arity : arities) sum += std::log(static_cast<long double>(arity));
    bits_ = 62 - std::ilogb(sum);
    for (const std::uint32_t arity : arities) {
        const long double scaled = std::ldexp(std::log(static_cast<long double>(arity)), bits_);
        log_arity_.push_back(static_cast<std::uint64_t>(std::llrint(scaled)));
    }
}

long double LogStates::natural_log(std::uint64_t log_states) const {
    return std::ldexp(static_cast<long double>(log_states), -bits_);
}

void CellTermCache::make_room() {
    if (bytes_ <= capacity_) return;
    by_states_.clear();
    bytes_ = 0;
}

const CellTerms& CellTermCache::terms(std::uint64_t log_states, std::uint32_t largest_count) {
    if (spec_.kind != CellTermKind::dirichlet_shared) log_states = 0;
    auto found = by_states_.find(log_states);
    if (found == by_states_.end()) {
        const long double log_alpha =
            std::log(static_cast<long double>(spec_.alpha)) - log_states_.natural_log(log_states);
        found = by_states_.emplace(log_states, CellTerms(spec_, std::exp(log_alpha), log_alpha)).first;
        bytes_ += found->second.bytes();
    }
    CellTerms& terms = found->second;
    bytes_ -= terms.bytes();
    terms.reserve(largest_count);
    bytes_ += terms.bytes();
    return terms;
}

}  // namespace dagscape
