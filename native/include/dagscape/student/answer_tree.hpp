// The distinct combinations of answers to a list of items that measure the same skills.
//
// Patterns that agree on these items have the same likelihood of each substate of the skills: it is computed once for
// each combination, and so are the expected counts of the items. The combinations of the first items form a tree, with
// one level for each item; a leaf stands for a combination of all, and each node costs one operation per substate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dagscape {

inline constexpr std::int8_t kNoAnswer = -1;

// Patterns are read four at a time, and the last four may begin with the last pattern: it is repeated this often.
inline constexpr std::size_t kPadding = 3;

// Patterns of answers, row by row: 1 is right, 0 is wrong, kNoAnswer is missing.
struct AnswerTable {
    std::span<const std::int8_t> answers;
    std::size_t items;

    std::size_t patterns() const noexcept { return answers.size() / items; }
    std::int8_t operator()(std::size_t pattern, std::size_t item) const noexcept {
        return answers[pattern * items + item];
    }
};

class AnswerTree {
public:
    // Takes the first of the items, and as many more as leave at most `most_leaves` combinations. `substates` is the
    // number of substates of the skills.
    AnswerTree(const AnswerTable& table, std::span<const std::uint32_t> items, std::size_t substates,
               std::size_t most_leaves);

    // The number of items taken.
    std::size_t items() const noexcept { return level_start_.size() - 2; }
    std::size_t leaves() const noexcept { return nodes_.size() - first_leaf(); }
    std::uint32_t leaf(std::size_t pattern) const noexcept { return leaf_[pattern]; }
    std::size_t bytes() const noexcept;

    // Computes the log-likelihoods of all leaves from the log-probabilities of right and wrong answers, by item of the
    // tree and substate.
    void add_logs(const double* right, const double* wrong);
    // The log-likelihoods of a leaf, by substate.
    const double* logs(std::size_t leaf) const noexcept { return logs_.data() + (first_leaf() + leaf) * substates_; }

    // Writes to counts[(item of the tree, substate, answer)] the counts that the leaves have by substate.
    void count(const double* leaf_counts, double* counts);

private:
    struct Node {
        std::uint32_t parent;
        std::int8_t answer;
    };

    std::size_t first_leaf() const noexcept { return level_start_[items()]; }
    // Adds a level for one more item; false if it would have too many nodes.
    bool grow(const AnswerTable& table, std::uint32_t item, std::size_t most_leaves);

    std::size_t substates_;
    std::vector<Node> nodes_;  // by level, the root first
    std::vector<std::size_t> level_start_;
    std::vector<std::uint32_t> leaf_;  // by pattern, with the padding
    std::vector<double> logs_, counts_;
};

}  // namespace dagscape
