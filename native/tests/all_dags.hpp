// All DAGs of some families, with their scores: the slow and obvious way.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "dagscape/sets/subset.hpp"
#include "random_families.hpp"

namespace dagscape {

inline bool acyclic(std::span<const Subset> parents) {
    Subset left = (Subset{1} << parents.size()) - 1;
    for (Subset before = 0; left != before;) {
        before = left;
        for_each_member(before, [&](unsigned v) {
            if ((parents[v] & left) == 0) left &= ~singleton(v);
        });
    }
    return left == 0;
}

// The scores of all DAGs, in units, by their parents.
inline std::map<std::vector<Subset>, double> all_dag_scores(const Families& families) {
    const auto n = static_cast<unsigned>(families.size());
    std::map<std::vector<Subset>, double> found;
    std::vector<Subset> parents(n);
    const auto add = [&](auto& self, unsigned v, double score) -> void {
        if (v == n) {
            if (acyclic(parents)) found[parents] = score;
            return;
        }
        for (const auto& [set, family_score] : families[v]) {
            parents[v] = set;
            self(self, v + 1, score + static_cast<double>(family_score));
        }
    };
    add(add, 0, 0);
    return found;
}

}  // namespace dagscape
