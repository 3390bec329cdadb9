#include "dagscape/student/answer_tree.hpp"

#include <algorithm>

namespace dagscape {

AnswerTree::AnswerTree(const AnswerTable& table, std::span<const std::uint32_t> items, std::size_t substates,
                       std::size_t most_leaves)
    : substates_(substates), nodes_{{0, kNoAnswer}}, level_start_{0, 1}, leaf_(table.patterns(), 0) {
    grow(table, items[0], table.patterns());
    for (const std::uint32_t item : items.subspan(1)) {
        if (!grow(table, item, most_leaves)) break;
    }
    nodes_.shrink_to_fit();
    leaf_.resize(leaf_.size() + kPadding, leaf_.back());
    logs_.resize(nodes_.size() * substates_);
    counts_.resize(nodes_.size() * substates_);
}

bool AnswerTree::grow(const AnswerTable& table, std::uint32_t item, std::size_t most_leaves) {
    constexpr std::uint32_t kNew = ~std::uint32_t{0};
    const std::size_t parents = level_start_[items()], children = nodes_.size();
    std::vector<std::uint32_t> child(3 * (children - parents), kNew), leaf(leaf_.size());
    std::uint32_t found = 0;
    for (std::size_t pattern = 0; pattern < leaf.size(); ++pattern) {
        const std::int8_t answer = table(pattern, item);
        std::uint32_t& node = child[3 * leaf_[pattern] + static_cast<std::size_t>(answer + 1)];
        if (node == kNew) {
            node = found++;
            nodes_.push_back({static_cast<std::uint32_t>(parents) + leaf_[pattern], answer});
            if (found > most_leaves) {
                nodes_.resize(children);
                return false;
            }
        }
        leaf[pattern] = node;
    }
    leaf_ = std::move(leaf);
    level_start_.push_back(nodes_.size());
    return true;
}

std::size_t AnswerTree::bytes() const noexcept {
    return nodes_.size() * (sizeof(Node) + 2 * substates_ * sizeof(double)) + leaf_.size() * sizeof(std::uint32_t);
}

void AnswerTree::add_logs(const double* right, const double* wrong) {
    for (std::size_t level = 0; level < items(); ++level, right += substates_, wrong += substates_) {
        for (std::size_t node = level_start_[level + 1]; node < level_start_[level + 2]; ++node) {
            const double* before = logs_.data() + nodes_[node].parent * substates_;
            double* logs = logs_.data() + node * substates_;
            if (nodes_[node].answer == kNoAnswer) {
                std::copy(before, before + substates_, logs);
                continue;
            }
            const double* added = nodes_[node].answer == 1 ? right : wrong;
            for (std::size_t i = 0; i < substates_; ++i) logs[i] = before[i] + added[i];
        }
    }
}

void AnswerTree::count(const double* leaf_counts, double* counts) {
    std::fill(counts_.begin(), counts_.end(), 0.0);
    std::copy(leaf_counts, leaf_counts + leaves() * substates_, counts_.data() + first_leaf() * substates_);
    std::fill(counts, counts + 2 * items() * substates_, 0.0);
    for (std::size_t level = items(); level-- > 0;) {
        double* of_item = counts + 2 * level * substates_;
        for (std::size_t node = level_start_[level + 1]; node < level_start_[level + 2]; ++node) {
            const double* own = counts_.data() + node * substates_;
            double* parent = counts_.data() + nodes_[node].parent * substates_;
            const std::int8_t answer = nodes_[node].answer;
            for (std::size_t i = 0; i < substates_; ++i) {
                parent[i] += own[i];
                if (answer != kNoAnswer) of_item[2 * i + static_cast<std::size_t>(answer)] += own[i];
            }
        }
    }
}

}  // namespace dagscape
