#include "dagscape/search/independence.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>

namespace dagscape {
namespace {

// Variables with more levels have no bit sets; neither have tables whose rows stand for many rows of the data.
constexpr std::uint32_t kMostLevels = 16;
constexpr std::uint64_t kMostWeight = 8;

// The cost of counting a row, in words of bit sets.
constexpr std::size_t kWordsPerRow = 2;

constexpr std::size_t kBanks = 4;
constexpr std::size_t kBankedCells = 1024;

// Of two variables with more cells than this, the rows are sorted.
constexpr std::size_t dense_cells(std::size_t rows) noexcept { return (std::size_t{1} << 16) + 8 * rows; }

// A unit in which four sums of N ln N over all rows fit.
CellTermSpec entropy_of(std::uint64_t weight) {
    const auto bits = static_cast<unsigned>(std::bit_width(weight));
    return {CellTermKind::entropy, 1.0, std::min(40, 60 - static_cast<int>(bits + std::bit_width(bits)))};
}

std::uint32_t common_bits(const std::uint64_t* first, const std::uint64_t* second, std::size_t words) noexcept {
    std::uint32_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
        count += static_cast<std::uint32_t>(std::popcount(first[word] & second[word]));
    }
    return count;
}

bool suits_bits(std::size_t rows, std::uint64_t weight) noexcept { return weight <= kMostWeight * rows; }

}  // namespace

template <class Code>
TestTable::TestTable(std::span<const Code> codes, std::span<const std::uint32_t> weights,
                     std::span<const std::uint32_t> arities, const Monitor& monitor)
    : columns_(codes, arities, monitor), weights_(weights.begin(), weights.end()),
      weighted_(std::any_of(weights.begin(), weights.end(), [](std::uint32_t weight) { return weight != 1; })),
      weight_(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0})), terms_spec_(entropy_of(weight_)),
      terms_(terms_spec_, 0, 0), bits_start_(arities.size(), kNoBits) {
    terms_.reserve(static_cast<std::uint32_t>(std::min<std::uint64_t>(weight_, ~std::uint32_t{0})));
    if (!suits_bits(weights.size(), weight_)) return;
    words_ = (weight_ + 63) / 64;
    for (unsigned variable = 0; variable < arities.size(); ++variable) {
        if (arities[variable] > kMostLevels) continue;
        monitor.check();
        bits_start_[variable] = bits_.size();
        bits_.resize(bits_.size() + arities[variable] * words_);
        std::uint64_t* start = bits_.data() + bits_start_[variable];
        columns_.with_column(variable, [&](const auto* column) {
            std::size_t bit = 0;
            for (std::size_t row = 0; row < weights_.size(); ++row) {
                std::uint64_t* set = start + column[row] * words_;
                for (std::uint32_t i = 0; i < weights_[row]; ++i, ++bit) set[bit / 64] |= std::uint64_t{1} << bit % 64;
            }
        });
    }
}

template TestTable::TestTable(std::span<const std::uint8_t>, std::span<const std::uint32_t>,
                              std::span<const std::uint32_t>, const Monitor&);
template TestTable::TestTable(std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                              std::span<const std::uint32_t>, const Monitor&);

std::size_t TestTable::most_bytes(std::size_t rows, std::span<const std::uint32_t> arities, std::uint64_t weight,
                                  std::size_t depth, unsigned threads) {
    std::size_t columns = 0, sets = 0;
    const std::size_t set_bytes = suits_bits(rows, weight) ? (weight + 63) / 64 * sizeof(std::uint64_t) : 0;
    for (const std::uint32_t arity : arities) {
        columns += Columns::bytes_of(rows, arity);
        if (arity <= kMostLevels) sets += arity * set_bytes;
    }
    // Bit sets of groups are made where they cost less than counting rows; vectors may grow to twice their length.
    const std::size_t per_level = 4 * rows + 2 * (64 * kWordsPerRow * set_bytes + 2 * 4 * std::size_t{weight});
    const std::size_t per_thread = (depth + 1) * per_level + 4 * 4 * std::max(dense_cells(rows), std::size_t{weight});
    return columns + 2 * sets + 4 * rows + CellTerms::most_bytes(weight) + threads * per_thread;
}

IndependenceTester::IndependenceTester(const TestTable& table, std::uint64_t rows_per_cell)
    : table_(table), most_cells_(table.weight_ / rows_per_cell) {}

void IndependenceTester::set_target(std::uint16_t target) {
    depth_ = 0;
    push(target);
}

bool IndependenceTester::is_possible(std::uint16_t candidate, std::span<const std::uint16_t> given) const noexcept {
    std::uint64_t cells = std::uint64_t{levels_[0].groups} * table_.arity(candidate);
    for (const std::uint16_t member : given) {
        if (cells > most_cells_) return false;
        cells *= table_.arity(member);
    }
    return cells <= most_cells_;
}

IndependenceTest IndependenceTester::test(std::uint16_t candidate, std::span<const std::uint16_t> given) {
    condition_on(given);
    count_cells(candidate);
    return summed(candidate);
}

std::int64_t IndependenceTester::statistic(std::uint16_t candidate) {
    condition_on({});
    const std::size_t cells = levels_[0].groups * std::size_t{table_.arity(candidate)};
    return cells > dense_cells(table_.weights_.size()) ? statistic_by_sorting(candidate)
                                                       : test(candidate, {}).statistic;
}

// Keeps the levels that the last set and this one share.
void IndependenceTester::condition_on(std::span<const std::uint16_t> given) {
    std::size_t shared = 0;
    while (shared < given.size() && shared + 1 < depth_ && levels_[shared + 1].variable == given[shared]) ++shared;
    depth_ = shared + 1;
    for (const std::uint16_t member : given.subspan(shared)) push(member);
}

void IndependenceTester::push(std::uint16_t variable) {
    if (levels_.size() == depth_) levels_.emplace_back();
    Level& level = levels_[depth_];
    level.variable = variable;
    level.groups = table_.arity(variable) * (depth_ == 0 ? std::size_t{1} : levels_[depth_ - 1].groups);
    level.group.clear();
    level.bits.clear();
    level.count.clear();
    ++depth_;
}

const std::uint32_t* IndependenceTester::groups_at(std::size_t depth) {
    Level& level = levels_[depth];
    if (!level.group.empty()) return level.group.data();
    const std::uint32_t* before = depth == 0 ? nullptr : groups_at(depth - 1);
    const std::size_t rows = table_.weights_.size();
    level.group.resize(rows);
    std::uint32_t* group = level.group.data();
    const std::uint32_t arity = table_.arity(level.variable);
    table_.columns_.with_column(level.variable, [&](const auto* column) {
        if (before == nullptr) {
            for (std::size_t row = 0; row < rows; ++row) group[row] = column[row];
        } else {
            for (std::size_t row = 0; row < rows; ++row) group[row] = before[row] * arity + column[row];
        }
    });
    return group;
}

const std::uint64_t* IndependenceTester::bits_at(std::size_t depth) {
    Level& level = levels_[depth];
    if (depth == 0) return table_.bits(level.variable, 0);
    if (!level.bits.empty()) return level.bits.data();
    const std::uint64_t* before = bits_at(depth - 1);
    const std::size_t words = table_.words_;
    const std::uint32_t arity = table_.arity(level.variable);
    level.bits.resize(level.groups * words);
    std::uint64_t* bits = level.bits.data();
    for (std::size_t group = 0; group < level.groups; ++group, bits += words) {
        const std::uint64_t* whole = before + group / arity * words;
        const std::uint64_t* part = table_.bits(level.variable, static_cast<std::uint32_t>(group % arity));
        for (std::size_t word = 0; word < words; ++word) bits[word] = whole[word] & part[word];
    }
    return level.bits.data();
}

// What the counts of the groups of the last level contribute to every test.
void IndependenceTester::sum_groups() {
    Level& level = levels_[depth_ - 1];
    const std::size_t states = level.groups / levels_[0].groups;
    level.more_levels.assign(states, 0);
    level.terms = 0;
    for (std::size_t state = 0; state < states; ++state) {
        std::uint32_t rows = 0, seen = 0;
        for (std::size_t i = state; i < level.groups; i += states) {
            level.terms += table_.terms_(level.count[i]);
            rows += level.count[i];
            seen += level.count[i] != 0;
        }
        level.terms -= table_.terms_(rows);
        level.more_levels[state] = seen > 1 ? seen - 1 : 0;
    }
}

// Bit sets are used if all variables have them and they promise to be faster.
void IndependenceTester::count_cells(std::uint16_t candidate) {
    const Level& level = levels_[depth_ - 1];
    const std::size_t arity = table_.arity(candidate);
    if (cells_.size() < level.groups * arity) cells_.resize(level.groups * arity);
    bool by_bits = table_.has_bits(candidate) &&
                   level.groups * (arity - 1) * table_.words_ <= kWordsPerRow * table_.weights_.size();
    for (std::size_t depth = 0; by_bits && depth < depth_; ++depth) by_bits = table_.has_bits(levels_[depth].variable);
    by_bits ? count_cells_by_bits(candidate) : count_cells_by_rows(candidate);
}

// Up to a number of cells, each has four counters, used in turn, so that no row waits for the previous row.
void IndependenceTester::count_cells_by_rows(std::uint16_t candidate) {
    Level& level = levels_[depth_ - 1];
    const std::uint32_t arity = table_.arity(candidate);
    const std::size_t cells = level.groups * arity;
    const bool banked = cells <= kBankedCells;
    counters_.assign(banked ? kBanks * cells : cells, 0U);
    const std::uint32_t* group = groups_at(depth_ - 1);
    const std::uint32_t* weight = table_.weights_.data();
    const std::size_t rows = table_.weights_.size();
    std::uint32_t* counters = counters_.data();
    const auto count = [&](const auto* column, auto banks, auto weighted) {
        for (std::size_t row = 0; row < rows; ++row) {
            counters[(group[row] * std::size_t{arity} + column[row]) * banks + row % banks] +=
                weighted ? weight[row] : 1;
        }
    };
    using Banks = std::integral_constant<std::size_t, kBanks>;
    using OneBank = std::integral_constant<std::size_t, 1>;
    table_.columns_.with_column(candidate, [&](const auto* column) {
        if (table_.weighted_) {
            banked ? count(column, Banks{}, std::true_type{}) : count(column, OneBank{}, std::true_type{});
        } else {
            banked ? count(column, Banks{}, std::false_type{}) : count(column, OneBank{}, std::false_type{});
        }
    });
    for (std::size_t cell = 0; cell < cells; ++cell) {
        cells_[cell] =
            banked ? std::accumulate(counters + kBanks * cell, counters + kBanks * (cell + 1), 0U) : counters[cell];
    }
    if (!level.count.empty()) return;
    level.count.resize(level.groups);
    for (std::size_t i = 0; i < level.groups; ++i) {
        level.count[i] = std::accumulate(cells_.begin() + i * arity, cells_.begin() + (i + 1) * arity, 0U);
    }
    sum_groups();
}

// The last level of the candidate has what the others leave.
void IndependenceTester::count_cells_by_bits(std::uint16_t candidate) {
    Level& level = levels_[depth_ - 1];
    const std::uint32_t arity = table_.arity(candidate);
    const std::size_t words = table_.words_;
    const std::uint64_t* bits = bits_at(depth_ - 1);
    if (level.count.empty()) {
        level.count.resize(level.groups);
        for (std::size_t group = 0; group < level.groups; ++group) {
            level.count[group] = common_bits(bits + group * words, bits + group * words, words);
        }
        sum_groups();
    }
    std::uint32_t* cell = cells_.data();
    for (std::size_t group = 0; group < level.groups; ++group, bits += words) {
        std::uint32_t left = level.count[group];
        for (std::uint32_t code = 0; code + 1 < arity; ++code) {
            const std::uint32_t rows = left == 0 ? 0 : common_bits(bits, table_.bits(candidate, code), words);
            *cell++ = rows;
            left -= rows;
        }
        *cell++ = left;
    }
}

IndependenceTest IndependenceTester::summed(std::uint16_t candidate) const {
    const Level& level = levels_[depth_ - 1];
    const std::size_t arity = table_.arity(candidate);
    const std::size_t states = level.more_levels.size();
    const std::size_t next_target = states * arity;
    IndependenceTest test{-level.terms, 0};
    for (std::size_t state = 0; state < states; ++state) {
        std::uint32_t seen = 0;
        for (std::size_t code = 0; code < arity; ++code) {
            const std::uint32_t* cell = cells_.data() + state * arity + code;
            std::uint32_t rows = 0;
            for (std::size_t i = 0; i < levels_[0].groups; ++i, cell += next_target) {
                test.statistic += table_.terms_(*cell);
                rows += *cell;
            }
            test.statistic -= table_.terms_(rows);
            seen += rows != 0;
        }
        if (seen > 1) test.freedom += std::uint64_t{seen - 1} * level.more_levels[state];
    }
    return test;
}

std::int64_t IndependenceTester::statistic_by_sorting(std::uint16_t candidate) const {
    struct Cell {
        std::uint32_t first, second, weight;
        auto pair() const noexcept { return std::pair(first, second); }
    };
    std::vector<Cell> cells(table_.weights_.size());
    const auto read = [&](std::uint16_t variable, auto member) {
        table_.columns_.with_column(variable, [&](const auto* column) {
            for (std::size_t row = 0; row < cells.size(); ++row) cells[row].*member = column[row];
        });
    };
    for (std::size_t row = 0; row < cells.size(); ++row) cells[row].weight = table_.weights_[row];
    read(levels_[0].variable, &Cell::first);
    read(candidate, &Cell::second);
    // The sum of the terms of the cells that share a key.
    const auto sum = [&](auto key) {
        std::sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) { return key(a) < key(b); });
        std::int64_t terms = 0;
        for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
            std::uint32_t rows = 0;
            for (; end < cells.size() && key(cells[end]) == key(cells[begin]); ++end) rows += cells[end].weight;
            terms += table_.terms_(rows);
        }
        return terms;
    };
    return sum([](const Cell& cell) { return cell.pair(); }) - sum([](const Cell& cell) { return cell.first; }) -
           sum([](const Cell& cell) { return cell.second; }) + sum([](const Cell&) { return 0; });
}

}  // namespace dagscape
