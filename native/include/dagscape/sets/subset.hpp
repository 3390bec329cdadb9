// Sets of up to 64 variables as words.
#pragma once

#include <bit>
#include <cstdint>

namespace dagscape {

using Subset = std::uint64_t;

constexpr Subset singleton(unsigned member) noexcept { return Subset{1} << member; }

constexpr bool contains(Subset set, unsigned member) noexcept { return (set >> member & 1) != 0; }

constexpr unsigned lowest(Subset set) noexcept { return static_cast<unsigned>(std::countr_zero(set)); }

// The next larger mask with the same number of members; the empty set is followed by itself.
constexpr Subset next_of_same_size(Subset set) noexcept {
    if (set == 0) return 0;
    const Subset lowest_bit = set & -set;
    const Subset ripple = set + lowest_bit;
    return ripple | ((set ^ ripple) / lowest_bit >> 2);
}

// Calls visit(member) for every member, in increasing order.
template <class Visit>
constexpr void for_each_member(Subset set, Visit&& visit) {
    for (; set != 0; set &= set - 1) visit(lowest(set));
}

}  // namespace dagscape
