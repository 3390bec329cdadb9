// The last graphs that a search has visited, and which moves from the current graph would lead back to one of them.
//
// Each graph is stored as its difference from the current one: the edges that one of the two has and the other has not.
// A move changes one edge, or two if it reverses one, and so does every difference. A visited graph can be reached by
// one move if the difference is a single edge (add it or remove it) or both directions of one edge (reverse it). Unlike
// hashes of graphs, differences never confuse two graphs, and they name the moves to avoid without trying any.
//
// After k moves a difference has at most 2k edges, so a list of L graphs needs O(L²) space and time per move.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace dagscape {

struct Edge {
    unsigned parent, child;
    friend bool operator==(const Edge&, const Edge&) = default;
};

class VisitedStates {
public:
    // A list of the last `length` graphs before the current one.
    explicit VisitedStates(std::size_t length) : length_(length) {}

    // The search moves on: the given edges appear or disappear, and the graph before that joins the list.
    void move(std::span<const Edge> changed);

    void clear();

    // The edges that must not be added or removed now.
    std::span<const Edge> blocked() const noexcept { return blocked_; }
    // The edges that must not be reversed now, in either direction.
    std::span<const Edge> blocked_reversals() const noexcept { return blocked_reversals_; }

private:
    std::size_t length_;
    std::deque<std::vector<Edge>> differences_;  // oldest first
    std::vector<Edge> blocked_, blocked_reversals_;
};

}  // namespace dagscape
