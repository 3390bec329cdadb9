#include "dagscape/scores/family_groups.hpp"

#include <algorithm>

namespace dagscape {
namespace {

constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

// Each cell has four counters, used in turn, so that no row waits for the previous row, as long as all counters fit in
// the fastest cache.
constexpr unsigned kBanks = 4;
constexpr std::size_t kBankedCells = 1024;

// With more cells per row than this, only the cells that occur are visited.
constexpr std::size_t kCellsPerRow = 2;
constexpr std::size_t kFewCells = 256;

// With more cells than this, the partitions are refined instead.
constexpr std::size_t most_cells(std::size_t rows) noexcept { return (std::size_t{1} << 16) + 8 * rows; }

// Calls add(cell, bank, weight) for each row, where `group` has the group of each row, and the banks take turns.
template <bool every_row, bool weighted, class Code, class Add>
void visit_cells(const GroupedRows& rows, const std::uint32_t* group, const Code* column, std::uint32_t arity,
                 Add&& add) {
    const std::uint32_t* row = rows.row.data();
    const std::uint32_t* weight = rows.weight.data();
    const std::size_t count = rows.row.size();
    const auto visit = [&](std::size_t i, unsigned bank) {
        add(group[i] * std::size_t{arity} + column[every_row ? i : row[i]], bank, weighted ? weight[i] : 1);
    };
    std::size_t i = 0;
    for (; i + kBanks <= count; i += kBanks) {
        for (unsigned bank = 0; bank < kBanks; ++bank) visit(i + bank, bank);
    }
    for (; i < count; ++i) visit(i, 0);
}

template <class Code, class Add>
void visit_cells(const GroupedRows& rows, const std::uint32_t* group, const Code* column, std::uint32_t arity,
                 Add&& add) {
    if (rows.weighted) {
        rows.every_row ? visit_cells<true, true>(rows, group, column, arity, add)
                       : visit_cells<false, true>(rows, group, column, arity, add);
    } else {
        rows.every_row ? visit_cells<true, false>(rows, group, column, arity, add)
                       : visit_cells<false, false>(rows, group, column, arity, add);
    }
}

// Calls use(terms) with a plain array if it covers all counts up to `largest`, and with a function otherwise.
template <class Use>
decltype(auto) with_terms(const CellTerms& terms, std::uint32_t largest, Use&& use) {
    if (largest < terms.table().size()) return use(terms.table().data());
    return use([&](std::uint32_t count) { return terms(count); });
}

std::int64_t term_of(const std::int64_t* table, std::uint32_t count) { return table[count]; }
std::int64_t term_of(const auto& terms, std::uint32_t count) { return terms(count); }

}  // namespace

void GroupedRows::reset(const Partition& partition, std::uint32_t rows) {
    group.assign(rows, kNoGroup);
    weight.resize(rows);
    groups = 0;
    std::uint32_t begin = 0;
    for (const Partition::Cell& cell : partition.cells) {
        for (std::uint32_t i = begin; i < cell.end; ++i) {
            group[partition.row[i]] = groups;
            weight[partition.row[i]] = partition.weight[i];
        }
        begin = cell.end;
        ++groups;
    }
    row.clear();
    weighted = false;
    for (std::uint32_t i = 0; i < rows; ++i) {
        if (group[i] == kNoGroup) continue;
        weighted |= weight[i] != 1;
        group[row.size()] = group[i];
        weight[row.size()] = weight[i];
        row.push_back(i);
    }
    group.resize(row.size());
    weight.resize(row.size());
    every_row = row.size() == rows;
}

void FamilyGroups::reset(const Columns& columns, const Partition& by_parents, unsigned child, RefineScratch& scratch) {
    columns_ = &columns;
    by_parents_ = &by_parents;
    split(columns, by_parents, child, scratch, by_family_);
    parents_.reset(by_parents, columns.size());
    family_.reset(by_family_, columns.size());

    // Groups by parents and child are numbered so that groups with the same parents are consecutive.
    const std::uint32_t arity = columns.arity(child);
    group_of_code_.assign(arity, kNoGroup);
    family_group_.resize(columns.size());
    group_end_.clear();
    std::uint32_t groups = 0;
    std::uint32_t begin = 0;
    columns.with_column(child, [&](const auto* column) {
        for (const Partition::Cell& cell : by_parents.cells) {
            for (std::uint32_t i = begin; i < cell.end; ++i) {
                std::uint32_t& group = group_of_code_[column[by_parents.row[i]]];
                if (group == kNoGroup) group = groups++;
                family_group_[by_parents.row[i]] = group;
            }
            for (std::uint32_t i = begin; i < cell.end; ++i) group_of_code_[column[by_parents.row[i]]] = kNoGroup;
            group_end_.push_back(groups);
            begin = cell.end;
        }
    });
    for (std::size_t i = 0; i < parents_.row.size(); ++i) family_group_[i] = family_group_[parents_.row[i]];
}

// Counts all cells of the family; the counts of the parents are sums of these.
template <unsigned banks>
FamilyGroups::Sums FamilyGroups::sum_of_all_cells(unsigned position, const CellTerms& family_terms,
                                                  const CellTerms& parent_terms, CountScratch& scratch) const {
    const std::uint32_t arity = columns_->arity(position);
    const std::size_t count = std::size_t{group_end_.empty() ? 0 : group_end_.back()} * arity * banks;
    if (scratch.cells.size() < count) scratch.cells.resize(count);
    std::uint32_t* cells = scratch.cells.data();
    columns_->with_column(position, [&](const auto* column) {
        visit_cells(parents_, family_group_.data(), column, arity,
                    [=](std::size_t cell, unsigned bank, std::uint32_t weight) {
                        cells[cell * banks + bank % banks] += weight;
                    });
    });

    Sums sums{by_parents_->singles.sum(family_terms), by_parents_->singles.sum(parent_terms)};
    const auto add_up = [&](const auto& of_family, const auto& of_parents) {
        const std::uint32_t* cell = cells;
        std::uint32_t* by_code = scratch.by_code.data();
        std::uint32_t group = 0;
        for (const std::uint32_t end : group_end_) {
            std::fill_n(by_code, arity, 0U);
            for (; group < end; ++group) {
                for (std::uint32_t code = 0; code < arity; ++code, cell += banks) {
                    std::uint32_t rows = 0;
                    for (unsigned bank = 0; bank < banks; ++bank) rows += cell[bank];
                    sums.family += term_of(of_family, rows);
                    by_code[code] += rows;
                }
            }
            for (std::uint32_t code = 0; code < arity; ++code) sums.parents += term_of(of_parents, by_code[code]);
        }
    };
    with_terms(family_terms, by_parents_->largest, [&](const auto& of_family) {
        with_terms(parent_terms, by_parents_->largest, [&](const auto& of_parents) { add_up(of_family, of_parents); });
    });
    std::fill_n(cells, count, 0U);
    return sums;
}

std::int64_t FamilyGroups::sum_of_touched_cells(const GroupedRows& rows, const Partition& partition, unsigned position,
                                                const CellTerms& terms, CountScratch& scratch) const {
    const std::uint32_t arity = columns_->arity(position);
    const std::size_t count = std::size_t{rows.groups} * arity;
    if (scratch.cells.size() < count) scratch.cells.resize(count);
    if (scratch.touched.size() <= rows.row.size()) scratch.touched.resize(rows.row.size() + 1);
    std::uint32_t* cells = scratch.cells.data();
    std::uint32_t* touched = scratch.touched.data();
    std::size_t seen = 0;
    columns_->with_column(position, [&](const auto* column) {
        visit_cells(rows, rows.group.data(), column, arity, [&](std::size_t cell, unsigned, std::uint32_t weight) {
            // Branch-free, because new cells are unpredictable.
            touched[seen] = static_cast<std::uint32_t>(cell);
            seen += cells[cell] == 0;
            cells[cell] += weight;
        });
    });
    std::int64_t sum = partition.singles.sum(terms);
    with_terms(terms, partition.largest, [&](const auto& of_cells) {
        for (std::size_t i = 0; i < seen; ++i) {
            sum += term_of(of_cells, cells[touched[i]]);
            cells[touched[i]] = 0;
        }
    });
    return sum;
}

FamilyGroups::Sums FamilyGroups::with(unsigned position, const CellTerms& family_terms, const CellTerms& parent_terms,
                                      CountScratch& scratch) const {
    const std::size_t arity = columns_->arity(position);
    const std::size_t cells = (group_end_.empty() ? 0 : group_end_.back()) * arity;
    if (cells <= kBankedCells) return sum_of_all_cells<kBanks>(position, family_terms, parent_terms, scratch);
    if (cells <= kCellsPerRow * parents_.row.size() + kFewCells) {
        return sum_of_all_cells<1>(position, family_terms, parent_terms, scratch);
    }
    if (std::max(parents_.groups, family_.groups) * arity <= most_cells(columns_->size())) {
        return {sum_of_touched_cells(family_, by_family_, position, family_terms, scratch),
                sum_of_touched_cells(parents_, *by_parents_, position, parent_terms, scratch)};
    }
    return {refined_sum(*columns_, by_family_, position, family_terms, scratch.refine),
            refined_sum(*columns_, *by_parents_, position, parent_terms, scratch.refine)};
}

std::size_t FamilyGroups::bytes() const noexcept {
    return parents_.bytes() + family_.bytes() + by_family_.bytes() +
           4 * (family_group_.capacity() + group_end_.capacity() + group_of_code_.capacity());
}

std::size_t FamilyGroups::most_bytes(std::size_t rows, std::size_t largest_arity) noexcept {
    // Three numbers for each row of either grouping, its group, and the end of a group of at least two rows. A vector
    // that grows by push_back may allocate twice its length.
    return 4 * (rows * (3 + 3 + 2 + 1 + 2) + largest_arity) + Partition::most_bytes(rows);
}

std::size_t CountScratch::most_bytes(std::size_t rows, std::size_t largest_arity) noexcept {
    // A growing vector may allocate twice its length.
    return 4 * (2 * most_cells(rows) + 2 * (rows + 1) + 4 * largest_arity);
}

}  // namespace dagscape
