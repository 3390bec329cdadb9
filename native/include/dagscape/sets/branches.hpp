// Branches of the lattice of sets: the pieces in which it is walked depth first, on any number of threads.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "dagscape/sets/set_index.hpp"

namespace dagscape {

// All sets that agree with `chosen` on the positions before `next`.
struct Branch {
    std::vector<std::uint16_t> chosen;
    unsigned next;

    std::uint64_t sets(const SetIndex& index) const;
};

// The branches into which the sets of an index are divided. They are large enough that the cost of starting one is
// negligible, and small enough that many threads finish together; they do not depend on the number of threads.
std::vector<Branch> branches_of(const SetIndex& index);

// The most sets of a branch for measurements.
inline constexpr std::uint64_t kBranchSets = 4096;

// A branch of about so many sets, chosen with probability proportional to its number of sets: the mean over such
// branches is the mean over sets.
Branch random_branch(const SetIndex& index, std::uint64_t sets, std::mt19937_64& random);

}  // namespace dagscape
