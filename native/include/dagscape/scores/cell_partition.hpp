// The rows of a table by the values of discrete variables, refined one variable at a time, and back.
//
// Unlike the partitions of partition.hpp, these keep every row, because measured variables distinguish them. Sets that
// begin alike share the work on their beginning. A cell that a variable does not split keeps its mark.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/scores/cell_gaussian.hpp"

namespace dagscape {

class CellPartition {
public:
    // What a user of the cells knows about one of them.
    static constexpr std::uint32_t kUnmarked = ~std::uint32_t{0};

    struct Cell {
        std::uint32_t end;  // the end of its rows, which begin where the previous cell ends
        std::uint32_t mark;
    };

    CellPartition(const MixedTable& table, std::span<const std::uint32_t> rows);

    // Goes to the partition by some discrete columns, in the given order.
    void move_to(std::span<const std::uint32_t> columns);
    // Goes back to the partition by the first columns.
    void keep(std::size_t columns) noexcept { members_.resize(columns); }
    std::size_t depth() const noexcept { return members_.size(); }
    // The columns at the beginning of both the current set and another.
    std::size_t shared(std::span<const std::uint32_t> columns) const noexcept;

    std::span<Cell> cells() noexcept { return levels_[depth()].cells; }
    std::span<const std::uint32_t> rows() const noexcept { return levels_[depth()].rows; }
    std::size_t bytes() const noexcept;

private:
    struct Level {
        std::vector<std::uint32_t> rows;
        std::vector<Cell> cells;
    };

    void refine(const Level& from, std::uint32_t column, Level& to);

    const MixedTable& table_;
    std::vector<std::uint32_t> members_;
    std::vector<Level> levels_;  // by number of columns
    std::vector<std::uint32_t> count_, seen_;
};

}  // namespace dagscape
