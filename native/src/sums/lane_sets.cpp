#include "dagscape/sums/lane_sets.hpp"

#include <algorithm>
#include <bit>

#include "dagscape/numbers/lanes.hpp"
#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/sets/zeta.hpp"

namespace dagscape {
namespace {

constexpr unsigned kLaneBits = 2, kMiddle = kLow - kLaneBits;

}  // namespace

LaneSets::Layout::Layout(const Tiles& tiles, unsigned v)
    : top(std::min(tiles.n, kTop)), max_parents(tiles.max_parents), offsets(kTile / 4, 0), ranks(4, kAbsent) {
    add_middle(v);
    for (unsigned high = 0; high <= max_parents; ++high) {
        lengths.push_back(static_cast<std::size_t>(std::count_if(middle.begin(), middle.end(), [&](Subset mask) {
            return static_cast<unsigned>(std::popcount(mask)) + high <= max_parents;
        })));
    }
    for (Subset high = 0; high < Subset{1} << (top - kLow); ++high) {
        blocks.push_back(ranks.size() / 4);
        if (std::has_single_bit(high)) ends.push_back(blocks.back());
        add_block(tiles, high);
    }
    ends.push_back(ranks.size() / 4);
}

void LaneSets::Layout::add_middle(unsigned v) {
    for (unsigned size = 0; size <= std::min(max_parents, kMiddle); ++size) {
        for (Subset mask = 0; mask < Subset{1} << kMiddle; ++mask) {
            if (static_cast<unsigned>(std::popcount(mask)) != size || contains(mask << kLaneBits, v)) continue;
            offsets[mask] = static_cast<std::uint16_t>(4 + 4 * middle.size());
            middle.push_back(mask);
        }
    }
}

// The rank of a set among those of its size is the sum of the numbers of sets of its first i members that lie below
// member number i.
void LaneSets::Layout::add_block(const Tiles& tiles, Subset high) {
    const auto highs = static_cast<unsigned>(std::popcount(high));
    if (highs > max_parents) return;
    const auto rank_of = [&](Subset set, unsigned before) {
        std::size_t rank = 0;
        for_each_member(set, [&](unsigned member) { rank += tiles.choose(member, ++before); });
        return rank;
    };
    std::vector<std::size_t> high_ranks;  // by the number of low members
    for (unsigned lows = 0; lows + highs <= max_parents; ++lows) high_ranks.push_back(rank_of(high << kLow, lows));
    for (std::size_t i = 0; i < lengths[highs]; ++i) {
        for (Subset lane = 0; lane < 4; ++lane) {
            const Subset low = middle[i] << kLaneBits | lane;
            const auto lows = static_cast<unsigned>(std::popcount(low));
            const bool absent = lows + highs > max_parents;
            ranks.push_back(absent ? kAbsent
                                   : static_cast<std::uint32_t>(tiles.first[top][lows + highs] + rank_of(low, 0) +
                                                                high_ranks[lows]));
        }
    }
}

std::vector<LaneSets> LaneSets::of_all(const Tiles& tiles) {
    std::vector<LaneSets> all;
    const auto common = std::make_shared<const Layout>(tiles, 0);
    for (unsigned v = 0; v < tiles.n; ++v) {
        const bool middle = v >= kLaneBits && v < kLow;
        all.push_back(LaneSets(v, middle ? std::make_shared<const Layout>(tiles, v) : common));
    }
    return all;
}

double LaneSets::numbers(unsigned r, unsigned max_parents) noexcept {
    double vectors = 1, blocks = 1;
    const unsigned high = r - kLow;
    for (unsigned size = 0; size <= std::min(high, max_parents); ++size) {
        vectors += blocks * set_count(kMiddle, max_parents - size);
        blocks = blocks * (high - size) / (size + 1);
    }
    return 4 * vectors;
}

void LaneSets::spread(const double* sets, double* list) const {
    store(list, broadcast(0));
    for (std::size_t at = 4; at < size(top()); at += 4) {
        Lanes four;
        for (unsigned lane = 0; lane < 4; ++lane) {
            const std::uint32_t rank = layout_->ranks[at + lane];
            four[lane] = rank == kAbsent ? 0.0 : sets[rank];
        }
        store(list + at, zeta_of_lanes<Sums, Over::subsets>(four));
    }
}

void LaneSets::gather(const double* list, double* sets) const {
    for (std::size_t at = 4; at < size(top()); at += 4) {
        const Lanes four = zeta_of_lanes<Sums, Over::supersets>(load(list + at));
        for (unsigned lane = 0; lane < 4; ++lane) {
            if (layout_->ranks[at + lane] != kAbsent) sets[layout_->ranks[at + lane]] = four[lane];
        }
    }
}

template <class Visit>
void LaneSets::for_each_block(unsigned r, Visit&& visit) const {
    const Subset last = singleton(r - 1 - kLow);
    for (Subset high = 0; high < last; ++high) {
        const auto size = static_cast<unsigned>(std::popcount(high));
        if (size > layout_->max_parents || contains(high << kLow, v_)) continue;
        visit(4 * layout_->blocks[high], 4 * layout_->lengths[size], 4 * layout_->blocks[high | last],
              size < layout_->max_parents ? 4 * layout_->lengths[size + 1] : 0);
    }
}

void LaneSets::take(unsigned r, const double* from, double* to) const {
    for_each_block(r, [&](std::size_t at, std::size_t, std::size_t with, std::size_t shared) {
        for (std::size_t i = 0; i < shared; i += 4) store(to + at + i, load(from + at + i) + load(from + with + i));
    });
}

void LaneSets::copy_largest(unsigned r, const double* from, double* to) const {
    for_each_block(r + 1, [&](std::size_t at, std::size_t length, std::size_t, std::size_t shared) {
        std::copy(from + at + shared, from + at + length, to + at + shared);
    });
}

void LaneSets::join(unsigned r, const double* taken, const double* left_out, double* to) const {
    for_each_block(r, [&](std::size_t at, std::size_t length, std::size_t with, std::size_t shared) {
        if (r - 1 == v_) {
            std::copy_n(left_out + at, length, to + at);
            return;
        }
        for (std::size_t i = 0; i < length; i += 4) store(to + at + i, load(taken + at + i) + load(left_out + at + i));
        for (std::size_t i = 0; i < shared; i += 4) store(to + with + i, load(taken + at + i));
    });
}

}  // namespace dagscape
