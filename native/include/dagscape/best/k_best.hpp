// Enumerates the best networks in order, as DAGs or as equivalence classes: [chen2014], with lazy evaluation as in
// [huang2005].
//
// G^i_W, the i-th best network on a set W of variables, consists of a network on W∖s and the parents of a sink s:
// G^i'_{W∖s} ⊕ bestPa_s(W∖s, j). Each requested W has a heap of candidates (s, i', j). It starts with (s, 0, 0) for
// each s, with the score M(W∖s) + best_s(W∖s). After (s, i', j) is popped, its successors are pushed: (s, i', j+1), and
// (s, i'+1, 0) if j = 0. Every candidate except the initial ones thus has exactly one predecessor, which is not worse.
// A network that was found before with another sink is skipped. In the space of classes, equivalent networks are
// skipped too: by theorem 2 of [chen2014], one member represents its class on W∖s if the scores are score-equivalent.
// Successors are evaluated only when the next network is requested.
//
// Order: by score; ties are broken by the smaller sink, then by i', then by j. Ranks (s, i', j) are found in order, so
// the list has the order of sorting all candidates, and does not depend on when networks are requested.
//
// Networks are compared by 128-bit keys: sums of random words for edges and v-structures (equivalence.hpp), or, in the
// space of DAGs, for families. Notation: value_{W,s}(i, j) of the paper is the score of a candidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/families.hpp"

namespace dagscape {

enum class Space { dags, classes };

// Thrown when the stored networks exceed the memory limit. The networks found before are correct.
struct OutOfRoom : std::exception {
    const char* what() const noexcept override { return "out of room"; }
};

class BestNetworks {
public:
    // Copies what it needs of the families. Every child must have a possible family (FamilyScores::possible).
    // `most_bytes` limits the bytes of the search; `bytes_per_network` counts as part of them for each network that
    // next() has returned, for a caller who keeps the networks.
    BestNetworks(const FamilyScores& families, Space space, unsigned threads, std::size_t most_bytes, Monitor& monitor,
                 std::size_t bytes_per_network = 0);
    ~BestNetworks();
    BestNetworks(const BestNetworks&) = delete;
    BestNetworks& operator=(const BestNetworks&) = delete;

    // Finds the next network: its parent sets and its score. Returns false if there are no more.
    bool next(std::span<Subset> parents, std::int64_t& score, Monitor& monitor);

    // The number of stored networks on all sets of variables, and the bytes of these networks, their candidates, and
    // the networks that the caller keeps.
    std::size_t stored() const noexcept;
    std::size_t bytes() const noexcept;

private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace dagscape
