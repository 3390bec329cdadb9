// The position of a set of variables in a table over the lattice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dagscape {

// Numbers the subsets of {0..n-1} with at most `max_size` members.
//
// If every subset is included, the number is the bit mask. Otherwise the sets are ordered by size, and within a size in
// colexicographic order, which is also the order of their masks: {b1 < b2 < ... < bk} is C(b1,1) + C(b2,2) + ... +
// C(bk,k) positions after the first set of its size.
class SetIndex {
public:
    SetIndex(unsigned n, unsigned max_size);

    unsigned n() const noexcept { return n_; }
    unsigned max_size() const noexcept { return max_size_; }
    bool is_mask() const noexcept { return max_size_ >= n_; }
    std::uint64_t size() const noexcept { return size_; }

    // The number of a set, given its members in increasing order.
    std::uint64_t rank(std::span<const std::uint16_t> members) const noexcept {
        if (is_mask()) {
            std::uint64_t mask = 0;
            for (const std::uint16_t member : members) mask |= std::uint64_t{1} << member;
            return mask;
        }
        std::uint64_t index = first_of_size_[members.size()];
        for (std::size_t i = 0; i < members.size(); ++i) index += choose(members[i], static_cast<unsigned>(i) + 1);
        return index;
    }

    // C(from, size) for size <= max_size, capped at 2^62.
    std::uint64_t choose(unsigned from, unsigned size) const noexcept { return choose_[from * (max_size_ + 1) + size]; }

    // The number of sets that extend a set of `members` members by any of `free` further variables, including the set
    // itself.
    std::uint64_t extensions(unsigned free, unsigned members) const noexcept;

private:
    unsigned n_;
    unsigned max_size_;
    std::uint64_t size_ = 0;
    std::vector<std::uint64_t> choose_;
    std::vector<std::uint64_t> first_of_size_;
};

}  // namespace dagscape
