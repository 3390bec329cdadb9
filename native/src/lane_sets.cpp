#include "dagscape/lane_sets.hpp"

#include <algorithm>
#include <bit>

#include "dagscape/byte_counts.hpp"
#include "dagscape/lanes.hpp"
#include "dagscape/zeta.hpp"

namespace dagscape {
namespace {

constexpr unsigned kLaneBits = 2, kMiddle = kLow - kLaneBits;

}  // namespace

LaneSets::LaneSets(const Tiles& tiles)
    : top_(std::min(tiles.n, kTop)), max_parents_(tiles.max_parents), places_(kTile / 4, 0) {
    std::vector<Subset> middle;  // by size, then by mask
    for (unsigned size = 0; size <= std::min(max_parents_, kMiddle); ++size) {
        for (Subset mask = 0; mask < Subset{1} << kMiddle; ++mask) {
            if (static_cast<unsigned>(std::popcount(mask)) == size) middle.push_back(mask);
        }
    }
    for (std::size_t i = 0; i < middle.size(); ++i) places_[middle[i]] = static_cast<std::uint16_t>(4 + 4 * i);
    for (unsigned high = 0; high <= max_parents_; ++high) {
        lengths_.push_back(static_cast<std::size_t>(std::count_if(middle.begin(), middle.end(), [&](Subset mask) {
            return static_cast<unsigned>(std::popcount(mask)) + high <= max_parents_;
        })));
    }
    ranks_.assign(4, kAbsent);
    const auto rank = [&](Subset set) {
        const auto size = static_cast<unsigned>(std::popcount(set));
        if (size > max_parents_) return kAbsent;
        std::size_t place = tiles.first[top_][size];
        unsigned before = 0;
        for_each_member(set, [&](unsigned v) { place += tiles.choose(v, ++before); });
        return static_cast<std::uint32_t>(place);
    };
    for (Subset high = 0; high < Subset{1} << (top_ - kLow); ++high) {
        blocks_.push_back(ranks_.size() / 4);
        if (std::has_single_bit(high)) ends_.push_back(blocks_.back());
        const auto size = static_cast<unsigned>(std::popcount(high));
        for (std::size_t i = 0; size <= max_parents_ && i < lengths_[size]; ++i) {
            for (Subset lane = 0; lane < 4; ++lane)
                ranks_.push_back(rank(high << kLow | middle[i] << kLaneBits | lane));
        }
    }
    ends_.push_back(ranks_.size() / 4);
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
    for (std::size_t at = 4; at < size(top_); at += 4) {
        Lanes four;
        for (unsigned lane = 0; lane < 4; ++lane) {
            const std::uint32_t rank = ranks_[at + lane];
            four[lane] = rank == kAbsent ? 0.0 : sets[rank];
        }
        store(list + at, zeta_of_lanes<Sums, Over::subsets>(four));
    }
}

void LaneSets::gather(const double* list, double* sets) const {
    for (std::size_t at = 4; at < size(top_); at += 4) {
        const Lanes four = zeta_of_lanes<Sums, Over::supersets>(load(list + at));
        for (unsigned lane = 0; lane < 4; ++lane) {
            if (ranks_[at + lane] != kAbsent) sets[ranks_[at + lane]] = four[lane];
        }
    }
}

template <class Visit>
void LaneSets::for_each_block(unsigned r, Visit&& visit) const {
    const Subset last = singleton(r - 1 - kLow);
    for (Subset high = 0; high < last; ++high) {
        const auto size = static_cast<unsigned>(std::popcount(high));
        if (size > max_parents_) continue;
        visit(4 * blocks_[high], 4 * lengths_[size], 4 * blocks_[high | last],
              size < max_parents_ ? 4 * lengths_[size + 1] : 0);
    }
}

void LaneSets::take(unsigned r, const double* from, double* to) const {
    for_each_block(r, [&](std::size_t at, std::size_t length, std::size_t with, std::size_t shared) {
        for (std::size_t i = 0; i < shared; i += 4) store(to + at + i, load(from + at + i) + load(from + with + i));
        for (std::size_t i = shared; i < length; i += 4) store(to + at + i, load(from + at + i));
    });
}

void LaneSets::join(unsigned r, const double* taken, const double* left_out, double* to) const {
    for_each_block(r, [&](std::size_t at, std::size_t length, std::size_t with, std::size_t shared) {
        for (std::size_t i = 0; i < length; i += 4) store(to + at + i, load(taken + at + i) + load(left_out + at + i));
        for (std::size_t i = 0; i < shared; i += 4) store(to + with + i, load(taken + at + i));
    });
}

void LaneSets::join_left_out(unsigned r, const double* left_out, double* to) const {
    for_each_block(r, [&](std::size_t at, std::size_t length, std::size_t with, std::size_t shared) {
        std::copy_n(left_out + at, length, to + at);
        std::fill_n(to + with, shared, 0.0);
    });
}

}  // namespace dagscape
