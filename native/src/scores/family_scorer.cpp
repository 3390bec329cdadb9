#include "dagscape/scores/family_scorer.hpp"

#include <algorithm>
#include <numeric>

#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

// The number of row visits that justifies starting another thread.
constexpr std::size_t kVisitsPerThread = std::size_t{1} << 18;

// The number of term tables that a thread can always keep: usually enough for the candidates of one family.
constexpr std::size_t kLeastTables = 8;

// Writes a set with one more member, in increasing order.
void with_member(std::span<const std::uint16_t> set, std::uint16_t member, std::vector<std::uint16_t>& larger) {
    const auto after = std::upper_bound(set.begin(), set.end(), member);
    larger.assign(set.begin(), after);
    larger.push_back(member);
    larger.insert(larger.end(), after, set.end());
}

bool same_terms(const CellTermSpec& a, const CellTermSpec& b) noexcept {
    return a.kind == b.kind && a.alpha == b.alpha && a.unit_bits == b.unit_bits && a.guard_bits == b.guard_bits;
}

}  // namespace

// The state of one thread: term tables, partitions and counters, reused between calls.
class FamilyScorer::Worker {
public:
    explicit Worker(const FamilyScorer& scores) : scores_(scores), scratch_(scores.columns_.largest_arity()) {
        for (const CellTermSpec& term : scores.terms_) {
            terms_.emplace_back(term, scores.term_bytes_ / scores.terms_.size());
        }
    }

    // Groups the rows of a child's families by a set of parents.
    const Partition& group(std::uint16_t child, std::span<const std::uint16_t> parents, Monitor& monitor) {
        const std::uint32_t subset = scores_.functions_.subset[scores_.functions_.family[child]];
        const std::size_t rows = scores_.weights_.size();
        const std::span<const std::uint8_t> chosen(scores_.functions_.chosen);
        if (scores_.segments_.empty()) {
            start_partition(scores_.weights_, chosen.subspan(subset * rows, rows), partition_);
        } else {
            partition_ = scores_.segments_[subset];
        }
        for (const std::uint16_t parent : parents) {
            monitor.check();
            split(scores_.columns_, partition_, parent, scratch_.refine, refined_);
            std::swap(partition_, refined_);
        }
        return partition_;
    }

    Pair score(std::uint16_t child, std::span<const std::uint16_t> parents, Monitor& monitor) {
        const SetSize size = size_of(parents);
        if (is_impossible(child, size)) return {kImpossible, 0};
        const Partition& by_parents = group(child, parents, monitor);
        const auto [family_terms, parent_terms] = terms(child, size, by_parents.largest);
        return pair(child, size,
                    {refined_sum(scores_.columns_, by_parents, child, *family_terms, scratch_.refine),
                     cell_sum(by_parents, *parent_terms)});
    }

    Pair addition(std::uint16_t child, std::span<const std::uint16_t> parents, std::uint16_t candidate,
                  const FamilyGroups& groups, std::uint32_t largest) {
        SetSize size = size_of(parents);
        size.add(scores_, candidate);
        if (is_impossible(child, size)) return {kImpossible, 0};
        const auto [family_terms, parent_terms] = terms(child, size, largest);
        return pair(child, size, groups.with(candidate, *family_terms, *parent_terms, scratch_));
    }

    RefineScratch& refine_scratch() noexcept { return scratch_.refine; }

    std::size_t bytes() const noexcept {
        std::size_t sum = scratch_.bytes();
        for (const CellTermCache& cache : terms_) sum += cache.bytes();
        return sum + partition_.bytes() + refined_.bytes();
    }

private:
    // The number of joint states of a set.
    struct SetSize {
        std::uint64_t states = 1;
        Fixed log_states = 0;

        void add(const FamilyScorer& scores, std::uint16_t variable) {
            states = more_states(states, scores.arities_[variable]);
            log_states += scores.log_states_.of_variable(variable);
        }
    };

    SetSize size_of(std::span<const std::uint16_t> members) const {
        SetSize size;
        for (const std::uint16_t member : members) size.add(scores_, member);
        return size;
    }

    const JointScoreSpec& family_spec(std::uint16_t child) const {
        return scores_.functions_.specs[scores_.functions_.family[child]];
    }

    bool is_impossible(std::uint16_t child, SetSize parents) const {
        parents.add(scores_, child);
        return parents.states > family_spec(child).max_states;
    }

    std::pair<const CellTerms*, const CellTerms*> terms(std::uint16_t child, SetSize parents, std::uint32_t largest) {
        SetSize family = parents;
        family.add(scores_, child);
        CellTermCache& of_family = terms_[scores_.term_of_function_[scores_.functions_.family[child]]];
        CellTermCache& of_parents = terms_[scores_.term_of_function_[scores_.functions_.parents[child]]];
        of_family.make_room();
        of_parents.make_room();
        const CellTerms& family_terms = of_family.terms(family.log_states, largest);
        return {&family_terms, &of_parents.terms(parents.log_states, largest)};
    }

    Pair pair(std::uint16_t child, SetSize parents, const FamilyGroups::Sums& sums) const {
        SetSize family = parents;
        family.add(scores_, child);
        const JointScoreSpec& parent_spec = scores_.functions_.specs[scores_.functions_.parents[child]];
        return {family_spec(child).value(sums.family, family.states), parent_spec.value(sums.parents, parents.states)};
    }

    const FamilyScorer& scores_;
    std::vector<CellTermCache> terms_;
    CountScratch scratch_;
    Partition partition_, refined_;
};

template <class Code>
FamilyScorer::FamilyScorer(std::span<const Code> codes, std::span<const std::uint32_t> weights,
                           std::span<const std::uint32_t> arities, FamilyFunctions functions, unsigned threads,
                           std::size_t most_bytes, const Monitor& monitor)
    : log_states_(arities), arities_(arities.begin(), arities.end()), weights_(weights.begin(), weights.end()),
      functions_(std::move(functions)), columns_(codes, arities, monitor), threads_(threads), term_bytes_(0), cache_(0),
      workers_(threads) {
    for (const JointScoreSpec& spec : functions_.specs) {
        const auto same = [&](const CellTermSpec& term) { return same_terms(term, spec.term); };
        const auto found = std::find_if(terms_.begin(), terms_.end(), same);
        term_of_function_.push_back(static_cast<std::uint32_t>(found - terms_.begin()));
        if (found == terms_.end()) terms_.push_back(spec.term);
    }
    if (!functions_.segment.empty()) split_into_segments(monitor);
    const std::uint64_t weight = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    const std::size_t fixed = fixed_bytes(weights.size(), arities, weight, functions_.chosen.size() / weights.size(),
                                          terms_.size(), threads, !segments_.empty());
    const std::size_t left = most_bytes > fixed ? most_bytes - fixed : 0;
    const std::size_t more_terms = std::min(CellTermCache::kCapacity, left / 4 / threads);
    term_bytes_ = kLeastTables * CellTerms::most_bytes(weight) + more_terms;
    cache_ = SetCache(left - threads * more_terms);
}

// The partitions that the families of each subset of the rows refine.
void FamilyScorer::split_into_segments(const Monitor& monitor) {
    const std::size_t rows = weights_.size();
    const std::vector<std::uint32_t> segments{1 +
                                              *std::max_element(functions_.segment.begin(), functions_.segment.end())};
    const Columns column(std::span<const std::uint32_t>(functions_.segment), segments, monitor);
    RefineScratch scratch(segments[0]);
    const std::span<const std::uint8_t> chosen(functions_.chosen);
    for (std::size_t start = 0; start < chosen.size(); start += rows) {
        Partition whole;
        start_partition(weights_, chosen.subspan(start, rows), whole);
        split(column, whole, 0, scratch, segments_.emplace_back());
    }
}

std::size_t FamilyScorer::fixed_bytes(std::size_t rows, std::span<const std::uint32_t> arities, std::uint64_t weight,
                                      std::size_t subsets, std::size_t terms, unsigned threads, bool segmented) {
    const std::size_t largest_arity = *std::max_element(arities.begin(), arities.end());
    std::size_t columns = 0;
    for (const std::uint32_t arity : arities) columns += Columns::bytes_of(rows, arity);
    // Tables are dropped only when the next one is requested, so each cache may exceed its share by two tables.
    const std::size_t per_thread = 2 * Partition::most_bytes(rows) + CountScratch::most_bytes(rows, largest_arity) +
                                   (kLeastTables + 2 * terms) * CellTerms::most_bytes(weight);
    const std::size_t segments = segmented ? subsets * Partition::most_bytes(rows) + 4 * rows : 0;
    return columns + segments + rows * (4 + subsets) + FamilyGroups::most_bytes(rows, largest_arity) +
           threads * per_thread;
}

template FamilyScorer::FamilyScorer(std::span<const std::uint8_t>, std::span<const std::uint32_t>,
                                    std::span<const std::uint32_t>, FamilyFunctions, unsigned, std::size_t,
                                    const Monitor&);
template FamilyScorer::FamilyScorer(std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                                    std::span<const std::uint32_t>, FamilyFunctions, unsigned, std::size_t,
                                    const Monitor&);

FamilyScorer::~FamilyScorer() = default;

FamilyScorer::Worker& FamilyScorer::worker(unsigned number) {
    if (!workers_[number]) workers_[number] = std::make_unique<Worker>(*this);
    return *workers_[number];
}

bool FamilyScorer::find(std::uint16_t child, std::span<const std::uint16_t> parents, std::int64_t& score) {
    with_member(parents, child, family_);
    const auto of_family = cache_.find({functions_.family[child], family_});
    if (!of_family) return false;
    const auto of_parents = cache_.find({functions_.parents[child], parents});
    if (!of_parents) return false;
    score = Pair{*of_family, *of_parents}.score();
    return true;
}

void FamilyScorer::keep(std::uint16_t child, std::span<const std::uint16_t> parents, const Pair& pair) {
    if (pair.family == kImpossible) return;
    with_member(parents, child, family_);
    const SetCache::Key family{functions_.family[child], family_};
    const SetCache::Key own{functions_.parents[child], parents};
    if (!cache_.find(family)) cache_.insert(family, pair.family);
    if (!cache_.find(own)) cache_.insert(own, pair.parents);
}

void FamilyScorer::scores(std::uint16_t child, std::span<const std::uint16_t> sets, std::size_t size,
                          std::span<std::int64_t> out, Monitor& monitor) {
    const std::lock_guard lock(mutex_);
    const auto set = [&](std::size_t i) { return sets.subspan(i * size, size); };
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!find(child, set(i), out[i])) missing.push_back(i);
    }
    monitor.expect(missing.size());
    std::vector<Pair> found(missing.size());
    const std::size_t visits = missing.size() * weights_.size() * (size + 1);
    const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(visits / kVisitsPerThread, 1, threads_));
    run_tasks(missing.size(), threads, monitor, [&](std::size_t task, unsigned number) {
        found[task] = worker(number).score(child, set(missing[task]), monitor);
        monitor.advance(1);
    });
    for (std::size_t task = 0; task < missing.size(); ++task) {
        out[missing[task]] = found[task].score();
        keep(child, set(missing[task]), found[task]);
    }
}

void FamilyScorer::additions(std::uint16_t child, std::span<const std::uint16_t> parents,
                             std::span<const std::uint16_t> candidates, std::span<std::int64_t> out, Monitor& monitor) {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint16_t> larger;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < out.size(); ++i) {
        with_member(parents, candidates[i], larger);
        if (!find(child, larger, out[i])) missing.push_back(i);
    }
    if (missing.empty()) return;
    monitor.expect(missing.size());
    const Partition& by_parents = worker(0).group(child, parents, monitor);
    groups_.reset(columns_, by_parents, child, worker(0).refine_scratch());
    std::vector<Pair> found(missing.size());
    const std::size_t visits = missing.size() * groups_.open_rows();
    const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(visits / kVisitsPerThread, 1, threads_));
    run_tasks(missing.size(), threads, monitor, [&](std::size_t task, unsigned number) {
        const std::uint16_t candidate = candidates[missing[task]];
        found[task] = worker(number).addition(child, parents, candidate, groups_, by_parents.largest);
        monitor.advance(1);
    });
    for (std::size_t task = 0; task < missing.size(); ++task) {
        out[missing[task]] = found[task].score();
        with_member(parents, candidates[missing[task]], larger);
        keep(child, larger, found[task]);
    }
}

std::size_t FamilyScorer::cached_sets() const {
    const std::lock_guard lock(mutex_);
    return cache_.size();
}

std::size_t FamilyScorer::bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum =
        columns_.bytes() + 4 * weights_.size() + functions_.chosen.size() + cache_.bytes() + groups_.bytes();
    sum += 4 * functions_.segment.size();
    for (const Partition& partition : segments_) sum += partition.bytes();
    for (const auto& worker : workers_) sum += worker ? worker->bytes() : 0;
    return sum;
}

}  // namespace dagscape
