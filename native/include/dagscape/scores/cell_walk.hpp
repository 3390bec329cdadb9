// J of all sets of measured variables in one cell.
//
// The sets are visited depth first, and the Schur complement of each is kept for the larger ones, as in
// determinant_lattice.hpp. Sets are numbered by size, then by mask, so that those of a lower limit on the size come
// first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/cell_gaussian.hpp"

namespace dagscape {

// The numbers of the sets of at most `most` out of n columns: by size, then by mask.
class SizedSets {
public:
    SizedSets(unsigned n, unsigned most);

    unsigned n() const noexcept { return n_; }
    unsigned most() const noexcept { return most_; }
    // The number of sets of at most `size` columns.
    std::size_t count(unsigned size) const noexcept { return first_[size + 1]; }
    // The number of the first set of a size, and what its member in a place, from 0 on, adds.
    std::size_t first(unsigned size) const noexcept { return first_[size]; }
    std::size_t step(unsigned member, unsigned place) const noexcept {
        return choose_[member * (most_ + 1) + place + 1];
    }

private:
    unsigned n_, most_;
    std::vector<std::size_t> first_, choose_;
};

class CellWalk {
public:
    CellWalk(const MixedTable& table, const CellFunction& function, const CellConstants& constants,
             const SizedSets& sets, std::span<const Fixed> priors, Monitor& monitor);

    // Fills `values` with J of each set of at most `most` columns, rounded to the fine unit, or kImpossible or kOpen.
    // Returns whether all are certain.
    bool run(std::span<const std::uint32_t> rows, unsigned most, std::span<std::int64_t> values);

private:
    struct Node {
        std::size_t place;  // the sum of the steps of its members
        Fixed log;
        double determinant;
    };

    void extend(unsigned depth, unsigned from, const Node& node);
    void eliminate(unsigned depth, unsigned column, DoubleDouble pivot);
    // Gives a value to all sets that extend one by later columns, and to the set itself.
    void fill(unsigned size, unsigned from, std::size_t place, std::int64_t value);
    void put(unsigned size, std::size_t place, std::int64_t value);

    const SizedSets& sets_;
    std::span<const Fixed> priors_;  // prior_part() of each set
    Monitor& monitor_;
    CellMatrix matrix_;
    std::vector<std::uint32_t> all_;  // all columns
    unsigned most_ = 0;
    std::span<std::int64_t> values_;
    bool certain_ = true;
    std::vector<std::uint32_t> members_;
    std::vector<double> high_, low_;  // by depth: the upper triangle of what is left
    std::uint64_t work_ = 0;
};

}  // namespace dagscape
