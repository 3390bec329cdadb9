#include "dagscape/search/visited_states.hpp"

#include <algorithm>

namespace dagscape {
namespace {

void toggle(std::vector<Edge>& edges, const Edge& edge) {
    const auto found = std::find(edges.begin(), edges.end(), edge);
    if (found == edges.end()) {
        edges.push_back(edge);
    } else {
        *found = edges.back();
        edges.pop_back();
    }
}

}  // namespace

void VisitedStates::move(std::span<const Edge> changed) {
    if (length_ == 0) return;
    for (std::vector<Edge>& difference : differences_) {
        for (const Edge& edge : changed) toggle(difference, edge);
    }
    if (differences_.size() == length_) differences_.pop_front();
    differences_.emplace_back(changed.begin(), changed.end());
    blocked_.clear();
    blocked_reversals_.clear();
    for (const std::vector<Edge>& difference : differences_) {
        if (difference.size() == 1) blocked_.push_back(difference[0]);
        if (difference.size() == 2 && difference[0] == Edge{difference[1].child, difference[1].parent}) {
            blocked_reversals_.insert(blocked_reversals_.end(), difference.begin(), difference.end());
        }
    }
}

void VisitedStates::clear() {
    differences_.clear();
    blocked_.clear();
    blocked_reversals_.clear();
}

}  // namespace dagscape
