#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/numbers/impossible.hpp"
#include "dagscape/scores/conditional_families.hpp"
#include "dagscape/scores/conditional_lattice.hpp"
#include "dagscape/scores/determinants.hpp"

using namespace dagscape;

namespace {

constexpr double kLogPi = 1.1447298858494001741;

// Variables are discrete and measured by turns.
MixedTable random_mixed_table(std::mt19937& random, unsigned discrete, unsigned measured, unsigned rows, double noise) {
    MixedTable table;
    std::normal_distribution<double> normal;
    for (unsigned v = 0; table.variables() < discrete + measured; ++v) {
        if (v % 2 == 0 ? table.discrete() < discrete : table.measured() >= measured) {
            table.is_discrete.push_back(1);
            table.place.push_back(table.discrete());
            table.arities.push_back(2 + random() % 2);
            std::vector<std::uint32_t>& codes = table.codes.emplace_back();
            for (unsigned row = 0; row < rows; ++row) codes.push_back(random() % table.arities.back());
        } else {
            table.is_discrete.push_back(0);
            table.place.push_back(table.measured());
            std::vector<std::int64_t>& numbers = table.numbers.emplace_back();
            for (unsigned row = 0; row < rows; ++row) {
                const double before = table.measured() > 1 ? std::ldexp(table.numbers[0][row], -48) : 0;
                numbers.push_back(static_cast<std::int64_t>(std::ldexp(before + noise * normal(random), 48)));
            }
        }
    }
    return table;
}

CellFunction function_of(const MixedTable& table, bool marginal, unsigned rows) {
    CellFunction function{};
    for (unsigned row = 0; row < rows; ++row) function.rows.push_back(row);
    function.scale.assign(table.measured(), 52);
    function.natural.assign(table.measured(), 3);
    function.log_pi = fixed(kLogPi);
    function.max_states = marginal ? std::uint64_t{1} << 62 : 1000;
    function.price = marginal ? 0 : 2.5;
    function.unit_bits = 40;
    function.guard_bits = 5;
    if (marginal) {
        GaussianPrior prior{};
        prior.alpha = 1.5;
        prior.freedom = fixed(std::uint64_t{3});
        prior.log_alpha = fixed_log(1.5);
        prior.first_gammas[0] = 0;
        prior.first_gammas[1] = fixed(std::lgamma(2.5));
        for (unsigned i = 0; i < table.measured(); ++i) {
            prior.nu.push_back({0x1p-6 * i, 0});
            prior.diagonal.push_back({0x1p-7, 0});
            prior.logs.push_back(-multiple(fixed_log(std::uint64_t{2}), 1));
        }
        function.prior = prior;
    }
    return function;
}

// ln |R| of some columns in a cell, by elimination in plain doubles; minus infinity if that fails.
double log_determinant(const MixedTable& table, const CellFunction& function, const std::vector<unsigned>& rows,
                       const std::vector<unsigned>& columns) {
    const std::size_t d = columns.size();
    const auto m = static_cast<double>(rows.size());
    std::vector<double> mean(d, 0.0);
    std::vector<std::vector<double>> matrix(d, std::vector<double>(d, 0.0));
    const auto number = [&](unsigned row, std::size_t i) {
        return std::ldexp(static_cast<double>(table.numbers[columns[i]][row]), -function.scale[columns[i]]);
    };
    for (const unsigned row : rows) {
        for (std::size_t i = 0; i < d; ++i) mean[i] += number(row, i) / m;
    }
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            for (const unsigned row : rows) matrix[i][j] += (number(row, i) - mean[i]) * (number(row, j) - mean[j]);
            if (!function.prior) continue;
            const GaussianPrior& prior = *function.prior;
            matrix[i][j] += m * prior.alpha / (m + prior.alpha) * (mean[i] - prior.nu[columns[i]].high) *
                            (mean[j] - prior.nu[columns[j]].high);
            if (i == j) matrix[i][j] += prior.diagonal[columns[i]].high;
        }
    }
    double log = 0;
    for (std::size_t step = 0; step < d; ++step) {
        log += std::log(matrix[step][step]) + 2 * function.natural[columns[step]] * std::log(2.0);
        for (std::size_t i = step + 1; i < d; ++i) {
            for (std::size_t j = d; j-- > step;) {
                matrix[i][j] -= matrix[i][step] / matrix[step][step] * matrix[step][j];
            }
        }
    }
    return log;
}

// J of a set in nats, without the part of the discrete variables; minus infinity if it is impossible.
double obvious(const MixedTable& table, const CellFunction& function, std::uint64_t mask) {
    std::vector<unsigned> columns;
    std::map<std::vector<std::uint32_t>, std::vector<unsigned>> cells;
    double states = 1;
    for (const unsigned row : function.rows) {
        std::vector<std::uint32_t> key;
        for (unsigned v = 0; v < table.variables(); ++v) {
            if ((mask >> v & 1) != 0 && table.is_discrete[v]) key.push_back(table.codes[table.place[v]][row]);
        }
        cells[key].push_back(row);
    }
    for (unsigned v = 0; v < table.variables(); ++v) {
        if ((mask >> v & 1) == 0) continue;
        if (table.is_discrete[v]) {
            states *= table.arities[table.place[v]];
        } else {
            columns.push_back(table.place[v]);
        }
    }
    const auto d = static_cast<double>(columns.size());
    double sum = -function.price * states * d * (d + 3) / 2;
    for (const auto& [key, rows] : cells) {
        const auto m = static_cast<double>(rows.size());
        const double log = log_determinant(table, function, rows, columns);
        if (function.prior) {
            const GaussianPrior& prior = *function.prior;
            const double freedom = nearest_double(prior.freedom);
            sum += d / 2 * std::log(prior.alpha / (m + prior.alpha)) - d * m / 2 * kLogPi;
            for (unsigned j = 1; j <= columns.size(); ++j) {
                sum += std::lgamma((freedom + j + m) / 2) - std::lgamma((freedom + j) / 2);
                sum += (freedom + d) / 2 * -std::log(2.0);
            }
            sum -= (freedom + m + d) / 2 * log;
        } else {
            if (d > 0 && m < d + 1) return -INFINITY;
            for (double p = 0; p < d; ++p) {
                sum -= m / 2 * (std::log(2.0) + kLogPi - std::log(m - p - 1)) + (m - p - 1) / 2;
            }
            if (d > 0) sum -= m / 2 * log;
        }
    }
    return states * (1 + d * (d + 3) / 2) > static_cast<double>(function.max_states) ? -INFINITY : sum;
}

std::vector<std::uint16_t> members_of(std::uint64_t mask) {
    std::vector<std::uint16_t> members;
    for (; mask != 0; mask &= mask - 1) members.push_back(static_cast<std::uint16_t>(std::countr_zero(mask)));
    return members;
}

std::vector<std::int64_t> lattice_values(const MixedTable& table, const CellFunction& function, unsigned max_size,
                                         unsigned threads) {
    const ConditionalLattice lattice(table, function, max_size);
    Monitor monitor;
    std::vector<std::int64_t> out(lattice.index().size(), 12345);
    std::vector<std::int64_t> of_discrete(lattice.discrete_index().size());
    for (std::size_t i = 0; i < of_discrete.size(); ++i) of_discrete[i] = 0;
    CHECK(lattice.run(of_discrete, out, threads, monitor).empty());
    CHECK(monitor.done() == monitor.total() && monitor.total() == out.size());
    return out;
}

void check_table(const MixedTable& table, const CellFunction& function) {
    const unsigned n = table.variables();
    const std::vector<std::int64_t> all = lattice_values(table, function, n, 1);
    CHECK(all == lattice_values(table, function, n, 3));
    CellFunction reversed = function;
    std::reverse(reversed.rows.begin(), reversed.rows.end());
    CHECK(all == lattice_values(table, reversed, n, 2));
    for (std::uint64_t mask = 0; mask < all.size(); ++mask) {
        const double expected = obvious(table, function, mask);
        CHECK((all[mask] == kImpossible) == (expected == -INFINITY));
        if (all[mask] != kImpossible) CHECK_NEAR(std::ldexp(static_cast<double>(all[mask]), -40), expected, 2e-8);
    }
    for (unsigned max_size = 1; max_size < n; ++max_size) {
        const std::vector<std::int64_t> limited = lattice_values(table, function, max_size, 2);
        const SetIndex index(n, max_size);
        for (std::uint64_t mask = 0; mask < all.size(); ++mask) {
            const auto members = members_of(mask);
            if (members.size() <= max_size) CHECK(limited[index.rank(members)] == all[mask]);
        }
    }
    ConditionalFamilies families(table, {function}, std::vector<std::uint32_t>(n, 0), n, 2, 1 << 22);
    Monitor monitor;
    for (std::uint16_t child = 0; child < n; ++child) {
        if (table.is_discrete[child]) continue;
        const std::uint64_t own = std::uint64_t{1} << child;
        const auto expected = [&](std::uint64_t parents) {
            const std::int64_t family = all[parents | own];
            return family == kImpossible || all[parents] == kImpossible ? kImpossible : family - all[parents];
        };
        for (std::uint64_t parents = 0; parents < all.size(); ++parents) {
            if (parents & own) continue;
            const auto members = members_of(parents);
            std::int64_t score = 0;
            for (int twice = 0; twice < 2; ++twice) {
                families.scores(child, members, members.size(), {&score, 1}, monitor);
                CHECK(score == expected(parents));
            }
            const auto candidates = members_of(~(parents | own) & (all.size() - 1));
            std::vector<std::int64_t> scores(candidates.size());
            families.additions(child, members, candidates, scores, monitor);
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                CHECK(scores[i] == expected(parents | std::uint64_t{1} << candidates[i]));
            }
        }
    }
    CHECK(families.cached() > 0);
    for (std::uint64_t mask = 0; mask < all.size(); ++mask) {
        const SetParts parts = families.parts(0, members_of(mask));
        CHECK(parts.impossible == (all[mask] == kImpossible) && parts.open.empty());
        if (!parts.impossible) CHECK(function.rounded(parts.sum) == all[mask]);
    }
}

// With columns that depend on each other in some cells: impossible without a prior, and no matter with one.
void check_dependent_columns() {
    std::mt19937 random(7);
    MixedTable table = random_mixed_table(random, 1, 3, 40, 1.0);
    for (std::size_t row = 0; row < 40; ++row) {
        if (table.codes[0][row] == 0) table.numbers[2][row] = 3 - 2 * table.numbers[1][row];
        if (table.codes[0][row] == 1) table.numbers[0][row] = 77;
    }
    const std::vector<std::int64_t> likelihood = lattice_values(table, function_of(table, false, 40), 4, 1);
    const auto impossible = [&](std::uint64_t mask) { return likelihood[mask] == kImpossible; };
    // The variables are: discrete, measured, measured, measured.
    CHECK(!impossible(0b1100) && impossible(0b1101));
    CHECK(!impossible(0b0010) && impossible(0b0011));
    CHECK(!impossible(0b1110) && impossible(0b1111));
    const std::vector<std::int64_t> marginal = lattice_values(table, function_of(table, true, 40), 4, 1);
    CHECK(std::count(marginal.begin(), marginal.end(), kImpossible) == 0);
}

}  // namespace

int main() {
    std::mt19937 random(1);
    for (const bool marginal : {true, false}) {
        for (const unsigned rows : {1U, 9U, 80U}) {
            const MixedTable table = random_mixed_table(random, 3, 4, rows, 0.5);
            check_table(table, function_of(table, marginal, rows));
        }
    }
    check_dependent_columns();
}
