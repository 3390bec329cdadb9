// Random families for tests, and every layout that kernels accept.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "dagscape/scores/families.hpp"
#include "dagscape/sets/set_index.hpp"
#include "dagscape/sets/tiles.hpp"

namespace dagscape {

// The possible families of each child, by parent set, from which all layouts are built.
using Families = std::vector<std::map<Subset, std::int64_t>>;

inline unsigned size_of(Subset set) { return static_cast<unsigned>(std::popcount(set)); }

// Random integers; a smaller range gives more ties. Every child keeps a family, but not necessarily the one without
// parents.
inline Families random_families(unsigned n, unsigned max_parents, std::int64_t range, double impossible,
                                std::mt19937& random) {
    std::uniform_int_distribution<std::int64_t> score(-range, range);
    std::uniform_real_distribution<double> uniform(0, 1);
    Families families(n);
    for (unsigned child = 0; child < n; ++child) {
        while (families[child].empty()) {
            for (Subset set = 0; set < Subset{1} << n; ++set) {
                if (contains(set, child) || size_of(set) > max_parents || uniform(random) < impossible) continue;
                families[child][set] = score(random);
            }
        }
    }
    return families;
}

// Scores J(G ∪ {i}) − J(G) with random J, which are score-equivalent.
inline Families equivalent_families(unsigned n, unsigned max_parents, std::int64_t range, std::mt19937& random) {
    std::uniform_int_distribution<std::int64_t> score(-range, range);
    std::vector<std::int64_t> joint(std::size_t{1} << n);
    for (std::int64_t& value : joint) value = score(random);
    Families families(n);
    for (unsigned child = 0; child < n; ++child) {
        for (Subset set = 0; set < Subset{1} << n; ++set) {
            if (contains(set, child) || size_of(set) > max_parents) continue;
            families[child][set] = joint[set | singleton(child)] - joint[set];
        }
    }
    return families;
}

inline std::vector<std::int64_t> by_mask(const Families& families) {
    const auto n = static_cast<unsigned>(families.size());
    std::vector<std::int64_t> scores(std::size_t{n} << (n - 1), kImpossible);
    for (unsigned child = 0; child < n; ++child) {
        for (const auto& [set, score] : families[child]) {
            scores[(std::size_t{child} << (n - 1)) + index_without(set, child)] = score;
        }
    }
    return scores;
}

inline std::vector<std::int64_t> by_size(const Families& families, unsigned max_parents) {
    const auto n = static_cast<unsigned>(families.size());
    const SetIndex index(n, max_parents);
    std::vector<std::int64_t> scores(n * index.size(), kImpossible);
    for (unsigned child = 0; child < n; ++child) {
        for (const auto& [set, score] : families[child]) {
            std::vector<std::uint16_t> members;
            for_each_member(set, [&](unsigned u) { members.push_back(static_cast<std::uint16_t>(u)); });
            scores[child * index.size() + index.rank(members)] = score;
        }
    }
    return scores;
}

// The families in all layouts (by mask, by size, listed), and the arrays that the layouts refer to.
struct Layouts {
    std::vector<std::int64_t> masks, sizes, first, listed;
    std::vector<Subset> sets;
    std::vector<FamilyScores> views;

    Layouts(const Families& families, unsigned max_parents)
        : masks(by_mask(families)), sizes(by_size(families, max_parents)), first{0} {
        for (const auto& possible : families) {
            for (const auto& [set, score] : possible) {
                sets.push_back(set);
                listed.push_back(score);
            }
            first.push_back(static_cast<std::int64_t>(sets.size()));
        }
        const auto n = static_cast<unsigned>(families.size());
        views.push_back(FamilyScores::by_mask(n, masks));
        views.push_back(FamilyScores::by_size(n, max_parents, sizes));
        views.push_back(FamilyScores::listed(first, sets, listed));
    }
    // The layouts that can be searched: tiles need ten variables.
    std::vector<FamilyScores> searched() const {
        if (views[0].n() >= kLow) return views;
        return {views[0], views[2]};
    }
    Layouts(const Layouts&) = delete;
    Layouts& operator=(const Layouts&) = delete;
};

inline std::int64_t best_of(const std::map<Subset, std::int64_t>& families) {
    std::int64_t best = kImpossible;
    for (const auto& [set, score] : families) best = std::max(best, score);
    return best;
}

inline std::int64_t best_within(const std::map<Subset, std::int64_t>& families, Subset within) {
    std::int64_t best = kRuledOut;
    for (const auto& [set, score] : families) {
        if ((set & ~within) == 0) best = std::max(best, score - best_of(families));
    }
    return best;
}

}  // namespace dagscape
