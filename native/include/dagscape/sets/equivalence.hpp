// Markov equivalence of DAGs on any number of variables, for many graphs at once. A graph is the list of its parent
// sets, each a row of words (word_sets.hpp). Up to 64 variables need one word per set, and have specialised kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/word_sets.hpp"

namespace dagscape {

// Graphs on the same variables, stored consecutively.
struct GraphArray {
    const Subset* parents;  // count × n × words_for(n)
    std::size_t count;
    std::size_t n;

    std::size_t stride() const noexcept { return n * words_for(n); }
};

// Computes the CPDAGs of the graphs: compelled edges as parent sets, reversible edges as neighbour sets, in arrays of
// the same size as the graphs. Stops at the first graph with a directed cycle and returns its index; otherwise returns
// the number of graphs.
std::size_t cpdags(GraphArray graphs, Subset* directed, Subset* undirected);

struct ClassKey {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    bool operator==(const ClassKey&) const = default;

    // Each edge of the skeleton and each v-structure adds one random word to each half. Variable indices have at most
    // 21 bits.
    void add_edge(unsigned a, unsigned b) noexcept;
    void add_v_structure(unsigned a, unsigned child, unsigned b) noexcept;

    // For keys that distinguish DAGs, and graphs on different sets of variables.
    void add_family(unsigned child, Subset parents) noexcept;
    void add_vertex(unsigned vertex) noexcept;
    // For keys of orderings: their last variables, as one word.
    void add_tail(std::uint64_t tail) noexcept;
};

// Computes keys that are equal for equivalent DAGs, and in practice only for them: the low and the high half of each.
void class_keys(GraphArray graphs, std::uint64_t* halves);

// The key of one DAG on up to 64 variables.
ClassKey class_key(std::span<const Subset> parents);

}  // namespace dagscape
