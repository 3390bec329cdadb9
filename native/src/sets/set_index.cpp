#include "dagscape/sets/set_index.hpp"

#include <algorithm>

namespace dagscape {
namespace {

constexpr std::uint64_t kSaturated = std::uint64_t{1} << 62;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) { return std::min(a + b, kSaturated); }

}  // namespace

SetIndex::SetIndex(unsigned n, unsigned max_size)
    : n_(n), max_size_(std::min(max_size, n)), choose_((n + 1) * (max_size_ + 1), 0) {
    for (unsigned from = 0; from <= n; ++from) {
        choose_[from * (max_size_ + 1)] = 1;
        for (unsigned size = 1; size <= std::min(from, max_size_); ++size) {
            choose_[from * (max_size_ + 1) + size] = saturating_add(choose(from - 1, size - 1), choose(from - 1, size));
        }
    }
    for (unsigned size = 0; size <= max_size_; ++size) {
        first_of_size_.push_back(size_);
        size_ = saturating_add(size_, choose(n, size));
    }
}

std::uint64_t SetIndex::extensions(unsigned free, unsigned members) const noexcept {
    std::uint64_t count = 0;
    for (unsigned more = 0; more <= std::min(free, max_size_ - members); ++more) {
        count = saturating_add(count, choose(free, more));
    }
    return count;
}

}  // namespace dagscape
