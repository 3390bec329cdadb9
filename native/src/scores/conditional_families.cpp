#include "dagscape/scores/conditional_families.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dagscape/numbers/fixed_products.hpp"
#include "dagscape/numbers/impossible.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/scores/cell_partition.hpp"
#include "dagscape/scores/conditional_lattice.hpp"
#include "dagscape/scores/determinants.hpp"
#include "dagscape/scores/joint_scores.hpp"

namespace dagscape {
namespace {

// Work of fewer products is not worth a separate thread.
constexpr std::size_t kProductsPerThread = std::size_t{1} << 20;

// Rows between two checks of the monitor.
constexpr std::size_t kRowsBetweenChecks = std::size_t{1} << 14;

constexpr double kLeastPivot = 0x1p-800;

// The columns of a set of variables, in its order.
struct SetColumns {
    std::vector<std::uint32_t> discrete, measured;

    void reset(const MixedTable& table, std::span<const std::uint16_t> members) {
        discrete.clear(), measured.clear();
        for (const std::uint16_t member : members) add(table, member);
    }
    void add(const MixedTable& table, std::uint16_t member) {
        (table.is_discrete[member] ? discrete : measured).push_back(table.place[member]);
    }
};

// Adds the value of a cell to what is known of a set.
void add_cell(SetParts& parts, std::int64_t value, std::uint32_t row) {
    if (value == kOpen) {
        parts.open.push_back(row);
    } else if (value == kImpossible) {
        parts.impossible = true;
    } else {
        parts.sum += value;
    }
}

void add_penalty(SetParts& parts, const CellFunction& function, std::uint64_t states, unsigned measured) {
    const std::uint64_t parameters = parameters_of(states, measured);
    parts.impossible |= parameters > function.max_states;
    if (!parts.impossible) parts.sum -= rounded_product(function.price, parameters - states, function.fine_bits());
}

}  // namespace

// Scores families of one of the functions on one thread.
class ConditionalFamilies::Worker {
public:
    Worker(const MixedTable& table, const CellFunction& function, const CellConstants& constants)
        : table_(table), function_(function), constants_(constants), partition_(table, function.rows),
          matrix_(table, function, constants) {}

    const CellFunction& function() const noexcept { return function_; }

    // J of a family and of its parents, where the last of the measured columns is the child.
    void family(const SetColumns& columns, SetParts& joint, SetParts& base, Monitor& monitor) {
        joint = {}, base = {};
        const auto d = static_cast<unsigned>(columns.measured.size());
        const std::uint64_t states = joint_states(table_, columns.discrete);
        add_penalty(joint, function_, states, d);
        if (d > 0) add_penalty(base, function_, states, d - 1);
        if (d == 0 || joint.impossible) return;
        partition_.move_to(columns.discrete);
        members_.resize(d);
        std::iota(members_.begin(), members_.end(), 0U);
        std::uint32_t begin = 0;
        std::size_t visits = 0;
        for (const CellPartition::Cell& cell : partition_.cells()) {
            const auto rows = partition_.rows().subspan(begin, cell.end - begin);
            begin = cell.end;
            cell_values(rows, columns.measured, joint, base, monitor);
            // A set that is impossible in one cell is impossible.
            if (joint.impossible) return;
            if ((visits += rows.size() + 16) > kRowsBetweenChecks) {
                monitor.check();
                visits = 0;
            }
        }
    }

    std::size_t bytes() const noexcept { return partition_.bytes(); }

private:
    void cell_values(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> measured, SetParts& joint,
                     SetParts& base, const Monitor& monitor) {
        const auto d = static_cast<unsigned>(measured.size());
        matrix_.build(rows, measured, d, true, monitor);
        bool excluded = d > matrix_.largest();
        for (unsigned i = 0; i < d; ++i) excluded |= matrix_.excludes(i);
        if (excluded) {
            joint.impossible = true;
            return;
        }
        Fixed log = 0;
        double determinant = 1;
        for (unsigned column = 0; column < d; ++column) {
            if (column + 1 == d && d > 1) add_cell(base, value(d - 1, log, determinant, measured), rows[0]);
            const DoubleDouble pivot = column == 0 ? DoubleDouble{matrix_.high()[0], matrix_.low()[0]} : pivots(column);
            if (!(pivot.high > kLeastPivot)) {
                const std::int64_t verdict = value(column + 1, 0, 0, measured);
                if (column + 1 < d && d > 1) add_cell(base, verdict, rows[0]);
                return add_cell(joint, verdict, rows[0]);
            }
            log += fixed_log(pivot, matrix_.exponent(column));
            determinant *= pivot.high / matrix_.diagonal(column);
            keep_pivot(column, pivot);
        }
        add_cell(joint, value(d, log, determinant, measured), rows[0]);
    }

    std::int64_t value(unsigned size, Fixed log, double determinant, std::span<const std::uint32_t> measured) const {
        Fixed prior = 0;
        for (unsigned i = 0; function_.prior && i < size; ++i) prior += function_.prior->logs[measured[i]];
        return matrix_.value(std::span(members_).first(size), log, determinant, constants_.prior_part(prior, size));
    }

    // The pivot of a column, after the projections of all earlier ones on its own column.
    DoubleDouble pivots(unsigned column) {
        const std::size_t d = members_.size();
        DoubleDouble pivot{matrix_.high()[column * d + column], matrix_.low()[column * d + column]};
        lower_.resize(d * d);
        for (unsigned j = 0; j < column; ++j) {
            DoubleDouble rest{matrix_.high()[j * d + column], matrix_.low()[j * d + column]};
            for (unsigned i = 0; i < j; ++i) rest = rest - lower_[j * d + i] * projection(column, i);
            projection(column, j) = rest;
        }
        for (unsigned j = 0; j < column; ++j) {
            const DoubleDouble ratio = projection(column, j) * inverse_[j];
            pivot = pivot - ratio * projection(column, j);
            projection(column, j) = ratio;
        }
        return pivot;
    }

    // Before a column is done, its row of the factor holds its projections, and then their ratios to the pivots.
    DoubleDouble& projection(unsigned column, unsigned j) { return lower_[column * members_.size() + j]; }

    void keep_pivot(unsigned column, DoubleDouble pivot) {
        inverse_.resize(members_.size());
        inverse_[column] = DoubleDouble{1, 0} / pivot;
    }

    const MixedTable& table_;
    const CellFunction& function_;
    const CellConstants& constants_;
    CellPartition partition_;
    CellMatrix matrix_;
    std::vector<std::uint32_t> members_;
    std::vector<DoubleDouble> lower_, inverse_;
};

ConditionalFamilies::ConditionalFamilies(MixedTable table, std::vector<CellFunction> functions,
                                         std::vector<std::uint32_t> function_of, unsigned max_size, unsigned threads,
                                         std::size_t most_bytes)
    : table_(std::move(table)), functions_(std::move(functions)), function_of_(std::move(function_of)),
      threads_(threads), cache_(0), workers_(functions_.size() * threads) {
    const std::size_t rows = table_.measured() > 0 ? table_.numbers[0].size() : 0;
    const unsigned most = std::min(table_.measured(), max_size);
    for (const CellFunction& function : functions_) constants_.emplace_back(function, most);
    const std::size_t fixed = fixed_bytes(rows, table_.variables(), functions_.size(), max_size, threads);
    cache_ = SetCache(most_bytes > fixed ? most_bytes - fixed : 0);
}

ConditionalFamilies::~ConditionalFamilies() = default;

std::size_t ConditionalFamilies::fixed_bytes(std::size_t rows, std::size_t variables, std::size_t functions,
                                             unsigned max_size, unsigned threads) noexcept {
    const std::size_t size = std::min<std::size_t>(variables, max_size);
    const std::size_t worker = rows * (20 * (size + 1) + 8 * size) + 64 * size * size;
    return rows * (8 * variables + functions * (4 + 16)) + functions * threads * worker;
}

ConditionalFamilies::Worker& ConditionalFamilies::worker(unsigned number) {
    if (!workers_[number]) {
        const std::size_t function = number / threads_;
        workers_[number] = std::make_unique<Worker>(table_, functions_[function], constants_[function]);
    }
    return *workers_[number];
}

template <class Parents, class Key>
void ConditionalFamilies::score(std::uint16_t child, const Parents& parents, const Key& key,
                                std::span<std::int64_t> out, Monitor& monitor) {
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (const auto found = cache_.find({child, key(i)})) {
            out[i] = *found;
        } else {
            missing.push_back(i);
        }
    }
    if (missing.empty()) return;
    monitor.expect(missing.size());
    const CellFunction& function = functions_[function_of_[child]];
    const std::size_t size = key(0).size() + 1, products = missing.size() * function.rows.size() * size * size;
    const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(products / kProductsPerThread, 1, threads_));
    // Tasks of neighbours share partitions.
    const std::size_t per_task = std::max<std::size_t>(1, missing.size() / (threads * 8));
    run_tasks((missing.size() + per_task - 1) / per_task, threads, monitor, [&](std::size_t task, unsigned number) {
        Worker& scorer = worker(function_of_[child] * threads_ + number);
        SetColumns columns;
        SetParts joint, base;
        for (std::size_t i = task * per_task; i < std::min(missing.size(), (task + 1) * per_task); ++i) {
            columns.discrete.clear(), columns.measured.clear();
            parents(missing[i], columns);
            columns.add(table_, child);
            scorer.family(columns, joint, base, monitor);
            std::int64_t& score = out[missing[i]];
            if (joint.impossible || base.impossible) {
                score = kImpossible;
            } else if (!joint.open.empty() || !base.open.empty()) {
                score = kOpen;
            } else {
                score = function.rounded(joint.sum) - function.rounded(base.sum);
            }
            monitor.advance(1);
        }
        monitor.check();
    });
    for (const std::size_t i : missing) {
        const SetCache::Key parents_of{child, key(i)};
        if (out[i] != kOpen && !cache_.find(parents_of)) cache_.insert(parents_of, out[i]);
    }
}

void ConditionalFamilies::scores(std::uint16_t child, std::span<const std::uint16_t> sets, std::size_t size,
                                 std::span<std::int64_t> out, Monitor& monitor) {
    const auto set = [&](std::size_t i) { return sets.subspan(i * size, size); };
    const auto parents = [&](std::size_t i, SetColumns& columns) { columns.reset(table_, set(i)); };
    score(child, parents, set, out, monitor);
}

void ConditionalFamilies::additions(std::uint16_t child, std::span<const std::uint16_t> parents,
                                    std::span<const std::uint16_t> candidates, std::span<std::int64_t> out,
                                    Monitor& monitor) {
    std::vector<std::uint16_t> larger(parents.size() + 1);
    const auto key = [&](std::size_t i) {
        std::copy(parents.begin(), parents.end(), larger.begin());
        larger.back() = candidates[i];
        std::sort(larger.begin(), larger.end());
        return std::span<const std::uint16_t>(larger);
    };
    // The candidate comes last, so that the partition by the parents is shared.
    const auto columns_of = [&](std::size_t i, SetColumns& columns) {
        columns.reset(table_, parents);
        columns.add(table_, candidates[i]);
    };
    score(child, columns_of, key, out, monitor);
}

SetParts ConditionalFamilies::parts(std::uint32_t function, std::span<const std::uint16_t> members) const {
    Worker scorer(table_, functions_[function], constants_[function]);
    SetColumns columns;
    columns.reset(table_, members);
    SetParts joint, base;
    Monitor monitor;
    scorer.family(columns, joint, base, monitor);
    return joint;
}

Fixed ConditionalFamilies::constant(std::uint32_t function, std::uint64_t rows, unsigned columns) const {
    std::vector<Fixed> found;
    constants_[function].constants(rows, columns, found);
    return found[columns];
}

std::size_t ConditionalFamilies::cached() const {
    const std::lock_guard lock(mutex_);
    return cache_.size();
}

std::size_t ConditionalFamilies::bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = cache_.bytes();
    for (const auto& column : table_.codes) sum += 4 * column.size();
    for (const auto& column : table_.numbers) sum += 8 * column.size();
    for (const CellConstants& constants : constants_) sum += constants.bytes();
    for (const auto& worker : workers_) sum += worker ? worker->bytes() : 0;
    return sum;
}

}  // namespace dagscape
