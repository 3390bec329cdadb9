// A tiled sum over orders in one block, on one rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagscape/sums/tiled_order_sum.hpp"

namespace dagscape {

inline OrderSumResult sum_in_one_block(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores,
                                       int unit_bits, unsigned threads, Monitor& monitor) {
    std::vector<std::int64_t> packed(std::size_t{1} << n);
    TiledOrderSum sum(n, max_parents, scores, unit_bits, packed);
    sum.forward({n, 0, {}}, threads, monitor);
    if (packed.back() == 0) return {0, 0, 0, std::vector<double>(std::size_t{n} * n, 0)};
    sum.backward({n, 0, {}}, packed.back(), threads, monitor);
    return sum.finish();
}

}  // namespace dagscape
