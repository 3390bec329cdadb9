// The families among which a Markov chain chooses, with their weights.
//
// Each child has a list of families, in two parts: the *core*, among which blocks of variables choose together, and the
// rest, which steps of a single variable reach. Both parts are sorted, heaviest first. A weight is the exponential of a
// score, relative to the best family of the child: mantissa · 2^exponent with a mantissa in [1/2, 1), and also as a plain
// double, which is zero below 2^-1000.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dagscape {

// Families as they come: those of child i from first[i] up to first[i + 1], the first core[i] of them the core; the
// parents of family f from parent_first[f] up to parent_first[f + 1]. Scores are in units of 2^-unit_bits.
struct ListedFamilies {
    std::span<const std::int64_t> first;
    std::span<const std::int64_t> core;
    std::span<const std::int64_t> scores;
    std::span<const std::int64_t> parent_first;
    std::span<const std::uint16_t> parents;
    int unit_bits;
};

class ChainFamilies {
public:
    explicit ChainFamilies(const ListedFamilies& listed);

    // The families of one child.
    struct List {
        std::uint32_t size = 0, core = 0, most_parents = 0;
        // Parent k of family f is at [k * size + f]; there are most_parents of them, the last of which may be n.
        std::vector<std::uint32_t> parents;
        std::vector<double> plain, mantissas;
        std::vector<std::int32_t> exponents;
        std::vector<std::int64_t> scores;
        // The variables that are parents in a family, of the core and of the whole list.
        std::vector<std::uint32_t> core_mentions, mentions;
    };

    unsigned n() const noexcept { return static_cast<unsigned>(lists_.size()); }
    int unit_bits() const noexcept { return unit_bits_; }
    const List& list(unsigned child) const noexcept { return lists_[child]; }
    // The family of a child with these parents, or -1 if it is not listed.
    std::int64_t find(unsigned child, std::span<const std::uint32_t> parents) const;
    // What a family would be if the lists had no others: ratios of the weights of families with an edge u → v to those
    // of all families of v, at [v * n + u].
    std::vector<double> local_shares() const;

private:
    int unit_bits_;
    std::vector<List> lists_;
    std::vector<std::uint64_t> words_;  // a random word for each variable; a set has the sum of its members' words
    std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> places_;
};

}  // namespace dagscape
