#include "dagscape/student/answer_group.hpp"

#include <algorithm>

#include "dagscape/numbers/exponential_lanes.hpp"

namespace dagscape {
namespace {

// A tree with more leaves is divided. Leaves cost little if several patterns share them and their tables stay in the
// cache.
constexpr std::size_t kPatternsPerLeaf = 4, kFewLeaves = 64, kManyLeaves = 1024, kTreeValues = std::size_t{1} << 15;

constexpr std::size_t kLanes = 4;

std::size_t most_leaves(std::size_t patterns, std::size_t substates) {
    const std::size_t shared = std::clamp(patterns / kPatternsPerLeaf, kFewLeaves, kManyLeaves);
    return std::min(shared, std::max(kTreeValues / substates, std::size_t{3}));
}

// Calls take(substate, values) with the values of each substate in the rows of four leaves.
template <class Take>
void gather(const std::array<const double*, kLanes>& row, std::size_t substates, Take&& take) {
    std::size_t i = 0;
    for (; i + kLanes <= substates; i += kLanes) {
        Lanes a = load(row[0] + i), b = load(row[1] + i), c = load(row[2] + i), d = load(row[3] + i);
        transpose(a, b, c, d);
        take(i, a);
        take(i + 1, b);
        take(i + 2, c);
        take(i + 3, d);
    }
    for (; i < substates; ++i) take(i, Lanes{row[0][i], row[1][i], row[2][i], row[3][i]});
}

// The other way: adds values to the rows of four leaves, which may be the same.
void scatter(const Lanes* values, Lanes factor, std::size_t substates, const std::array<double*, kLanes>& row) {
    std::size_t i = 0;
    for (; i + kLanes <= substates; i += kLanes) {
        Lanes a = values[i] * factor, b = values[i + 1] * factor, c = values[i + 2] * factor,
              d = values[i + 3] * factor;
        transpose(a, b, c, d);
        store(row[0] + i, load(row[0] + i) + a);
        store(row[1] + i, load(row[1] + i) + b);
        store(row[2] + i, load(row[2] + i) + c);
        store(row[3] + i, load(row[3] + i) + d);
    }
    for (; i < substates; ++i) {
        const Lanes added = values[i] * factor;
        for (std::size_t lane = 0; lane < kLanes; ++lane) row[lane][i] += added[lane];
    }
}

}  // namespace

AnswerGroup::AnswerGroup(const AnswerTable& table, std::span<const std::uint32_t> items,
                         std::span<const std::size_t> cell_start, std::vector<std::uint32_t> cell,
                         std::size_t count_start)
    : cell_(std::move(cell)) {
    for (const std::uint32_t item : items) item_start_.push_back(cell_start[item]);
    while (!items.empty()) {
        AnswerTree tree(table, items, substates(), most_leaves(table.patterns(), substates()));
        items = items.subspan(tree.items());
        const std::size_t added = tree.leaves() * substates();
        parts_.push_back({std::move(tree), count_start + counts_});
        counts_ += added;
    }
    const std::size_t values = item_start_.size() * substates();
    right_.resize(values);
    wrong_.resize(values);
    item_counts_.resize(2 * values);
    if (parts_.size() > 1) return;
    likelihood_.resize(counts_);
    scale_.resize(parts_[0].tree.leaves());
}

std::size_t AnswerGroup::bytes() const noexcept {
    std::size_t bytes = (likelihood_.size() + scale_.size() + 4 * right_.size()) * sizeof(double);
    for (const Part& part : parts_) bytes += part.tree.bytes();
    return bytes;
}

void AnswerGroup::load(std::span<const double> right, std::span<const double> wrong) {
    std::size_t next = 0;
    for (const std::size_t start : item_start_) {
        for (const std::uint32_t cell : cell_) {
            right_[next] = right[start + cell];
            wrong_[next++] = wrong[start + cell];
        }
    }
    std::size_t first = 0;
    for (Part& part : parts_) {
        part.tree.add_logs(right_.data() + first, wrong_.data() + first);
        first += part.tree.items() * substates();
    }
    if (parts_.size() > 1) return;
    const AnswerTree& tree = parts_[0].tree;
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const double* logs = tree.logs(leaf);
        double* scaled = likelihood_.data() + leaf * substates();
        scale_[leaf] = *std::max_element(logs, logs + substates());
        for (std::size_t i = 0; i < substates(); ++i) scaled[i] = logs[i] - scale_[leaf];
    }
    exponentials_of_nonpositive(likelihood_, likelihood_);
}

void AnswerGroup::log_likelihoods(std::size_t first, Lanes* out) const {
    std::fill_n(out, substates(), broadcast(0));
    for (const Part& part : parts_) {
        std::array<const double*, kLanes> row;
        for (std::size_t lane = 0; lane < kLanes; ++lane) row[lane] = part.tree.logs(part.tree.leaf(first + lane));
        gather(row, substates(), [&](std::size_t i, Lanes values) { out[i] += values; });
    }
}

Lanes AnswerGroup::likelihoods(std::size_t first, Lanes* out) const {
    if (parts_.size() == 1) {
        const AnswerTree& tree = parts_[0].tree;
        std::array<const double*, kLanes> row;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            row[lane] = likelihood_.data() + tree.leaf(first + lane) * substates();
        }
        gather(row, substates(), [&](std::size_t i, Lanes values) { out[i] = values; });
        return Lanes{scale_[tree.leaf(first)], scale_[tree.leaf(first + 1)], scale_[tree.leaf(first + 2)],
                     scale_[tree.leaf(first + 3)]};
    }
    log_likelihoods(first, out);
    Lanes most = out[0];
    for (std::size_t i = 1; i < substates(); ++i) most = most > out[i] ? most : out[i];
    for (std::size_t i = 0; i < substates(); ++i) out[i] = exp_of_nonpositive(out[i] - most);
    return most;
}

void AnswerGroup::add_counts(std::size_t first, const Lanes* values, Lanes factor, double* counts) const {
    for (const Part& part : parts_) {
        std::array<double*, kLanes> row;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            row[lane] = counts + part.count_start + part.tree.leaf(first + lane) * substates();
        }
        scatter(values, factor, substates(), row);
    }
}

void AnswerGroup::write_counts(const double* counts, std::span<double> cell_counts) {
    std::size_t first = 0;
    for (Part& part : parts_) {
        part.tree.count(counts + part.count_start, item_counts_.data() + 2 * first);
        first += part.tree.items() * substates();
    }
    const double* count = item_counts_.data();
    for (const std::size_t start : item_start_) {
        for (const std::uint32_t cell : cell_) {
            cell_counts[2 * (start + cell)] = *count++;
            cell_counts[2 * (start + cell) + 1] = *count++;
        }
    }
}

}  // namespace dagscape
