#include "dagscape/state_levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace dagscape {
namespace {

std::uint32_t union_with(unsigned skill, std::span<const std::uint32_t> sets) noexcept {
    std::uint32_t all = 0;
    for (const std::uint32_t set : sets) all |= (set >> skill & 1) != 0 ? set : 0;
    return all;
}

double substates(std::uint32_t set) noexcept { return std::ldexp(1.0, std::popcount(set)); }

}  // namespace

std::vector<unsigned> cheap_order(unsigned skills, std::span<const std::uint32_t> sets) {
    std::vector<std::uint32_t> left(sets.begin(), sets.end());
    std::vector<unsigned> order(skills);
    std::uint32_t placed = 0;
    for (unsigned bit = skills; bit-- > 0;) {
        double least = std::numeric_limits<double>::infinity();
        for (unsigned skill = skills; skill-- > 0;) {
            if ((placed >> skill & 1) != 0) continue;
            const auto members =
                std::count_if(left.begin(), left.end(), [&](auto set) { return (set >> skill & 1) != 0; });
            const double cost = static_cast<double>(members) * substates(union_with(skill, left));
            if (cost < least) {
                least = cost;
                order[bit] = skill;
            }
        }
        const unsigned top = order[bit];
        placed |= 1U << top;
        std::erase_if(left, [&](std::uint32_t set) { return (set >> top & 1) != 0; });
    }
    return order;
}

StateLevels::StateLevels(unsigned skills, std::span<const std::uint32_t> sets) : levels_(skills), starts_{0} {
    for (const std::uint32_t set : sets) starts_.push_back(starts_.back() + (std::size_t{1} << std::popcount(set)));
    for (unsigned bit = 0; bit < skills; ++bit) {
        Level& level = levels_[bit];
        std::vector<std::size_t> own;
        std::uint32_t all = 0;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            if (sets[i] >> bit != 1) continue;
            own.push_back(i);
            all |= sets[i];
        }
        if (!own.empty()) {
            level.union_size = std::size_t{1} << std::popcount(all);
            level.upper = level.union_size / 2;
        }
        level.run = std::size_t{1} << (own.empty() ? bit : static_cast<unsigned>(std::countr_zero(all)));
        const std::uint32_t lower = own.empty() ? 0 : all ^ (1U << bit);
        for (std::size_t state = 0; state < std::size_t{1} << bit; state += level.run) {
            level.substate.push_back(
                static_cast<std::uint16_t>(packed_substate(static_cast<std::uint32_t>(state), lower)));
        }
        for (const std::size_t i : own) {
            Member member{starts_[i], starts_[i + 1] - starts_[i], {}};
            const std::uint32_t within = packed_substate(sets[i], all);
            for (std::uint32_t state = 0; state < level.union_size; ++state) {
                member.substate.push_back(static_cast<std::uint16_t>(packed_substate(state, within)));
            }
            level.members.push_back(std::move(member));
        }
        joint_size_ = std::max(joint_size_, level.union_size);
        operations_ += std::ldexp(2.0, static_cast<int>(bit));
        if (own.size() > 1) operations_ += static_cast<double>(own.size() * level.union_size);
    }
}

template <class Space>
const Lanes* StateLevels::joint_factor(const Level& level, const Lanes* tables, Lanes* joint) {
    if (level.members.empty()) {
        joint[0] = Space::none();
        return joint;
    }
    const Member& first = level.members[0];
    // A single set is its own union.
    if (level.members.size() == 1) return tables + first.start;
    const Member& second = level.members[1];
    for (std::size_t i = 0; i < level.union_size; ++i) {
        joint[i] = Space::combine(tables[first.start + first.substate[i]], tables[second.start + second.substate[i]]);
    }
    for (std::size_t m = 2; m < level.members.size(); ++m) {
        const Member& member = level.members[m];
        for (std::size_t i = 0; i < level.union_size; ++i) {
            joint[i] = Space::combine(joint[i], tables[member.start + member.substate[i]]);
        }
    }
    return joint;
}

template <class Space>
void StateLevels::combine(const Lanes* tables, Lanes* joint, Lanes* states) const {
    states[0] = Space::none();
    for (unsigned bit = 0; bit < levels_.size(); ++bit) {
        const Level& level = levels_[bit];
        const Lanes* factor = joint_factor<Space>(level, tables, joint);
        const std::size_t half = std::size_t{1} << bit;
        for (std::size_t start = 0, run = 0; start < half; start += level.run, ++run) {
            const Lanes without = factor[level.substate[run]], with = factor[level.substate[run] + level.upper];
            for (std::size_t state = start; state < start + level.run; ++state) {
                const Lanes value = states[state];
                states[half + state] = Space::combine(value, with);
                states[state] = Space::combine(value, without);
            }
        }
    }
}

template void StateLevels::combine<Multiplied>(const Lanes*, Lanes*, Lanes*) const;
template void StateLevels::combine<Added>(const Lanes*, Lanes*, Lanes*) const;

void StateLevels::fold(const Lanes* from, std::size_t half, Lanes* folded) {
    for (std::size_t state = 0; state < half; ++state) folded[state] = from[state] + from[half + state];
}

void StateLevels::fold_and_sum(const Level& level, const Lanes* from, std::size_t half, Lanes* folded, Lanes* sums) {
    std::fill(sums, sums + level.union_size, broadcast(0));
    for (std::size_t start = 0, run = 0; start < half; start += level.run, ++run) {
        // Two partial sums of each kind, so that no addition waits for the previous one.
        Lanes without[2] = {broadcast(0), broadcast(0)}, with[2] = {broadcast(0), broadcast(0)};
        for (std::size_t state = start; state < start + level.run; ++state) {
            const Lanes low = from[state], high = from[half + state];
            without[state % 2] += low;
            with[state % 2] += high;
            folded[state] = low + high;
        }
        sums[level.substate[run]] += without[0] + without[1];
        sums[level.substate[run] + level.upper] += with[0] + with[1];
    }
}

Lanes StateLevels::sum(const Lanes* states, Lanes* folded, Lanes* joint, Lanes* tables) const {
    const Lanes* from = states;
    for (auto bit = static_cast<unsigned>(levels_.size()); bit-- > 0; from = folded) {
        const Level& level = levels_[bit];
        const std::size_t half = std::size_t{1} << bit;
        if (level.members.empty()) {
            fold(from, half, folded);
        } else if (level.members.size() == 1) {
            fold_and_sum(level, from, half, folded, tables + level.members[0].start);
        } else {
            fold_and_sum(level, from, half, folded, joint);
            for (const Member& member : level.members) {
                Lanes* sums = tables + member.start;
                std::fill(sums, sums + member.size, broadcast(0));
                for (std::size_t i = 0; i < level.union_size; ++i) sums[member.substate[i]] += joint[i];
            }
        }
    }
    return folded[0];
}

}  // namespace dagscape
