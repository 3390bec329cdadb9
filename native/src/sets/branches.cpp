#include "dagscape/sets/branches.hpp"

#include <algorithm>

namespace dagscape {
namespace {

constexpr std::uint64_t kBranches = 512;

bool is_small(const SetIndex& index, const Branch& branch, std::uint64_t sets) {
    return branch.sets(index) <= sets || branch.next == index.n() || branch.chosen.size() == index.max_size();
}

// The sets of a branch with its next position.
Branch with_next(const Branch& branch) {
    Branch with = branch;
    with.chosen.push_back(static_cast<std::uint16_t>(branch.next));
    ++with.next;
    return with;
}

void split(const SetIndex& index, const Branch& branch, std::uint64_t sets, std::vector<Branch>& parts) {
    if (is_small(index, branch, sets)) {
        parts.push_back(branch);
        return;
    }
    split(index, with_next(branch), sets, parts);
    split(index, {branch.chosen, branch.next + 1}, sets, parts);
}

}  // namespace

std::uint64_t Branch::sets(const SetIndex& index) const {
    return index.extensions(index.n() - next, static_cast<unsigned>(chosen.size()));
}

std::vector<Branch> branches_of(const SetIndex& index) {
    std::vector<Branch> branches;
    split(index, {{}, 0}, std::max(kBranchSets, index.size() / kBranches), branches);
    return branches;
}

Branch random_branch(const SetIndex& index, std::uint64_t sets, std::mt19937_64& random) {
    Branch branch{{}, 0};
    while (!is_small(index, branch, sets)) {
        Branch with = with_next(branch);
        ++branch.next;
        if (random() % (with.sets(index) + branch.sets(index)) < with.sets(index)) branch = std::move(with);
    }
    return branch;
}

}  // namespace dagscape
