// Markov equivalence of DAGs on up to 64 variables, for many graphs at once. A graph is the list of its parent sets.
#pragma once

#include <cstdint>
#include <span>

#include "dagscape/subset.hpp"

namespace dagscape {

// Whether the edges of a graph are free of directed cycles; writes a topological order (n numbers) if they are.
bool topological_order(std::span<const Subset> parents, std::span<std::uint8_t> order);

// The edges on which all members of a DAG's class agree, as parent sets (Label-Edges of [chickering1995]).
void compelled_parents(std::span<const Subset> parents, std::span<const std::uint8_t> order,
                       std::span<Subset> compelled);

// The CPDAG of a DAG: compelled edges as parent sets, the others as neighbour sets. False if the graph has a cycle.
bool cpdag(std::span<const Subset> parents, std::span<Subset> directed, std::span<Subset> undirected);

struct ClassKey {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    bool operator==(const ClassKey&) const = default;

    // Each edge of the skeleton and each v-structure adds one random word to each half.
    void add_edge(unsigned a, unsigned b) noexcept;
    void add_v_structure(unsigned a, unsigned child, unsigned b) noexcept;

    // For keys that tell DAGs apart, and graphs on different sets of variables.
    void add_family(unsigned child, Subset parents) noexcept;
    void add_vertex(unsigned vertex) noexcept;
    // For keys of orderings: their last variables, as one word.
    void add_tail(std::uint64_t tail) noexcept;
};

// The same for equivalent DAGs, and in practice only for them.
ClassKey class_key(std::span<const Subset> parents);

}  // namespace dagscape
