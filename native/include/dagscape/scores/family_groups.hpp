// The rows of a table, grouped by the parents of a child, and within each group by the child, so that one pass over the
// rows counts any further variable against both.
#pragma once

#include <cstdint>
#include <vector>

#include "dagscape/scores/cell_terms.hpp"
#include "dagscape/scores/partition.hpp"

namespace dagscape {

// Counters for one pass, and for one refinement.
struct CountScratch {
    explicit CountScratch(std::uint32_t largest_arity) : refine(largest_arity), by_code(largest_arity) {}

    std::size_t bytes() const noexcept { return 4 * (cells.capacity() + touched.capacity() + 4 * by_code.capacity()); }
    // The maximum size in bytes.
    static std::size_t most_bytes(std::size_t rows, std::size_t largest_arity) noexcept;

    RefineScratch refine;
    std::vector<std::uint32_t> by_code;
    std::vector<std::uint32_t> cells;  // all 0 between passes
    std::vector<std::uint32_t> touched;
};

// The rows of the open cells of a partition, in the order of the table, so that columns are read sequentially.
struct GroupedRows {
    std::vector<std::uint32_t> row, weight, group;
    std::uint32_t groups = 0;
    bool every_row = true;  // row[i] is i
    bool weighted = false;  // some weight is not 1

    void reset(const Partition& partition, std::uint32_t rows);
    std::size_t bytes() const noexcept { return 4 * (row.capacity() + weight.capacity() + group.capacity()); }
};

class FamilyGroups {
public:
    // The sums of the cell terms of two sets: the whole family, and the parents alone.
    struct Sums {
        std::int64_t family, parents;
    };

    // Groups the rows of a partition by the parents. The partition and the columns must outlive this object.
    void reset(const Columns& columns, const Partition& by_parents, unsigned child, RefineScratch& scratch);

    // The sums with the variable at `position` as an additional parent.
    Sums with(unsigned position, const CellTerms& family_terms, const CellTerms& parent_terms,
              CountScratch& scratch) const;

    std::size_t open_rows() const noexcept { return parents_.row.size(); }
    std::size_t bytes() const noexcept;
    // The maximum size in bytes.
    static std::size_t most_bytes(std::size_t rows, std::size_t largest_arity) noexcept;

private:
    template <unsigned banks>
    Sums sum_of_all_cells(unsigned position, const CellTerms& family_terms, const CellTerms& parent_terms,
                          CountScratch& scratch) const;
    std::int64_t sum_of_touched_cells(const GroupedRows& rows, const Partition& partition, unsigned position,
                                      const CellTerms& terms, CountScratch& scratch) const;

    const Columns* columns_ = nullptr;
    const Partition* by_parents_ = nullptr;
    Partition by_family_;
    GroupedRows parents_, family_;
    // For each row grouped by parents, its group by parents and child; for each group by parents, the end of its groups
    // by parents and child.
    std::vector<std::uint32_t> family_group_, group_end_;
    std::vector<std::uint32_t> group_of_code_;
};

}  // namespace dagscape
