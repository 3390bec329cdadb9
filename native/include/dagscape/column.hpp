// A function over a list of sets, as numbers with or without exponents of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "dagscape/scaled.hpp"
#include "dagscape/zeta.hpp"

namespace dagscape {

// Without exponents, `exponent` is empty. With them, numbers are normal (scaled.hpp).
struct Column {
    std::vector<double> mantissa, exponent;

    void reset(std::size_t size, bool wide) {
        mantissa.assign(size, 0.0);
        exponent.assign(wide ? size : 0, kNothing);
    }
    bool wide() const noexcept { return !exponent.empty(); }
};

// to[i] += from[i] for `count` places from the given ones on; both must be of one kind.
void add(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count);
void copy(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count);

// The zeta transform of a function of the sets of a tile.
template <Over over>
void transform_tile(Column& column);

}  // namespace dagscape
