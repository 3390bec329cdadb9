// The families of each child that a search over orders can use, best first, for any number of variables.
//
// A family is of use only if it scores better than every family with a subset of its parents: the others are never the
// best within any set of predecessors. What remains is sorted by score, so the best family of a child within a set is
// the first one whose parents all belong to the set. Ties are broken by fewer parents, then by a seeded random number,
// never by the numbers of the variables.
//
// The last family of every list has no parents, because all others after it would be of no use. If that family is not
// possible, a substitute with a large penalty takes its place, so that every order has a score; an order that uses a
// substitute is worse than one that does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"

namespace dagscape {

using Variable = std::uint16_t;
inline constexpr unsigned kMostListedVariables = 65535;

// A family in all lists together; the families of one child are consecutive, best first.
using Rank = std::uint32_t;

// Families as they come: those of child i from first[i] up to first[i + 1], and the parents of family f from
// parent_first[f] up to parent_first[f + 1], in any order. Impossible families (kImpossible) may be among them.
struct RawFamilies {
    std::span<const std::int64_t> first;
    std::span<const std::int64_t> scores;
    std::span<const std::int64_t> parent_first;
    std::span<const Variable> parents;
};

class FamilyLists {
public:
    // Every child must have a possible family, and the scores must be within ±largest_score(n) of families.hpp.
    FamilyLists(const RawFamilies& raw, std::uint64_t seed, Monitor& monitor);

    unsigned n() const noexcept { return static_cast<unsigned>(first_.size() - 1); }
    std::size_t size() const noexcept { return scores_.size(); }
    Rank first(unsigned child) const noexcept { return first_[child]; }
    // The family without parents.
    Rank last(unsigned child) const noexcept { return first_[child + 1] - 1; }

    // Relative to the best family of the child: at most 0.
    std::int64_t score(Rank rank) const noexcept { return scores_[rank]; }
    std::span<const Variable> parents(Rank rank) const noexcept {
        return {parents_.data() + parent_first_[rank], parents_.data() + parent_first_[rank + 1]};
    }
    // Whether the rank is that of a substitute for an impossible family without parents.
    bool substitute(unsigned child, Rank rank) const noexcept { return substituted_[child] && rank == last(child); }
    // The sum of the best scores of all children, to which the scores of networks are relative.
    std::int64_t offset() const noexcept { return offset_; }

    // The families of a child that have a given parent: the best of them, and all of them as a range of ranks_with.
    struct Mention {
        std::uint32_t child;
        Rank best;
        std::uint32_t begin, end;
    };
    // The children with families that have this parent.
    std::span<const Mention> mentions(unsigned parent) const noexcept {
        return {mentions_.data() + mention_first_[parent], mentions_.data() + mention_first_[parent + 1]};
    }
    std::span<const Rank> ranks_with(const Mention& mention) const noexcept {
        return {mention_ranks_.data() + mention.begin, mention_ranks_.data() + mention.end};
    }

private:
    class Builder;
    void index_by_parent();

    std::vector<Rank> first_;
    std::vector<std::int64_t> scores_;
    std::vector<std::uint32_t> parent_first_;
    std::vector<Variable> parents_;
    std::vector<bool> substituted_;
    std::int64_t offset_ = 0;
    std::vector<std::uint32_t> mention_first_;
    std::vector<Mention> mentions_;
    std::vector<Rank> mention_ranks_;
};

}  // namespace dagscape
