#include "dagscape/scores/partition.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>

namespace dagscape {
namespace {

// 0, 1, …, count − 1.
template <class Number>
std::vector<Number> first_numbers(std::size_t count) {
    std::vector<Number> numbers(count);
    std::iota(numbers.begin(), numbers.end(), Number{0});
    return numbers;
}

// Row indices sorted by the codes, with the last position as the most significant: one stable counting sort per
// position.
template <class Code>
std::vector<std::uint32_t> sorted_rows(std::span<const Code> codes, std::span<const std::uint32_t> arities,
                                       std::span<const std::uint16_t> order, std::uint32_t count,
                                       const Monitor& monitor) {
    const std::size_t n = order.size();
    std::vector<std::uint32_t> sorted = first_numbers<std::uint32_t>(count), next(count);
    for (const std::uint16_t variable : order) {
        monitor.check();
        std::vector<std::uint32_t> position(std::size_t{arities[variable]} + 1, 0);
        for (std::uint32_t row = 0; row < count; ++row) ++position[std::size_t{codes[row * n + variable]} + 1];
        std::partial_sum(position.begin(), position.end(), position.begin());
        for (const std::uint32_t row : sorted) next[position[codes[row * n + variable]]++] = row;
        sorted.swap(next);
    }
    return sorted;
}

// Up to eight counters in one register, so that no update waits for a previous store.
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

// Terms that are all zero.
struct NoTerms {
    std::int64_t operator()(std::uint32_t) const noexcept { return 0; }
};

// Splits cells one by one. With keep = false, it only sums the terms.
template <bool keep, class Code, class Terms>
class Refiner {
public:
    Refiner(const Partition& parent, const Code* column, std::uint32_t arity, const Terms& terms,
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

    // The position of the rows of a new cell. A single row goes after all others, where it is overwritten or ignored.
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
    const Terms& terms_;
    RefineScratch& scratch_;
    Partition* child_;
    std::int64_t sum_ = 0;
    std::uint32_t filled_ = 0;
};

}  // namespace

template <class Code>
Columns::Columns(std::span<const Code> codes, std::span<const std::uint32_t> arities,
                 std::span<const std::uint16_t> order, std::span<const std::uint32_t> rows, const Monitor& monitor)
    : rows_(static_cast<std::uint32_t>(rows.size())) {
    std::size_t narrow = 0, wide = 0;
    for (const std::uint16_t variable : order) {
        arity_.push_back(arities[variable]);
        std::size_t& filled = arity_.back() > kByteCodes ? wide : narrow;
        start_.push_back(filled);
        filled += rows.size();
    }
    bytes_.resize(narrow);
    words_.resize(wide);
    // A few rows of all columns at a time: processing whole columns would load every row once per column.
    constexpr std::size_t kBlock = 256;
    for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
        monitor.check();
        const std::size_t end = std::min(rows.size(), begin + kBlock);
        for (std::size_t p = 0; p < order.size(); ++p) {
            const auto copy = [&](auto* column) {
                using Target = std::remove_pointer_t<decltype(column)>;
                for (std::size_t i = begin; i < end; ++i) {
                    column[i] = static_cast<Target>(codes[rows[i] * order.size() + order[p]]);
                }
            };
            if (arity_[p] > kByteCodes) {
                copy(words_.data() + start_[p]);
            } else {
                copy(bytes_.data() + start_[p]);
            }
        }
    }
}

template <class Code>
Columns::Columns(std::span<const Code> codes, std::span<const std::uint32_t> arities, const Monitor& monitor)
    : Columns(codes, arities, first_numbers<std::uint16_t>(arities.size()),
              first_numbers<std::uint32_t>(codes.size() / arities.size()), monitor) {}

template Columns::Columns(std::span<const std::uint8_t>, std::span<const std::uint32_t>, const Monitor&);
template Columns::Columns(std::span<const std::uint32_t>, std::span<const std::uint32_t>, const Monitor&);
template Columns::Columns(std::span<const std::uint8_t>, std::span<const std::uint32_t>, std::span<const std::uint16_t>,
                          std::span<const std::uint32_t>, const Monitor&);
template Columns::Columns(std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                          std::span<const std::uint16_t>, std::span<const std::uint32_t>, const Monitor&);

std::uint32_t Columns::largest_arity() const noexcept { return *std::max_element(arity_.begin(), arity_.end()); }

std::size_t Columns::bytes() const noexcept { return bytes_.size() + 4 * words_.size(); }

template <class Code>
Rows::Rows(std::span<const Code> codes, std::span<const std::uint32_t> weights, std::span<const std::uint32_t> arities,
           std::span<const std::uint16_t> order, const Monitor& monitor) {
    const std::size_t n = order.size();
    const auto count = static_cast<std::uint32_t>(weights.size());
    const std::vector<std::uint32_t> sorted = sorted_rows(codes, arities, order, count, monitor);

    // The highest position at which a row differs from the previous row; equal rows become one.
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
    columns_.emplace(codes, arities, order, kept, monitor);
}

template Rows::Rows(std::span<const std::uint8_t>, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                    std::span<const std::uint16_t>, const Monitor&);
template Rows::Rows(std::span<const std::uint32_t>, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                    std::span<const std::uint16_t>, const Monitor&);

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

void start_partition(std::span<const std::uint32_t> weights, std::span<const std::uint8_t> chosen,
                     Partition& partition) {
    partition.row.clear();
    partition.weight.clear();
    partition.cells.clear();
    partition.singles.clear();
    for (std::uint32_t row = 0; row < weights.size(); ++row) {
        if (!chosen.empty() && chosen[row] == 0) continue;
        partition.row.push_back(row);
        partition.weight.push_back(weights[row]);
    }
    const auto count = static_cast<std::uint32_t>(partition.row.size());
    partition.largest = std::accumulate(partition.weight.begin(), partition.weight.end(), std::uint32_t{0});
    if (count == 1) {
        partition.singles.add(partition.largest);
    } else if (count > 1) {
        partition.cells.push_back({count, partition.largest});
    }
    // Room for a single row after all others.
    partition.row.push_back(0);
    partition.weight.push_back(0);
}

namespace {

template <class Terms>
std::int64_t refine_with(const Columns& columns, const Partition& parent, unsigned position, const Terms& terms,
                         RefineScratch& scratch, Partition& child) {
    // Never shrink: growing again would first write zeros.
    const std::size_t room = std::size_t{parent.open_rows()} + 1;
    if (child.row.size() < room) {
        child.row.resize(room);
        child.weight.resize(room);
    }
    child.cells.clear();
    child.singles.copy_from(parent.singles);
    child.largest = child.singles.largest();
    const std::int64_t open = columns.with_column(position, [&]<class Code>(const Code* column) {
        return Refiner<true, Code, Terms>(parent, column, columns.arity(position), terms, scratch, &child).run();
    });
    child.largest = std::max(child.largest, child.singles.largest());
    return open;
}

}  // namespace

std::int64_t refine(const Columns& columns, const Partition& parent, unsigned position, const CellTerms& terms,
                    RefineScratch& scratch, Partition& child) {
    return parent.singles.sum(terms) + refine_with(columns, parent, position, terms, scratch, child);
}

void split(const Columns& columns, const Partition& parent, unsigned position, RefineScratch& scratch,
           Partition& child) {
    refine_with(columns, parent, position, NoTerms{}, scratch, child);
}

std::int64_t refined_sum(const Columns& columns, const Partition& parent, unsigned position, const CellTerms& terms,
                         RefineScratch& scratch) {
    const std::int64_t open = columns.with_column(position, [&]<class Code>(const Code* column) {
        return Refiner<false, Code, CellTerms>(parent, column, columns.arity(position), terms, scratch, nullptr).run();
    });
    return parent.singles.sum(terms) + open;
}

std::int64_t cell_sum(const Partition& partition, const CellTerms& terms) noexcept {
    std::int64_t sum = partition.singles.sum(terms);
    for (const Partition::Cell& cell : partition.cells) sum += terms(cell.weight);
    return sum;
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
