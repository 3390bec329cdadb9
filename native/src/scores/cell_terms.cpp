#include "dagscape/scores/cell_terms.hpp"

#include <algorithm>

namespace dagscape {
namespace {

constexpr std::uint32_t kTabulated = 1U << 14;

// The part 1/(12 x) - 1/(360 x^3) + 1/(1260 x^5) of Stirling's series, which leaves an error below 2^-98.
double correction(Fixed at) noexcept {
    const double inverse = 1 / nearest_double(at);
    const double square = inverse * inverse;
    return inverse * (1 / 12.0 - square * (1 / 360.0 - square / 1260.0));
}

// lnΓ(x + more) − lnΓ(x), for x >= kTabulated, by Stirling's series. The large parts of the two are subtracted before
// they are multiplied, which matters where x is far larger than the difference.
Fixed log_gamma_step(Fixed x, std::uint32_t more) noexcept {
    const Fixed sum = x + fixed(std::uint64_t{more}), log_sum = fixed_log(sum);
    const Fixed half = Fixed{1} << (kFixedBits - 1), one = Fixed{1} << kFixedBits;
    const Fixed large = product(log_sum - fixed_log(x), x - half) + multiple(log_sum - one, more);
    return large - fixed(correction(x) - correction(sum));
}

}  // namespace

CellTerms::CellTerms(const CellTermSpec& spec, Fixed alpha, Fixed log_alpha)
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
            last_ = multiple(fixed_log(std::uint64_t{n}), n);
        } else {
            // lnΓ(n + a) = lnΓ(n - 1 + a) + ln(n - 1 + a). ln a is passed in, because a itself may underflow.
            last_ += n == 1 ? log_alpha_ : fixed_log(fixed(std::uint64_t{n - 1}) + alpha_);
        }
        table_.push_back(spec_.fine(last_));
    }
}

std::size_t CellTerms::most_bytes(std::uint64_t count) noexcept {
    // The table grows by a factor of 1.5, and a growing vector may allocate twice its length.
    const std::uint64_t tabulated = std::min<std::uint64_t>(kTabulated + 1, (count + 2) / 2 * 3);
    return 2 * tabulated * sizeof(std::int64_t) + sizeof(CellTerms) + 48;
}

std::int64_t CellTerms::beyond_table(std::uint32_t count) const noexcept {
    if (spec_.kind == CellTermKind::entropy) return spec_.fine(multiple(fixed_log(std::uint64_t{count}), count));
    const auto tabulated = static_cast<std::uint32_t>(table_.size() - 1);
    return spec_.fine(last_ + log_gamma_step(fixed(std::uint64_t{tabulated}) + alpha_, count - tabulated));
}

LogStates::LogStates(std::span<const std::uint32_t> arities) {
    for (const std::uint32_t arity : arities) log_arity_.push_back(fixed_log(std::uint64_t{arity}));
}

void CellTermCache::make_room() {
    if (bytes_ <= capacity_) return;
    by_states_.clear();
    bytes_ = 0;
}

const CellTerms& CellTermCache::terms(Fixed log_states, std::uint32_t largest_count) {
    if (spec_.kind != CellTermKind::dirichlet_shared) log_states = 0;
    auto found = by_states_.find(log_states);
    if (found == by_states_.end()) {
        const Fixed log_alpha = fixed_log(spec_.alpha) - log_states;
        const Fixed alpha = log_states == 0 ? fixed(spec_.alpha) : fixed_exp(log_alpha);
        found = by_states_.emplace(log_states, CellTerms(spec_, alpha, log_alpha)).first;
        bytes_ += found->second.bytes();
    }
    CellTerms& terms = found->second;
    bytes_ -= terms.bytes();
    terms.reserve(largest_count);
    bytes_ += terms.bytes();
    return terms;
}

}  // namespace dagscape
