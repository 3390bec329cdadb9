#include "dagscape/search/move_evaluator.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>

namespace dagscape {
namespace {

void merge(MoveEvaluator::Best& best, const MoveEvaluator::Best& more) {
    if (more.gain > best.gain) {
        best = more;
    } else if (more.gain == best.gain) {
        best.ties += more.ties;
    }
}

bool contains(std::span<const Edge> edges, const Edge& edge) {
    return std::find(edges.begin(), edges.end(), edge) != edges.end();
}

Edge reversed(const Edge& edge) noexcept { return {edge.child, edge.parent}; }

}  // namespace

MoveEvaluator::MoveEvaluator(EditableDag dag, std::size_t visited)
    : dag_(std::move(dag)), visited_(visited), gains_(dag_.n() * dag_.n(), kImpossible), own_(dag_.n()),
      has_scores_(dag_.n()), missing_(dag_.n()), additions_(dag_.n()), stale_(dag_.n(), true) {}

void MoveEvaluator::set_dag(EditableDag dag) {
    assert(dag.n() == dag_.n());
    for (unsigned v = 0; v < dag_.n(); ++v) {
        if (!std::equal(dag.parents(v), dag.parents(v) + dag.words(), dag_.parents(v))) needs_scores(v);
    }
    dag_ = std::move(dag);
    visited_.clear();
    stale_.assign(dag_.n(), true);
}

void MoveEvaluator::set_scores(unsigned child, std::int64_t own, std::span<const std::int64_t> changed) {
    assert(own != kImpossible && changed.size() == dag_.n());
    score_ += own - own_[child];
    own_[child] = own;
    std::int64_t* row = &gains_[child * dag_.n()];
    for (std::size_t u = 0; u < changed.size(); ++u) {
        row[u] = changed[u] == kImpossible ? kImpossible : changed[u] - own;
    }
    row[child] = kImpossible;
    if (!has_scores_[child]) --missing_;
    has_scores_[child] = true;
    stale_[child] = true;
}

void MoveEvaluator::needs_scores(unsigned child) {
    if (has_scores_[child]) ++missing_;
    has_scores_[child] = false;
}

MoveEvaluator::Best MoveEvaluator::best() {
    assert(has_all_scores());
    best_ = {};
    for (unsigned v = 0; v < dag_.n(); ++v) {
        if (stale_[v]) additions_[v] = best_additions(v);
        stale_[v] = false;
        merge(best_, additions_[v]);
        for_each_edge_move(v, [&](const EdgeMove&, std::int64_t gain) { merge(best_, {gain, 1}); });
    }
    return best_;
}

EdgeMove MoveEvaluator::best_move(std::uint64_t number) const {
    assert(number < best_.ties);
    std::optional<EdgeMove> found;
    const auto choose = [&](const EdgeMove& move, std::int64_t gain) {
        if (gain == best_.gain && !found && number-- == 0) found = move;
    };
    for (unsigned v = 0; v < dag_.n() && !found; ++v) {
        const std::uint64_t additions = additions_[v].gain == best_.gain ? additions_[v].ties : 0;
        if (number < additions) {
            for_each_addition(v, choose);
        } else {
            number -= additions;
            for_each_edge_move(v, choose);
        }
    }
    return *found;
}

std::uint64_t MoveEvaluator::count(MoveKind kind) const {
    assert(has_all_scores());
    std::uint64_t found = 0;
    for_each_move(kind, [&](const EdgeMove&) { ++found; });
    return found;
}

EdgeMove MoveEvaluator::move(MoveKind kind, std::uint64_t number) const {
    std::optional<EdgeMove> found;
    for_each_move(kind, [&](const EdgeMove& move) {
        if (!found && number-- == 0) found = move;
    });
    return *found;
}

bool MoveEvaluator::is_legal(const EdgeMove& move) const {
    const auto [parent, child] = move.edge;
    if (is_blocked(move)) return false;
    switch (move.kind) {
        case MoveKind::kAdd:
            return dag_.can_add(parent, child) && gain(parent, child) != kImpossible;
        case MoveKind::kRemove:
            return dag_.has_edge(parent, child) && gain(parent, child) != kImpossible;
        case MoveKind::kReverse:
            return dag_.has_edge(parent, child) && dag_.can_reverse(parent, child) &&
                   reversal_gain(move.edge) != kImpossible;
    }
    return false;
}

void MoveEvaluator::apply(const EdgeMove& move) {
    const auto [parent, child] = move.edge;
    blocked_additions_change();
    // The first path from the parent to the child, or the loss of the last one, changes the descendants of the parent
    // and of its ancestors.
    switch (move.kind) {
        case MoveKind::kAdd:
            if (!dag_.has_path(parent, child)) descendants_change(parent);
            dag_.add(parent, child);
            break;
        case MoveKind::kRemove:
            if (dag_.can_reverse(parent, child)) descendants_change(parent);
            dag_.remove(parent, child);
            break;
        case MoveKind::kReverse:
            descendants_change(parent);
            dag_.remove(parent, child);
            descendants_change(child);
            dag_.add(child, parent);
            needs_scores(parent);
            break;
    }
    needs_scores(child);
    const std::array<Edge, 2> changed{move.edge, reversed(move.edge)};
    visited_.move(std::span(changed).first(move.kind == MoveKind::kReverse ? 2 : 1));
    blocked_additions_change();
}

void MoveEvaluator::forget_visited() {
    blocked_additions_change();
    visited_.clear();
}

std::int64_t MoveEvaluator::reversal_gain(const Edge& edge) const noexcept {
    const std::int64_t removal = gain(edge.parent, edge.child), addition = gain(edge.child, edge.parent);
    return removal == kImpossible || addition == kImpossible ? kImpossible : removal + addition;
}

bool MoveEvaluator::is_blocked(const EdgeMove& move) const noexcept {
    return contains(move.kind == MoveKind::kReverse ? visited_.blocked_reversals() : visited_.blocked(), move.edge);
}

// The variables of one word that can become parents of a child, apart from their gains and the visited graphs.
Subset MoveEvaluator::addable(unsigned child, std::size_t word) const {
    const std::size_t members = std::min<std::size_t>(64, dag_.n() - 64 * word);
    const Subset all = members == 64 ? ~Subset{0} : singleton(static_cast<unsigned>(members)) - 1;
    Subset taken = dag_.parents(child)[word] | dag_.descendants(child)[word];
    if (child / 64 == word) taken |= singleton(child % 64);
    return all & ~taken;
}

MoveEvaluator::Best MoveEvaluator::best_additions(unsigned child) const {
    const std::int64_t* row = &gains_[child * dag_.n()];
    Best best;
    for (std::size_t word = 0; word < dag_.words(); ++word) {
        Subset candidates = addable(child, word);
        for (const Edge& edge : visited_.blocked()) {
            if (edge.child == child && edge.parent / 64 == word) candidates &= ~singleton(edge.parent % 64);
        }
        const std::int64_t* gains = row + 64 * word;
        if (candidates == ~Subset{0}) {
            // Most words: the compiler vectorises this loop, and few words need the next one.
            std::int64_t largest = kImpossible;
            for (unsigned bit = 0; bit < 64; ++bit) largest = std::max(largest, gains[bit]);
            if (largest < best.gain || largest == kImpossible) continue;
        }
        for_each_member(candidates, [&](unsigned bit) {
            if (gains[bit] != kImpossible) merge(best, {gains[bit], 1});
        });
    }
    return best;
}

// Calls visit(move, gain) for every legal addition of a parent.
template <class Visit>
void MoveEvaluator::for_each_addition(unsigned child, Visit&& visit) const {
    for (std::size_t word = 0; word < dag_.words(); ++word) {
        for_each_member(addable(child, word), [&](unsigned bit) {
            const EdgeMove move{MoveKind::kAdd, {static_cast<unsigned>(64 * word) + bit, child}};
            const std::int64_t change = gain(move.edge.parent, child);
            if (change != kImpossible && !is_blocked(move)) visit(move, change);
        });
    }
}

// Calls visit(move, gain) for every legal removal and reversal of an edge to a child.
template <class Visit>
void MoveEvaluator::for_each_edge_move(unsigned child, Visit&& visit) const {
    for_each_member(dag_.parents(child), dag_.words(), [&](unsigned parent) {
        const Edge edge{parent, child};
        const EdgeMove removal{MoveKind::kRemove, edge}, reversal{MoveKind::kReverse, edge};
        if (is_legal(removal)) visit(removal, gain(parent, child));
        if (is_legal(reversal)) visit(reversal, reversal_gain(edge));
    });
}

// Calls visit(move) for every legal move of a kind.
template <class Visit>
void MoveEvaluator::for_each_move(MoveKind kind, Visit&& visit) const {
    const auto filter = [&](const EdgeMove& move, std::int64_t) {
        if (move.kind == kind) visit(move);
    };
    for (unsigned v = 0; v < dag_.n(); ++v) {
        if (kind == MoveKind::kAdd) {
            for_each_addition(v, filter);
        } else {
            for_each_edge_move(v, filter);
        }
    }
}

// The descendants of a variable and of its ancestors are about to change, and with them their legal additions.
void MoveEvaluator::descendants_change(unsigned above) {
    stale_[above] = true;
    for_each_member(dag_.ancestors(above), dag_.words(), [&](unsigned ancestor) { stale_[ancestor] = true; });
}

// Additions that lead to visited graphs are excluded from the cached ones, before and after they change.
void MoveEvaluator::blocked_additions_change() {
    for (const Edge& edge : visited_.blocked()) stale_[edge.child] = true;
}

}  // namespace dagscape
