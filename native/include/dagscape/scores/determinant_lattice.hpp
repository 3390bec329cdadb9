// A set function of determinants over the lattice of sets.
//
// The sets are visited depth first, and what the columns of a set explain of the later ones is kept: the Schur
// complement. Adding a variable eliminates its columns from that, and the new pivots are the factor by which the
// determinant grows. Cost: about six multiplications for each set of all variables, and two logarithms; with a limit on
// the size, the largest sets need only the diagonal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/determinants.hpp"
#include "dagscape/sets/branches.hpp"
#include "dagscape/sets/set_index.hpp"

namespace dagscape {

class DeterminantLattice {
public:
    DeterminantLattice(DeterminantFunction function, unsigned max_size);

    const SetIndex& index() const noexcept { return index_; }

    // Fills `out`, one number for each set in the order of index(). Returns the sets whose values are open, in
    // order of their size, then lexicographically.
    std::vector<std::vector<std::uint16_t>> run(std::span<std::int64_t> out, unsigned threads, Monitor& monitor) const;

    // The bytes that each thread needs.
    std::size_t bytes_per_thread() const noexcept;

private:
    class Walker;

    DeterminantFunction function_;
    SetIndex index_;
    unsigned widest_;  // the most columns of a variable
};

}  // namespace dagscape
