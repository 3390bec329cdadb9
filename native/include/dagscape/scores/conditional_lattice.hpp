// A set function of conditional Gaussian scores over the lattice of sets of discrete and measured variables.
//
//   J(Δ, Γ) = D(Δ) + Σ over the cells of Δ of J of Γ in the cell − price · q(Δ) d (d + 3) / 2
//
// for discrete variables Δ and d measured ones Γ; D is the set function of the discrete variables, which the caller
// computes (joint_scores.hpp), q(Δ) the number of their joint states, and the cells are those that have rows. Values
// of cells are integers with guard bits, and their sum is rounded once: any order of the cells gives the same.
//
// One task is a set Δ. Cost: for each of its cells, one walk over all Γ (cell_walk.hpp). Cells of one row are walked
// once, if there is memory for their values, and a cell that the last variable of Δ does not split is not walked again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/cell_gaussian.hpp"
#include "dagscape/scores/cell_walk.hpp"
#include "dagscape/sets/set_index.hpp"

namespace dagscape {

// The joint states of discrete columns, capped, and the parameters of a set: one for each state, and for each state
// d (d + 3) / 2 for d measured variables.
std::uint64_t joint_states(const MixedTable& table, std::span<const std::uint32_t> discrete) noexcept;
std::uint64_t parameters_of(std::uint64_t states, unsigned measured) noexcept;

class ConditionalLattice {
public:
    // The table must outlive the lattice.
    ConditionalLattice(const MixedTable& table, CellFunction function, unsigned max_size);
    ConditionalLattice(const ConditionalLattice&) = delete;
    ConditionalLattice& operator=(const ConditionalLattice&) = delete;

    const SetIndex& index() const noexcept { return index_; }
    // The index of the discrete variables among themselves.
    const SetIndex& discrete_index() const noexcept { return discrete_index_; }

    // Fills `out`, one number for each set in the order of index(), from D of each set of discrete variables. Returns
    // the sets whose values are open, in order of their size, then lexicographically.
    std::vector<std::vector<std::uint16_t>> run(std::span<const std::int64_t> of_discrete, std::span<std::int64_t> out,
                                                unsigned threads, Monitor& monitor) const;

    // Walks the cells of one set of discrete columns, with sets of up to `most` measured ones, and returns the number
    // of these sets.
    std::uint64_t trial(std::span<const std::uint32_t> discrete, unsigned most, Monitor& monitor) const;

    // The most bytes that a run needs besides its output.
    static std::size_t bytes(std::size_t rows, unsigned discrete, unsigned measured, unsigned max_size,
                             unsigned threads);

private:
    class Worker;

    // The rows whose values are kept, by place among those of the function.
    struct RowValues {
        std::vector<std::int64_t> values;
        std::vector<std::uint8_t> certain;
    };

    unsigned most_measured(std::size_t discrete) const noexcept;
    bool keeps_rows() const noexcept;
    std::vector<Fixed> prior_parts() const;

    const MixedTable& table_;
    CellFunction function_;
    SetIndex index_, discrete_index_;
    SizedSets sets_;
    CellConstants constants_;
    std::vector<std::uint16_t> discrete_, measured_;  // the variable of each column
    std::vector<Fixed> priors_;
};

}  // namespace dagscape
