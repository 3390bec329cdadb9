// Local scores of families on demand, from the rows of a table: any number of variables.
//
//   score(child, P) = J(P ∪ {child}) − J'(P)
//
// where J and J' are the set functions of joint_scores.hpp. The integers are the same, but they are computed set by
// set, because the whole lattice would be too large. All one-variable additions to P are scored together: the rows are
// grouped by P and by (P, child) once, and each candidate is counted against both in one pass (family_groups.hpp).
// The rows may be split into segments, as if each were a data set of its own: a cell then has rows of one segment only,
// while the number of joint states of a set remains the same. Values of J are cached in bounded memory (set_cache.hpp).
// Neither the cache nor the number of threads changes a score.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/family_groups.hpp"
#include "dagscape/scores/joint_scores.hpp"
#include "dagscape/sets/set_cache.hpp"

namespace dagscape {

// The set functions that the scores of a child's families consist of. Each function is summed over one of the subsets
// of the rows; both functions of a child use the same subset.
struct FamilyFunctions {
    std::vector<JointScoreSpec> specs;
    std::vector<std::uint32_t> subset;           // by function
    std::vector<std::uint8_t> chosen;            // by subset, then by row: whether the row is in the subset
    std::vector<std::uint32_t> family, parents;  // by child: its function of P ∪ {child}, and that of P
    std::vector<std::uint32_t> segment;          // by row, or empty: no cell has rows of two segments
};

class FamilyScorer {
public:
    // `codes` is row-major, rows × variables. The scorer uses at most `most_bytes`, which must exceed fixed_bytes();
    // the remainder is for the caches.
    template <class Code>
    FamilyScorer(std::span<const Code> codes, std::span<const std::uint32_t> weights,
                 std::span<const std::uint32_t> arities, FamilyFunctions functions, unsigned threads,
                 std::size_t most_bytes, const Monitor& monitor);
    ~FamilyScorer();

    // The maximum number of bytes of the columns and the work on them, without caches. `weight` is the number of rows
    // of the data that the rows represent; `terms` is the number of different terms among the functions.
    static std::size_t fixed_bytes(std::size_t rows, std::span<const std::uint32_t> arities, std::uint64_t weight,
                                   std::size_t subsets, std::size_t terms, unsigned threads, bool segmented = false);

    // Scores of one child with parent sets of `size` members, stored consecutively in `sets`, each in increasing order.
    void scores(std::uint16_t child, std::span<const std::uint16_t> sets, std::size_t size, std::span<std::int64_t> out,
                Monitor& monitor);

    // Scores of one child with each candidate added to `parents`, which must be in increasing order.
    void additions(std::uint16_t child, std::span<const std::uint16_t> parents,
                   std::span<const std::uint16_t> candidates, std::span<std::int64_t> out, Monitor& monitor);

    unsigned variables() const noexcept { return columns_.positions(); }
    std::size_t rows() const noexcept { return weights_.size(); }
    std::size_t cached_sets() const;
    std::size_t bytes() const;

private:
    class Worker;
    // J of the family, and of its parents.
    struct Pair {
        std::int64_t family, parents;
        std::int64_t score() const noexcept {
            return family == kImpossible || parents == kImpossible ? kImpossible : family - parents;
        }
    };

    bool find(std::uint16_t child, std::span<const std::uint16_t> parents, std::int64_t& score);
    void keep(std::uint16_t child, std::span<const std::uint16_t> parents, const Pair& pair);
    Worker& worker(unsigned number);
    void split_into_segments(const Monitor& monitor);

    LogStates log_states_;
    std::vector<std::uint32_t> arities_;
    std::vector<std::uint32_t> weights_;
    FamilyFunctions functions_;
    std::vector<std::uint32_t> term_of_function_;  // functions with the same terms share their tables
    std::vector<CellTermSpec> terms_;
    Columns columns_;
    std::vector<Partition> segments_;  // by subset; empty if there are no segments
    unsigned threads_;
    std::size_t term_bytes_;  // for each thread
    SetCache cache_;
    FamilyGroups groups_;
    std::vector<std::uint16_t> family_;  // of the last cache lookup
    std::vector<std::unique_ptr<Worker>> workers_;
    mutable std::mutex mutex_;  // one call at a time
};

}  // namespace dagscape
