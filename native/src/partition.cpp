#include "dagscape/partition.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace dagscape {
namespace {

// Row numbers sorted by the codes, the last position the most significant: one stable counting sort per position.
template <class Code>
std::vector<std::uint32_t> sorted_rows(std::span<const Code> codes, std::span<const std::uint32_t> arities,
                                       std::span<const std::uint16_t> order, std::uint32_t count,
                                       const Monitor& monitor) {
    const std::size_t n = order.size();
    std::vector<std::uint32_t> sorted(count), next(count);
    std::iota(sorted.begin(), sorted.end(), 0U);
    for (const std::uint16_t variable : order) {
        monitor.check();
        std::vector<std::uint32_t> place(std::size_t{arities[variable]} + 1, 0);
        for (std::uint32_t row = 0; row < count; ++row) ++place[std::size_t{codes[row * n + variable]} + 1];
        std::partial_sum(place.begin(), place.end(), place.begin());
        for (const std::uint32_t row : sorted) next[place[codes[row * n + variable]]++] = row;
        sorted.swap(next);
    }
    return sorted;
}

// Up to eight counters in one register: no counter has to wait for a store of the one before.
struct PackedCounters {
    unsigned lane_log2;  // bits per counter: 2^lane_log2

    // Whether the counters for `arity` codes can hold `largest` each.
    static bool fit(std::uint32_t arity, std::uint32_t largest) noexcept {
        return arity <= 8 && (std::uint64_t{largest} >> (1U << lanes(arity))) == 0;
    }
    static unsigned lanes(std::uint32_t arity) noexcept { return arity <= 2 ? 5 : arity <= 4 ? 4 : 3; }

    unsigned shift(std::uint32_t code) const noexcept { return code << lane_log2; }
    std::uint32_t get(std::uint64_t counters, std::uint32_t code) const noexcept {
        return static_cast<std::uint32_t>((counters >> shift(code)) & ((std::uint64_t{1} << (1U << lane_log2)) - 1));
    }
};

// Splits one cell after another. With keep = false it only sums the terms.
template <bool keep, class Code>
class Refiner {
public:
    Refiner(const Partition& parent, const Code* column, std::uint32_t arity, const CellTerms& terms,
            RefineScratch& scratch, Partition* child)
        : parent_(parent), column_(column), arity_(arity), terms_(terms), scratch_(scratch), child_(child) {}

    std::int64_t run() {
        std::uint32_t begin = 0;
        for (const Partition::Cell& cell : parent_.cells) {
            if (cell.end - begin == 2) {
                split_pair(begin);
            } else if (PackedCounters::fit(arity_, cell.weight)) {
                split_packed(begin, cell.end);
            } else {
                split_counted(begin, cell.end);
            }
            begin = cell.end;
        }
        return sum_;
    }

private:
    void split_pair(std::uint32_t at) {
        const std::uint32_t a = parent_.weight[at];
        const std::uint32_t b = parent_.weight[at + 1];
        if (column_[parent_.row[at]] != column_[parent_.row[at + 1]]) {
            sum_ += terms_(a) + terms_(b);
            if constexpr (keep) {
                child_->singles.add(a);
                child_->singles.add(b);
            }
            return;
        }
        sum_ += terms_(a + b);
        if constexpr (keep) {
            std::copy_n(parent_.row.begin() + at, 2, child_->row.begin() + filled_);
            std::copy_n(parent_.weight.begin() + at, 2, child_->weight.begin() + filled_);
            close_cell(2, a + b);
        }
    }

    void split_packed(std::uint32_t begin, std::uint32_t end) {
        const PackedCounters packed{PackedCounters::lanes(arity_)};
        std::uint64_t weights = 0;
        std::uint64_t counts = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            const unsigned shift = packed.shift(column_[parent_.row[i]]);
            weights += std::uint64_t{parent_.weight[i]} << shift;
            if constexpr (keep) counts += std::uint64_t{1} << shift;
        }
        std::array<std::uint32_t, 8> start{};
        for (std::uint32_t code = 0; code < arity_; ++code) {
            const std::uint32_t weight = packed.get(weights, code);
            if (weight == 0) continue;
            sum_ += terms_(weight);
            if constexpr (keep) start[code] = place_cell(packed.get(counts, code), weight);
        }
        if constexpr (keep) {
            std::uint64_t used = 0;
            for (std::uint32_t i = begin; i < end; ++i) {
                const std::uint32_t row = parent_.row[i];
                const std::uint32_t code = column_[row];
                const std::uint32_t at = start[code] + packed.get(used, code);
                used += std::uint64_t{1} << packed.shift(code);
                child_->row[at] = row;
                child_->weight[at] = parent_.weight[i];
            }
        }
    }

    void split_counted(std::uint32_t begin, std::uint32_t end) {
        scratch_.seen.clear();
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t code = column_[parent_.row[i]];
            if (scratch_.rows[code]++ == 0) scratch_.seen.push_back(code);
            scratch_.weight[code] += parent_.weight[i];
        }
        for (const std::uint32_t code : scratch_.seen) {
            sum_ += terms_(scratch_.weight[code]);
            if constexpr (keep) scratch_.start[code] = place_cell(scratch_.rows[code], scratch_.weight[code]);
            scratch_.rows[code] = 0;
            scratch_.weight[code] = 0;
        }
        if constexpr (keep) {
            for (std::uint32_t i = begin; i < end; ++i) {
                const std::uint32_t row = parent_.row[i];
                const std::uint32_t at = scratch_.start[column_[row]]++;
                child_->row[at] = row;
                child_->weight[at] = parent_.weight[i];
            }
        }
    }

    // Where the rows of a new cell go. A single row goes behind all others, where it is overwritten or ignored.
    std::uint32_t place_cell(std::uint32_t rows, std::uint32_t weight) {
        if (rows == 1) {
            child_->singles.add(weight);
            return static_cast<std::uint32_t>(child_->row.size()) - 1;
        }
        const std::uint32_t start = filled_;
        close_cell(rows, weight);
        return start;
    }

    void close_cell(std::uint32_t rows, std::uint32_t weight) {
        filled_ += rows;
        child_->cells.push_back({filled_, weight});
        child_->largest = std::max(child_->largest, weight);
    }

    const Partition& parent_;
    const Code* column_;
    std::uint32_t arity_;
    const CellTerms& terms_;
    RefineScratch& scratch_;
    Partition* child_;
    std::int64_t sum_ = 0;
    std::uint32_t filled_ = 0;
};

}  // namespace

template <class Code>
Rows::Rows(std::span<const Code> codes, std::span<const std::uint32_t> weights, std::span<const std::uint32_t> arities,
           std::span<const std::uint16_t> order, const Monitor& monitor) {
    const std::size_t n = order.size();
    const auto count = static_cast<std::uint32_t>(weights.size());
    const std::vector<std::uint32_t> sorted = sorted_rows(codes, arities, order, count, monitor);
    for (const std::uint16_t variable : order) arity_.push_back(arities[variable]);

    // The highest position at which a row differs from the one before it; equal rows become one.
    std::vector<std::uint32_t> kept;
    std::vector<unsigned> differs;
    for (const std::uint32_t row : sorted) {
        unsigned highest = static_cast<unsigned>(n);
        if (!kept.empty()) {
            const auto same = [&](unsigned p) {
                return codes[kept.back() * n + order[p]] == codes[row * n + order[p]];
            };
            while (highest > 0 && same(highest - 1)) --highest;
            if (highest == 0) {
                weight_.back() += weights[row];
                continue;
            }
        }
        kept.push_back(row);
        differs.push_back(highest - 1);
        weight_.push_back(weights[row]);
    }

    suffix_.resize(n * kept.size());
    for (unsigned p = 0; p < n; ++p) {
        monitor.check();
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            number += i > 0 && differs[i] >= p;
            suffix_[p * kept.size() + i] = number;
        }
    }
    const auto fill = [&](auto& columns) {
        columns.resize(n * kept.size());
        for (unsigned p = 0; p < n; ++p) {
            monitor.check();
            for (std::size_t i = 0; i < kept.size(); ++i) columns[p * kept.size() + i] = codes[kept[i] * n + order[p]];
        }
    };
    if constexpr (sizeof(Code) == 1) {
        fill(bytes_);
    } else {
        fill(words_);
    }
}

template Rows::Rows(std::span<const std::uint8_t>, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                    std::span<const std::uint16_t>, const Monitor&);
template Rows::Rows(std::span<const std::uint32_t>, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                    std::span<const std::uint16_t>, const Monitor&);

std::uint32_t Rows::largest_arity() const noexcept { return *std::max_element(arity_.begin(), arity_.end()); }

std::size_t Rows::bytes() const noexcept {
    return bytes_.size() + 4 * (words_.size() + suffix_.size() + weight_.size());
}

void SingleRows::clear() noexcept {
    std::fill_n(small_.begin(), used_, 0U);
    used_ = 0;
    largest_ = 0;
    large_.clear();
}

std::int64_t SingleRows::sum(const CellTerms& terms) const noexcept {
    std::int64_t sum = 0;
    for (std::uint32_t weight = 1; weight < used_; ++weight) sum += small_[weight] * terms(weight);
    for (const std::uint32_t weight : large_) sum += terms(weight);
    return sum;
}

void SingleRows::copy_from(const SingleRows& other) {
    if (used_ > other.used_) std::fill(small_.begin() + other.used_, small_.begin() + used_, 0U);
    std::copy_n(other.small_.begin(), other.used_, small_.begin());
    used_ = other.used_;
    largest_ = other.largest_;
    large_.assign(other.large_.begin(), other.large_.end());
}

void start_partition(const Rows& rows, Partition& partition) {
    partition.row.resize(std::size_t{rows.size()} + 1);
    std::iota(partition.row.begin(), partition.row.end(), 0U);
    partition.weight.assign(rows.weights(), rows.weights() + rows.size());
    partition.weight.push_back(0);
    partition.cells.clear();
    partition.singles.clear();
    const auto total = std::accumulate(rows.weights(), rows.weights() + rows.size(), std::uint32_t{0});
    partition.largest = total;
    if (rows.size() == 1) {
        partition.singles.add(total);
    } else {
        partition.cells.push_back({rows.size(), total});
    }
}

std::int64_t refine(const Rows& rows, const Partition& parent, unsigned position, const CellTerms& terms,
                    RefineScratch& scratch, Partition& child) {
    // Never shrunk: growing again would write zeros first.
    const std::size_t room = std::size_t{parent.open_rows()} + 1;
    if (child.row.size() < room) {
        child.row.resize(room);
        child.weight.resize(room);
    }
    child.cells.clear();
    child.singles.copy_from(parent.singles);
    child.largest = child.singles.largest();
    const std::int64_t closed = parent.singles.sum(terms);
    const std::int64_t open = rows.with_column(position, [&]<class Code>(const Code* column) {
        return Refiner<true, Code>(parent, column, rows.arity(position), terms, scratch, &child).run();
    });
    child.largest = std::max(child.largest, child.singles.largest());
    return closed + open;
}

std::int64_t refined_sum(const Rows& rows, const Partition& parent, unsigned position, const CellTerms& terms,
                         RefineScratch& scratch) {
    return parent.singles.sum(terms) + rows.with_column(position, [&]<class Code>(const Code* column) {
        return Refiner<false, Code>(parent, column, rows.arity(position), terms, scratch, nullptr).run();
    });
}

void forget_before(const Rows& rows, unsigned position, Partition& partition) {
    const std::uint32_t* suffix = rows.suffix(position);
    std::uint32_t begin = 0;
    std::uint32_t filled = 0;
    std::size_t kept_cells = 0;
    for (const Partition::Cell cell : partition.cells) {
        const std::uint32_t first = filled;
        std::uint32_t last_suffix = ~std::uint32_t{0};
        for (std::uint32_t i = begin; i < cell.end; ++i) {
            const std::uint32_t row = partition.row[i];
            const std::uint32_t weight = partition.weight[i];
            if (suffix[row] == last_suffix) {
                partition.weight[filled - 1] += weight;
                continue;
            }
            last_suffix = suffix[row];
            partition.row[filled] = row;
            partition.weight[filled++] = weight;
        }
        begin = cell.end;
        if (filled - first == 1) {
            filled = first;
            partition.singles.add(cell.weight);
        } else {
            partition.cells[kept_cells++] = {filled, cell.weight};
        }
    }
    partition.cells.resize(kept_cells);
}

}  // namespace dagscape
