// Which variables a chain of blocks draws anew together: those that are often parents of one another in the lists of
// families, and at times any. (block_chain.hpp says how they are drawn.)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/sampling/chain_families.hpp"

namespace dagscape {

inline constexpr unsigned kWidestBlock = 12;

struct Block {
    std::array<std::uint32_t, kWidestBlock> members{};
    unsigned width = 0;

    void add(std::uint32_t variable) noexcept { members[width++] = variable; }
    bool contains(std::uint32_t variable) const noexcept;
};

class BlockRules {
public:
    explicit BlockRules(const ChainFamilies& families);

    // A block of `width` variables, by a rule that does not look at the state.
    Block draw(unsigned width, RandomBits& random) const;
    // The hub h, its children, and every other variable u with probability p_hu; nothing if there are more than
    // `widest`.
    std::optional<Block> draw_hub(const std::vector<std::vector<std::uint32_t>>& parents, unsigned widest,
                                  RandomBits& random) const;
    // p_hu
    double hub_chance(unsigned hub, unsigned variable) const noexcept {
        return hub_chance_[std::size_t{hub} * n_ + variable];
    }

private:
    // Cumulative weights with which one variable of a block brings another.
    struct Partner {
        double up_to;
        std::uint32_t variable;
    };

    unsigned n_;
    std::vector<std::vector<Partner>> partners_;
    std::vector<double> hub_chance_;  // p_hu at [h * n + u]
};

}  // namespace dagscape
