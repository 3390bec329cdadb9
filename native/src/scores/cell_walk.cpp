#include "dagscape/scores/cell_walk.hpp"

#include <algorithm>
#include <numeric>

#include "dagscape/numbers/fixed_products.hpp"
#include "dagscape/numbers/impossible.hpp"
#include "dagscape/scores/determinants.hpp"

namespace dagscape {
namespace {

// Values between two checks of the monitor: far less than 50 ms.
constexpr std::uint64_t kValuesBetweenChecks = 1 << 14;

// The logarithm of a pivot below this is not computed.
constexpr double kLeastPivot = 0x1p-800;

}  // namespace

SizedSets::SizedSets(unsigned n, unsigned most)
    : n_(n), most_(std::min(n, most)), first_(most_ + 2, 0), choose_(std::size_t{n + 1} * (most_ + 1), 0) {
    for (unsigned from = 0; from <= n; ++from) {
        choose_[from * (most_ + 1)] = 1;
        for (unsigned size = 1; size <= std::min(from, most_); ++size) {
            choose_[from * (most_ + 1) + size] =
                choose_[(from - 1) * (most_ + 1) + size - 1] + choose_[(from - 1) * (most_ + 1) + size];
        }
    }
    for (unsigned size = 0; size <= most_; ++size) {
        first_[size + 1] = first_[size] + choose_[n * (most_ + 1) + size];
    }
}

CellWalk::CellWalk(const MixedTable& table, const CellFunction& function, const CellConstants& constants,
                   const SizedSets& sets, std::span<const Fixed> priors, Monitor& monitor)
    : sets_(sets), priors_(priors), monitor_(monitor), matrix_(table, function, constants), all_(sets.n()) {
    std::iota(all_.begin(), all_.end(), 0U);
    const std::size_t square = std::size_t{sets.n()} * sets.n();
    high_.resize(square * std::max(1U, sets.most())), low_.resize(high_.size());
}

bool CellWalk::run(std::span<const std::uint32_t> rows, unsigned most, std::span<std::int64_t> values) {
    most_ = most;
    values_ = values;
    certain_ = true;
    values_[0] = 0;
    if (most == 0) return true;
    matrix_.build(rows, all_, most, most > 1, monitor_);
    members_.clear();
    std::copy_n(matrix_.high(), sets_.n() * sets_.n(), high_.begin());
    std::copy_n(matrix_.low(), sets_.n() * sets_.n(), low_.begin());
    extend(0, 0, {0, 0, 1});
    return certain_;
}

void CellWalk::put(unsigned size, std::size_t place, std::int64_t value) {
    certain_ &= value > kOpen;
    values_[sets_.first(size) + place] = value;
    if (++work_ % kValuesBetweenChecks == 0) monitor_.check();
}

void CellWalk::fill(unsigned size, unsigned from, std::size_t place, std::int64_t value) {
    put(size, place, value);
    if (size == most_) return;
    for (unsigned column = from; column < sets_.n(); ++column) {
        fill(size + 1, column + 1, place + sets_.step(column, size), value);
    }
}

void CellWalk::extend(unsigned depth, unsigned from, const Node& node) {
    const unsigned n = sets_.n();
    for (unsigned column = from; column < n; ++column) {
        const std::size_t place = node.place + sets_.step(column, depth), at = (std::size_t{depth} * n + column) * n;
        const DoubleDouble pivot{high_[at + column], low_[at + column]};
        if (matrix_.excludes(column) || depth + 1 > matrix_.largest()) {
            fill(depth + 1, column + 1, place, kImpossible);
            continue;
        }
        members_.push_back(column);
        if (!(pivot.high > kLeastPivot)) {
            fill(depth + 1, column + 1, place, matrix_.value(members_, 0, 0, 0));
            members_.pop_back();
            continue;
        }
        const Node next{place, node.log + fixed_log(pivot, matrix_.exponent(column)),
                        node.determinant * (pivot.high / matrix_.diagonal(column))};
        const Fixed prior = priors_.empty() ? 0 : priors_[sets_.first(depth + 1) + place];
        put(depth + 1, place, matrix_.value(members_, next.log, next.determinant, prior));
        if (depth + 1 < most_ && column + 1 < n) {
            eliminate(depth, column, pivot);
            extend(depth + 1, column + 1, next);
        }
        members_.pop_back();
    }
}

void CellWalk::eliminate(unsigned depth, unsigned column, DoubleDouble pivot) {
    const std::size_t n = sets_.n(), from = std::size_t{depth} * n * n, to = from + n * n;
    const bool only_diagonal = depth + 2 == most_;
    const double *high = &high_[from + column * n], *low = &low_[from + column * n];
    const DoubleDouble inverse = DoubleDouble{1, 0} / pivot;
    for (std::size_t i = column + 1; i < n; ++i) {
        const DoubleDouble factor = DoubleDouble{high[i], low[i]} * inverse;
        const std::size_t end = only_diagonal ? i + 1 : n;
        for (std::size_t j = i; j < end; ++j) {
            const DoubleDouble entry{high_[from + i * n + j], low_[from + i * n + j]};
            const DoubleDouble rest = entry - factor * DoubleDouble{high[j], low[j]};
            high_[to + i * n + j] = rest.high;
            low_[to + i * n + j] = rest.low;
        }
    }
}

}  // namespace dagscape
