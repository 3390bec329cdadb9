#include "dagscape/scores/cell_partition.hpp"

#include <algorithm>

namespace dagscape {

CellPartition::CellPartition(const MixedTable& table, std::span<const std::uint32_t> rows) : table_(table), levels_(1) {
    std::uint32_t largest = 1;
    for (const std::uint32_t arity : table.arities) largest = std::max(largest, arity);
    count_.resize(largest);
    levels_[0].rows.assign(rows.begin(), rows.end());
    if (!rows.empty()) levels_[0].cells.push_back({static_cast<std::uint32_t>(rows.size()), kUnmarked});
}

std::size_t CellPartition::shared(std::span<const std::uint32_t> columns) const noexcept {
    const auto alike = std::mismatch(columns.begin(), columns.end(), members_.begin(), members_.end());
    return static_cast<std::size_t>(alike.first - columns.begin());
}

void CellPartition::move_to(std::span<const std::uint32_t> columns) {
    keep(shared(columns));
    while (depth() < columns.size()) {
        if (levels_.size() == depth() + 1) levels_.emplace_back();
        refine(levels_[depth()], columns[depth()], levels_[depth() + 1]);
        members_.push_back(columns[depth()]);
    }
}

void CellPartition::refine(const Level& from, std::uint32_t column, Level& to) {
    const std::vector<std::uint32_t>& codes = table_.codes[column];
    to.rows.resize(from.rows.size());
    to.cells.clear();
    std::uint32_t begin = 0;
    for (const Cell& cell : from.cells) {
        const auto rows = std::span(from.rows).subspan(begin, cell.end - begin);
        const auto splits = [&](std::uint32_t row) { return codes[row] != codes[rows[0]]; };
        if (std::none_of(rows.begin(), rows.end(), splits)) {
            std::copy(rows.begin(), rows.end(), to.rows.begin() + begin);
            to.cells.push_back(cell);
            begin = cell.end;
            continue;
        }
        seen_.clear();
        for (const std::uint32_t row : rows) {
            if (count_[codes[row]]++ == 0) seen_.push_back(codes[row]);
        }
        for (const std::uint32_t code : seen_) {
            const std::uint32_t start = begin;
            begin += count_[code];
            count_[code] = start;
            to.cells.push_back({begin, kUnmarked});
        }
        for (const std::uint32_t row : rows) to.rows[count_[codes[row]]++] = row;
        for (const std::uint32_t code : seen_) count_[code] = 0;
    }
}

std::size_t CellPartition::bytes() const noexcept {
    std::size_t bytes = 4 * (count_.capacity() + seen_.capacity());
    for (const Level& level : levels_) {
        bytes += 4 * level.rows.capacity() + sizeof(Cell) * level.cells.capacity();
    }
    return bytes;
}

}  // namespace dagscape
