#include "dagscape/scores/determinant_lattice.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

// The number of entries of a matrix between two checks of the monitor: far less than 50 ms.
constexpr std::size_t kWorkBetweenChecks = std::size_t{1} << 20;

// A row of a symmetric matrix, from the diagonal on.
struct ConstRow {
    const double *high, *low;
    DoubleDouble operator[](std::size_t i) const noexcept { return {high[i], low[i]}; }
    ConstRow from(std::size_t i) const noexcept { return {high + i, low + i}; }
};

struct Row {
    double *high, *low;
    operator ConstRow() const noexcept { return {high, low}; }
};

// What is left of the columns after some are eliminated: the upper triangle of a matrix, or of its diagonal blocks.
class Remainder {
public:
    Remainder(std::size_t rows, std::size_t width) : width_(width), high_(rows * width), low_(rows * width) {}
    Row row(std::size_t i) noexcept { return {&high_[i * width_], &low_[i * width_]}; }
    ConstRow row(std::size_t i) const noexcept { return {&high_[i * width_], &low_[i * width_]}; }

private:
    std::size_t width_;
    std::vector<double> high_, low_;
};

// to = from − factor · pivots
void subtract(ConstRow from, DoubleDouble factor, ConstRow pivots, Row to, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        const DoubleDouble rest = from[i] - factor * pivots[i];
        to.high[i] = rest.high;
        to.low[i] = rest.low;
    }
}

}  // namespace

// Walks branches of the lattice on one thread.
class DeterminantLattice::Walker {
public:
    Walker(const DeterminantLattice& lattice, Monitor& monitor)
        : function_(lattice.function_), index_(lattice.index_), monitor_(monitor), pivots_(lattice.widest_, columns()) {
        for (unsigned i = 0; i < columns(); ++i) owner_end_.push_back(0);
        for (unsigned v = 0; v < function_.variables(); ++v) {
            std::fill(&owner_end_[function_.first[v]], &owner_end_[function_.first[v]] + function_.columns_of(v),
                      function_.first[v + 1]);
        }
        remainders_.emplace_back(columns(), columns());
        for (unsigned i = 0; i < columns(); ++i) {
            for (unsigned j = i; j < columns(); ++j) {
                remainders_[0].row(i).high[j - i] = function_.entry(i, j).high;
                remainders_[0].row(i).low[j - i] = function_.entry(i, j).low;
            }
        }
        for (unsigned depth = 1; depth < index_.max_size(); ++depth) {
            remainders_.emplace_back(columns(), only_diagonal(depth) ? lattice.widest_ : columns());
        }
    }

    void walk(const Branch& branch, std::span<std::int64_t> out) {
        members_.clear();
        determinants_.assign(1, {});
        logs_.assign(1, {});
        for (const std::uint16_t variable : branch.chosen) {
            const bool whole = members_.size() + 1 < index_.max_size();
            add(variable, whole);
        }
        write(out);
        extend(branch.next, out);
        flush();
    }

    std::vector<std::vector<std::uint16_t>> open;

private:
    unsigned columns() const noexcept { return function_.columns(); }
    // With so many members, one more makes a set of the largest size.
    bool only_diagonal(std::size_t depth) const noexcept { return depth + 1 >= index_.max_size(); }

    void extend(unsigned from, std::span<std::int64_t> out) {
        if (members_.size() == index_.max_size()) return;
        for (unsigned variable = from; variable < function_.variables(); ++variable) {
            const bool leaf = variable + 1 == function_.variables() || members_.size() + 1 == index_.max_size();
            add(static_cast<std::uint16_t>(variable), !leaf);
            write(out);
            if (!leaf) extend(variable + 1, out);
            members_.pop_back();
            determinants_.pop_back();
            logs_.pop_back();
        }
    }

    // Adds a variable to the set; `onwards`: others will be added to that.
    void add(std::uint16_t variable, bool onwards) {
        const std::size_t depth = members_.size();
        const std::size_t begin = function_.first[variable], end = function_.first[variable + 1];
        const std::size_t last = onwards ? columns() : end;
        for (std::size_t i = begin; i < end; ++i) {
            const ConstRow row = std::as_const(remainders_[depth]).row(i);
            std::copy(row.high, row.high + (last - i), pivots_.row(i - begin).high);
            std::copy(row.low, row.low + (last - i), pivots_.row(i - begin).low);
        }
        Determinant determinant = determinants_.back();
        for (std::size_t column = begin; column < end; ++column) {
            determinant.multiply(ConstRow(pivots_.row(column - begin))[0]);
            eliminate(column, begin, end, last, depth);
        }
        members_.push_back(variable);
        determinants_.push_back(determinant);
        logs_.push_back(logs_.back() + function_.logs[variable]);
    }

    // Eliminates a column of the variable with the columns from `begin` to `end`.
    void eliminate(std::size_t column, std::size_t begin, std::size_t end, std::size_t last, std::size_t depth) {
        const ConstRow pivots = pivots_.row(column - begin);
        for (std::size_t i = column + 1; i < last; ++i) {
            const DoubleDouble factor = pivots[i - column] / pivots[0];
            if (i < end) {
                const Row row = pivots_.row(i - begin);
                subtract(row, factor, pivots.from(i - column), row, last - i);
                continue;
            }
            const std::size_t count = (only_diagonal(depth + 1) ? owner_end_[i] : columns()) - i;
            const ConstRow row = std::as_const(remainders_[column == begin ? depth : depth + 1]).row(i);
            subtract(row, factor, pivots.from(i - column), remainders_[depth + 1].row(i), count);
            work_ += count;
        }
        work_ += 16;
        if (work_ > kWorkBetweenChecks) flush();
    }

    void write(std::span<std::int64_t> out) {
        const std::int64_t value = function_.value(logs_.back(), determinants_.back());
        if (value == kOpen) open.push_back(members_);
        out[index_.rank(members_)] = value;
        ++written_;
    }

    void flush() {
        monitor_.advance(written_);
        monitor_.check();
        written_ = work_ = 0;
    }

    const DeterminantFunction& function_;
    const SetIndex& index_;
    Monitor& monitor_;
    Remainder pivots_;                    // the rows of the variable that is being added
    std::vector<Remainder> remainders_;   // by number of members
    std::vector<std::size_t> owner_end_;  // by column: the end of the columns of its variable
    std::vector<std::uint16_t> members_;
    std::vector<Determinant> determinants_;
    std::vector<DiagonalLogs> logs_;
    std::uint64_t written_ = 0;
    std::size_t work_ = 0;
};

DeterminantLattice::DeterminantLattice(DeterminantFunction function, unsigned max_size)
    : function_(std::move(function)), index_(function_.variables(), std::min(max_size, function_.variables())) {
    widest_ = 1;
    for (unsigned v = 0; v < function_.variables(); ++v) widest_ = std::max(widest_, function_.columns_of(v));
}

std::vector<std::vector<std::uint16_t>> DeterminantLattice::run(std::span<std::int64_t> out, unsigned threads,
                                                                Monitor& monitor) const {
    monitor.expect(index_.size());
    const std::vector<Branch> branches = branches_of(index_);
    std::vector<Walker*> walkers(threads);
    PerWorker<Walker> made(threads, [&] { return std::make_unique<Walker>(*this, monitor); });
    run_tasks(branches.size(), threads, monitor, [&](std::size_t task, unsigned worker) {
        walkers[worker] = &made(worker);
        walkers[worker]->walk(branches[task], out);
    });
    std::vector<std::vector<std::uint16_t>> open;
    for (const Walker* walker : walkers) {
        if (walker != nullptr) open.insert(open.end(), walker->open.begin(), walker->open.end());
    }
    std::sort(open.begin(), open.end(),
              [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    return open;
}

std::size_t DeterminantLattice::bytes_per_thread() const noexcept {
    const std::size_t whole = index_.max_size() < 3 ? 1 : index_.max_size() - 1;
    return 16 * function_.columns() * (whole * function_.columns() + 2 * widest_);
}

}  // namespace dagscape
