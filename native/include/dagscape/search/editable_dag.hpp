// A DAG on any number of variables that is changed edge by edge and quickly answers the questions of a local search:
// can this edge be added or reversed without creating a cycle?
//
// It stores the edges and the ancestor relation, each in both directions: four n × n bit matrices, as rows of words.
// With A(v) the ancestors, D(v) the descendants, P(v) the parents and C(v) the children of v,
//
//     u → v can be added       if u is not in {v} ∪ P(v) ∪ D(v)                       one bit; a row for all u
//     u → v can be reversed    if no other path leads from u to v: C(u) ∩ A(v) = ∅    n / 64 words
//
// and the ancestor relation is updated as follows:
//
//     add u → v       if u was not an ancestor of v: A(d) ∪= A(u) ∪ {u} for d in D(v) ∪ {v},
//                     and D(a) ∪= D(v) ∪ {v} for a in A(u) ∪ {u}
//     remove u → v    if no other path leads from u to v: recompute A(d) from the parents of d, for v and those of its
//                     descendants, in topological order, that have a parent whose ancestors have changed
//
// Sorting by |A| gives a topological order, because an ancestor of v has fewer ancestors than v. Cost, in words: n / 64
// for each changed row of either relation; a removal also needs n / 64 for each parent of the changed rows.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/word_sets.hpp"

namespace dagscape {

class EditableDag {
public:
    // The empty graph.
    explicit EditableDag(std::size_t n);

    std::size_t n() const noexcept { return n_; }
    std::size_t words() const noexcept { return words_; }

    bool has_edge(unsigned u, unsigned v) const noexcept { return contains(parents(v), u, words_); }
    bool has_path(unsigned u, unsigned v) const noexcept { return contains(ancestors(v), u, words_); }
    bool can_add(unsigned u, unsigned v) const noexcept { return u != v && !has_edge(u, v) && !has_path(v, u); }
    // The edge u → v must exist.
    bool can_reverse(unsigned u, unsigned v) const noexcept;

    // Sets as rows of words.
    const Subset* parents(unsigned v) const noexcept { return &parents_[v * words_]; }
    const Subset* children(unsigned v) const noexcept { return &children_[v * words_]; }
    const Subset* ancestors(unsigned v) const noexcept { return &ancestors_[v * words_]; }
    const Subset* descendants(unsigned v) const noexcept { return &descendants_[v * words_]; }

    // For every u, whether u → v can be added, or whether u → v is an edge that can be reversed.
    void additions(unsigned v, std::span<bool> legal) const;
    void reversals(unsigned v, std::span<bool> legal) const;

    // The move must be legal.
    void add(unsigned u, unsigned v);
    void remove(unsigned u, unsigned v);
    void reverse(unsigned u, unsigned v);

private:
    using Rows = std::vector<Subset>;

    Subset* row(Rows& rows, unsigned v) noexcept { return &rows[v * words_]; }
    void recompute_ancestors(unsigned v, Subset* found) const;
    bool replace_ancestors(unsigned v, const Subset* found);

    std::size_t n_;
    std::size_t words_;
    Rows parents_, children_, ancestors_, descendants_;
    // Buffers reused between moves: a row, and a set of variables whose ancestors have changed.
    Rows above_, below_;
    std::vector<std::pair<std::size_t, unsigned>> by_ancestors_;
};

}  // namespace dagscape
