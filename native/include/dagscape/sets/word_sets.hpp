// Sets of any number of variables, as rows of words: variable v is bit v % 64 of word v / 64.
#pragma once

#include <cstddef>
#include <type_traits>

#include "dagscape/sets/subset.hpp"

namespace dagscape {

constexpr std::size_t words_for(std::size_t n) noexcept { return (n + 63) / 64; }

// The number of words of a set of up to 64 variables, as a compile-time constant, so that loops over words vanish.
// Kernels take it, or a std::size_t, as their type `Words`.
struct OneWord {
    constexpr operator std::size_t() const noexcept { return 1; }
};

template <class Words>
constexpr std::size_t word_of(unsigned member, Words) noexcept {
    return std::is_same_v<Words, OneWord> ? 0 : member / 64;
}

template <class Words>
constexpr bool contains(const Subset* set, unsigned member, Words words) noexcept {
    return (set[word_of(member, words)] >> member % 64 & 1) != 0;
}

template <class Words>
constexpr void insert(Subset* set, unsigned member, Words words) noexcept {
    set[word_of(member, words)] |= singleton(member % 64);
}

template <class Words>
constexpr void erase(Subset* set, unsigned member, Words words) noexcept {
    set[word_of(member, words)] &= ~singleton(member % 64);
}

// Calls visit(member) for every member, in increasing order.
template <class Words, class Visit>
constexpr void for_each_member(const Subset* set, Words words, Visit&& visit) {
    for (std::size_t w = 0; w < words; ++w) {
        for_each_member(set[w], [&](unsigned bit) { visit(static_cast<unsigned>(64 * w) + bit); });
    }
}

constexpr bool share_member(const Subset* a, const Subset* b, std::size_t words) noexcept {
    for (std::size_t w = 0; w < words; ++w) {
        if ((a[w] & b[w]) != 0) return true;
    }
    return false;
}

constexpr bool is_subset(const Subset* small, const Subset* large, std::size_t words) noexcept {
    for (std::size_t w = 0; w < words; ++w) {
        if ((small[w] & ~large[w]) != 0) return false;
    }
    return true;
}

// A list of sets with the same number of words.
template <class Word, class Words>
struct SetRows {
    Word* data;
    Words words;

    constexpr Word* operator[](std::size_t row) const noexcept { return data + row * words; }
};

}  // namespace dagscape
