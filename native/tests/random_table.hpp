// Random tables of codes for the tests of scores.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace dagscape {

struct Table {
    std::vector<std::uint32_t> arities, weights, codes;  // codes are row-major
};

inline Table random_table(std::mt19937& random, std::size_t n, std::uint32_t largest_arity, std::size_t rows,
                          std::uint32_t largest_weight) {
    Table table;
    for (std::size_t i = 0; i < n; ++i) table.arities.push_back(1 + random() % largest_arity);
    for (std::size_t row = 0; row < rows; ++row) {
        table.weights.push_back(1 + random() % largest_weight);
        for (std::size_t i = 0; i < n; ++i) table.codes.push_back(random() % table.arities[i]);
    }
    return table;
}

}  // namespace dagscape
