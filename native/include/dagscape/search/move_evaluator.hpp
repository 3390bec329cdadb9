// The best moves of a local search over DAGs: add, remove or reverse an edge.
//
// A score is a sum over families, so a move changes the score by what it changes in one or two families. The evaluator
// stores, for every child v and every other variable u,
//
//     gain(u, v) = score(v, P(v) △ {u}) − score(v, P(v))            △: add u if it is no parent, or else remove it
//
// and from it reads the gain of every move:
//
//     add or remove u → v        gain(u, v)
//     reverse u → v              gain(u, v) + gain(v, u)
//
// The scores come from outside. After a move the caller supplies new ones for the children whose parents have changed,
// one row for each; a family that is impossible, or that the caller excludes, has the score kImpossible, and no move
// leads to it. Constraints on edges and on the number of parents need nothing else.
//
// A move is legal if its gain is not kImpossible, if it closes no cycle (editable_dag.hpp) and if it does not lead back
// to a graph that the search has visited recently (visited_states.hpp). best() returns the largest gain of a legal move
// and how many moves have it; best_move() returns any one of these, so that the caller can choose by lot.
//
// For each child, the best additions are cached. They are scanned again if the gains of the child have changed or its
// descendants, which must not become its parents: after a move of the edge u → v, these are at most the ancestors of u.
// With a changed children, best() costs O(a n + e n / 64) for n variables and e edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/search/editable_dag.hpp"
#include "dagscape/search/visited_states.hpp"

namespace dagscape {

enum class MoveKind { kAdd, kRemove, kReverse };

struct EdgeMove {
    MoveKind kind;
    Edge edge;
};

class MoveEvaluator {
public:
    struct Best {
        std::int64_t gain = kImpossible;  // if there is no legal move
        std::uint64_t ties = 0;           // the number of legal moves with this gain
    };

    // No move leads back to one of the last `visited` graphs. All scores must be set before moves are asked for.
    MoveEvaluator(EditableDag dag, std::size_t visited);

    // The bytes of the gains and of the graph, for n variables.
    static std::size_t bytes(std::size_t n) noexcept {
        return n * (n * sizeof(std::int64_t) + 4 * words_for(n) * sizeof(Subset));
    }

    const EditableDag& dag() const noexcept { return dag_; }
    // Replaces the graph, and forgets the visited ones. Children with other parents than before need new scores.
    void set_dag(EditableDag dag);

    // Sets the score of a child's family, which must be possible, and its scores with one variable added or removed.
    void set_scores(unsigned child, std::int64_t own, std::span<const std::int64_t> changed);
    bool has_all_scores() const noexcept { return missing_ == 0; }
    // The score of the graph.
    std::int64_t score() const noexcept { return score_; }

    Best best();
    // The legal moves with the largest gain, numbered from 0; best() must have been called after the last change.
    EdgeMove best_move(std::uint64_t number) const;

    // All legal moves of a kind.
    std::uint64_t count(MoveKind kind) const;
    EdgeMove move(MoveKind kind, std::uint64_t number) const;

    bool is_legal(const EdgeMove& move) const;
    // The move must be legal. The children whose parents it changes then need new scores.
    void apply(const EdgeMove& move);
    void forget_visited();

private:
    std::int64_t gain(unsigned parent, unsigned child) const noexcept { return gains_[child * dag_.n() + parent]; }
    std::int64_t reversal_gain(const Edge& edge) const noexcept;
    bool is_blocked(const EdgeMove& move) const noexcept;
    Subset addable(unsigned child, std::size_t word) const;
    Best best_additions(unsigned child) const;
    template <class Visit>
    void for_each_addition(unsigned child, Visit&& visit) const;
    template <class Visit>
    void for_each_edge_move(unsigned child, Visit&& visit) const;
    template <class Visit>
    void for_each_move(MoveKind kind, Visit&& visit) const;
    void descendants_change(unsigned above);
    void blocked_additions_change();
    void needs_scores(unsigned child);

    EditableDag dag_;
    VisitedStates visited_;
    std::vector<std::int64_t> gains_;  // by child, then by the variable that is added or removed
    std::vector<std::int64_t> own_;
    std::int64_t score_ = 0;
    std::vector<bool> has_scores_;
    std::size_t missing_;  // the number of children without scores
    std::vector<Best> additions_;
    std::vector<bool> stale_;  // whether additions_ must be computed again
    Best best_;
};

}  // namespace dagscape
