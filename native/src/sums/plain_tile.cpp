#include "dagscape/sums/plain_tile.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/zeta.hpp"

namespace dagscape {
namespace {

using PackedLanes = std::uint64_t __attribute__((vector_size(32)));

constexpr std::size_t kVectors = kTile / 4;
constexpr std::size_t kStep = 16;  // the vectors that a pass keeps in registers
constexpr int kDropped = kFractionBits - kPackedMantissaBits;

// What is subtracted from packed numbers with this frame, to leave the exponent of a double.
std::uint64_t base_of(std::int64_t frame) noexcept {
    return static_cast<std::uint64_t>(frame + kExponentBias - 1022) << kPackedMantissaBits;
}

PackedLanes in_all_lanes(std::uint64_t bits) noexcept { return PackedLanes{bits, bits, bits, bits}; }

[[gnu::always_inline]] inline PackedLanes load_packed(const std::int64_t* from) noexcept {
    return (PackedLanes)load(from);
}

[[gnu::always_inline]] inline Lanes unpacked(PackedLanes packed, PackedLanes base) noexcept {
    return (Lanes)((packed - base) << kDropped);
}

// Rounds to nearest; a carry propagates into the exponent.
PackedLanes packed(Lanes value, PackedLanes base) noexcept {
    return (((PackedLanes)value + in_all_lanes(std::uint64_t{1} << (kDropped - 1))) >> kDropped) + base;
}

template <class Body, std::size_t... index>
[[gnu::always_inline]] inline void unrolled(std::index_sequence<index...>, Body&& body) {
    (body(index), ...);
}

// Calls body(i) for 0 ≤ i < 16 without the bit `skipped`, which may be 0; without a loop.
template <std::size_t skipped, class Body>
[[gnu::always_inline]] inline void sixteen_times(Body&& body) {
    unrolled(std::make_index_sequence<kStep>{}, [&](std::size_t i) __attribute__((always_inline)) {
        if ((i & skipped) == 0) body(i);
    });
}

using Registers = std::array<Lanes, kStep>;

// The transform of four variables, or of all but one of these: sixteen vectors.
template <Over over, std::size_t skipped>
[[gnu::always_inline]] inline void zeta_of_four(Registers& values) noexcept {
    unrolled(std::index_sequence<1, 2, 4, 8>{}, [&](std::size_t bit) __attribute__((always_inline)) {
        sixteen_times<skipped>([&](std::size_t i) __attribute__((always_inline)) {
            if ((i & bit) == 0 || bit == skipped) return;
            if constexpr (over == Over::subsets) {
                values[i] = values[i] + values[i ^ bit];
            } else {
                values[i ^ bit] = values[i ^ bit] + values[i];
            }
        });
    });
}

// The passes of a transform. The first four variables that do not distinguish lanes distinguish the vectors of a row of
// sixteen, the other four the rows. A middle variable that no set contains is skipped: vectors and rows with its bit
// are left as they are. One of the two bits is 0.
struct Skipped {
    std::size_t vector = 0, row = 0;
};

Skipped skipped_of(unsigned v) noexcept {
    if (v < 2) return {};
    return v < 6 ? Skipped{std::size_t{1} << (v - 2), 0} : Skipped{0, std::size_t{1} << (v - 6)};
}

// Calls pass(constant) with the bit as a constant expression.
template <class Pass>
void with_constant(std::size_t bit, Pass&& pass) {
    switch (bit) {
        case 1:
            return pass(std::integral_constant<std::size_t, 1>{});
        case 2:
            return pass(std::integral_constant<std::size_t, 2>{});
        case 4:
            return pass(std::integral_constant<std::size_t, 4>{});
        case 8:
            return pass(std::integral_constant<std::size_t, 8>{});
        default:
            return pass(std::integral_constant<std::size_t, 0>{});
    }
}

// The numbers of other tiles are far away, and the columns read them in an order that processors do not foresee.
void prefetch(const std::int64_t* packed) noexcept {
    constexpr std::size_t kLine = 64 / sizeof(std::int64_t);
    for (std::size_t i = 0; i < kTile; i += kLine) __builtin_prefetch(packed + i);
}

// Sums over subsets within each row, of the families.
template <std::size_t skipped>
void sum_rows(LaneList families, std::size_t skipped_row, Lanes* work) {
    for (std::size_t row = 0; row < kStep; ++row) {
        if ((row & skipped_row) != 0) continue;
        Registers values;
        const std::uint16_t* offsets = families.offsets + kStep * row;
        sixteen_times<skipped>([&](std::size_t i)
                                   __attribute__((always_inline)) { values[i] = load(families.numbers + offsets[i]); });
        zeta_of_four<Over::subsets, skipped>(values);
        sixteen_times<skipped>([&](std::size_t i)
                                   __attribute__((always_inline)) { work[kStep * row + i] = values[i]; });
    }
}

// Sums over subsets across the rows; calls use(registers, column) for each column.
template <std::size_t skipped, class Use>
void sum_columns(const Lanes* work, std::size_t skipped_column, Use&& use) {
    for (std::size_t column = 0; column < kStep; ++column) {
        if ((column & skipped_column) != 0) continue;
        Registers values;
        sixteen_times<skipped>([&](std::size_t i)
                                   __attribute__((always_inline)) { values[i] = work[column + kStep * i]; });
        zeta_of_four<Over::subsets, skipped>(values);
        use(values, column);
    }
}

// Sums over supersets across the rows: weight(q) is the number of vector q.
template <std::size_t skipped, class Weight>
void sum_weights(std::size_t skipped_column, Lanes* work, Weight&& weight) {
    for (std::size_t column = 0; column < kStep; ++column) {
        if ((column & skipped_column) != 0) continue;
        Registers values;
        sixteen_times<skipped>([&](std::size_t i)
                                   __attribute__((always_inline)) { values[i] = weight(column + kStep * i); });
        zeta_of_four<Over::supersets, skipped>(values);
        sixteen_times<skipped>([&](std::size_t i)
                                   __attribute__((always_inline)) { work[column + kStep * i] = values[i]; });
    }
}

// Sums over supersets within each row, to shares.
template <std::size_t skipped>
void sum_to_shares(const Lanes* work, std::size_t skipped_row, const std::uint16_t* offsets, double* shares) {
    for (std::size_t row = 0; row < kStep; ++row) {
        if ((row & skipped_row) != 0) continue;
        Registers values;
        sixteen_times<skipped>([&](std::size_t i)
                                   __attribute__((always_inline)) { values[i] = work[kStep * row + i]; });
        zeta_of_four<Over::supersets, skipped>(values);
        sixteen_times<skipped>(
            [&](std::size_t i) __attribute__((always_inline)) { store(shares + offsets[kStep * row + i], values[i]); });
    }
    store(shares, broadcast(0));
}

std::int32_t exponent_of(std::uint64_t packed) noexcept {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(packed >> kPackedMantissaBits) - kExponentBias);
}

ExponentRange range_of(PackedLanes least, PackedLanes most) noexcept {
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

ExponentRange exponents_of(const std::int64_t* packed) noexcept {
    // As unsigned integers, packed numbers are in the order of their values. Several comparisons need not wait for each
    // other.
    constexpr std::size_t kChains = 4;
    PackedLanes least[kChains], most[kChains];
    for (std::size_t i = 0; i < kChains; ++i) least[i] = most[i] = load_packed(packed + 4 * i);
    for (std::size_t q = kChains; q < kVectors; q += kChains) {
        for (std::size_t i = 0; i < kChains; ++i) {
            const PackedLanes four = load_packed(packed + 4 * (q + i));
            least[i] = four < least[i] ? four : least[i];
            most[i] = four > most[i] ? four : most[i];
        }
    }
    for (std::size_t i = 1; i < kChains; ++i) {
        least[0] = least[i] < least[0] ? least[i] : least[0];
        most[0] = most[i] > most[0] ? most[i] : most[0];
    }
    return range_of(least[0], most[0]);
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

void PlainTile::read_forward(const std::int64_t* packed, ScaledNumber total) {
    constexpr std::int64_t kLowest = -700;
    const std::int64_t frame = static_cast<std::int64_t>(total.exponent) - frame_;
    const PackedLanes base = in_all_lanes(base_of(frame));
    const PackedLanes least = in_all_lanes(base_of(frame + kLowest + 1022));
    const Lanes factor = broadcast(1 / total.mantissa);
    for (std::size_t q = 0; q < kVectors; ++q) {
        const PackedLanes four = load_packed(packed + 4 * q);
        const Lanes value = unpacked(four, base) * factor;
        forward_[q] = four < least ? broadcast(0) : value;
    }
}

void PlainTile::sums_over_subsets(LaneList families, Lanes* sums) {
    sum_rows<0>(families, 0, work_.data());
    sum_columns<0>(work_.data(), 0, [&](const Registers& values, std::size_t column) {
        sixteen_times<0>([&](std::size_t i) __attribute__((always_inline)) { sums[column + kStep * i] = values[i]; });
    });
}

void PlainTile::set_low(unsigned v, LaneList families) {
    const Skipped skipped = skipped_of(v);
    Lanes* sums = low_[v].data();
    with_constant(skipped.vector,
                  [&](auto vector) { sum_rows<decltype(vector)::value>(families, skipped.row, work_.data()); });
    with_constant(skipped.row, [&](auto row) {
        sum_columns<decltype(row)::value>(
            work_.data(), skipped.vector, [&](const Registers& values, std::size_t column) {
                sixteen_times<decltype(row)::value>(
                    [&](std::size_t i) __attribute__((always_inline)) { sums[column + kStep * i] = values[i]; });
            });
    });
}

void PlainTile::add_neighbour(LaneList families, const std::int64_t* packed) {
    const PackedLanes base = in_all_lanes(base_of(frame_));
    prefetch(packed);
    sum_rows<0>(families, 0, work_.data());
    sum_columns<0>(work_.data(), 0, [&](const Registers& values, std::size_t column) {
        sixteen_times<0>([&](std::size_t i) __attribute__((always_inline)) {
            const std::size_t q = column + kStep * i;
            tile_[q] = tile_[q] + unpacked(load_packed(packed + 4 * q), base) * values[i];
        });
    });
}

void PlainTile::add_neighbour(LaneList families, const std::int64_t* packed, double* shares) {
    const PackedLanes base = in_all_lanes(base_of(frame_));
    prefetch(packed);
    sum_rows<0>(families, 0, work_.data());
    sum_columns<0>(work_.data(), 0, [&](Registers& values, std::size_t column) {
        sixteen_times<0>([&](std::size_t i) __attribute__((always_inline)) {
            const std::size_t q = column + kStep * i;
            const Lanes neighbour = unpacked(load_packed(packed + 4 * q), base);
            tile_[q] = tile_[q] + neighbour * values[i];
            values[i] = neighbour * forward_[q];
        });
        zeta_of_four<Over::supersets, 0>(values);
        sixteen_times<0>([&](std::size_t i) __attribute__((always_inline)) { work_[column + kStep * i] = values[i]; });
    });
    sum_to_shares<0>(work_.data(), 0, families.offsets, shares);
}

void PlainTile::shares_of(const Lanes* weights, LaneList families, double* shares) {
    sum_weights<0>(0, work_.data(), [&](std::size_t q) { return weights[q]; });
    sum_to_shares<0>(work_.data(), 0, families.offsets, shares);
}

void PlainTile::low_shares(unsigned v, LaneList families, double* shares) {
    // R of the set with v, for the sets without it.
    const Skipped skipped = skipped_of(v);
    if (v == 0) {
        sum_weights<0>(0, work_.data(),
                       [&](std::size_t q) { return forward_[q] * Sums::lanes_or_zero<1, 5, 3, 7>(tile_[q]); });
    } else if (v == 1) {
        sum_weights<0>(0, work_.data(),
                       [&](std::size_t q) { return forward_[q] * Sums::lanes_or_zero<2, 3, 6, 7>(tile_[q]); });
    } else {
        const std::size_t bit = std::size_t{1} << (v - 2);
        with_constant(skipped.row, [&](auto row) {
            sum_weights<decltype(row)::value>(skipped.vector, work_.data(),
                                              [&](std::size_t q) { return forward_[q] * tile_[q | bit]; });
        });
    }
    with_constant(skipped.vector, [&](auto vector) {
        sum_to_shares<decltype(vector)::value>(work_.data(), skipped.row, families.offsets, shares);
    });
}

// The terms of the low variables: those that distinguish vectors, then the two that distinguish lanes.
//
// This is TileFill::fill_four, which could be given plain doubles as another semiring. But here four lanes are computed
// at a time where it adds single products, A_i of a variable that distinguishes vectors is read from sets without it
// (low_ has no others), and the direction is known when this is compiled.
template <bool forwards>
void PlainTile::recur() {
    for (std::size_t step = 0; step < kVectors; ++step) {
        const std::size_t q = forwards ? step : kVectors - 1 - step;
        Lanes four = tile_[q];
        for_each_member(forwards ? q : ~q & (kVectors - 1), [&](unsigned bit) {
            const std::size_t next = q ^ std::size_t{1} << bit;
            four = four + tile_[next] * low_[bit + 2][forwards ? next : q];
        });
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

ExponentRange PlainTile::store(std::int64_t* to) const {
    const PackedLanes base = in_all_lanes(base_of(frame_));
    PackedLanes least = packed(tile_[0], base), most = least;
    for (std::size_t q = 0; q < kVectors; ++q) {
        const PackedLanes four = packed(tile_[q], base);
        dagscape::store(to + 4 * q, (LaneBits)four);
        least = four < least ? four : least;
        most = four > most ? four : most;
    }
    return range_of(least, most);
}

}  // namespace dagscape
