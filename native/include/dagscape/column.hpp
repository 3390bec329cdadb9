// A function over a list of sets, as numbers with or without exponents of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "dagscape/lanes.hpp"
#include "dagscape/tiles.hpp"

namespace dagscape {

// Numbers with or without exponents of their own; without, `exponent` is empty.
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

// The zeta transform of a tile: upwards adds to each set its subsets, downwards its supersets.
void transform(Column& column, bool upwards);

}  // namespace dagscape
