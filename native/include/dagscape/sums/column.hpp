// A function over a list of sets, stored as numbers with or without separate exponents.
#pragma once

#include <cstddef>
#include <vector>

#include "dagscape/numbers/scaled.hpp"
#include "dagscape/sets/zeta.hpp"

namespace dagscape {

// Without separate exponents, `exponent` is empty. With them, the numbers are normal (scaled.hpp).
struct Column {
    std::vector<double> mantissa, exponent;

    void reset(std::size_t size, bool wide) {
        mantissa.assign(size, 0.0);
        exponent.assign(wide ? size : 0, kNothing);
    }
    bool wide() const noexcept { return !exponent.empty(); }
};

// Adds or copies `count` entries of `from`, starting at from_at, to `to`, starting at to_at. Either both columns have
// separate exponents, or neither has.
void add(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count);
void copy(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count);

// The zeta transform of a function of the sets of a tile.
template <Over over>
void transform_tile(Column& column);

}  // namespace dagscape
