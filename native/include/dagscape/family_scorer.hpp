// Local scores of families on demand, from the rows of a table: any number of variables.
//
//   score(child, P) = J(P ∪ {child}) − J'(P)
//
// with the set functions of joint_scores.hpp: the same integers, set by set, where the whole lattice would be too large
// to compute. All one-variable additions to P are scored together: the rows are grouped by P and by (P, child) once,
// and each candidate is counted against both in one pass (family_groups.hpp). Values of J are cached in bounded memory
// (set_cache.hpp); neither the cache nor the number of threads changes a score.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dagscape/family_groups.hpp"
#include "dagscape/joint_scores.hpp"
#include "dagscape/monitor.hpp"
#include "dagscape/set_cache.hpp"

namespace dagscape {

// The set functions that the families of a child are made of. Each is summed over one of the subsets of the rows; both
// functions of a child over the same.
struct FamilyFunctions {
    std::vector<JointScoreSpec> specs;
    std::vector<std::uint32_t> subset;           // by function
    std::vector<std::uint8_t> chosen;            // by subset, then by row: whether it is summed over
    std::vector<std::uint32_t> family, parents;  // by child: its function of P ∪ {child}, and that of P
};

class FamilyScorer {
public:
    // `codes` is row-major, rows × variables. All together takes at most `most_bytes`, which must be more than
    // fixed_bytes(): what is left is for the caches.
    template <class Code>
    FamilyScorer(std::span<const Code> codes, std::span<const std::uint32_t> weights,
                 std::span<const std::uint32_t> arities, FamilyFunctions functions, unsigned threads,
                 std::size_t most_bytes, const Monitor& monitor);
    ~FamilyScorer();

    // The most bytes that the columns and the work on them take, without caches, for rows that stand for `weight` rows
    // of the data, subsets of the rows, and functions with so many different terms.
    static std::size_t fixed_bytes(std::size_t rows, std::span<const std::uint32_t> arities, std::uint64_t weight,
                                   std::size_t subsets, std::size_t terms, unsigned threads);

    // Scores of one child with sets of `size` parents, one after another in `sets`, members increasing.
    void scores(std::uint16_t child, std::span<const std::uint16_t> sets, std::size_t size, std::span<std::int64_t> out,
                Monitor& monitor);

    // Scores of one child with each candidate added to its parents, which are in increasing order.
    void additions(std::uint16_t child, std::span<const std::uint16_t> parents,
                   std::span<const std::uint16_t> candidates, std::span<std::int64_t> out, Monitor& monitor);

    unsigned variables() const noexcept { return columns_.positions(); }
    std::size_t rows() const noexcept { return weights_.size(); }
    std::size_t cached_sets() const;
    std::size_t bytes() const;

private:
    class Worker;
    // J of a family's own set and of its parents.
    struct Pair {
        std::int64_t family, parents;
        std::int64_t score() const noexcept {
            return family == kImpossible || parents == kImpossible ? kImpossible : family - parents;
        }
    };

    bool find(std::uint16_t child, std::span<const std::uint16_t> parents, std::int64_t& score);
    void keep(std::uint16_t child, std::span<const std::uint16_t> parents, const Pair& pair);
    Worker& worker(unsigned number);

    LogStates log_states_;
    std::vector<std::uint32_t> arities_;
    std::vector<std::uint32_t> weights_;
    FamilyFunctions functions_;
    std::vector<std::uint32_t> term_of_function_;  // functions with the same terms share their tables
    std::vector<CellTermSpec> terms_;
    Columns columns_;
    unsigned threads_;
    std::size_t term_bytes_;  // for each thread
    SetCache cache_;
    FamilyGroups groups_;
    std::vector<std::uint16_t> family_;  // of the last look into the cache
    std::vector<std::unique_ptr<Worker>> workers_;
    mutable std::mutex mutex_;  // one call at a time
};

}  // namespace dagscape
