#include "dagscape/scores/families.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/set_index.hpp"
#include "dagscape/sets/zeta.hpp"

namespace dagscape {
namespace {

constexpr std::size_t kComparisonsBetweenChecks = std::size_t{1} << 22;
constexpr std::size_t kPiece = std::size_t{1} << 16;

std::vector<std::size_t> rows_of(unsigned n, std::size_t length) {
    std::vector<std::size_t> first;
    for (unsigned child = 0; child <= n; ++child) first.push_back(child * length);
    return first;
}

// Sorts pieces and then merges them, checking for a request to stop in between.
template <class Item, class Before>
void sort_in_pieces(std::vector<Item>& items, const Monitor& monitor, Before before) {
    const auto at = [&](std::size_t index) {
        return items.begin() + static_cast<std::ptrdiff_t>(std::min(index, items.size()));
    };
    for (std::size_t begin = 0; begin < items.size(); begin += kPiece) {
        monitor.check();
        std::sort(at(begin), at(begin + kPiece), before);
    }
    for (std::size_t length = kPiece; length < items.size(); length *= 2) {
        for (std::size_t begin = 0; begin + length < items.size(); begin += 2 * length) {
            monitor.check();
            std::inplace_merge(at(begin), at(begin + length), at(begin + 2 * length), before);
        }
    }
}

// The score of a child's best family inside every set, by mask with the child's bit removed.
void fill_best(const FamilyScores& families, unsigned child, std::span<std::int64_t> values, const Monitor& monitor) {
    families.for_each(child, [&](Subset set, std::int64_t score) { values[index_without(set, child)] = score; });
    if (values.size() >= 4) {
        zeta<Maxima, Over::subsets>(values.data(), values.size(), [&] { monitor.check(); });
    } else if (values.size() == 2) {
        values[1] = std::max(values[0], values[1]);
    }
}

}  // namespace

FamilyScores FamilyScores::by_mask(unsigned n, std::span<const std::int64_t> scores) {
    return {Layout::by_mask, n - 1, rows_of(n, std::size_t{1} << (n - 1)), {}, scores};
}

FamilyScores FamilyScores::by_size(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores) {
    return {Layout::by_size,
            max_parents,
            rows_of(n, static_cast<std::size_t>(SetIndex(n, max_parents).size())),
            {},
            scores};
}

FamilyScores FamilyScores::listed(std::span<const std::int64_t> first, std::span<const Subset> sets,
                                  std::span<const std::int64_t> scores) {
    int largest = 0;
    for (const Subset set : sets) largest = std::max(largest, std::popcount(set));
    return {Layout::listed, static_cast<unsigned>(largest), {first.begin(), first.end()}, sets, scores};
}

FamilyScores::FamilyScores(Layout layout, unsigned max_parents, std::vector<std::size_t> first,
                           std::span<const Subset> sets, std::span<const std::int64_t> scores)
    : layout_(layout), n_(static_cast<unsigned>(first.size() - 1)), max_parents_(max_parents), first_(std::move(first)),
      sets_(sets), scores_(scores) {
    for (unsigned child = 0; child < n_; ++child) {
        std::int64_t best = kImpossible, worst = 0;
        for (const std::int64_t score : row(child)) {
            best = std::max(best, score);
            worst = std::min(worst, score == kImpossible ? 0 : score);
        }
        best_.push_back(best);
        possible_ = possible_ && best != kImpossible;
        in_range_ = in_range_ && best <= largest_score(n_) && worst >= -largest_score(n_);
    }
}

std::int64_t FamilyScores::offset() const noexcept {
    return std::accumulate(best_.begin(), best_.end(), std::int64_t{0});
}

SortedFamilies::SortedFamilies(const FamilyScores& families, Keep keep, unsigned threads, Monitor& monitor)
    : sets_(families.n()), scores_(families.n()) {
    run_tasks(families.n(), threads, monitor, [&](std::size_t task, unsigned) {
        const auto child = static_cast<unsigned>(task);
        std::vector<Family> found;
        const bool all_sets = families.layout() == FamilyScores::Layout::by_mask;
        if (keep == Keep::undominated && all_sets) {
            // If all sets are given, the best scores of the subsets show at once which families are dominated, and few
            // are left to sort.
            std::vector<std::int64_t> best(families.row(child).size(), kRuledOut);
            fill_best(families, child, best, monitor);
            families.for_each(child, [&](Subset set, std::int64_t score) {
                bool dominated = false;
                for_each_member(set, [&](unsigned v) {
                    dominated = dominated || best[index_without(set & ~singleton(v), child)] >= score;
                });
                if (!dominated) found.push_back({score, set});
            });
        } else {
            found.reserve(families.row(child).size());
            families.for_each(child, [&](Subset set, std::int64_t score) { found.push_back({score, set}); });
        }
        sort_in_pieces(found, monitor, [](const Family& a, const Family& b) {
            if (a.score != b.score) return a.score > b.score;
            return std::pair(std::popcount(a.set), a.set) < std::pair(std::popcount(b.set), b.set);
        });
        sets_[child].reserve(found.size());
        scores_[child].reserve(found.size());
        for (const Family& family : found) {
            sets_[child].push_back(family.set);
            scores_[child].push_back(family.score);
        }
        if (keep == Keep::undominated && !all_sets) drop_dominated(child, monitor);
    });
}

void SortedFamilies::drop_dominated(unsigned child, Monitor& monitor) {
    const std::vector<Subset> sets = std::exchange(sets_[child], {});
    const std::vector<std::int64_t> scores = std::exchange(scores_[child], {});
    std::size_t compared = 0;
    for (std::size_t rank = 0; rank < sets.size(); ++rank) {
        compared += sets_[child].size() + 1;
        if (compared > kComparisonsBetweenChecks) {
            monitor.check();
            compared = 0;
        }
        if (next_within(child, sets[rank], 0) < sets_[child].size()) continue;
        sets_[child].push_back(sets[rank]);
        scores_[child].push_back(scores[rank]);
    }
}

std::size_t SortedFamilies::next_within(unsigned child, Subset set, std::size_t rank) const noexcept {
    const std::vector<Subset>& sets = sets_[child];
    const Subset outside = ~set;
    // Eight at a time, to use vector instructions; most parent sets are not within a small set.
    constexpr std::size_t kStride = 8;
    while (rank + kStride <= sets.size()) {
        unsigned within = 0;
        for (std::size_t i = 0; i < kStride; ++i) within |= static_cast<unsigned>((sets[rank + i] & outside) == 0) << i;
        if (within != 0) return rank + static_cast<std::size_t>(std::countr_zero(within));
        rank += kStride;
    }
    while (rank < sets.size() && (sets[rank] & outside) != 0) ++rank;
    return rank;
}

BestFamilies::BestFamilies(const FamilyScores& families, unsigned threads, Monitor& monitor)
    : n_(families.n()), values_(std::size_t{families.n()} << (families.n() - 1), kRuledOut) {
    const std::size_t length = std::size_t{1} << (n_ - 1);
    run_tasks(n_, threads, monitor, [&](std::size_t task, unsigned) {
        const auto child = static_cast<unsigned>(task);
        fill_best(families, child, {&values_[task << (n_ - 1)], length}, monitor);
    });
}

}  // namespace dagscape
