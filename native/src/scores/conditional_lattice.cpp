#include "dagscape/scores/conditional_lattice.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/scores/cell_partition.hpp"
#include "dagscape/scores/determinants.hpp"
#include "dagscape/scores/joint_scores.hpp"

namespace dagscape {
namespace {

// The most numbers that are kept of cells of one row, for all threads, and of others, for each.
constexpr std::size_t kRowNumbers = std::size_t{1} << 23, kCellNumbers = std::size_t{1} << 21;

// What is known of a sum over cells.
enum Verdict : std::uint8_t { certain = 0, open = 1, impossible = 2 };

// Lists of members, one after another.
struct SetList {
    std::vector<std::uint32_t> members;
    std::vector<std::size_t> ends;

    std::size_t size() const noexcept { return ends.size(); }
    std::span<const std::uint32_t> operator[](std::size_t i) const noexcept {
        const std::size_t begin = i == 0 ? 0 : ends[i - 1];
        return std::span(members).subspan(begin, ends[i] - begin);
    }
};

// All sets of at most `most` of n columns, each after those that it extends by a last one.
void list_sets(unsigned n, unsigned most, std::vector<std::uint32_t>& chosen, SetList& found) {
    found.members.insert(found.members.end(), chosen.begin(), chosen.end());
    found.ends.push_back(found.members.size());
    if (chosen.size() == most) return;
    for (std::uint32_t column = chosen.empty() ? 0 : chosen.back() + 1; column < n; ++column) {
        chosen.push_back(column);
        list_sets(n, most, chosen, found);
        chosen.pop_back();
    }
}

}  // namespace

std::uint64_t joint_states(const MixedTable& table, std::span<const std::uint32_t> discrete) noexcept {
    std::uint64_t states = 1;
    for (const std::uint32_t column : discrete) states = more_states(states, table.arities[column]);
    return states;
}

std::uint64_t parameters_of(std::uint64_t states, unsigned measured) noexcept {
    const std::uint64_t each = std::uint64_t{measured} * (measured + 3) / 2 + 1;
    return more_states(states, static_cast<std::uint32_t>(each));
}

// Works on sets of discrete columns on one thread.
class ConditionalLattice::Worker {
public:
    Worker(const ConditionalLattice& lattice, const RowValues* kept, Monitor& monitor)
        : lattice_(lattice), kept_(kept), monitor_(monitor),
          walk_(lattice.table_, lattice.function_, lattice.constants_, lattice.sets_, lattice.priors_, monitor),
          partition_(lattice.table_, lattice.function_.rows) {
        const std::size_t room = lattice.sets_.count(lattice.sets_.most());
        sums_.resize(room), verdicts_.resize(room), values_.resize(room);
        place_of_row_.resize(kept ? *std::max_element(lattice.function_.rows.begin(), lattice.function_.rows.end()) + 1
                                  : 0);
        for (std::uint32_t i = 0; kept && i < lattice.function_.rows.size(); ++i) {
            place_of_row_[lattice.function_.rows[i]] = i;
        }
    }

    // Adds up the cells of a set of discrete columns, for sets of up to `most` measured ones; returns their number.
    std::uint64_t add_cells(std::span<const std::uint32_t> discrete, unsigned most) {
        begin(most);
        if (most == 0) return count_;
        // Marks of cells are valid up to the set that the last one and this one extend.
        pool_ends_.resize(std::min(pool_ends_.size(), partition_.shared(discrete) + 1));
        pool_.resize(pool_ends_.empty() ? 0 : pool_ends_.back());
        partition_.move_to(discrete);
        pool_ends_.resize(discrete.size() + 1, pool_.size());
        begin(std::min(most, largest_possible()));
        std::uint32_t start = 0;
        for (CellPartition::Cell& cell : most_ == 0 ? std::span<CellPartition::Cell>() : partition_.cells()) {
            add_cell(partition_.rows().subspan(start, cell.end - start), cell);
            start = cell.end;
        }
        pool_ends_.back() = pool_.size();
        return lattice_.sets_.count(most);
    }

    // Writes J of the set with each set of measured columns.
    void write(std::span<const std::uint32_t> discrete, std::int64_t of_discrete, std::span<std::int64_t> out) {
        members_.clear();
        for (const std::uint32_t column : discrete) members_.push_back(lattice_.discrete_[column]);
        states_ = joint_states(lattice_.table_, discrete);
        of_discrete_ = of_discrete;
        written_most_ = lattice_.most_measured(discrete.size());
        write_from(0, 0, 0, out);
        monitor_.advance(lattice_.sets_.count(written_most_));
        monitor_.check();
    }

    bool run(std::span<const std::uint32_t> rows, unsigned most, std::span<std::int64_t> values) {
        return walk_.run(rows, most, values);
    }

    std::vector<std::vector<std::uint16_t>> open_sets;

private:
    void begin(unsigned most) {
        most_ = most;
        count_ = lattice_.sets_.count(most);
        std::fill_n(sums_.begin(), count_, 0);
        std::fill_n(verdicts_.begin(), count_, certain);
    }

    // The size of the largest sets of measured columns for which all cells have enough rows.
    unsigned largest_possible() {
        std::uint32_t least = ~std::uint32_t{0}, begin = 0;
        if (lattice_.function_.prior) return least;
        for (const CellPartition::Cell& cell : partition_.cells()) {
            least = std::min(least, cell.end - begin);
            begin = cell.end;
        }
        return least - 1;
    }

    void add_cell(std::span<const std::uint32_t> rows, CellPartition::Cell& cell) {
        if (kept_ != nullptr && rows.size() == 1) {
            const std::size_t place = place_of_row_[rows[0]];
            const std::size_t room = kept_->values.size() / kept_->certain.size();
            return add(std::span(kept_->values).subspan(place * room, count_), kept_->certain[place] != 0);
        }
        if (cell.mark != CellPartition::kUnmarked) {
            return add(std::span(pool_).subspan(cell.mark / 2, count_), cell.mark % 2 != 0);
        }
        const bool all_certain = walk_.run(rows, most_, values_);
        add(std::span(values_).first(count_), all_certain);
        if (pool_.size() + count_ > kCellNumbers) return;
        cell.mark = static_cast<std::uint32_t>(2 * pool_.size() + (all_certain ? 1 : 0));
        pool_.insert(pool_.end(), values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count_));
    }

    void add(std::span<const std::int64_t> values, bool all_certain) {
        if (all_certain) {
            for (std::size_t i = 0; i < values.size(); ++i) sums_[i] += values[i];
            return;
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] > kOpen) {
                sums_[i] += values[i];
            } else {
                verdicts_[i] = std::max<std::uint8_t>(verdicts_[i], values[i] == kOpen ? open : impossible);
            }
        }
    }

    void write_from(unsigned size, unsigned from, std::size_t place, std::span<std::int64_t> out) {
        const std::int64_t value = value_of(size, lattice_.sets_.first(size) + place);
        if (value == kOpen) open_sets.push_back(members_);
        out[lattice_.index_.rank(members_)] = value;
        if (size == written_most_) return;
        for (unsigned column = from; column < lattice_.sets_.n(); ++column) {
            const std::uint16_t variable = lattice_.measured_[column];
            const auto at = std::upper_bound(members_.begin(), members_.end(), variable) - members_.begin();
            members_.insert(members_.begin() + at, variable);
            write_from(size + 1, column + 1, place + lattice_.sets_.step(column, size), out);
            members_.erase(members_.begin() + at);
        }
    }

    std::int64_t value_of(unsigned size, std::size_t place) const {
        const CellFunction& function = lattice_.function_;
        const std::uint64_t parameters = parameters_of(states_, size);
        if (of_discrete_ == kImpossible || parameters > function.max_states || size > most_) return kImpossible;
        if (verdicts_[place] != certain) return verdicts_[place] == open ? kOpen : kImpossible;
        const std::int64_t penalty = rounded_product(function.price, parameters - states_, function.fine_bits());
        return of_discrete_ + function.rounded(sums_[place] - penalty);
    }

    const ConditionalLattice& lattice_;
    const RowValues* kept_;
    Monitor& monitor_;
    CellWalk walk_;
    CellPartition partition_;
    unsigned most_ = 0, written_most_ = 0;  // the sizes of the largest sets of measured columns in the sums, and of all
    std::size_t count_ = 0;                 // of sets in the sums
    std::vector<std::int64_t> sums_, values_;
    std::vector<std::uint8_t> verdicts_;
    std::vector<std::uint32_t> place_of_row_;
    std::vector<std::int64_t> pool_;      // values of cells of the current set and of those that it extends
    std::vector<std::size_t> pool_ends_;  // by number of discrete columns, from 0 on
    std::vector<std::uint16_t> members_;
    std::uint64_t states_ = 1;
    std::int64_t of_discrete_ = 0;
};

ConditionalLattice::ConditionalLattice(const MixedTable& table, CellFunction function, unsigned max_size)
    : table_(table), function_(std::move(function)), index_(table.variables(), std::min(max_size, table.variables())),
      discrete_index_(table.discrete(), std::min(max_size, table.discrete())), sets_(table.measured(), max_size),
      constants_(function_, sets_.most()), discrete_(table.discrete()), measured_(table.measured()) {
    for (std::uint16_t v = 0; v < table.variables(); ++v) {
        (table.is_discrete[v] ? discrete_ : measured_)[table.place[v]] = v;
    }
    priors_ = prior_parts();
}

std::vector<Fixed> ConditionalLattice::prior_parts() const {
    if (!function_.prior) return {};
    std::vector<Fixed> parts(sets_.count(sets_.most()));
    const auto visit = [&](const auto& self, unsigned size, unsigned from, std::size_t place, Fixed logs) -> void {
        parts[sets_.first(size) + place] = constants_.prior_part(logs, size);
        if (size == sets_.most()) return;
        for (unsigned column = from; column < sets_.n(); ++column) {
            self(self, size + 1, column + 1, place + sets_.step(column, size), logs + function_.prior->logs[column]);
        }
    };
    visit(visit, 0, 0, 0, 0);
    return parts;
}

unsigned ConditionalLattice::most_measured(std::size_t discrete) const noexcept {
    return std::min(sets_.most(), index_.max_size() - static_cast<unsigned>(discrete));
}

bool ConditionalLattice::keeps_rows() const noexcept {
    // Without a prior, cells of one row are impossible.
    return function_.prior && !function_.rows.empty() && table_.discrete() > 0 && sets_.most() > 0 &&
           function_.rows.size() * sets_.count(sets_.most()) <= kRowNumbers;
}

std::vector<std::vector<std::uint16_t>> ConditionalLattice::run(std::span<const std::int64_t> of_discrete,
                                                                std::span<std::int64_t> out, unsigned threads,
                                                                Monitor& monitor) const {
    monitor.expect(index_.size());
    RowValues kept;
    const std::size_t rows = function_.rows.size(), room = sets_.count(sets_.most());
    const bool keeps = keeps_rows();
    if (keeps) kept.values.resize(rows * room), kept.certain.resize(rows);
    std::vector<Worker*> workers(threads);
    PerWorker<Worker> made(threads, [&] { return std::make_unique<Worker>(*this, keeps ? &kept : nullptr, monitor); });
    constexpr std::size_t kRowsOfTask = 16;
    run_tasks(keeps ? (rows + kRowsOfTask - 1) / kRowsOfTask : 0, threads, monitor,
              [&](std::size_t task, unsigned worker) {
                  for (std::size_t i = task * kRowsOfTask; i < std::min(rows, (task + 1) * kRowsOfTask); ++i) {
                      const auto values = std::span(kept.values).subspan(i * room, room);
                      kept.certain[i] = made(worker).run(std::span(function_.rows).subspan(i, 1), sets_.most(), values);
                  }
              });
    SetList tasks;
    std::vector<std::uint32_t> chosen;
    list_sets(table_.discrete(), discrete_index_.max_size(), chosen, tasks);
    run_tasks(tasks.size(), threads, monitor, [&](std::size_t task, unsigned number) {
        Worker& worker = made(number);
        workers[number] = &worker;
        const std::vector<std::uint16_t> members(tasks[task].begin(), tasks[task].end());
        worker.add_cells(tasks[task], most_measured(tasks[task].size()));
        worker.write(tasks[task], of_discrete[discrete_index_.rank(members)], out);
    });
    std::vector<std::vector<std::uint16_t>> open_sets;
    for (const Worker* worker : workers) {
        if (worker != nullptr) {
            open_sets.insert(open_sets.end(), worker->open_sets.begin(), worker->open_sets.end());
        }
    }
    std::sort(open_sets.begin(), open_sets.end(),
              [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    return open_sets;
}

std::uint64_t ConditionalLattice::trial(std::span<const std::uint32_t> discrete, unsigned most,
                                        Monitor& monitor) const {
    Worker worker(*this, nullptr, monitor);
    return worker.add_cells(discrete, std::min(most, most_measured(discrete.size())));
}

std::size_t ConditionalLattice::bytes(std::size_t rows, unsigned discrete, unsigned measured, unsigned max_size,
                                      unsigned threads) {
    const SizedSets sets(measured, max_size);
    const std::size_t room = sets.count(sets.most()), levels = std::min(discrete, max_size) + 1, n = measured;
    const std::size_t kept = rows * room <= kRowNumbers ? rows * (8 * room + 1) : 0;
    const std::size_t pool = std::min(kCellNumbers, rows * levels * room);
    const std::size_t worker =
        17 * room + 16 * pool + 8 * n * rows + levels * 20 * rows + 8 * rows + 64 * n * n * std::max(1U, sets.most());
    const std::size_t tasks = static_cast<std::size_t>(set_count(discrete, max_size)) * (8 + 4 * levels);
    return kept + 16 * room + 16 * rows + tasks + threads * worker;
}

}  // namespace dagscape
