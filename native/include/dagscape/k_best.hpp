// The best networks one after the other, as DAGs or as equivalence classes: [chen2014], asked for lazily as in
// [huang2005].
//
// G^i_W, the i-th best network on a set W of variables, ends in a sink s with a set of parents:  G^i'_{W∖s} ⊕
// bestPa_s(W∖s, j). Every W that is asked keeps a heap of candidates (s, i', j), at first (s, 0, 0) for each s, worth
// M(W∖s) + best_s(W∖s). Taking (s, i', j) off the heap makes room for (s, i', j+1), and for (s, i'+1, 0) where j = 0:
// every other candidate has exactly one before it, which is not worse. A network that was found before, by another
// sink, is passed over; in the space of classes one that is equivalent to it as well: by theorem 2 of [chen2014] one
// member of a class on W∖s stands for all, if scores are the same for equivalent networks. What a candidate makes room
// for is looked up only when the next network is asked for.
//
// Order: by score; among equal scores by the smaller sink, then by i', then by j. Ranks (s, i', j) are ordered as they
// are found, so the order of the whole list is that of sorting all candidates, and does not depend on when anything was
// asked.
//
// Networks are told apart by keys of 128 bits: sums of random words for edges and v-structures (equivalence.hpp), or,
// in the space of DAGs, for families. Notation: value_{W,s}(i, j) of the paper is the score of a candidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "dagscape/families.hpp"
#include "dagscape/monitor.hpp"

namespace dagscape {

enum class Space { dags, classes };

// Thrown when the networks kept take more room than allowed. What was found before is right.
struct OutOfRoom : std::exception {
    const char* what() const noexcept override { return "out of room"; }
};

class BestNetworks {
public:
    // All that is needed of the families is copied; every child must have one (FamilyScores::possible).
    BestNetworks(const FamilyScores& families, Space space, unsigned threads, std::size_t most_bytes, Monitor& monitor);
    ~BestNetworks();
    BestNetworks(const BestNetworks&) = delete;
    BestNetworks& operator=(const BestNetworks&) = delete;

    // Finds the next network: its parent sets and its score. False when there are no more.
    bool next(std::span<Subset> parents, std::int64_t& score, Monitor& monitor);

    // Networks kept for all sets of variables, and the bytes that they and their candidates take.
    std::size_t stored() const noexcept;
    std::size_t bytes() const noexcept;

private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace dagscape
