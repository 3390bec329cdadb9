// One set function over the lattice, from the counts of all joint states of binary variables.
//
//   J(S) = Σ over the joint states s of S of N_s ln N_s  −  penalty · 2^|S|, summed with guard bits and rounded once
//
// The counts need not be integers: they are expected counts, in units of 2^-count_bits. The variables are decided one
// after another, depth first: either a variable belongs to S, or the counts of its two values are added. This takes
// about 3^n terms in all, one for each state of each set. Counts and terms are integers, so the result does not depend
// on the order of the variables or on the number of threads, and equal marginals give equal values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/joint_scores.hpp"
#include "dagscape/sets/set_index.hpp"

namespace dagscape {

// Expected counts of the 2^n joint states of n binary variables; bit i of a state is the value of variable i. The sum
// of the counts must be below 2^62.
struct JointCounts {
    std::span<const std::uint64_t> units;
    int count_bits;  // from 1 to 63
};

// N ln N rounded to the resolution of the terms, for a count N of `units` units; the error before rounding is below
// (N + 1) 2^-77.
std::int64_t count_term(std::uint64_t units, int count_bits, const CellTermSpec& term) noexcept;

// Fills `out`, one number per set in the order of `index`. The terms are entropies, whatever spec.term.kind is.
void joint_count_scores(const JointCounts& counts, const SetIndex& index, const JointScoreSpec& spec,
                        std::span<std::int64_t> out, unsigned threads, Monitor& monitor);

}  // namespace dagscape
