#include "dagscape/search/order_window.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace dagscape {

// The families of each member within the window and what stands before it, best first, without those that are
// supersets of a better one.
void OrderWindow::list_options(const OrderState& state, std::uint32_t from, unsigned width) {
    const FamilyLists& lists = state.lists();
    const auto window = state.order().subspan(from, width);
    members_.assign(window.begin(), window.end());
    options_.resize(std::max<std::size_t>(options_.size(), width));
    for (unsigned i = 0; i < width; ++i) member_of_[members_[i]] = static_cast<std::uint8_t>(i);
    for (unsigned i = 0; i < width; ++i) {
        auto& options = options_[i];
        options.clear();
        for (Rank rank = lists.first(members_[i]); options.empty() || options.back().parents != 0; ++rank) {
            std::uint32_t parents = 0;
            bool within = true;
            for (const Variable parent : lists.parents(rank)) {
                const bool inside = member_of_[parent] != kOutside;
                if (inside) parents |= std::uint32_t{1} << member_of_[parent];
                within = within && (inside || state.position(parent) < from);
            }
            within = within && std::none_of(options.begin(), options.end(),
                                            [&](const Option& better) { return (better.parents & ~parents) == 0; });
            if (within) options.push_back({parents, lists.score(rank)});
        }
    }
    for (const Variable v : members_) member_of_[v] = kOutside;
}

bool OrderWindow::can_gain(const OrderState& state) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (options_[i].front().score > state.lists().score(state.family(members_[i]))) return true;
    }
    return false;
}

void OrderWindow::set_aside_idle_variables() {
    active_ = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        for (const Option& option : options_[i]) active_ |= option.parents;
        if (options_[i].size() > 1) active_ |= std::uint32_t{1} << i;
    }
    arranged_.clear();
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if ((active_ >> i & 1) == 0) arranged_.push_back(members_[i]);
    }
}

std::int64_t OrderWindow::best_option(unsigned member, std::uint32_t placed) const {
    const Option* option = options_[member].data();
    while ((option->parents & ~placed) != 0) ++option;
    return option->score;
}

// best(P) for all parts of the active members; parts with others are not visited.
void OrderWindow::compute() {
    best_.assign(std::size_t{1} << members_.size(), std::numeric_limits<std::int64_t>::min());
    best_[0] = 0;
    std::uint32_t placed = 0;
    do {
        for (std::uint32_t left = active_ & ~placed; left != 0; left &= left - 1) {
            const auto member = static_cast<unsigned>(std::countr_zero(left));
            std::int64_t& best = best_[placed | (left & -left)];
            best = std::max(best, best_[placed] + best_option(member, placed));
        }
        placed = (placed - active_) & active_;
    } while (placed != 0);
}

// Chooses the last variable, the last but one, …; ties are decided at random.
void OrderWindow::trace_back(RandomBits& random) {
    const std::size_t idle = arranged_.size();
    for (std::uint32_t placed = active_; placed != 0;) {
        std::uint32_t chosen = 0, ties = 0;
        for (std::uint32_t left = placed; left != 0; left &= left - 1) {
            const std::uint32_t bit = left & -left, before = placed & ~bit;
            const auto member = static_cast<unsigned>(std::countr_zero(left));
            if (best_[before] + best_option(member, before) != best_[placed]) continue;
            if (random.below(++ties) == 0) chosen = bit;
        }
        arranged_.push_back(members_[static_cast<unsigned>(std::countr_zero(chosen))]);
        placed &= ~chosen;
    }
    std::reverse(arranged_.begin() + static_cast<std::ptrdiff_t>(idle), arranged_.end());
}

void OrderWindow::optimise(OrderState& state, std::uint32_t from, unsigned width, RandomBits& random) {
    assert(width <= kWidestWindow && from + width <= state.n());
    list_options(state, from, width);
    if (!can_gain(state)) return;
    set_aside_idle_variables();
    compute();
    std::int64_t present = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if ((active_ >> i & 1) != 0) present += state.lists().score(state.family(members_[i]));
    }
    if (best_[active_] == present) return;
    trace_back(random);
    state.rearrange(from, arranged_);
}

}  // namespace dagscape
