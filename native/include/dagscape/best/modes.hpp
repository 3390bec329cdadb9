// Enumerates the networks of the best mode orderings: [chen2019].
//
// The score of an ordering of the variables is Σ_i best_i(variables before i). An ordering is a δ-mode if it precedes
// every other ordering within Kendall distance δ: it has a better score, or the same score and a lexicographically
// smaller sequence. By theorem 1 of the paper, this holds if and only if every window of δ+1 consecutive variables is
// best among its own permutations within distance δ.
//
// The search expands prefixes of orderings best first, by f = score so far + bound on the rest; ties are broken by the
// lexicographically smaller prefix. A prefix whose newest window is not best is dropped. Two prefixes with the same
// network and the same last δ variables have the same futures: only the first, which is lexicographically smaller, is
// expanded. Bounds never increase along a prefix, so orderings are found best first, and those with equal scores in
// lexicographic order. The first ordering of a network is therefore the smallest of its mode orderings.
//
// Whether a window w is best can be decided without listing permutations. Let B be the variables before the window, P
// the part of the window that is already placed, and g(P, b) the best score of placing the rest with at most b
// inversions:
//
//   g(P, b) = max over j ∉ P of  best_{w_j}(B ∪ P) + g(P ∪ j, b − |{i ∉ P, i < j}|)
//
// The window fails if g(∅, δ) exceeds its own score, or if a permutation within distance δ has the same score and a
// smaller variable where it first differs from w.
//
// Bounds: if 2^n numbers fit in memory, R(S) of best_scores.hpp, which is exact except for the windows; otherwise
// static pattern databases [yuan2012]. These divide the variables into groups, and forbid cycles only among the
// variables of the same group. Each group is a separate problem, in which a family counts as its part within the group;
// its R is computed by the same dynamic program on fewer variables.
//
// Notation: the paper minimises, this file maximises; M of the paper is the number of networks requested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/families.hpp"

namespace dagscape {

inline constexpr unsigned kMostDelta = 8;

struct ModeOptions {
    unsigned delta = 0;
    bool merge = true;              // drop prefixes with the same future as another one
    bool distinct_classes = false;  // keep only the first network of each equivalence class
    // The division of the variables for pattern databases. One group of all variables gives the exact bound R(S); a
    // group of one variable gives only the score of its best family.
    std::vector<Subset> groups;
    std::size_t most_bytes = SIZE_MAX;
};

class ModeSearch {
public:
    enum class Outcome { found, no_more, out_of_room, out_of_time };

    // Every child must have a possible family (FamilyScores::possible).
    ModeSearch(const FamilyScores& families, const ModeOptions& options, unsigned threads, Monitor& monitor);
    ~ModeSearch();
    ModeSearch(const ModeSearch&) = delete;
    ModeSearch& operator=(const ModeSearch&) = delete;

    // Finds the next network: its parent sets, its ordering and its score.
    Outcome next(std::span<Subset> parents, std::span<std::uint8_t> order, std::int64_t& score, double seconds,
                 Monitor& monitor);

    // An upper bound on the score of any network not found yet; kImpossible if there is none.
    std::int64_t bound() const noexcept;
    // The numbers of prefixes that were expanded, that were generated, that were dropped because their window failed,
    // and that were dropped because another has the same future.
    struct Counts {
        std::uint64_t expanded = 0, generated = 0, failed = 0, merged = 0;
    };
    Counts counts() const noexcept;
    std::size_t bytes() const noexcept;

private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace dagscape
