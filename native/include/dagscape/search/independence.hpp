// G² tests of conditional independence, X ⊥ T | S, from the rows of a table: any number of variables.
//
//   G² = 2 Σ_{s,t,x} N_stx ln(N_stx N_s / (N_st N_sx))
//
// With h(N) = N ln N this is 2 (Σ h(N_stx) − Σ h(N_sx) − Σ h(N_st) + Σ h(N_s)), a sum of integers (cell_terms.hpp), so
// that neither the order of the rows or variables nor the number of threads can break a tie between tests. Under
// independence it is asymptotically χ²-distributed with
//
//   f = Σ_s (R_s − 1) (C_s − 1)
//
// degrees of freedom, where R_s and C_s are the numbers of levels of T and X that occur with s: a level that does not
// occur is regarded as impossible there [tsamardinos2006, section 4]. A test needs a minimum number of rows for each of
// the r_X r_T q_S cells; otherwise it is not made.
//
// A tester keeps the rows grouped by T and by S, one variable after the other. Tests of one target whose sets share
// their first members share these groups, and all candidates X are counted against the same ones. There are two ways to
// count: by adding up rows, and, where there are few cells, by intersecting bit sets of rows and counting bits. Both
// give the same counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/cell_terms.hpp"
#include "dagscape/scores/partition.hpp"

namespace dagscape {

// The rows of a table, by column; testers share it.
class TestTable {
public:
    // `codes` is row-major, rows × variables.
    template <class Code>
    TestTable(std::span<const Code> codes, std::span<const std::uint32_t> weights,
              std::span<const std::uint32_t> arities, const Monitor& monitor);

    // The maximum number of bytes of the table, and of the testers of all threads for tests of up to `depth` variables.
    // `weight` is the number of rows of the data that the rows represent.
    static std::size_t most_bytes(std::size_t rows, std::span<const std::uint32_t> arities, std::uint64_t weight,
                                  std::size_t depth, unsigned threads);

    unsigned variables() const noexcept { return columns_.positions(); }
    std::uint32_t arity(unsigned variable) const noexcept { return columns_.arity(variable); }
    // The number of rows of the data.
    std::uint64_t weight() const noexcept { return weight_; }
    // The unit of statistics is 2^-unit_bits.
    int unit_bits() const noexcept { return terms_spec_.unit_bits; }

private:
    friend class IndependenceTester;

    bool has_bits(unsigned variable) const noexcept { return bits_start_[variable] != kNoBits; }
    // The rows of the data with this level, one bit for each.
    const std::uint64_t* bits(unsigned variable, std::uint32_t level) const noexcept {
        return bits_.data() + bits_start_[variable] + level * words_;
    }
    static constexpr std::size_t kNoBits = ~std::size_t{0};

    Columns columns_;
    std::vector<std::uint32_t> weights_;
    bool weighted_;
    std::uint64_t weight_;
    CellTermSpec terms_spec_;
    CellTerms terms_;
    std::size_t words_ = 0;  // of one bit set
    std::vector<std::size_t> bits_start_;
    std::vector<std::uint64_t> bits_;
};

struct IndependenceTest {
    std::int64_t statistic = 0;  // half of G², in the unit of the table
    std::uint64_t freedom = 0;   // 0 if the counts cannot show any dependence
};

// Makes tests of one target after the other; each thread has its own tester.
class IndependenceTester {
public:
    // `rows_per_cell` must be at least 1.
    IndependenceTester(const TestTable& table, std::uint64_t rows_per_cell);

    void set_target(std::uint16_t target);

    // Whether there are enough rows to test the target against a candidate, given a set.
    bool is_possible(std::uint16_t candidate, std::span<const std::uint16_t> given) const noexcept;

    // Such a test.
    IndependenceTest test(std::uint16_t candidate, std::span<const std::uint16_t> given);

    // Half of G² of the target and another variable, given nothing, with any number of rows.
    std::int64_t statistic(std::uint16_t candidate);

private:
    // The rows, grouped by the target and the first members of the set. The number of a group is that of the previous
    // level, times the arity of the last member, plus its code.
    struct Level {
        std::uint16_t variable = 0;
        std::size_t groups = 0;
        std::vector<std::uint32_t> group;        // by row; empty if not needed so far
        std::vector<std::uint64_t> bits;         // by group; empty if not needed so far
        std::vector<std::uint32_t> count;        // by group; empty if not needed so far
        std::vector<std::uint32_t> more_levels;  // by state of the set: R_s − 1
        std::int64_t terms = 0;                  // Σ h(N_st) − Σ h(N_s)
    };

    void condition_on(std::span<const std::uint16_t> given);
    void push(std::uint16_t variable);
    const std::uint32_t* groups_at(std::size_t depth);
    const std::uint64_t* bits_at(std::size_t depth);
    void sum_groups();
    void count_cells(std::uint16_t candidate);
    void count_cells_by_rows(std::uint16_t candidate);
    void count_cells_by_bits(std::uint16_t candidate);
    IndependenceTest summed(std::uint16_t candidate) const;
    std::int64_t statistic_by_sorting(std::uint16_t candidate) const;

    const TestTable& table_;
    std::uint64_t most_cells_;
    std::vector<Level> levels_;
    std::size_t depth_ = 0;  // the number of levels in use; the others keep their memory
    std::vector<std::uint32_t> cells_, counters_;
};

}  // namespace dagscape
