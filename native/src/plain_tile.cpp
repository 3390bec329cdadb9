#include "dagscape/plain_tile.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "dagscape/subset.hpp"
#include "dagscape/zeta.hpp"

namespace dagscape {
namespace {

using LaneWords = std::uint64_t __attribute__((vector_size(32)));

constexpr std::size_t kVectors = kTile / 4;
constexpr std::size_t kStep = 16;  // the vectors that a pass keeps in registers
constexpr int kDropped = kFractionBits - kPackedMantissaBits;

// What is subtracted from words with this frame, to leave the exponent of a double.
std::uint64_t base_of(std::int64_t frame) noexcept {
    return static_cast<std::uint64_t>(frame + kExponentBias - 1022) << kPackedMantissaBits;
}

LaneWords words_of(std::uint64_t word) noexcept { return LaneWords{word, word, word, word}; }

[[gnu::always_inline]] inline LaneWords load_words(const std::int64_t* from) noexcept { return (LaneWords)load(from); }

[[gnu::always_inline]] inline Lanes unpacked(LaneWords word, LaneWords base) noexcept {
    return (Lanes)((word - base) << kDropped);
}

// Rounds to nearest; a carry propagates into the exponent.
LaneWords packed(Lanes value, LaneWords base) noexcept {
    return (((LaneWords)value + words_of(std::uint64_t{1} << (kDropped - 1))) >> kDropped) + base;
}

template <class Body, std::size_t... index>
[[gnu::always_inline]] inline void unrolled(std::index_sequence<index...>, Body&& body) {
    (body(index), ...);
}

// Calls body(0) to body(15), without a loop.
template <class Body>
[[gnu::always_inline]] inline void sixteen_times(Body&& body) {
    unrolled(std::make_index_sequence<kStep>{}, body);
}

// The transform of four variables: sixteen vectors.
template <Over over>
[[gnu::always_inline]] inline void zeta_of_four(std::array<Lanes, kStep>& values) noexcept {
    unrolled(std::index_sequence<1, 2, 4, 8>{}, [&](std::size_t bit) __attribute__((always_inline)) {
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) {
            if ((i & bit) == 0) return;
            if constexpr (over == Over::subsets) {
                values[i] = values[i] + values[i ^ bit];
            } else {
                values[i ^ bit] = values[i ^ bit] + values[i];
            }
        });
    });
}

std::int32_t exponent_of(std::uint64_t word) noexcept {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(word >> kPackedMantissaBits) - kExponentBias);
}

ExponentRange range_of(LaneWords least, LaneWords most) noexcept {
    ExponentRange range;
    for (unsigned lane = 0; lane < 4; ++lane) range.include({exponent_of(least[lane]), exponent_of(most[lane])});
    return range;
}

}  // namespace

void ExponentRange::include(ExponentRange other) noexcept {
    if (!known()) *this = other;
    lowest = std::min(lowest, other.lowest);
    highest = std::max(highest, other.highest);
}

ExponentRange exponents_of(const std::int64_t* words) noexcept {
    // As unsigned numbers, words are in the order of their values.
    LaneWords least = load_words(words), most = least;
    for (std::size_t q = 1; q < kVectors; ++q) {
        const LaneWords four = load_words(words + 4 * q);
        least = four < least ? four : least;
        most = four > most ? four : most;
    }
    return range_of(least, most);
}

bool PlainTile::suits(ExponentRange neighbours) noexcept {
    return neighbours.highest - neighbours.lowest <= kWidestTile;
}

bool PlainTile::suits_shares(ExponentRange neighbours, ExponentRange own, ScaledNumber total) noexcept {
    return own.highest + neighbours.highest - kHeadroom - total.exponent < 1000;
}

void PlainTile::start(ExponentRange neighbours) {
    frame_ = neighbours.highest - kHeadroom;
    std::fill(tile_.begin(), tile_.end(), broadcast(0));
}

void PlainTile::set_first_to_one(Direction direction) {
    if (direction == Direction::forwards) {
        tile_.front()[0] = 1;
    } else {
        tile_.back()[3] = 1;
    }
}

void PlainTile::read_forward(const std::int64_t* words, ScaledNumber total) {
    constexpr std::int64_t kLowest = -700;
    const std::int64_t frame = static_cast<std::int64_t>(total.exponent) - frame_;
    const LaneWords base = words_of(base_of(frame));
    const LaneWords least = words_of(base_of(frame + kLowest + 1022));
    const Lanes factor = broadcast(1 / total.mantissa);
    for (std::size_t q = 0; q < kVectors; ++q) {
        const LaneWords four = load_words(words + 4 * q);
        const Lanes value = unpacked(four, base) * factor;
        forward_[q] = four < least ? broadcast(0) : value;
    }
}

// The sums over the first four variables that do not distinguish lanes.
void PlainTile::first_pass(const double* families) {
    for (std::size_t q = 0; q < kVectors; q += kStep) {
        std::array<Lanes, kStep> values;
        sixteen_times([&](std::size_t i)
                          __attribute__((always_inline)) { values[i] = load(families + places_[q + i]); });
        zeta_of_four<Over::subsets>(values);
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { work_[q + i] = values[i]; });
    }
}

void PlainTile::sums_over_subsets(const double* families, Lanes* sums) {
    first_pass(families);
    for (std::size_t q = 0; q < kStep; ++q) {
        std::array<Lanes, kStep> values;
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { values[i] = work_[q + kStep * i]; });
        zeta_of_four<Over::subsets>(values);
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { sums[q + kStep * i] = values[i]; });
    }
}

void PlainTile::add_neighbour(const double* families, const std::int64_t* words) {
    first_pass(families);
    const LaneWords base = words_of(base_of(frame_));
    for (std::size_t q = 0; q < kStep; ++q) {
        std::array<Lanes, kStep> values;
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { values[i] = work_[q + kStep * i]; });
        zeta_of_four<Over::subsets>(values);
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) {
            const std::size_t at = q + kStep * i;
            tile_[at] = tile_[at] + unpacked(load_words(words + 4 * at), base) * values[i];
        });
    }
}

void PlainTile::add_neighbour(const double* families, const std::int64_t* words, double* shares) {
    first_pass(families);
    const LaneWords base = words_of(base_of(frame_));
    for (std::size_t q = 0; q < kStep; ++q) {
        std::array<Lanes, kStep> values;
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { values[i] = work_[q + kStep * i]; });
        zeta_of_four<Over::subsets>(values);
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) {
            const std::size_t at = q + kStep * i;
            const Lanes neighbour = unpacked(load_words(words + 4 * at), base);
            tile_[at] = tile_[at] + neighbour * values[i];
            values[i] = neighbour * forward_[at];
        });
        zeta_of_four<Over::supersets>(values);
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { work_[q + kStep * i] = values[i]; });
    }
    last_pass(shares);
}

// Continues with the sums over supersets in the first four variables that do not distinguish lanes.
void PlainTile::last_pass(double* shares) const {
    for (std::size_t q = 0; q < kVectors; q += kStep) {
        std::array<Lanes, kStep> values;
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { values[i] = work_[q + i]; });
        zeta_of_four<Over::supersets>(values);
        sixteen_times([&](std::size_t i)
                          __attribute__((always_inline)) { dagscape::store(shares + places_[q + i], values[i]); });
    }
    dagscape::store(shares, broadcast(0));
}

void PlainTile::shares_of(const Lanes* weights, double* shares) {
    for (std::size_t q = 0; q < kStep; ++q) {
        std::array<Lanes, kStep> values;
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { values[i] = weights[q + kStep * i]; });
        zeta_of_four<Over::supersets>(values);
        sixteen_times([&](std::size_t i) __attribute__((always_inline)) { work_[q + kStep * i] = values[i]; });
    }
    last_pass(shares);
}

void PlainTile::low_shares(unsigned v, double* shares) {
    // R of the set with v, for the sets without it.
    for (std::size_t q = 0; q < kVectors; ++q) {
        const Lanes same = tile_[q];
        const Lanes after = v == 0               ? Sums::lanes_or_zero<1, 5, 3, 7>(same)
                            : v == 1             ? Sums::lanes_or_zero<2, 3, 6, 7>(same)
                            : contains(q, v - 2) ? broadcast(0)
                                                 : tile_[q | std::size_t{1} << (v - 2)];
        weights_[q] = forward_[q] * after;
    }
    shares_of(weights_.data(), shares);
}

// The terms of the low variables: those that distinguish vectors, then the two that distinguish lanes.
template <bool forwards>
void PlainTile::recur() {
    for (std::size_t step = 0; step < kVectors; ++step) {
        const std::size_t q = forwards ? step : kVectors - 1 - step;
        Lanes four = tile_[q];
        for_each_member(forwards ? q : ~q & (kVectors - 1),
                        [&](unsigned bit) { four = four + tile_[q ^ std::size_t{1} << bit] * low_[bit + 2][q]; });
        // Forwards, the lanes with one member come from the one with none, and the one with both from these; backwards,
        // the other way round. A_0 is the same in lanes 0 and 1, and in 2 and 3; A_1 in 0 and 2, and in 1 and 3.
        const Lanes zero = broadcast(0), first = low_[0][q], second = low_[1][q];
        const Lanes without = shuffled<0, 0, 4, 0>(first, second), with = shuffled<3, 7, 3, 3>(first, second);
        if constexpr (forwards) {
            four = four + shuffled<4, 0, 0, 4>(four, zero) * without;
            const Lanes both = four * with;
            four = four + (shuffled<4, 4, 4, 1>(both, zero) + shuffled<4, 4, 4, 2>(both, zero));
        } else {
            four = four + shuffled<4, 3, 3, 4>(four, zero) * with;
            const Lanes both = four * without;
            four = four + (shuffled<1, 4, 4, 4>(both, zero) + shuffled<2, 4, 4, 4>(both, zero));
        }
        tile_[q] = four;
    }
}

bool PlainTile::finish(Direction direction) {
    direction == Direction::forwards ? recur<true>() : recur<false>();
    Lanes least = tile_[0];
    for (const Lanes four : tile_) least = four < least ? four : least;
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3])) >= kLeast;
}

ExponentRange PlainTile::store(std::int64_t* words) const {
    const LaneWords base = words_of(base_of(frame_));
    LaneWords least = packed(tile_[0], base), most = least;
    for (std::size_t q = 0; q < kVectors; ++q) {
        const LaneWords four = packed(tile_[q], base);
        dagscape::store(words + 4 * q, (LaneBits)four);
        least = four < least ? four : least;
        most = four > most ? four : most;
    }
    return range_of(least, most);
}

}  // namespace dagscape
