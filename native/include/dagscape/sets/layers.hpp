// Layers of the lattice of tiles: the sets of one size, which are independent of each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/subset.hpp"

namespace dagscape {

// The sets with `size` members out of `variables` variables, in increasing order.
inline std::vector<Subset> layer(unsigned variables, unsigned size) {
    std::vector<Subset> sets;
    for (Subset set = (Subset{1} << size) - 1; set < Subset{1} << variables; set = next_of_same_size(set)) {
        sets.push_back(set);
        if (set == 0) break;
    }
    return sets;
}

// The end of the sets, in increasing order from sets[first], that differ only in the first `variables` variables.
inline std::size_t group_end(const std::vector<Subset>& sets, std::size_t first, std::size_t end, unsigned variables) {
    std::size_t next = first + 1;
    while (next < end && sets[next] >> variables == sets[first] >> variables) ++next;
    return next;
}

// Calls visit(set) for every set of a layer on the given number of threads; small layers need only one.
template <class Visit>
void for_each_of_layer(const std::vector<Subset>& sets, unsigned threads, Monitor& monitor, Visit&& visit) {
    constexpr std::size_t kSetsOfTask = 1024;
    run_tasks((sets.size() + kSetsOfTask - 1) / kSetsOfTask, threads, monitor, [&](std::size_t task, unsigned) {
        const std::size_t end = std::min(sets.size(), (task + 1) * kSetsOfTask);
        for (std::size_t i = task * kSetsOfTask; i < end; ++i) visit(sets[i]);
    });
}

}  // namespace dagscape
