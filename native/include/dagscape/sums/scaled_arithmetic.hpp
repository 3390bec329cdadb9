// The semiring of scaled numbers, for tiles (tile_fill.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagscape/numbers/scaled_lanes.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/tiles.hpp"
#include "dagscape/sets/zeta.hpp"
#include "dagscape/sums/column.hpp"

namespace dagscape {

// Sums and products of scaled numbers; columns may omit exponents.
class ScaledArithmetic {
public:
    using Column = dagscape::Column;
    using Function = std::vector<ScaledLanes>;
    using Four = ScaledLanes;

    static Column buffer(const Column& like, std::size_t size) {
        Column column;
        column.reset(size, like.wide());
        return column;
    }
    static void add(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
        dagscape::add(to, to_at, from, from_at, count);
    }
    static void copy(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
        dagscape::copy(to, to_at, from, from_at, count);
    }

    static Function tile_function() { return Function(kTile / 4); }
    static const ScaledLanes& at(const Function& function, std::size_t q) noexcept { return function[q]; }
    void spread(const Column& base, const std::vector<std::size_t>& low_masks, Function& sums) {
        work_.reset(kTile, base.wide());
        for (std::size_t i = 0; i < low_masks.size(); ++i) work_.mantissa[low_masks[i]] = base.mantissa[i];
        if (base.wide()) {
            for (std::size_t i = 0; i < low_masks.size(); ++i) work_.exponent[low_masks[i]] = base.exponent[i];
        }
        transform_tile<Over::subsets>(work_);
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            const Lanes values = dagscape::load(&work_.mantissa[4 * q]);
            sums[q] = base.wide() ? ScaledLanes{values, dagscape::load(&work_.exponent[4 * q])} : from_plain(values);
        }
    }

    static ScaledLanes from_plain(Lanes values) noexcept { return normalised(ScaledLanes{values, broadcast(0)}); }

    static ScaledLanes zero() noexcept { return ScaledLanes::nothing(); }
    static ScaledLanes plus(const ScaledLanes& a, const ScaledLanes& b) noexcept { return dagscape::plus(a, b); }
    static ScaledLanes times(const ScaledLanes& a, const ScaledLanes& b) noexcept { return dagscape::times(a, b); }
    static void set_to_one(ScaledLanes& four, unsigned lane) noexcept { four.set(lane, {1, 0}); }
    static void add_product(ScaledLanes& four, unsigned to, unsigned from, const ScaledLanes& weight) noexcept {
        const ScaledNumber product = dagscape::times(four.get(from), weight.get(to));
        if (product.mantissa != 0) four.set(to, dagscape::plus(four.get(to), product));
    }
    static ScaledLanes finished(const ScaledLanes& four) noexcept { return normalised(four); }
    static ScaledLanes load(const std::int64_t* from) noexcept { return unpacked(dagscape::load(from)); }
    static void store(std::int64_t* to, const ScaledLanes& four) noexcept { dagscape::store(to, packed(four)); }

private:
    Column work_;
};

// F(U) R(U∪v) / total.
inline ScaledLanes weight_of(const ScaledLanes& forward, const ScaledLanes& after, ScaledNumber total) noexcept {
    const ScaledLanes both = times(forward, after);
    return {both.mantissa / broadcast(total.mantissa), both.exponent - broadcast(total.exponent)};
}

// A number that is less than 2^1000, as doubles; less than 2^-999 is zero.
inline Lanes to_plain(const ScaledLanes& value) noexcept {
    const Lanes bounded = value.exponent > broadcast(1000) ? broadcast(1000) : value.exponent;
    return value.exponent < broadcast(-999) ? broadcast(0) : value.mantissa * power_of_two(bounded);
}

// Four values of a tile at the sets with v in addition; zero for the sets that contain v.
inline ScaledLanes with_member(const std::vector<ScaledLanes>& tile, std::size_t q, unsigned v) noexcept {
    if (v == 0) return ScaledSums::lanes_or_zero<1, 5, 3, 7>(tile[q]);
    if (v == 1) return ScaledSums::lanes_or_zero<2, 3, 6, 7>(tile[q]);
    return contains(q, v - 2) ? ScaledLanes::nothing() : tile[q | std::size_t{1} << (v - 2)];
}

}  // namespace dagscape
