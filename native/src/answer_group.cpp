#include "dagscape/answer_group.hpp"

#include <algorithm>

#include "dagscape/exponential_lanes.hpp"

namespace dagscape {
namespace {

// A tree with more leaves is divided. Leaves cost little if several patterns share them and their tables stay in the
// cache.
constexpr std::size_t kPatternsPerLeaf = 4, kFewLeaves = 64, kManyLeaves = 512, kTreeValues = std::size_t{1} << 15;

std::size_t most_leaves(std::size_t patterns, std::size_t substates) {
    const std::size_t shared = std::clamp(patterns / kPatternsPerLeaf, kFewLeaves, kManyLeaves);
    return std::min(shared, std::max(kTreeValues / substates, std::size_t{3}));
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
    std::size_t place = 0;
    for (const std::size_t start : item_start_) {
        for (const std::uint32_t cell : cell_) {
            right_[place] = right[start + cell];
            wrong_[place++] = wrong[start + cell];
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

void AnswerGroup::log_likelihoods(const FourPatterns& patterns, Lanes* out) const {
    std::fill(out, out + substates(), broadcast(0));
    for (const Part& part : parts_) {
        std::array<const double*, kLanes> logs;
        for (std::size_t lane = 0; lane < kLanes; ++lane) logs[lane] = part.tree.logs(part.tree.leaf(patterns[lane]));
        for (std::size_t i = 0; i < substates(); ++i) out[i] += Lanes{logs[0][i], logs[1][i], logs[2][i], logs[3][i]};
    }
}

Lanes AnswerGroup::likelihoods(const FourPatterns& patterns, Lanes* out) const {
    if (parts_.size() == 1) {
        const AnswerTree& tree = parts_[0].tree;
        std::array<std::size_t, kLanes> leaf;
        std::array<const double*, kLanes> values;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            leaf[lane] = tree.leaf(patterns[lane]);
            values[lane] = likelihood_.data() + leaf[lane] * substates();
        }
        for (std::size_t i = 0; i < substates(); ++i) {
            out[i] = Lanes{values[0][i], values[1][i], values[2][i], values[3][i]};
        }
        return Lanes{scale_[leaf[0]], scale_[leaf[1]], scale_[leaf[2]], scale_[leaf[3]]};
    }
    log_likelihoods(patterns, out);
    Lanes most = out[0];
    for (std::size_t i = 1; i < substates(); ++i) most = most > out[i] ? most : out[i];
    for (std::size_t i = 0; i < substates(); ++i) out[i] = exp_of_nonpositive(out[i] - most);
    return most;
}

void AnswerGroup::add_counts(const FourPatterns& patterns, const Lanes* substates_of, Lanes factor,
                             double* counts) const {
    for (const Part& part : parts_) {
        std::array<double*, kLanes> leaf;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            leaf[lane] = counts + part.count_start + part.tree.leaf(patterns[lane]) * substates();
        }
        for (std::size_t i = 0; i < substates(); ++i) {
            const Lanes added = substates_of[i] * factor;
            for (std::size_t lane = 0; lane < kLanes; ++lane) leaf[lane][i] += added[lane];
        }
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
