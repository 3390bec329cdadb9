// Local scores of families on demand, from set functions of determinants: any number of variables.
//
//   score(child, P) = J(P ∪ {child}) − J(P)
//
// The columns of P are factored as L D L^T, one after the other; sets that begin alike share the beginning. With s
// columns, one more takes s^2 / 2 multiplications, and so do the two determinants of each variable added to P.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/determinants.hpp"

namespace dagscape {

// The factors L and D of the columns of some variables, and the determinant.
class DeterminantFactor {
public:
    explicit DeterminantFactor(const DeterminantFunction& function) : function_(&function) {}

    // A column of the matrix in terms of the columns so far: L^-1 times its entries.
    using Projection = std::vector<DoubleDouble>;

    // Continues a projection over the columns that were added since.
    void project(std::size_t column, Projection& projection) const;
    void add(std::uint16_t variable);
    // Adds a variable of which one column's projection is known so far; for others it is computed.
    void add(std::uint16_t variable, const std::vector<Projection>& known);
    // Goes back to the first variables.
    void keep(std::size_t variables);

    std::span<const std::uint16_t> members() const noexcept { return members_; }
    const Determinant& determinant() const noexcept { return determinants_.back(); }
    std::int64_t value() const noexcept { return function_->value(logs_.back(), determinant()); }

private:
    void add_column(std::size_t column, Projection projection);

    const DeterminantFunction* function_;
    std::vector<std::uint16_t> members_;
    std::vector<Determinant> determinants_{{}};  // by number of members
    std::vector<DiagonalLogs> logs_{{}};
    std::vector<std::size_t> columns_;
    std::vector<std::vector<DoubleDouble>> lower_;  // by column: its row of L
    std::vector<DoubleDouble> pivots_;
};

class DeterminantFamilies {
public:
    // `function_of` is the function of each child.
    DeterminantFamilies(std::vector<DeterminantFunction> functions, std::vector<std::uint32_t> function_of);

    // Scores of one child with parent sets of `size` members, stored consecutively in `sets`, each in increasing order.
    // Those that are kOpen must be computed with more digits.
    void scores(std::uint16_t child, std::span<const std::uint16_t> sets, std::size_t size, std::span<std::int64_t> out,
                Monitor& monitor) const;

    // Scores of one child with each candidate added to `parents`.
    void additions(std::uint16_t child, std::span<const std::uint16_t> parents,
                   std::span<const std::uint16_t> candidates, std::span<std::int64_t> out, Monitor& monitor) const;

    unsigned variables() const noexcept { return static_cast<unsigned>(function_of_.size()); }
    std::size_t bytes() const noexcept;

private:
    const DeterminantFunction& of(std::uint16_t child) const noexcept { return functions_[function_of_[child]]; }

    std::vector<DeterminantFunction> functions_;
    std::vector<std::uint32_t> function_of_;
};

}  // namespace dagscape
