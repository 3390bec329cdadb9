// Conditional Gaussian scores of measured children on demand: any number of variables.
//
//   score(v, Δ ∪ Γ) = J(Δ, Γ ∪ v) − J(Δ, Γ)
//
// with the set function of conditional_lattice.hpp, of which the part of the discrete variables cancels. The rows are
// partitioned by Δ; families whose discrete parents begin alike share that. Both determinants of a cell come from one
// elimination, in which the child is last. Scores are cached in bounded memory. (Families of discrete children have
// discrete parents only: family_scorer.hpp.)
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/cell_gaussian.hpp"
#include "dagscape/sets/set_cache.hpp"

namespace dagscape {

// The sum of the certain cells of a set, in fine units, and a row of each cell that is open.
struct SetParts {
    std::int64_t sum = 0;
    std::vector<std::uint32_t> open;
    bool impossible = false;
};

class ConditionalFamilies {
public:
    // `function_of` is the function of each variable. The scorer uses at most `most_bytes`, which must exceed
    // fixed_bytes(); the remainder is for the cache.
    ConditionalFamilies(MixedTable table, std::vector<CellFunction> functions, std::vector<std::uint32_t> function_of,
                        unsigned max_size, unsigned threads, std::size_t most_bytes);
    ~ConditionalFamilies();

    // The maximum number of bytes of the columns and the work on them, without the cache.
    static std::size_t fixed_bytes(std::size_t rows, std::size_t variables, std::size_t functions, unsigned max_size,
                                   unsigned threads) noexcept;

    // Scores of one measured child with parent sets of `size` members, stored consecutively in `sets`, each in
    // increasing order. Those that are kOpen must be computed with more digits.
    void scores(std::uint16_t child, std::span<const std::uint16_t> sets, std::size_t size, std::span<std::int64_t> out,
                Monitor& monitor);

    // Scores of one measured child with each candidate added to `parents`, in increasing order.
    void additions(std::uint16_t child, std::span<const std::uint16_t> parents,
                   std::span<const std::uint16_t> candidates, std::span<std::int64_t> out, Monitor& monitor);

    // What is certain about a set of one of the functions.
    SetParts parts(std::uint32_t function, std::span<const std::uint16_t> members) const;

    // c of a function for a number of rows and of columns.
    Fixed constant(std::uint32_t function, std::uint64_t rows, unsigned columns) const;

    const MixedTable& table() const noexcept { return table_; }
    std::size_t functions() const noexcept { return functions_.size(); }
    std::size_t cached() const;
    std::size_t bytes() const;

private:
    class Worker;

    // Scores families: parents(i, columns) sets the columns of the parents of family i, and key(i) returns these
    // parents as the cache knows them, in increasing order.
    template <class Parents, class Key>
    void score(std::uint16_t child, const Parents& parents, const Key& key, std::span<std::int64_t> out,
               Monitor& monitor);
    Worker& worker(unsigned number);

    MixedTable table_;
    std::vector<CellFunction> functions_;
    std::vector<std::uint32_t> function_of_;
    std::vector<CellConstants> constants_;
    unsigned threads_;
    SetCache cache_;
    std::vector<std::unique_ptr<Worker>> workers_;
    mutable std::mutex mutex_;
};

}  // namespace dagscape
