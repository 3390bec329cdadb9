// The items that measure one set of skills: likelihoods of their answers, and expected counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/student/answer_tree.hpp"

namespace dagscape {

class AnswerGroup {
public:
    // The cells of an item begin at its entry in `cell_start`; `cell` says which of them belongs to each substate. The
    // counts of a block begin at `count_start` among those of all groups.
    AnswerGroup(const AnswerTable& table, std::span<const std::uint32_t> items, std::span<const std::size_t> cell_start,
                std::vector<std::uint32_t> cell, std::size_t count_start);

    std::size_t substates() const noexcept { return cell_.size(); }
    // The number of counts of a block.
    std::size_t counts() const noexcept { return counts_; }
    std::size_t bytes() const noexcept;

    // Takes the log-probabilities of right and wrong answers in all cells.
    void load(std::span<const double> right, std::span<const double> wrong);

    // Writes the likelihoods of the substates for four patterns, divided by e^s, where s is returned; the largest
    // are 1.
    Lanes likelihoods(std::size_t first, Lanes* out) const;
    // Writes their log-likelihoods.
    void log_likelihoods(std::size_t first, Lanes* out) const;

    // Adds values of the substates for four patterns, times a factor, to the counts of a block.
    void add_counts(std::size_t first, const Lanes* values, Lanes factor, double* counts) const;
    // Writes the counts of wrong and right answers in the cells of these items.
    void write_counts(const double* counts, std::span<double> cell_counts);

private:
    struct Part {
        AnswerTree tree;
        std::size_t count_start;
    };

    std::vector<std::uint32_t> cell_;  // by substate
    std::vector<std::size_t> item_start_;
    std::vector<Part> parts_;
    std::size_t counts_ = 0;
    // With a single tree: e^(log-likelihood - scale) by leaf and substate, and the scale by leaf.
    std::vector<double> likelihood_, scale_;
    std::vector<double> right_, wrong_, item_counts_;
};

}  // namespace dagscape
