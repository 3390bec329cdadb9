// One set function over the lattice; the local scores of all families are differences of its values.
//
//   J(S) = Σ over the observed joint states of S of a term  −  penalty · q(S), summed with guard bits and rounded once
//
// where the term (cell_terms.hpp) depends on the number of rows in the state, and q(S) is the number of possible
// states. With J of every set of at most d + 1 variables, local_score(i, G) = J(G ∪ {i}) − J(G) for BDeu, BIC and AIC.
//
// The sets are visited depth first, and each partition refines that of its parent. Cost: one pass over the distinct
// rows of the open cells per set. All arithmetic is on integers, so the result does not depend on any order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/scores/cell_terms.hpp"
#include "dagscape/scores/partition.hpp"
#include "dagscape/sets/branches.hpp"
#include "dagscape/sets/set_index.hpp"

namespace dagscape {

struct JointScoreSpec {
    CellTermSpec term;
    double penalty_per_state;
    std::uint64_t max_states;  // sets with more states are impossible, and so are families that contain them

    // J of a set with `states` possible states, from the sum over its cells.
    std::int64_t value(std::int64_t sum, std::uint64_t states) const noexcept;
};

// The number of joint states with one more variable, capped at 2^62.
std::uint64_t more_states(std::uint64_t states, std::uint32_t arity) noexcept;

// The multiple of 2^-bits that is nearest to price · states; halves are rounded up.
std::int64_t rounded_product(double price, std::uint64_t states, int bits) noexcept;

// The plan of the work, which depends on the data but not on the number of threads.
class JointScoreJob {
public:
    template <class Code>
    JointScoreJob(std::span<const Code> codes, std::span<const std::uint32_t> weights,
                  std::span<const std::uint32_t> arities, unsigned max_size, const JointScoreSpec& spec,
                  Monitor& monitor);

    const SetIndex& index() const noexcept { return index_; }

    // Fills `out`, one number per set in the order of index().
    void run(std::span<std::int64_t> out, unsigned threads, Monitor& monitor) const;

    // Estimates the seconds per set of run() on one thread, from random parts of the lattice, within `budget` seconds.
    double seconds_per_set(double budget, Monitor& monitor) const;

    // Estimates the row visits per set of run(), from random parts of the lattice. The time is proportional to them,
    // but they are the same on every machine.
    double visits_per_set(unsigned samples, Monitor& monitor) const;

private:
    class Walker;

    SetIndex index_;
    JointScoreSpec spec_;
    std::vector<std::uint16_t> order_;  // variable at each position
    std::vector<std::uint32_t> arities_;
    LogStates log_states_;
    Rows rows_;
};

}  // namespace dagscape
