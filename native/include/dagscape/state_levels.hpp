// Products and sums of functions of few skills, over all states of the skills, for four patterns at a time.
//
// A state is a mask of skills. The functions, one for each given set of skills, have a value for each substate: a state
// restricted to the set, its bits packed. Level b has the sets whose highest skill is b, and their union. The product
// over all states doubles from level to level: the 2^(b+1) states of the skills up to b are those of the level before,
// times the product of the level's functions, which depends on the union alone. Sums go the other way: the states fold
// from the top, and each level sums what remains by the substates of its union, and these by those of its sets.
//
// If every set is a single skill, each direction costs about 2 · 2^K operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/lanes.hpp"

namespace dagscape {

// The bits of a state at the members of a set, packed.
constexpr std::uint32_t packed_substate(std::uint32_t state, std::uint32_t set) noexcept {
    std::uint32_t packed = 0;
    for (unsigned place = 0; set != 0; set &= set - 1, ++place)
        packed |= ((state & set & -set) != 0 ? 1U : 0U) << place;
    return packed;
}

// An order of the skills for cheap levels: result[b] is the skill that should be bit b. Skills that share sets with
// many others get low bits, where states are few.
std::vector<unsigned> cheap_order(unsigned skills, std::span<const std::uint32_t> sets);

// How values combine: probabilities are multiplied, their logarithms are added.
struct Multiplied {
    static Lanes none() noexcept { return broadcast(1); }
    static Lanes combine(Lanes a, Lanes b) noexcept { return a * b; }
};
struct Added {
    static Lanes none() noexcept { return broadcast(0); }
    static Lanes combine(Lanes a, Lanes b) noexcept { return a + b; }
};

class StateLevels {
public:
    // The sets must not be empty.
    StateLevels(unsigned skills, std::span<const std::uint32_t> sets);

    // Where the values of a set begin in the tables of all sets.
    std::size_t start(std::size_t set) const noexcept { return starts_[set]; }
    // The number of values of all sets.
    std::size_t table_size() const noexcept { return starts_.back(); }
    // The number of values that `joint` must have room for below.
    std::size_t joint_size() const noexcept { return joint_size_; }
    // The approximate number of operations in each direction.
    double operations() const noexcept { return operations_; }

    // The combination of all functions in each of the 2^K states.
    template <class Space>
    void combine(const Lanes* tables, Lanes* joint, Lanes* states) const;

    // Sums the states by the substates of every set, into `tables`, and returns the sum of all. `folded` has room for
    // 2^(K-1) values.
    Lanes sum(const Lanes* states, Lanes* folded, Lanes* joint, Lanes* tables) const;

private:
    struct Member {
        std::size_t start;                    // of the set's table
        std::size_t size;                     // of the set's table
        std::vector<std::uint16_t> substate;  // by substate of the union
    };
    // States that agree but for the lowest skills, those below the union's, form a run: they have one substate.
    struct Level {
        std::vector<Member> members;
        std::size_t union_size = 1;
        std::size_t upper = 0;  // the substate of the level's own skill
        std::size_t run = 1;
        std::vector<std::uint16_t> substate;  // by run, without the level's own skill
    };

    template <class Space>
    static const Lanes* joint_factor(const Level& level, const Lanes* tables, Lanes* joint);
    static void fold(const Lanes* from, std::size_t half, Lanes* folded);
    static void fold_and_sum(const Level& level, const Lanes* from, std::size_t half, Lanes* folded, Lanes* sums);

    std::vector<Level> levels_;
    std::vector<std::size_t> starts_;
    std::size_t joint_size_ = 1;
    double operations_ = 0;
};

}  // namespace dagscape
