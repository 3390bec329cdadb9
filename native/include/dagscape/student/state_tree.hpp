// Products and sums of functions of few skills, over all states of the skills, for four patterns at a time.
//
// A state is a mask of skills. There is a function for each given set of skills, with a value for each substate: a
// state restricted to the set, its bits packed. The sets are the leaves of a binary tree, the root is the set of all
// skills, and each other node is the union of its two children. The product of all functions goes up the tree: the
// table of a node is the product of its children's tables. Sums over the states go down in the same way: the table of
// a node is summed by the substates of either child. Nodes with small unions are joined first, so that most of the
// work is done at the root: 2^K products, and twice as many additions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/numbers/lanes.hpp"

namespace dagscape {

// The bits of a state at the members of a set, packed.
constexpr std::uint32_t packed_substate(std::uint32_t state, std::uint32_t set) noexcept {
    std::uint32_t packed = 0;
    for (unsigned bit = 0; set != 0; set &= set - 1, ++bit) packed |= std::uint32_t{(state & set & -set) != 0} << bit;
    return packed;
}

// An order of the skills for fast trees: result[b] is the skill that should be bit b. In large nodes, many states with
// successive numbers then have successive or equal substates in the children.
std::vector<unsigned> fast_order(unsigned skills, std::span<const std::uint32_t> sets);

// How values combine: probabilities are multiplied, their logarithms are added.
struct Multiplied {
    static Lanes none() noexcept { return broadcast(1); }
    static Lanes combine(Lanes a, Lanes b) noexcept { return a * b; }
};
struct Added {
    static Lanes none() noexcept { return broadcast(0); }
    static Lanes combine(Lanes a, Lanes b) noexcept { return a + b; }
};

class StateTree {
public:
    // There must be a set, and none may be empty.
    StateTree(unsigned skills, std::span<const std::uint32_t> sets);

    // The number of values in the tables of all nodes but the root. They begin with those of the sets, one after the
    // other.
    std::size_t table_size() const noexcept { return table_size_; }
    // The approximate number of operations for a product and its sums.
    double operations() const noexcept { return operations_; }
    std::size_t bytes() const noexcept;

    // The combination of the functions and the prior in each of the 2^K states. The tables of the sets are given; those
    // of the other nodes are overwritten.
    template <class Space>
    void combine(Lanes* tables, const double* prior, Lanes* states) const;

    // Sums the states by the substates of every set, into the sets' tables, and returns the sum of all.
    Lanes sum(const Lanes* states, Lanes* tables) const;

private:
    // States that agree but for the lowest skills form a run. The lowest skills are all in the left child, or none is;
    // and likewise in the right child. Substates then move along with the states, or stay.
    struct Start {
        std::uint16_t left, right;
    };
    struct Node {
        std::size_t table;        // where it begins, as in a left child with the same set; the root has none
        std::size_t left, right;  // where the children's tables begin
        std::size_t run;
        bool left_moves, right_moves;
        std::vector<Start> starts;  // by run: the substates of its first state
    };

    static Node node_of(std::uint32_t set, std::uint32_t left, std::uint32_t right);

    std::vector<Node> nodes_;    // children before parents; the root is the last
    std::size_t empty_set_ = 0;  // where its table begins: its function is 1, and its sum is that of all states
    std::size_t table_size_ = 0;
    double operations_ = 0;
};

}  // namespace dagscape
