#include "dagscape/sampling/family_draw.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/numbers/score_weights.hpp"
#include "dagscape/scores/families.hpp"

namespace dagscape {
namespace {

// All sets of the undecided members are listed if these exceed the members that are in by at most this many: a weight
// takes about as long as a few numbers from memory.
constexpr int kListedSooner = 2;

}  // namespace

FamilyDraw::FamilyDraw(const ParentSums& sums, std::span<const std::int64_t> scores, int unit_bits)
    : sums_(sums), scores_(scores), unit_bits_(unit_bits) {}

std::int64_t FamilyDraw::score(unsigned v, Subset parents) const noexcept {
    return scores_[(std::size_t{v} << (sums_.n() - 1)) + index_without(parents, v)];
}

std::optional<Subset> FamilyDraw::draw(unsigned v, Subset least, Subset most, RandomBits& random, Loss& loss) {
    Subset in = least, within = most, undecided = most & ~least;
    const auto to_be_listed = [&] { return std::popcount(undecided) <= std::popcount(in) + kListedSooner; };
    if (to_be_listed()) return draw_listed(v, in, undecided, random);
    const double unit = sums_.exponent(v, most);
    const auto number = [&](Subset set) {
        const ScaledNumber sum = sums_.get(v, set);
        return sum.mantissa * power_of_two(sum.exponent - unit);
    };
    removed_.clear();
    terms_.clear();
    double all = 0;
    for (Subset set = 0;; set = (set - least) & least) {
        const double term = number(most & ~set);
        removed_.push_back(set);
        terms_.push_back(std::popcount(set) % 2 == 0 ? term : -term);
        all += terms_.back();
        if (set == least) break;
    }
    while (!to_be_listed()) {
        if (!(all > 0)) return std::nullopt;
        const unsigned member = lowest(undecided);
        const Subset rest = within & ~singleton(member);
        double out = 0, size = 0;
        without_.resize(terms_.size());
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            const double term = number(rest & ~removed_[i]);
            without_[i] = terms_[i] < 0 ? -term : term;
            out += without_[i];
            size += std::abs(terms_[i]) + term;
        }
        loss.of_families += size / all;
        undecided &= ~singleton(member);
        if (uniform(random) * all < out) {
            within = rest;
            std::swap(terms_, without_);
            all = out;
            continue;
        }
        in |= singleton(member);
        const std::size_t count = terms_.size();
        for (std::size_t i = 0; i < count; ++i) {
            removed_.push_back(removed_[i] | singleton(member));
            terms_.push_back(-without_[i]);
        }
        all -= out;
    }
    return draw_listed(v, in, undecided, random);
}

// Draws a set of `free` members to add.
std::optional<Subset> FamilyDraw::draw_listed(unsigned v, Subset least, Subset free, RandomBits& random) {
    std::int64_t best = kImpossible;
    const std::size_t count = std::size_t{1} << std::popcount(free);
    listed_.resize(count);
    Subset set = 0;
    for (std::int64_t& listed : listed_) {
        listed = score(v, least | set);
        best = std::max(best, listed);
        set = (set - free) & free;
    }
    if (best == kImpossible) return std::nullopt;
    const BinaryLog top = binary_log(best, unit_bits_);
    weights_.assign(count, 0);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (listed_[i] == kImpossible) continue;
        const BinaryLog log = binary_log(listed_[i], unit_bits_);
        weights_[i] = half_power(log.fraction) * power_of_two(static_cast<double>(log.whole - top.whole));
        sum += weights_[i];
    }
    double left = uniform(random) * sum;
    Subset chosen = 0;
    set = 0;
    for (const double weight : weights_) {
        // Rounding errors may leave a little at the end, for the last of those that are possible.
        if (weight > 0) {
            chosen = set;
            if ((left -= weight) < 0) break;
        }
        set = (set - free) & free;
    }
    return least | chosen;
}

}  // namespace dagscape
