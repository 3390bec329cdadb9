// Orders a window of consecutive variables optimally, given what stands before it.
//
// With B the variables before the window and P the part of the window already placed,
//
//   best(P) = max over v ∈ P of  best(P ∖ v) + score of the best family of v within B ∪ (P ∖ v)
//
// for all 2^w parts [silander2006]. Only families within B and the window matter, each as its part within the window:
// usually a handful for each variable. A variable with a single one, without parents in the window, that is no parent
// of the others there either, takes no part. If every variable has its best family already, nothing is computed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/search/order_state.hpp"

namespace dagscape {

inline constexpr unsigned kWidestWindow = 16;

class OrderWindow {
public:
    explicit OrderWindow(const OrderState& state) : member_of_(state.n(), kOutside) {}

    // Puts the window of `width` variables from a position on into a best order, unless it is in one.
    void optimise(OrderState& state, std::uint32_t from, unsigned width, RandomBits& random);

private:
    static constexpr std::uint8_t kOutside = 255;

    struct Option {
        std::uint32_t parents;
        std::int64_t score;
    };

    void list_options(const OrderState& state, std::uint32_t from, unsigned width);
    bool can_gain(const OrderState& state) const;
    void set_aside_idle_variables();
    std::int64_t best_option(unsigned member, std::uint32_t placed) const;
    void compute();
    void trace_back(RandomBits& random);

    std::vector<std::uint8_t> member_of_;
    std::vector<Variable> members_, arranged_;
    std::vector<std::vector<Option>> options_;
    std::uint32_t active_ = 0;
    std::vector<std::int64_t> best_;
};

}  // namespace dagscape
