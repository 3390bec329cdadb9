// Partitions of the rows of a table by the values of a set of variables, refined one variable at a time.
//
// Each distinct row is stored once, with its multiplicity. Two rules keep partitions small on the way down the lattice:
//   - a cell of a single row cannot be split further, so only its weight is kept;
//   - once a variable is left out for good, rows of a cell that differ in nothing else become one row. The rows are
//     sorted with the last variable as the most significant one, so such rows are neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/cell_terms.hpp"

namespace dagscape {

// The columns of a table of codes, each stored as bytes if its codes fit.
class Columns {
public:
    // `codes` is row-major, rows × variables. Row i of the columns is row rows[i] of the codes, and the column at
    // position p is that of the variable order[p].
    template <class Code>
    Columns(std::span<const Code> codes, std::span<const std::uint32_t> arities, std::span<const std::uint16_t> order,
            std::span<const std::uint32_t> rows, const Monitor& monitor);
    // All rows and variables, in their own order.
    template <class Code>
    Columns(std::span<const Code> codes, std::span<const std::uint32_t> arities, const Monitor& monitor);

    std::uint32_t size() const noexcept { return rows_; }
    unsigned positions() const noexcept { return static_cast<unsigned>(arity_.size()); }
    std::uint32_t arity(unsigned position) const noexcept { return arity_[position]; }
    std::uint32_t largest_arity() const noexcept;
    std::size_t bytes() const noexcept;
    // The bytes of a column of `rows` rows.
    static std::size_t bytes_of(std::size_t rows, std::uint32_t arity) noexcept {
        return rows * (arity > kByteCodes ? sizeof(std::uint32_t) : sizeof(std::uint8_t));
    }

    // Calls visit(column) with the codes at a position.
    template <class Visit>
    decltype(auto) with_column(unsigned position, Visit&& visit) const {
        if (arity_[position] > kByteCodes) return visit(words_.data() + start_[position]);
        return visit(bytes_.data() + start_[position]);
    }

private:
    static constexpr std::uint32_t kByteCodes = 256;

    std::uint32_t rows_;
    std::vector<std::uint32_t> arity_;
    std::vector<std::size_t> start_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint32_t> words_;
};

// A table of codes, with the variables in the order in which the lattice is walked, and with distinct, sorted rows.
class Rows {
public:
    // `codes` is row-major, rows × variables; `order[p]` is the variable at position p.
    template <class Code>
    Rows(std::span<const Code> codes, std::span<const std::uint32_t> weights, std::span<const std::uint32_t> arities,
         std::span<const std::uint16_t> order, const Monitor& monitor);

    const Columns& columns() const noexcept { return *columns_; }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(weight_.size()); }
    unsigned positions() const noexcept { return columns_->positions(); }
    std::span<const std::uint32_t> weights() const noexcept { return weight_; }

    // Two rows have the same number at a position if and only if they agree from that position on.
    const std::uint32_t* suffix(unsigned position) const noexcept {
        return suffix_.data() + std::size_t{position} * size();
    }
    std::uint32_t distinct_suffixes(unsigned position) const noexcept { return suffix(position)[size() - 1] + 1; }

private:
    std::vector<std::uint32_t> weight_;
    std::vector<std::uint32_t> suffix_;
    std::optional<Columns> columns_;
};

// The cells with a single row: their number for each weight.
class SingleRows {
public:
    void clear() noexcept;
    void add(std::uint32_t weight) {
        if (weight < kSmall) {
            ++small_[weight];
            if (weight >= used_) used_ = weight + 1;
        } else {
            large_.push_back(weight);
            if (weight > largest_) largest_ = weight;
        }
    }
    std::uint32_t largest() const noexcept { return large_.empty() ? (used_ > 0 ? used_ - 1 : 0) : largest_; }
    std::int64_t sum(const CellTerms& terms) const noexcept;
    void copy_from(const SingleRows& other);
    std::size_t bytes() const noexcept { return 4 * large_.capacity(); }

private:
    static constexpr std::uint32_t kSmall = 64;

    std::array<std::uint32_t, kSmall> small_{};
    std::uint32_t used_ = 0;  // all small weights that occur are below this
    std::uint32_t largest_ = 0;
    std::vector<std::uint32_t> large_;
};

struct Partition {
    struct Cell {
        std::uint32_t end;  // the end of its rows, which begin where the previous cell ends
        std::uint32_t weight;
    };

    std::vector<std::uint32_t> row;     // the rows of the open cells, cell by cell, in increasing order within each
    std::vector<std::uint32_t> weight;  // the number of rows of the data that each represents
    std::vector<Cell> cells;            // with at least two rows
    SingleRows singles;
    std::uint32_t largest = 0;  // an upper bound on the weights of cells and single rows

    std::uint32_t open_rows() const noexcept { return cells.empty() ? 0 : cells.back().end; }
    std::size_t bytes() const noexcept {
        return 4 * (row.capacity() + weight.capacity()) + sizeof(Cell) * cells.capacity() + singles.bytes();
    }
    // The maximum number of bytes of a partition of `rows` rows. A vector that grows by push_back may allocate twice
    // its length.
    static std::size_t most_bytes(std::size_t rows) noexcept {
        return 2 * (4 * (rows + 1) * 2 + sizeof(Cell) * (rows / 2 + 1) + 4 * rows);
    }
};

// Counters for one refinement, reused between calls so that they need not be allocated and zeroed each time.
struct RefineScratch {
    explicit RefineScratch(std::uint32_t largest_arity)
        : rows(largest_arity, 0), weight(largest_arity, 0), start(largest_arity, 0) {}

    std::vector<std::uint32_t> rows, weight, start, seen;
};

// Puts all rows into one cell. If `chosen` is not empty, it has one byte per row, and only rows with a non-zero byte
// are included.
void start_partition(std::span<const std::uint32_t> weights, std::span<const std::uint8_t> chosen,
                     Partition& partition);

// Splits every cell by the column at `position` into `child`, and returns the sum of the terms of all new cells.
std::int64_t refine(const Columns& columns, const Partition& parent, unsigned position, const CellTerms& terms,
                    RefineScratch& scratch, Partition& child);

// The same without any terms.
void split(const Columns& columns, const Partition& parent, unsigned position, RefineScratch& scratch,
           Partition& child);

// The same sum, without building the refined partition.
std::int64_t refined_sum(const Columns& columns, const Partition& parent, unsigned position, const CellTerms& terms,
                         RefineScratch& scratch);

// The sum of the terms of the current cells.
std::int64_t cell_sum(const Partition& partition, const CellTerms& terms) noexcept;

// Merges the rows of each cell that agree from `position` on.
void forget_before(const Rows& rows, unsigned position, Partition& partition);

}  // namespace dagscape
