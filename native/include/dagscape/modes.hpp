// The networks of the best mode orderings, one after the other: [chen2019].
//
// An ordering of the variables is worth Σ_i best_i(those before i). It is a δ-mode if it precedes every ordering within
// Kendall distance δ: by a better score, or by the same score and the lexicographically smaller sequence. By theorem 1
// of the paper this is so exactly if every window of δ+1 variables that follow each other is best among its own
// permutations within distance δ.
//
// Prefixes of orderings are taken best first, by f = score so far + bound on the rest, and among equal f by the
// lexicographically smaller; one whose newest window is not best is dropped. Two prefixes with the same network and the
// same last δ variables have the same futures: only the first, which is the lexicographically smaller, goes on. Bounds
// never rise along a prefix, so orderings come best first, and among equal scores in lexicographic order: the first
// ordering of a network is the smallest of its mode orderings.
//
// Whether a window w is best needs no list of permutations. With P the part that stands, g(P, b) is the best score of
// placing the rest with at most b inversions,  g(P, b) = max over j ∉ P of best_{w_j}(B ∪ P) + g(P ∪ j, b − |{i ∉ P, i
// < j}|),  B the variables before the window. It fails if g(∅, δ) is more than its own score, or if a smaller variable
// can stand where its own sequence is first left, at the same score.
//
// Bounds: R(S) of best_scores.hpp, exact but for the windows, where 2^n numbers fit; otherwise static pattern databases
// [yuan2012]: the variables fall into groups, and only those of the same group are kept from being parents of each
// other in circles. A group is a problem of its own, in which a family counts as its part within the group, and its R
// is the same programme on fewer variables.
//
// Notation: the paper minimises, this maximises; its M is the number of networks asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dagscape/families.hpp"
#include "dagscape/monitor.hpp"

namespace dagscape {

inline constexpr unsigned kMostDelta = 8;

struct ModeOptions {
    unsigned delta = 0;
    bool merge = true;              // drop prefixes with the same future as another
    bool distinct_classes = false;  // of each equivalence class only the first network
    // How the variables are divided, for pattern databases. One group of all of them gives the exact bound R(S), and
    // groups of one variable each give no more than its best family.
    std::vector<Subset> groups;
    std::size_t most_bytes = SIZE_MAX;
};

class ModeSearch {
public:
    enum class Outcome { found, no_more, out_of_room, out_of_time };

    // Every child must have a family (FamilyScores::possible).
    ModeSearch(const FamilyScores& families, const ModeOptions& options, unsigned threads, Monitor& monitor);
    ~ModeSearch();
    ModeSearch(const ModeSearch&) = delete;
    ModeSearch& operator=(const ModeSearch&) = delete;

    // Finds the next network: its parent sets, its ordering and its score.
    Outcome next(std::span<Subset> parents, std::span<std::uint8_t> order, std::int64_t& score, double seconds,
                 Monitor& monitor);

    // The most that any network not found yet can be worth; kImpossible if there is none.
    std::int64_t bound() const noexcept;
    // Prefixes that were continued; made; dropped for their window; dropped for another with the same future.
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
