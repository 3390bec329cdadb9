// Sums of functions of the families over all tiles, in one fixed binary tree.
//
// The tree follows the decisions about the variables above a tile (tiles.hpp). A node at level r is a set of the
// members from variable r on; its shares are one column per child, over the sets of the first r variables. Those of its
// parent are the ones of the child that takes variable r plus the ones of the child that leaves it out, in this order:
// a family that contains r only has a share in the sets that contain r. The sums do not depend on which nodes are added
// up by which thread or process, nor when.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "dagscape/sets/tiles.hpp"
#include "dagscape/sums/column.hpp"
#include "dagscape/sums/lane_sets.hpp"

namespace dagscape {

using Shares = std::vector<Column>;

// Adds the shares of a node at level r - 1 to those of its parent. The child that takes the variable comes first, and
// overwrites what the parent had.
void add_taken(const Tiles& tiles, unsigned r, Column& parent, const Column& child);
void add_left_out(const Tiles& tiles, unsigned r, Column& parent, const Column& child);

// The numbers of all columns, in one list; and back, into columns of the same shape.
void append(std::vector<double>& numbers, const Shares& shares);
void extract(std::span<const double> numbers, Shares& shares);

class ShareTree {
public:
    // `wide`, by child: whether its columns have separate exponents. If `lists` is given, none has, and columns of
    // fewer than lists->top() variables are lists.
    ShareTree(const Tiles& tiles, std::span<const LaneSets> lists, unsigned root, std::vector<bool> wide);

    // Shares of zero at a level, and the number of doubles in them.
    Shares zeros(unsigned level) const;
    std::size_t numbers(unsigned level) const;

    // The shares of a node; `index` is the set of members, as a number. Any thread may add any node, once.
    void add(unsigned level, Subset index, Shares shares);

    // Raises the root by one level: its shares are those of the child that leaves the variable out.
    void raise(const Shares& taken);

    unsigned level() const noexcept { return root_; }
    // The nodes whose sibling is missing, by level.
    const std::map<std::pair<unsigned, Subset>, Shares>& waiting() const noexcept { return waiting_; }
    // The shares of the root; null until all nodes are added.
    const Shares* shares() const;
    void clear() { waiting_.clear(); }

private:
    bool as_lists(unsigned level) const noexcept { return !lists_.empty() && level < lists_.front().top(); }
    std::size_t size(unsigned level, std::size_t v) const {
        return as_lists(level) ? lists_[v].size(level) : tiles_.sets(level);
    }
    Shares parent_of(unsigned level, const Shares& taken, const Shares& left_out) const;

    const Tiles& tiles_;
    std::span<const LaneSets> lists_;
    unsigned root_;
    std::vector<bool> wide_;
    std::map<std::pair<unsigned, Subset>, Shares> waiting_;
    std::mutex mutex_;
};

}  // namespace dagscape
