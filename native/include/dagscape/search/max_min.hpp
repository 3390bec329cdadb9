// Max-Min Parents and Children: the likely neighbours of a variable in a network, by tests of independence
// [tsamardinos2006].
//
// Forward, the neighbours C of a target T grow by the variable whose minimum association with T, over all subsets of C,
// is the largest, until every other variable is independent of T given some subset. Backward, a member is removed if it
// is independent of T given some subset of the others. The symmetric correction, which keeps X for T only if T is kept
// for X, is left to the caller.
//
// Minima are cached: after F joins C, only subsets that contain F are new. Backward, the subsets of the members that
// joined before X have been tested already. Larger sets are tested after smaller ones, because most variables need only
// a small set, and because a test without enough rows rules out all tests of larger sets.
//
// Notation: PC and CPC of the paper are `members`; Assoc(X; T | S) is minus the logarithm of the p-value, and 0 if T
// and X are independent given S; MinAssoc is `least`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/search/independence.hpp"

namespace dagscape {

// Values of an association that are no strength.
inline constexpr double kIndependent = 0;
inline constexpr double kNotTested = -1;

struct Neighbour {
    std::uint16_t variable;
    double least;  // the least association with the target, over all sets tested
};

// The search for one target. `associate(candidate, given)` returns the association of a candidate with it, positive, or
// one of the values above.
template <class Associate>
class MaxMinSearch {
public:
    // `rank` decides between candidates of the same association: the lowest is chosen. Sets have at most `most_given`
    // members.
    MaxMinSearch(std::span<const std::uint32_t> rank, std::size_t most_given, Associate associate)
        : rank_(rank), most_given_(most_given), associate_(std::move(associate)) {}

    // The neighbours of a target, in the order in which they were found.
    std::vector<Neighbour> run(std::uint16_t target) {
        members_.clear();
        start(target);
        while (!candidates_.empty()) {
            take_strongest();
            test_candidates();
        }
        remove_members();
        return members_;
    }

private:
    // A candidate that cannot be tested at all shows no association.
    void start(std::uint16_t target) {
        candidates_.clear();
        for (std::uint16_t variable = 0; variable < rank_.size(); ++variable) {
            if (variable == target) continue;
            const double association = associate_(variable, std::span<const std::uint16_t>());
            if (association > kIndependent) candidates_.push_back({variable, association});
        }
    }

    void take_strongest() {
        const auto weaker = [&](const Neighbour& a, const Neighbour& b) {
            return a.least != b.least ? a.least < b.least : rank_[a.variable] > rank_[b.variable];
        };
        const auto strongest = std::max_element(candidates_.begin(), candidates_.end(), weaker);
        members_.push_back(*strongest);
        candidates_.erase(strongest);
    }

    // Tests all candidates given the newest member and any of the others.
    void test_candidates() {
        std::vector<std::uint16_t> pool{members_.back().variable};
        for (std::size_t i = 0; i + 1 < members_.size(); ++i) pool.push_back(members_[i].variable);
        const std::size_t largest = std::min(most_given_, pool.size());
        for (std::size_t size = 1; size <= largest && !candidates_.empty(); ++size) {
            bool some_tested = false;
            for_each_set(pool, 1, size, [&](std::span<const std::uint16_t> given) {
                std::size_t kept = 0;
                for (Neighbour candidate : candidates_) {
                    if (stays_dependent(candidate, given, some_tested)) candidates_[kept++] = candidate;
                }
                candidates_.resize(kept);
                return kept > 0;
            });
            if (!some_tested) return;
        }
    }

    void remove_members() {
        const std::vector<Neighbour> found = members_;
        for (std::size_t i = 0; i < found.size(); ++i) {
            // Members that joined later come first: every new set contains one of them.
            std::vector<std::uint16_t> pool;
            for (std::size_t j = i + 1; j < found.size(); ++j) pool.push_back(found[j].variable);
            const std::size_t later = pool.size();
            for (const Neighbour& member : members_) {
                if (member.variable == found[i].variable) break;
                pool.push_back(member.variable);
            }
            const auto member = std::find_if(members_.begin(), members_.end(), [&](const Neighbour& neighbour) {
                return neighbour.variable == found[i].variable;
            });
            if (!remains(*member, pool, later)) members_.erase(member);
        }
    }

    bool remains(Neighbour& member, std::span<const std::uint16_t> pool, std::size_t later) {
        bool dependent = true;
        for (std::size_t size = 1; size <= std::min(most_given_, pool.size()); ++size) {
            bool some_tested = false;
            for_each_set(pool, later, size, [&](std::span<const std::uint16_t> given) {
                return dependent = stays_dependent(member, given, some_tested);
            });
            if (!dependent || !some_tested) break;
        }
        return dependent;
    }

    bool stays_dependent(Neighbour& candidate, std::span<const std::uint16_t> given, bool& some_tested) {
        const double association = associate_(candidate.variable, given);
        if (association == kNotTested) return true;
        some_tested = true;
        candidate.least = std::min(candidate.least, association);
        return association != kIndependent;
    }

    // Calls visit(set) for the sets of a size, in lexicographic order of positions in the pool, whose first position is
    // below `first_positions`, until it returns false.
    template <class Visit>
    void for_each_set(std::span<const std::uint16_t> pool, std::size_t first_positions, std::size_t size,
                      Visit&& visit) {
        positions_.resize(size);
        set_.resize(size);
        std::iota(positions_.begin(), positions_.end(), std::size_t{0});
        while (positions_[0] < first_positions) {
            for (std::size_t i = 0; i < size; ++i) set_[i] = pool[positions_[i]];
            if (!visit(std::span<const std::uint16_t>(set_))) return;
            std::size_t last = size;
            while (last > 0 && positions_[last - 1] == pool.size() - size + last - 1) --last;
            if (last == 0) return;
            ++positions_[last - 1];
            for (std::size_t i = last; i < size; ++i) positions_[i] = positions_[i - 1] + 1;
        }
    }

    std::span<const std::uint32_t> rank_;
    std::size_t most_given_;
    Associate associate_;
    std::vector<Neighbour> members_, candidates_;
    std::vector<std::size_t> positions_;
    std::vector<std::uint16_t> set_;
};

struct MaxMinOptions {
    double alpha;  // a p-value above it means independence
    std::uint64_t rows_per_cell;
    std::size_t most_given;  // the largest set of a test
    std::span<const std::uint32_t> rank;
    unsigned threads;
};

// The least associations of every variable with its neighbours, by tests of all rows: least[T * n + X], 0 if X is no
// neighbour of T. Also the number of tests made for each variable.
void max_min_parents_and_children(const TestTable& table, const MaxMinOptions& options, std::span<double> least,
                                  std::span<std::uint64_t> tests, Monitor& monitor);

// Half of G² of every two variables, in the unit of the table: m times their mutual information.
void pairwise_statistics(const TestTable& table, unsigned threads, std::span<std::int64_t> statistics,
                         Monitor& monitor);

}  // namespace dagscape
