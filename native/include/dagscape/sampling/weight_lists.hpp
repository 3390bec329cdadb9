// The weights of families in lists, best first, for sums and draws over the families within a set.
//
// A sum ends where the rest of the list, whether within the set or not, is certain to be below 2^-46 of it: the sums of
// all rests are stored. If a few families have most of the weight, as those of many rows have, few are visited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dagscape/numbers/scaled.hpp"
#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/families.hpp"

namespace dagscape {

class WeightLists {
public:
    WeightLists(const FamilyScores& families, int unit_bits, unsigned threads, Monitor& monitor);

    static double bytes(unsigned n, unsigned max_parents, unsigned threads) noexcept {
        // While a list is sorted, it is there twice.
        const double sorted = static_cast<double>(n) + threads;
        const double each = sorted * SortedFamilies::kFamilyBytes + n * static_cast<double>(sizeof(Weight));
        return at_most_endless(each * set_count(n, max_parents));
    }

    unsigned n() const noexcept { return families_.n(); }

    // The weight of the best family within a set, and the sum of all; zero if there is none.
    ScaledNumber best(unsigned v, Subset set) const noexcept;
    ScaledNumber sum(unsigned v, Subset set) const noexcept;

    // The rank of the family at a share in [0, 1) of the sum over the families within a set, which is not zero.
    std::size_t rank_at(unsigned v, Subset set, double share, ScaledNumber sum) const noexcept;
    Subset parents(unsigned v, std::size_t rank) const noexcept { return families_.sets(v)[rank]; }
    // Relative to the best of the variable.
    std::int64_t score(unsigned v, std::size_t rank) const noexcept { return families_.score(v, rank); }

private:
    struct Weight {
        double mantissa, rest;  // of this family, and of it and all after it, relative to 2^exponent
        double exponent;
    };

    template <class Visit>
    ScaledNumber scan(unsigned v, Subset set, Visit&& visit) const;

    SortedFamilies families_;
    std::vector<std::vector<Weight>> weights_;  // by variable and rank
};

}  // namespace dagscape
