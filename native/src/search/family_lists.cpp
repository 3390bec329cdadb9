#include "dagscape/search/family_lists.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <stdexcept>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/scores/families.hpp"

namespace dagscape {

// Sorts the families of one child after the other and drops those of no use.
class FamilyLists::Builder {
public:
    Builder(const RawFamilies& raw, std::uint64_t seed)
        : raw_(raw), words_(raw.first.size() - 1), marked_(words_.size()), with_smallest_(words_.size()) {
        RandomBits random(seed);
        for (std::uint64_t& word : words_) word = random.next();
    }

    // The families of use, best first, ending with the one without parents if that is possible.
    const std::vector<std::size_t>& useful(std::size_t child) {
        sort(child);
        kept_.clear();
        for (const Candidate& candidate : sorted_) {
            if (dominated(candidate)) continue;
            kept_.push_back(candidate.family);
            if (candidate.parents == 0) break;
            const auto parents = parents_of(candidate.family);
            with_smallest_[*std::min_element(parents.begin(), parents.end())].push_back(candidate.family);
        }
        for (const std::size_t family : kept_) {
            for (const Variable parent : parents_of(family)) with_smallest_[parent].clear();
        }
        return kept_;
    }

    std::span<const Variable> parents_of(std::size_t family) const {
        const auto begin = static_cast<std::size_t>(raw_.parent_first[family]);
        return raw_.parents.subspan(begin, static_cast<std::size_t>(raw_.parent_first[family + 1]) - begin);
    }

private:
    struct Candidate {
        std::int64_t score;
        std::size_t parents;
        std::uint64_t word;
        std::size_t family;
    };

    void sort(std::size_t child) {
        sorted_.clear();
        for (auto family = static_cast<std::size_t>(raw_.first[child]);
             family < static_cast<std::size_t>(raw_.first[child + 1]); ++family) {
            if (raw_.scores[family] == kImpossible) continue;
            std::uint64_t word = 0;
            for (const Variable parent : parents_of(family)) word += words_[parent];
            sorted_.push_back({raw_.scores[family], parents_of(family).size(), word, family});
        }
        std::sort(sorted_.begin(), sorted_.end(), [](const Candidate& a, const Candidate& b) {
            if (a.score != b.score) return a.score > b.score;
            return a.parents != b.parents ? a.parents < b.parents : a.word < b.word;
        });
    }

    // Whether a family with a subset of the parents was kept before. Its smallest parent is one of these.
    bool dominated(const Candidate& candidate) {
        const auto parents = parents_of(candidate.family);
        for (const Variable parent : parents) marked_[parent] = true;
        const bool found = std::any_of(parents.begin(), parents.end(), [&](Variable parent) {
            return std::any_of(with_smallest_[parent].begin(), with_smallest_[parent].end(), [&](std::size_t family) {
                const auto subset = parents_of(family);
                return std::all_of(subset.begin(), subset.end(), [&](Variable other) { return marked_[other] != 0; });
            });
        });
        for (const Variable parent : parents) marked_[parent] = false;
        return found;
    }

    const RawFamilies& raw_;
    std::vector<std::uint64_t> words_;
    std::vector<char> marked_;
    std::vector<std::vector<std::size_t>> with_smallest_;
    std::vector<Candidate> sorted_;
    std::vector<std::size_t> kept_;
};

FamilyLists::FamilyLists(const RawFamilies& raw, std::uint64_t seed, Monitor& monitor) {
    const std::size_t n = raw.first.size() - 1;
    Builder builder(raw, seed);
    first_.push_back(0);
    parent_first_.push_back(0);
    substituted_.assign(n, false);
    std::int64_t range = 0;
    for (std::size_t child = 0; child < n; ++child) {
        monitor.check();
        const auto& useful = builder.useful(child);
        assert(!useful.empty());
        const std::int64_t best = raw.scores[useful.front()];
        offset_ += best;
        range += best - raw.scores[useful.back()];
        for (const std::size_t family : useful) {
            const auto parents = builder.parents_of(family);
            scores_.push_back(raw.scores[family] - best);
            parents_.insert(parents_.end(), parents.begin(), parents.end());
            parent_first_.push_back(static_cast<std::uint32_t>(parents_.size()));
        }
        if (!builder.parents_of(useful.back()).empty()) {
            substituted_[child] = true;
            scores_.push_back(0);
            parent_first_.push_back(parent_first_.back());
        }
        first_.push_back(static_cast<Rank>(scores_.size()));
        if (parents_.size() > std::numeric_limits<std::uint32_t>::max() - kMostListedVariables) {
            throw std::length_error("too many families");
        }
    }
    // More than any difference between two networks, unless that could overflow; never better than another family.
    const std::int64_t penalty = std::min(range, 2 * largest_score(static_cast<unsigned>(n))) + 1;
    for (std::size_t child = 0; child < n; ++child) {
        if (substituted_[child]) scores_[last(static_cast<unsigned>(child))] = -penalty;
    }
    index_by_parent();
}

// A counting sort by parent; within a parent, children and ranks stay in increasing order.
void FamilyLists::index_by_parent() {
    const unsigned n = this->n();
    std::vector<std::uint32_t> start(n + 1, 0);
    for (const Variable parent : parents_) ++start[parent + 1];
    for (unsigned v = 0; v < n; ++v) start[v + 1] += start[v];
    mention_ranks_.resize(parents_.size());
    std::vector<std::uint32_t> child_of(parents_.size());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (unsigned child = 0; child < n; ++child) {
        for (Rank rank = first_[child]; rank < first_[child + 1]; ++rank) {
            for (const Variable parent : parents(rank)) {
                child_of[next[parent]] = child;
                mention_ranks_[next[parent]++] = rank;
            }
        }
    }
    mention_first_.push_back(0);
    for (unsigned v = 0; v < n; ++v) {
        for (std::uint32_t i = start[v]; i < start[v + 1];) {
            Mention mention{child_of[i], mention_ranks_[i], i, i};
            while (mention.end < start[v + 1] && child_of[mention.end] == mention.child) ++mention.end;
            mentions_.push_back(mention);
            i = mention.end;
        }
        mention_first_.push_back(static_cast<std::uint32_t>(mentions_.size()));
    }
}

}  // namespace dagscape
