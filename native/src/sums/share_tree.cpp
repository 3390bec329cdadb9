#include "dagscape/sums/share_tree.hpp"

#include <algorithm>
#include <utility>

namespace dagscape {

void add_taken(const Tiles& tiles, unsigned r, Column& parent, const Column& child) {
    tiles.decide(r, true, [&](std::size_t child_at, std::size_t parent_at, std::size_t count, bool) {
        copy(parent, parent_at, child, child_at, count);
    });
}

void add_left_out(const Tiles& tiles, unsigned r, Column& parent, const Column& child) {
    tiles.decide(r, false, [&](std::size_t child_at, std::size_t parent_at, std::size_t count, bool) {
        add(parent, parent_at, child, child_at, count);
    });
}

void append(std::vector<double>& numbers, const Shares& shares) {
    for (const Column& column : shares) {
        numbers.insert(numbers.end(), column.mantissa.begin(), column.mantissa.end());
        numbers.insert(numbers.end(), column.exponent.begin(), column.exponent.end());
    }
}

void extract(std::span<const double> numbers, Shares& shares) {
    const double* from = numbers.data();
    for (Column& column : shares) {
        for (std::vector<double>* part : {&column.mantissa, &column.exponent}) {
            std::copy_n(from, part->size(), part->begin());
            from += part->size();
        }
    }
}

ShareTree::ShareTree(const Tiles& tiles, std::span<const LaneSets> lists, unsigned root, std::vector<bool> wide)
    : tiles_(tiles), lists_(lists), root_(root), wide_(std::move(wide)) {}

Shares ShareTree::zeros(unsigned level) const {
    Shares shares(wide_.size());
    for (std::size_t v = 0; v < wide_.size(); ++v) shares[v].reset(size(level, v), wide_[v]);
    return shares;
}

std::size_t ShareTree::numbers(unsigned level) const {
    std::size_t sum = 0;
    for (std::size_t v = 0; v < wide_.size(); ++v) sum += (wide_[v] ? 2 : 1) * size(level, v);
    return sum;
}

Shares ShareTree::parent_of(unsigned level, const Shares& taken, const Shares& left_out) const {
    Shares parent = zeros(level + 1);
    for (std::size_t v = 0; v < parent.size(); ++v) {
        if (!as_lists(level)) {
            add_taken(tiles_, level + 1, parent[v], taken[v]);
            add_left_out(tiles_, level + 1, parent[v], left_out[v]);
            continue;
        }
        std::vector<double> joined(lists_[v].size(level + 1));
        lists_[v].join(level + 1, taken[v].mantissa.data(), left_out[v].mantissa.data(), joined.data());
        if (as_lists(level + 1)) {
            parent[v].mantissa = std::move(joined);
        } else {
            lists_[v].gather(joined.data(), parent[v].mantissa.data());
        }
    }
    return parent;
}

void ShareTree::add(unsigned level, Subset index, Shares shares) {
    for (;; ++level, index >>= 1) {
        Shares sibling;
        {
            const std::lock_guard lock(mutex_);
            const auto found = level < root_ ? waiting_.find({level, index ^ 1}) : waiting_.end();
            if (found == waiting_.end()) {
                waiting_.emplace(std::pair{level, index}, std::move(shares));
                return;
            }
            sibling = std::move(found->second);
            waiting_.erase(found);
        }
        shares = contains(index, 0) ? parent_of(level, shares, sibling) : parent_of(level, sibling, shares);
    }
}

void ShareTree::raise(const Shares& taken) {
    Shares raised = parent_of(root_, taken, *shares());
    waiting_.clear();
    waiting_.emplace(std::pair{++root_, Subset{0}}, std::move(raised));
}

const Shares* ShareTree::shares() const {
    const auto found = waiting_.find({root_, 0});
    return found == waiting_.end() ? nullptr : &found->second;
}

}  // namespace dagscape
