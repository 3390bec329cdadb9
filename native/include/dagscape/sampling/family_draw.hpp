// Draws the parents G of a variable v, least ⊆ G ⊆ most, with weight B_v(G), from the sums A of parent_sums.hpp.
//
// Members are decided one by one. With the members I decided in, O decided out and C = most∖O,
//
//   Σ {B_v(G): I ⊆ G ⊆ C} = Σ_{R ⊆ I} (-1)^|R| A_v(C∖R)
//
// so a decision takes 2^|I| numbers, those of the member being out; the others are there from the last one. Once the
// undecided members are as few as those that are in, all sets of them are listed instead, with their own weights, so
// that a draw takes at most about 2^(n/2) steps, and never returns an impossible family.
//
// The sums lose digits only where a decision goes against the odds: the expected loss is that of a few roundings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dagscape/numbers/random_bits.hpp"
#include "dagscape/sampling/draws.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sums/parent_sums.hpp"

namespace dagscape {

class FamilyDraw {
public:
    // `scores` are those of the sums. Both must outlive this object, which is for one thread.
    FamilyDraw(const ParentSums& sums, std::span<const std::int64_t> scores, int unit_bits);

    // The set, or nothing if rounding errors have led where no family is. Adds to the loss.
    std::optional<Subset> draw(unsigned v, Subset least, Subset most, RandomBits& random, Loss& loss);

    std::int64_t score(unsigned v, Subset parents) const noexcept;

private:
    std::optional<Subset> draw_listed(unsigned v, Subset least, Subset free, RandomBits& random);

    const ParentSums& sums_;
    std::span<const std::int64_t> scores_;
    int unit_bits_;
    // Of the sets R: the sets, and their terms relative to a power of two; those without the member being decided.
    std::vector<Subset> removed_;
    std::vector<double> terms_, without_;
    // Of listed sets.
    std::vector<std::int64_t> listed_;
    std::vector<double> weights_;
};

}  // namespace dagscape
