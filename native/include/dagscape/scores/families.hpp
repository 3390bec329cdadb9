// The local scores of all families, as used by the searches for the best networks: integers, relative to each child's
// best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/sets/subset.hpp"

namespace dagscape {

// A set of variables is one word, with one spare bit.
inline constexpr unsigned kMostVariables = 63;

// The range of scores in which nothing overflows: n times the largest absolute value of a possible family's score is at
// most this. A score relative to the best of its child is then at least -2 kLargestTotal / n, so the sum of any
// families of different children is at least -2 kLargestTotal = kRuledOut + 2; and the score of a network, the sum of n
// scores, is within ±kLargestTotal. Scores that come from outside are checked (FamilyScores::in_range) before they are
// used.
inline constexpr std::int64_t kLargestTotal = (std::int64_t{1} << 61) - 1;
static_assert(-2 * kLargestTotal > kRuledOut);

// The largest absolute value of the score of a possible family of n variables.
constexpr std::int64_t largest_score(unsigned n) noexcept { return kLargestTotal / std::int64_t{n}; }

// The index of a set of other variables in a row of 2^(n-1): its mask with the child's bit removed.
constexpr std::size_t index_without(Subset set, unsigned child) noexcept {
    return (set & (singleton(child) - 1)) | (set >> (child + 1) << child);
}

// A view of the scores of all families in one of three layouts, with kImpossible for impossible families.
class FamilyScores {
public:
    // All 2^(n-1) sets of the other variables (see index_without).
    static FamilyScores by_mask(unsigned n, std::span<const std::int64_t> scores);
    // All sets of at most `max_parents` of the n variables, by size and then by mask (set_index.hpp).
    static FamilyScores by_size(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores);
    // A list: the families of child i are those from first[i] up to first[i + 1].
    static FamilyScores listed(std::span<const std::int64_t> first, std::span<const Subset> sets,
                               std::span<const std::int64_t> scores);

    enum class Layout { by_mask, by_size, listed };

    unsigned n() const noexcept { return n_; }
    Layout layout() const noexcept { return layout_; }
    unsigned max_parents() const noexcept { return max_parents_; }
    std::span<const std::int64_t> row(unsigned child) const {
        return scores_.subspan(first_[child], first_[child + 1] - first_[child]);
    }

    // Whether every child has a possible family.
    bool possible() const noexcept { return possible_; }
    // Whether the scores of all possible families are within ±largest_score(n). Otherwise only the members above may be
    // used.
    bool in_range() const noexcept { return in_range_; }
    std::int64_t best(unsigned child) const noexcept { return best_[child]; }
    // The sum of the best scores of all children, to which the scores of networks are relative.
    std::int64_t offset() const noexcept;

    std::int64_t relative(unsigned child, std::int64_t score) const noexcept {
        return score == kImpossible ? kRuledOut : score - best_[child];
    }

    // Calls visit(set, relative score) for the possible families of a child.
    template <class Visit>
    void for_each(unsigned child, Visit&& visit) const {
        const auto scores = row(child);
        Subset set = 0;
        for (std::size_t index = 0; index < scores.size(); ++index) {
            if (layout_ == Layout::listed) set = sets_[first_[child] + index];
            if (scores[index] != kImpossible) visit(set, scores[index] - best_[child]);
            if (layout_ == Layout::by_mask) {
                // The next mask without the child's own bit.
                set = ((set | singleton(child)) + 1) & ~singleton(child);
            } else if (layout_ == Layout::by_size) {
                // The last set of a size is followed by the first set of the next size.
                const Subset next = next_of_same_size(set);
                const auto size = static_cast<unsigned>(std::popcount(set));
                set = next == 0 || next >> n_ != 0 ? (Subset{2} << size) - 1 : next;
            }
        }
    }

private:
    FamilyScores(Layout layout, unsigned max_parents, std::vector<std::size_t> first, std::span<const Subset> sets,
                 std::span<const std::int64_t> scores);

    Layout layout_;
    unsigned n_, max_parents_;
    std::vector<std::size_t> first_;
    std::span<const Subset> sets_;
    std::span<const std::int64_t> scores_;
    bool possible_ = true, in_range_ = true;
    std::vector<std::int64_t> best_;
};

// The possible families of every child, best first. Ties are broken by fewer parents, then by the smaller mask.
class SortedFamilies {
public:
    // Either all families, or only the undominated ones, which are best within some set. A family is dominated if one
    // with a subset of its parents comes before it.
    enum class Keep { all, undominated };

    SortedFamilies(const FamilyScores& families, Keep keep, unsigned threads, Monitor& monitor);

    // Bytes per family, during the sort and afterwards.
    static constexpr std::size_t kFamilyBytes = sizeof(Subset) + sizeof(std::int64_t);

    unsigned n() const noexcept { return static_cast<unsigned>(sets_.size()); }
    std::span<const Subset> sets(unsigned child) const noexcept { return sets_[child]; }
    std::int64_t score(unsigned child, std::size_t rank) const noexcept { return scores_[child][rank]; }

    // The first rank, starting at `rank`, of a family whose parents are within a set; the number of families if there
    // is none.
    std::size_t next_within(unsigned child, Subset set, std::size_t rank) const noexcept;

    // The score of the best family within a set; kRuledOut if there is none.
    std::int64_t best_score(unsigned child, Subset set) const noexcept {
        const std::size_t rank = next_within(child, set, 0);
        return rank == sets_[child].size() ? kRuledOut : scores_[child][rank];
    }

private:
    struct Family {
        std::int64_t score;
        Subset set;
    };

    void drop_dominated(unsigned child, Monitor& monitor);

    std::vector<std::vector<Subset>> sets_;
    std::vector<std::vector<std::int64_t>> scores_;
};

// The relative score of each child's best family inside every set: a zeta transform with the maximum as the sum, stored
// as n 2^(n-1) numbers.
class BestFamilies {
public:
    BestFamilies(const FamilyScores& families, unsigned threads, Monitor& monitor);

    static double bytes(unsigned n) noexcept {
        return times_sets(sizeof(std::int64_t) * static_cast<double>(n), n - 1);
    }

    // The result is the same whether or not the set contains the child.
    std::int64_t operator()(unsigned child, Subset set) const noexcept {
        return values_[(std::size_t{child} << (n_ - 1)) + index_without(set, child)];
    }

private:
    unsigned n_;
    std::vector<std::int64_t> values_;
};

}  // namespace dagscape
