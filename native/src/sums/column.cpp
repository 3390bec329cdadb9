#include "dagscape/sums/column.hpp"

#include <algorithm>

#include "dagscape/sets/tiles.hpp"

namespace dagscape {

void add(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
    if (!to.wide()) {
        for (std::size_t i = 0; i < count; ++i) to.mantissa[to_at + i] += from.mantissa[from_at + i];
        return;
    }
    double* mantissa = to.mantissa.data() + to_at;
    double* exponent = to.exponent.data() + to_at;
    const double* other = from.mantissa.data() + from_at;
    const double* other_exponent = from.exponent.data() + from_at;
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const ScaledLanes sum = plus_carried(ScaledLanes{load(mantissa + i), load(exponent + i)},
                                             ScaledLanes{load(other + i), load(other_exponent + i)});
        store(mantissa + i, sum.mantissa);
        store(exponent + i, sum.exponent);
    }
    for (; i < count; ++i) {
        const ScaledNumber sum =
            plus_carried(ScaledNumber{mantissa[i], exponent[i]}, ScaledNumber{other[i], other_exponent[i]});
        mantissa[i] = sum.mantissa;
        exponent[i] = sum.exponent;
    }
}

void copy(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
    std::copy_n(from.mantissa.data() + from_at, count, to.mantissa.data() + to_at);
    if (to.wide()) std::copy_n(from.exponent.data() + from_at, count, to.exponent.data() + to_at);
}

template <Over over>
void transform_tile(Column& column) {
    const auto no_check = [] {};
    if (column.wide()) {
        zeta<ScaledSums, over>({column.mantissa.data(), column.exponent.data()}, kTile, no_check);
    } else {
        zeta<Sums, over>(column.mantissa.data(), kTile, no_check);
    }
}

template void transform_tile<Over::subsets>(Column&);
template void transform_tile<Over::supersets>(Column&);

}  // namespace dagscape
