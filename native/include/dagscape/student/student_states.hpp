// The E-step of a student model: posteriors of the states of K binary skills, given answers to items.
//
// A state is a mask of mastered skills. An item depends on the skills in its mask; its cells are the substates of these
// skills, with bits packed in ascending order of skills, and the cells of all items follow each other. Missing answers
// are left out.
//
// Items with the same mask form a group. Four patterns at a time: the likelihood of each group's substates is looked up
// by the group's combination of answers (answer_tree.hpp), and scaled so that the largest is 1; the products over all
// states times the prior are summed by substate (state_tree.hpp). If the sum for a pattern is so small that products
// may have vanished, the same is done with logarithms. The patterns are divided into blocks, whose number depends on
// the problem but not on the number of threads; blocks have their own sums, which are added in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dagscape/runtime/monitor.hpp"

namespace dagscape {

inline constexpr unsigned kMostSkills = 16;

// The logarithms of the probabilities of states, and of right and wrong answers in each cell. States may have
// probability zero, but not all; answers may not.
struct StudentModelLogs {
    std::span<const double> prior, right, wrong;
};

// Calls use memory that the object keeps between them: only one may run at a time.
class StudentStates {
public:
    // `answers` is row-major, patterns × items. Masks must not be empty.
    StudentStates(std::span<const std::uint32_t> masks, unsigned skills, std::span<const std::int8_t> answers,
                  std::span<const double> weights);
    ~StudentStates();

    unsigned skills() const noexcept;
    std::size_t states() const noexcept { return std::size_t{1} << skills(); }
    std::size_t patterns() const noexcept;
    std::size_t cells() const noexcept;
    // The bytes of this object after `expect` on a number of threads.
    std::size_t bytes(unsigned threads) const noexcept;
    // The approximate number of operations on four numbers for this many patterns.
    double operations(std::size_t patterns) const noexcept;

    // Returns the log-likelihood Σ w log P(pattern); writes the expected counts of states, and of wrong and right
    // answers in each cell.
    double expect(const StudentModelLogs& model, unsigned threads, std::span<double> state_counts,
                  std::span<double> cell_counts, Monitor& monitor);

    // Writes for each pattern the posterior of the substates of each set of skills, and log P(pattern).
    void marginals(const StudentModelLogs& model, std::span<const std::uint32_t> sets, unsigned threads,
                   std::span<double> out, std::span<double> log_likelihoods, Monitor& monitor);

    // Writes the posteriors of all states for patterns from `first` on, as many as `out` has room for.
    void posteriors(const StudentModelLogs& model, std::size_t first, unsigned threads, std::span<double> out,
                    Monitor& monitor);

private:
    class Kernel;
    std::unique_ptr<Kernel> kernel_;
};

}  // namespace dagscape
