// A Markov equivalence class as its completed PDAG (CPDAG), changed by inserting or deleting one adjacency.
//
// The graph stores, for each variable, its parents and children (edges on which all members agree) and its neighbours
// (edges on which they differ), as rows of words: any number of variables. For a clique K of neighbours of Y,
//
//   Insert(X, Y, K)   adds X → Y to the members in which exactly Pa(Y) ∪ K are the parents of Y; K contains NA, the
//                     neighbours of Y that are adjacent to X
//   Delete(X, Y, K)   removes X → Y from the members in which exactly Pa(Y) ∪ K ∪ {X} are the parents of Y; K is a
//                     subset of NA
//
// In [chickering2002], T = K ∖ NA and H = NA ∖ K. A move is applied as follows: change the edges, find a DAG that
// extends the result without new v-structures (by removing sinks [dor1992]), and complete that DAG. This takes one pass
// over the graph, and is done for a move that is made, never to evaluate one.
//
// Constraints on edges are sets of forbidden parents. A class is allowed if some member has no forbidden edge. To find
// one, direct the undirected edges that have only one allowed direction; a member exists if and only if the result has
// an extension in the same class.
#pragma once

#include <cstddef>
#include <vector>

#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/word_sets.hpp"

namespace dagscape {

class ClassGraph {
public:
    // The class of a DAG, given as n parent sets. `forbidden` holds, for each variable, the parents that it must not
    // have; the DAG has none of them.
    ClassGraph(std::size_t n, const Subset* dag, std::vector<Subset> forbidden);

    std::size_t n() const noexcept { return n_; }
    std::size_t words() const noexcept { return words_; }

    // Sets as rows of words. `forward` holds children and neighbours: the next vertices of semi-directed paths.
    const Subset* parents(unsigned v) const noexcept { return &parents_[v * words_]; }
    const Subset* neighbours(unsigned v) const noexcept { return &neighbours_[v * words_]; }
    const Subset* forward(unsigned v) const noexcept { return &forward_[v * words_]; }
    const Subset* adjacent(unsigned v) const noexcept { return &adjacent_[v * words_]; }
    const Subset* forbidden(unsigned v) const noexcept { return &forbidden_[v * words_]; }

    // Writes all variables that semi-directed paths from the source reach without a blocked variable, source included.
    void reach(unsigned source, const Subset* blocked, Subset* found) const;

    // The moves must be valid. If the next class has no allowed member, they change nothing and return false.
    bool insert_edge(unsigned x, unsigned y, const Subset* clique);
    bool delete_edge(unsigned x, unsigned y, const Subset* clique);

    // The variables with an edge that the last move added, deleted, directed or undirected.
    const Subset* changed() const noexcept { return changed_.data(); }

    // Writes the parent sets of an allowed member.
    void member(Subset* dag) const;

private:
    using Rows = std::vector<Subset>;
    struct Pdag {
        Rows directed, undirected;
    };

    Subset* row(Rows& rows, unsigned v) const noexcept { return &rows[v * words_]; }
    void direct(Pdag& graph, unsigned from, unsigned to) const;
    bool complete_and_keep(const Pdag& graph);
    bool allowed_member(const Pdag& completed, Subset* dag) const;
    void keep(Pdag&& completed);

    std::size_t n_;
    std::size_t words_;
    Rows parents_, neighbours_, forward_, adjacent_;
    Rows forbidden_;
    Rows changed_;
    bool constrained_;
    mutable std::vector<unsigned> stack_;
};

// Finds a DAG that directs the undirected edges without new v-structures or cycles [dor1992]; returns false if there is
// none. All arguments are n rows of words_for(n) words.
bool consistent_extension(std::size_t n, const Subset* directed, const Subset* undirected, Subset* dag);

}  // namespace dagscape
