// Searches for an order of the variables, and so for a network, with a high score.
//
// In an order, the best parents of each variable among its predecessors are independent choices [teyssier2005]: a
// search over orders never meets a cycle. The search starts with *sweeps*: every variable, in random order, moves to
// its best position (order_state.hpp), until none gains. Then it repeats:
//
//   perturb   one to three times, either move a random variable to a random position or promote a better family of one
//   repair    move the variables whose family changed, the former and the present parents of these, and those that the
//             repair changes in turn, to their best positions
//   decide    keep the result if it loses at most a random part of the tolerance; otherwise undo everything
//
// A repair touches few variables, however many there are, so the cost of a repetition hardly grows with n. The
// tolerance falls to 0 during a *round* of 5 n repetitions, and rounds begin with different tolerances, first with
// none. Equally good results are always kept, so the search drifts over plateaus. At the end of a round the search goes
// back to the best order so far and refines it: it rewrites the order depth first, which brings parents and children
// together without changing the network, puts windows of it into their best order (order_window.hpp), and sweeps.
//
// Where many orders are equally good (under the log-likelihood without a limit on parents, all are), a repair can
// change families without gain for very long. The number of its moves is therefore limited.
//
// The result depends on the families, the first order and the seed only, unless time ends the search.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/runtime/monitor.hpp"
#include "dagscape/search/family_lists.hpp"
#include "dagscape/search/order_state.hpp"
#include "dagscape/search/order_window.hpp"

namespace dagscape {

// Tolerances are a few nats, and must not overflow.
inline constexpr std::int64_t kLargestNat = std::int64_t{1} << 56;

struct OrderOptions {
    unsigned window = 12;  // the width of windows
    std::int64_t nat = 0;  // one nat, in units of scores; at most kLargestNat
    std::uint64_t seed = 0;
};

class OrderSearch {
public:
    using Clock = std::chrono::steady_clock;

    // The number of repetitions in a round, per variable.
    static constexpr unsigned kRoundLength = 5;

    // The order holds every variable once.
    OrderSearch(FamilyLists lists, std::span<const Variable> order, const OrderOptions& options);
    OrderSearch(const OrderSearch&) = delete;
    OrderSearch& operator=(const OrderSearch&) = delete;

    // Runs one round; returns false if the deadline ended it. The state is then the best one so far in either case and,
    // if the round was finished, no variable gains by a move.
    bool run_round(Clock::time_point deadline, Monitor& monitor);

    const OrderState& state() const noexcept { return state_; }
    const FamilyLists& lists() const noexcept { return lists_; }
    // The repetitions so far, and those since the last gain.
    std::uint64_t repetitions() const noexcept { return repetitions_; }
    std::uint64_t unproductive() const noexcept { return repetitions_ - last_gain_; }

    enum class Move { insert, perturb, promote, window };
    // A gain: the move that led to it, a variable that it concerned, the score then, and the time.
    struct Gain {
        Move move;
        std::uint32_t variable;
        OrderState::Value value;
        Clock::time_point time;
    };
    // The gains so far. Only a limited number is kept: every other one of them is dropped when there are too many.
    std::span<const Gain> gains() const noexcept { return gains_; }

private:
    bool repeat_all(Clock::time_point deadline, Monitor& monitor);
    bool refine(Clock::time_point deadline, Monitor& monitor);
    bool sweep(Clock::time_point deadline, Monitor& monitor);
    void order_windows(Clock::time_point deadline, Monitor& monitor);
    void rewrite_depth_first();
    void settle();
    void to_best_position(unsigned v);
    void repeat(std::int64_t tolerance);
    Move perturb(std::uint32_t& variable);
    void insert_anywhere(unsigned v);
    bool promote_any(std::uint32_t& variable);
    void repair();
    void await(unsigned v);
    void await_changed();
    bool note(Move move, std::uint32_t variable);

    FamilyLists lists_;
    OrderOptions options_;
    RandomBits random_;
    OrderState state_;
    OrderWindow window_;
    std::uint64_t rounds_ = 0, repetitions_ = 0, last_gain_ = 0;
    OrderState::Value best_;
    std::vector<Variable> best_order_;
    std::vector<Gain> gains_;

    // Variables to be moved to their best positions, and how many changes of families have been considered.
    std::vector<std::uint32_t> queue_;
    std::vector<char> waiting_;
    std::size_t noted_ = 0;
};

}  // namespace dagscape
