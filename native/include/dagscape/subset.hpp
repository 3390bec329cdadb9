// Sets of up to 64 variables as words.
#pragma once

#include <bit>
#include <cstdint>

namespace dagscape {

using Subset = std::uint64_t;

constexpr Subset singleton(unsigned member) noexcept { return Subset{1} << member; }

constexpr bool contains(Subset set, unsigned member) noexcept { return (set >> member & 1) != 0; }

constexpr unsigned lowest(Subset set) noexcept { return static_cast<unsigned>(std::countr_zero(set)); }

// Calls visit(member) for every member, in increasing order.
template <class Visit>
constexpr void for_each_member(Subset set, Visit&& visit) {
    for (; set != 0; set &= set - 1) visit(lowest(set));
}

}  // namespace dagscape
