#include "dagscape/search/order_state.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace dagscape {
namespace {

// Marks of variables during a promotion.
constexpr std::uint8_t kDescendant = 1, kAncestor = 2, kNewParent = 4;

}  // namespace

OrderState::OrderState(const FamilyLists& lists, std::span<const Variable> order)
    : lists_(&lists), order_(order.begin(), order.end()), position_(order.size()), family_(order.size()),
      marks_(order.size(), 0) {
    assert(order.size() == lists.n());
    for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    for (unsigned v = 0; v < n(); ++v) {
        family_[v] = best_family(v, lists.first(v));
        score_ += lists.score(family_[v]);
        impossible_ += lists.substitute(v, family_[v]);
    }
}

bool OrderState::precede(std::span<const Variable> parents, std::uint32_t position) const noexcept {
    for (const Variable parent : parents) {
        if (position_[parent] > position) return false;
    }
    return true;
}

Rank OrderState::best_family(unsigned u, Rank from) const noexcept {
    while (!precede(lists_->parents(from), position_[u])) ++from;
    return from;
}

// The best family after the present one that does not have a certain parent.
Rank OrderState::family_without(unsigned u, unsigned parent) const noexcept {
    for (Rank rank = family_[u] + 1;; ++rank) {
        const auto parents = lists_->parents(rank);
        if (std::find(parents.begin(), parents.end(), parent) == parents.end() && precede(parents, position_[u]))
            return rank;
    }
}

void OrderState::find_dependents(unsigned v) {
    dependents_.clear();
    const std::uint32_t from = position_[v];
    for (const auto& mention : lists_->mentions(v)) {
        const std::uint32_t u = mention.child;
        const Rank present = family_[u];
        // Its present family is better than all those with the parent v.
        if (mention.best > present) continue;
        const std::uint32_t at = position_[u];
        if (from < at) {
            const auto parents = lists_->parents(present);
            if (std::find(parents.begin(), parents.end(), v) == parents.end()) continue;
            const Rank other = family_without(u, v);
            dependents_.push_back({at - 1, u, present, other, lists_->score(present) - lists_->score(other)});
            continue;
        }
        for (const Rank rank : lists_->ranks_with(mention)) {
            if (rank >= present) break;
            const auto parents = lists_->parents(rank);
            const bool possible =
                std::all_of(parents.begin(), parents.end(), [&](Variable p) { return p == v || position_[p] < at; });
            if (!possible) continue;
            dependents_.push_back({at, u, rank, present, lists_->score(rank) - lists_->score(present)});
            break;
        }
    }
    std::sort(dependents_.begin(), dependents_.end(),
              [](const Dependent& a, const Dependent& b) { return a.at > b.at; });
}

std::span<const OrderState::Range> OrderState::profile(unsigned v, bool complete) {
    find_dependents(v);
    ranges_.clear();
    profiled_ = v;
    const std::uint32_t from = position_[v];
    std::int64_t all = 0, gained = 0, best = std::numeric_limits<std::int64_t>::min();
    for (const Dependent& dependent : dependents_) all += dependent.difference;
    auto next = dependents_.begin();
    // The positions from `end` on are done.
    std::uint32_t end = n();
    for (Rank rank = lists_->first(v); end > 0; ++rank) {
        const std::int64_t family = lists_->score(rank);
        if (!complete && best != std::numeric_limits<std::int64_t>::min() && family + all < best) break;
        std::uint32_t first = 0;
        for (const Variable parent : lists_->parents(rank)) {
            const std::uint32_t position = position_[parent];
            first = std::max(first, position + (position < from ? 1 : 0));
        }
        while (first < end) {
            while (next != dependents_.end() && next->at + 1 >= end) gained += (next++)->difference;
            const std::uint32_t lo = next == dependents_.end() ? first : std::max(first, next->at + 1);
            ranges_.push_back({lo, end - 1, family + gained, rank});
            best = std::max(best, family + gained);
            end = lo;
        }
    }
    return ranges_;
}

void OrderState::choose(unsigned u, Rank family) {
    const Rank before = family_[u];
    if (before == family) return;
    changed_.push_back({u, before});
    score_ += lists_->score(family) - lists_->score(before);
    impossible_ += lists_->substitute(u, family);
    impossible_ -= lists_->substitute(u, before);
    family_[u] = family;
}

void OrderState::put(std::uint32_t position, Variable v) noexcept {
    order_[position] = v;
    position_[v] = position;
}

void OrderState::shift(std::uint32_t from, std::uint32_t to) noexcept {
    const Variable v = order_[from];
    for (; from > to; --from) put(from, order_[from - 1]);
    for (; from < to; ++from) put(from, order_[from + 1]);
    put(to, v);
}

void OrderState::move(const Range& range, std::uint32_t to) {
    const std::uint32_t from = position_[profiled_];
    for (const Dependent& dependent : dependents_) {
        choose(dependent.variable, to <= dependent.at ? dependent.with : dependent.without);
    }
    choose(profiled_, range.family);
    if (from == to) return;
    stretches_.push_back({from, to, 0, true});
    shift(from, to);
}

void OrderState::rearrange(std::uint32_t from, std::span<const Variable> variables) {
    const auto to = from + static_cast<std::uint32_t>(variables.size());
    stretches_.push_back({from, to, static_cast<std::uint32_t>(saved_.size()), false});
    saved_.insert(saved_.end(), order_.begin() + from, order_.begin() + to);
    std::uint32_t position = from;
    for (const Variable v : variables) put(position++, v);
    for (const Variable v : variables) choose(v, best_family(v, lists_->first(v)));
}

// Marks the descendants of v up to a position, and the ancestors of the new parents from there back to v.
void OrderState::mark_cycles(unsigned v, Rank family, std::uint32_t first, std::uint32_t last) {
    marks_[v] = kDescendant;
    for (std::uint32_t position = first + 1; position <= last; ++position) {
        const auto parents = lists_->parents(family_[order_[position]]);
        const bool descends =
            std::any_of(parents.begin(), parents.end(), [&](Variable p) { return (marks_[p] & kDescendant) != 0; });
        if (descends) marks_[order_[position]] = kDescendant;
    }
    for (const Variable parent : lists_->parents(family)) marks_[parent] |= kAncestor | kNewParent;
    for (std::uint32_t position = last; position > first; --position) {
        if ((marks_[order_[position]] & kAncestor) == 0) continue;
        for (const Variable parent : lists_->parents(family_[order_[position]])) marks_[parent] |= kAncestor;
    }
}

void OrderState::promote(unsigned v, Rank family, RandomBits& random) {
    const std::uint32_t first = position_[v];
    std::uint32_t last = first;
    for (const Variable parent : lists_->parents(family)) last = std::max(last, position_[parent]);
    if (last == first) return;
    mark_cycles(v, family, first, last);
    others_.clear(), cycle_.clear(), descendants_.clear(), before_cut_.clear(), after_cut_.clear();
    for (std::uint32_t position = first + 1; position <= last; ++position) {
        const Variable u = order_[position];
        const std::uint8_t mark = marks_[u];
        ((mark & kDescendant) == 0 ? others_ : (mark & kAncestor) == 0 ? descendants_ : cycle_).push_back(u);
    }
    const std::size_t cut = cycle_.empty() ? 0 : random.below(static_cast<std::uint32_t>(cycle_.size()));
    for (std::size_t i = 0; i < cycle_.size(); ++i) {
        const bool before = i < cut && (marks_[cycle_[i]] & kNewParent) == 0;
        (before ? before_cut_ : after_cut_).push_back(cycle_[i]);
    }
    for (const Variable parent : lists_->parents(family)) marks_[parent] = 0;
    for (std::uint32_t position = first; position <= last; ++position) {
        marks_[order_[position]] = 0;
        for (const Variable parent : lists_->parents(family_[order_[position]])) marks_[parent] = 0;
    }
    others_.insert(others_.end(), after_cut_.begin(), after_cut_.end());
    others_.push_back(static_cast<Variable>(v));
    others_.insert(others_.end(), before_cut_.begin(), before_cut_.end());
    others_.insert(others_.end(), descendants_.begin(), descendants_.end());
    rearrange(first, others_);
}

void OrderState::undo() {
    for (std::size_t i = changed_.size(); i-- > 0;) {
        const auto [u, before] = changed_[i];
        score_ += lists_->score(before) - lists_->score(family_[u]);
        impossible_ += lists_->substitute(u, before);
        impossible_ -= lists_->substitute(u, family_[u]);
        family_[u] = before;
    }
    for (std::size_t i = stretches_.size(); i-- > 0;) {
        const Stretch& stretch = stretches_[i];
        if (stretch.rotated) {
            shift(stretch.to, stretch.from);
            continue;
        }
        for (std::uint32_t position = stretch.from; position < stretch.to; ++position) {
            put(position, saved_[stretch.saved + position - stretch.from]);
        }
    }
    forget();
}

void OrderState::forget() {
    changed_.clear();
    stretches_.clear();
    saved_.clear();
}

}  // namespace dagscape
