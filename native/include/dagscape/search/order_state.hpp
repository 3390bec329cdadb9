// An order of the variables, the best families of all variables in it, and how the score changes if one moves.
//
// *Insertion* [scanagatta2017]. Take a variable v out of the order and let it enter at position q, behind q others.
// Only two things depend on q: the family of v, which is the first in its list whose parents all stand before q, and,
// for each other variable u, whether v stands before it. So the score is
//
//   family(q) + Σ over u of  with_u − without_u   for those u behind q
//
// where with_u and without_u are the scores of u's best families with v before and behind it. Few variables u have a
// difference: those whose present family has the parent v, and those that would prefer a family with v. family(q) never
// falls with q, and the sum never rises. The profile of v is a short list of ranges of positions with equal scores: all
// n positions are judged in time proportional to the length of v's list and the number of lists in which v occurs, most
// of which one comparison dismisses.
//
// *Promotion*. Give v a family that is better than its present one, although some of the parents stand behind it. Let m
// be the last of them, and consider the variables from v to m. Those that do not descend from v go to the front. Among
// the descendants, those that are ancestors of a new parent (or are one) lie on the cycles that the family would close;
// each of these cycles must be broken somewhere. Cut them at some position: what comes after the cut goes next, then v,
// then what comes before the cut, and then the remaining descendants. Only variables whose parents were cut off lose.
// Insertion can break a cycle only next to v; a promotion breaks it anywhere.
//
// Every change is written to a journal, so that all of them can be undone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/search/family_lists.hpp"

namespace dagscape {

class OrderState {
public:
    OrderState(const FamilyLists& lists, std::span<const Variable> order);

    unsigned n() const noexcept { return lists_->n(); }
    const FamilyLists& lists() const noexcept { return *lists_; }
    std::span<const Variable> order() const noexcept { return order_; }
    std::uint32_t position(unsigned v) const noexcept { return position_[v]; }
    Rank family(unsigned v) const noexcept { return family_[v]; }
    // The number of variables without a possible family, and the score relative to FamilyLists::offset.
    struct Value {
        std::size_t impossible;
        std::int64_t score;
        bool operator==(const Value&) const = default;
        bool better_than(const Value& other) const noexcept {
            return impossible != other.impossible ? impossible < other.impossible : score > other.score;
        }
    };
    Value value() const noexcept { return {impossible_, score_}; }

    // Positions lo … hi are equally good for a variable, whose family is then `family`.
    struct Range {
        std::uint32_t lo, hi;
        std::int64_t score;
        Rank family;
    };
    // The positions of a variable, last first; those that are certainly worse than another may be left out. Valid until
    // the next change.
    std::span<const Range> profile(unsigned v, bool complete);
    // Moves the variable of the last profile to a position of one of its ranges.
    void move(const Range& range, std::uint32_t to);

    // Gives v a better family, if that takes a change of order; the cut is chosen at random.
    void promote(unsigned v, Rank family, RandomBits& random);
    // Puts the variables from a position on in another order.
    void rearrange(std::uint32_t from, std::span<const Variable> variables);

    // The variables whose family changed, with their former family, since the last call of forget() or undo().
    struct Changed {
        std::uint32_t variable;
        Rank before;
    };
    std::span<const Changed> changed() const noexcept { return changed_; }
    void undo();
    void forget();

private:
    // A variable u whose family depends on whether the variable of the profile stands at most at position `at`.
    struct Dependent {
        std::uint32_t at, variable;
        Rank with, without;
        std::int64_t difference;
    };
    // A stretch of the order before a change: either one variable's position, or all variables.
    struct Stretch {
        std::uint32_t from, to, saved;
        bool rotated;
    };

    bool precede(std::span<const Variable> parents, std::uint32_t position) const noexcept;
    Rank best_family(unsigned u, Rank from) const noexcept;
    Rank family_without(unsigned u, unsigned parent) const noexcept;
    void find_dependents(unsigned v);
    void choose(unsigned u, Rank family);
    void shift(std::uint32_t from, std::uint32_t to) noexcept;
    void put(std::uint32_t position, Variable v) noexcept;
    void mark_cycles(unsigned v, Rank family, std::uint32_t first, std::uint32_t last);

    const FamilyLists* lists_;
    std::vector<Variable> order_;
    std::vector<std::uint32_t> position_;
    std::vector<Rank> family_;
    std::size_t impossible_ = 0;
    std::int64_t score_ = 0;

    std::vector<Dependent> dependents_;
    std::vector<Range> ranges_;
    unsigned profiled_ = 0;

    std::vector<Changed> changed_;
    std::vector<Stretch> stretches_;
    std::vector<Variable> saved_;

    std::vector<std::uint8_t> marks_;
    std::vector<Variable> others_, before_cut_, after_cut_, descendants_, cycle_;
};

}  // namespace dagscape
