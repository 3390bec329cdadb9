#include "dagscape/families.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dagscape/parallel.hpp"
#include "dagscape/set_index.hpp"

namespace dagscape {
namespace {

constexpr std::size_t kSetsBetweenChecks = std::size_t{1} << 12;

std::vector<std::size_t> rows_of(unsigned n, std::size_t length) {
    std::vector<std::size_t> first;
    for (unsigned child = 0; child <= n; ++child) first.push_back(child * length);
    return first;
}

}  // namespace

FamilyScores FamilyScores::by_mask(unsigned n, std::span<const std::int64_t> scores) {
    return {Layout::by_mask, n - 1, rows_of(n, std::size_t{1} << (n - 1)), {}, scores};
}

FamilyScores FamilyScores::by_size(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores) {
    return {Layout::by_size, max_parents, rows_of(n, static_cast<std::size_t>(SetIndex(n, max_parents).size())), {}, scores};
}

FamilyScores FamilyScores::listed(std::span<const std::int64_t> first, std::span<const Subset> sets,
                                  std::span<const std::int64_t> scores) {
    int largest = 0;
    for (const Subset set : sets) largest = std::max(largest, std::popcount(set));
    return {Layout::listed, static_cast<unsigned>(largest), {first.begin(), first.end()}, sets, scores};
}

FamilyScores::FamilyScores(Layout layout, unsigned max_parents, std::vector<std::size_t> first, std::span<const Subset> sets,
                           std::span<const std::int64_t> scores)
    : layout_(layout), n_(static_cast<unsigned>(first.size() - 1)), max_parents_(max_parents), first_(std::move(first)),
      sets_(sets), scores_(scores) {
    for (unsigned child = 0; child < n_; ++child) {
        best_.push_back(INT64_MIN);
        for (const std::int64_t score : row(child)) best_.back() = std::max(best_.back(), score);
        possible_ = possible_ && best_.back() != INT64_MIN;
    }
}

std::int64_t FamilyScores::offset() const noexcept { return std::accumulate(best_.begin(), best_.end(), std::int64_t{0}); }

SortedFamilies::SortedFamilies(const FamilyScores& families, unsigned threads, Monitor& monitor)
    : sets_(families.n()), scores_(families.n()) {
    run_tasks(families.n(), threads, monitor, [&](std::size_t task, unsigned) {
        const auto child = static_cast<unsigned>(task);
        struct Family {
            std::int64_t score;
            Subset set;
        };
        std::vector<Family> found;
        families.for_each(child, [&](Subset set, std::int64_t score) { found.push_back({score, set}); });
        const auto before = [](const Family& a, const Family& b) {
            if (a.score != b.score) return a.score > b.score;
            return std::pair(std::popcount(a.set), a.set) < std::pair(std::popcount(b.set), b.set);
        };
        monitor.check();
        std::sort(found.begin(), found.end(), before);
        for (const Family& family : found) {
            sets_[child].push_back(family.set);
            scores_[child].push_back(family.score);
        }
    });
}

SortedFamilies SortedFamilies::without_dominated(unsigned threads, Monitor& monitor) const {
    SortedFamilies kept(n());
    run_tasks(n(), threads, monitor, [&](std::size_t task, unsigned) {
        const auto child = static_cast<unsigned>(task);
        std::vector<Subset>& sets = kept.sets_[child];
        for (std::size_t rank = 0; rank < sets_[child].size(); ++rank) {
            if (rank % kSetsBetweenChecks == 0) monitor.check();
            const Subset set = sets_[child][rank];
            if (kept.next_within(child, set, 0) < sets.size()) continue;
            sets.push_back(set);
            kept.scores_[child].push_back(scores_[child][rank]);
        }
    });
    return kept;
}

std::size_t SortedFamilies::next_within(unsigned child, Subset set, std::size_t rank) const noexcept {
    const std::vector<Subset>& sets = sets_[child];
    const Subset outside = ~set;
    // Eight at a time, for the sake of vector instructions; most sets of parents are not within a small set.
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
        std::int64_t* values = &values_[task << (n_ - 1)];
        families.for_each(child, [&](Subset set, std::int64_t score) { values[place_without(set, child)] = score; });
        for (std::size_t step = 1; step < length; step *= 2) {
            for (std::size_t block = 0; block < length; block += 2 * step) {
                if (block % kSetsBetweenChecks == 0) monitor.check();
                for (std::size_t i = block; i < block + step; ++i) values[i + step] = std::max(values[i + step], values[i]);
            }
        }
    });
}

}  // namespace dagscape
