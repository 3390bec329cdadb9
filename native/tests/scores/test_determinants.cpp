#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/numbers/impossible.hpp"
#include "dagscape/scores/determinant_families.hpp"
#include "dagscape/scores/determinant_lattice.hpp"

using namespace dagscape;

namespace {

// A correlation matrix of random columns; each variable has up to `widest` of them.
DeterminantFunction random_function(std::mt19937& random, unsigned variables, unsigned widest) {
    DeterminantFunction function{};
    function.first.push_back(0);
    for (unsigned v = 0; v < variables; ++v) function.first.push_back(function.first.back() + 1 + random() % widest);
    const unsigned columns = function.columns(), rows = 3 * columns + 5;
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> values(columns, std::vector<double>(rows));
    for (auto& column : values) {
        double square = 0;
        for (double& x : column) x = normal(random), square += x * x;
        for (double& x : column) x /= std::sqrt(square);
    }
    function.high.resize(columns * columns);
    function.low.assign(columns * columns, 0.0);
    for (unsigned i = 0; i < columns; ++i) {
        for (unsigned j = 0; j < columns; ++j) {
            double sum = i == j ? 1 : 0;
            for (unsigned row = 0; i != j && row < rows; ++row) sum += values[i][row] * values[j][row];
            function.high[i * columns + j] = sum;
            function.low[i * columns + j] = i == j ? 0 : std::ldexp(sum, -60);
        }
    }
    for (unsigned v = 0; v < variables; ++v) {
        function.logs.push_back({static_cast<Fixed>(random()) << 49, -(static_cast<Fixed>(random()) << 50)});
    }
    for (unsigned d = 0; d <= columns; ++d) {
        function.possible.push_back(d <= 7 || widest > 1);
        function.constant.push_back(static_cast<Fixed>(d) << 78);
        function.prior_factor.push_back(0.5 + 0.5 * d);
        function.factor.push_back(20.25 + 0.5 * d);
    }
    function.least_eigenvalue = 0;
    function.least_determinant = 0;
    function.unit_bits = 40;
    return function;
}

// J of a set by elimination in plain doubles, in nats.
double obvious(const DeterminantFunction& function, std::uint64_t mask) {
    std::vector<unsigned> columns;
    double prior = 0, posterior = 0;
    for (unsigned v = 0; v < function.variables(); ++v) {
        if ((mask >> v & 1) == 0) continue;
        for (unsigned i = function.first[v]; i < function.first[v + 1]; ++i) columns.push_back(i);
        prior += nearest_double(function.logs[v].prior);
        posterior -= nearest_double(-function.logs[v].posterior);
    }
    const std::size_t d = columns.size();
    std::vector<std::vector<double>> matrix(d, std::vector<double>(d));
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) matrix[i][j] = function.entry(columns[i], columns[j]).high;
    }
    for (std::size_t step = 0; step < d; ++step) {
        posterior += std::log(matrix[step][step]);
        for (std::size_t i = step + 1; i < d; ++i) {
            for (std::size_t j = d; j-- > step;) {
                matrix[i][j] -= matrix[i][step] / matrix[step][step] * matrix[step][j];
            }
        }
    }
    return nearest_double(function.constant[d]) + function.prior_factor[d] * prior - function.factor[d] * posterior;
}

std::vector<std::uint16_t> members_of(std::uint64_t mask) {
    std::vector<std::uint16_t> members;
    for (; mask != 0; mask &= mask - 1) members.push_back(static_cast<std::uint16_t>(std::countr_zero(mask)));
    return members;
}

std::vector<std::int64_t> lattice_values(const DeterminantFunction& function, unsigned max_size, unsigned threads) {
    const DeterminantLattice lattice(function, max_size);
    Monitor monitor;
    std::vector<std::int64_t> out(lattice.index().size(), 12345);
    CHECK(lattice.run(out, threads, monitor).empty());
    CHECK(monitor.done() == monitor.total() && monitor.total() == out.size());
    return out;
}

void check_lattice(const DeterminantFunction& function) {
    const unsigned n = function.variables();
    const std::vector<std::int64_t> all = lattice_values(function, n, 1);
    CHECK(all == lattice_values(function, n, 3));
    for (std::uint64_t mask = 0; mask < all.size(); ++mask) {
        unsigned columns = 0;
        for (const std::uint16_t v : members_of(mask)) columns += function.columns_of(v);
        CHECK((all[mask] == kImpossible) == !function.possible[columns]);
        if (all[mask] != kImpossible) {
            CHECK_NEAR(std::ldexp(static_cast<double>(all[mask]), -40), obvious(function, mask), 1e-8);
        }
    }
    for (unsigned max_size = 1; max_size < n; ++max_size) {
        const std::vector<std::int64_t> limited = lattice_values(function, max_size, 2);
        const SetIndex index(n, max_size);
        for (std::uint64_t mask = 0; mask < all.size(); ++mask) {
            const auto members = members_of(mask);
            if (members.size() <= max_size) CHECK(limited[index.rank(members)] == all[mask]);
        }
    }
}

// Families on demand have the integers of the lattice, one by one and as additions.
void check_families(const DeterminantFunction& function) {
    const unsigned n = function.variables();
    const std::vector<std::int64_t> all = lattice_values(function, n, 1);
    const DeterminantFamilies families({function}, std::vector<std::uint32_t>(n, 0));
    Monitor monitor;
    for (std::uint16_t child = 0; child < n; ++child) {
        const std::uint64_t own = std::uint64_t{1} << child;
        const auto expected = [&](std::uint64_t parents) {
            const std::int64_t family = all[parents | own];
            return family == kImpossible || all[parents] == kImpossible ? kImpossible : family - all[parents];
        };
        for (std::uint64_t parents = 0; parents < all.size(); ++parents) {
            if (parents & own) continue;
            const auto members = members_of(parents);
            std::int64_t score = 0;
            families.scores(child, members, members.size(), {&score, 1}, monitor);
            CHECK(score == expected(parents));
            const auto candidates = members_of(~(parents | own) & (all.size() - 1));
            std::vector<std::int64_t> scores(candidates.size());
            families.additions(child, members, candidates, scores, monitor);
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                CHECK(scores[i] == expected(parents | std::uint64_t{1} << candidates[i]));
            }
        }
    }
}

// Sets of columns that are alike have no determinant, and those of a small one are left to the caller.
void check_open_sets() {
    std::mt19937 random(7);
    DeterminantFunction function = random_function(random, 4, 1);
    const unsigned n = 4;
    for (unsigned i = 0; i < n; ++i) {
        for (std::vector<double>* part : {&function.high, &function.low}) {
            (*part)[3 * n + i] = (*part)[1 * n + i];
            (*part)[i * n + 3] = (*part)[i * n + 1];
        }
    }
    function.high[3 * n + 3] = function.high[1 * n + 3] = function.high[3 * n + 1] = 1;
    function.low[3 * n + 3] = function.low[1 * n + 3] = function.low[3 * n + 1] = 0;
    const DeterminantLattice lattice(function, n);
    Monitor monitor;
    std::vector<std::int64_t> out(16);
    const auto open = lattice.run(out, 2, monitor);
    CHECK((open == std::vector<std::vector<std::uint16_t>>{{1, 3}, {0, 1, 3}, {1, 2, 3}, {0, 1, 2, 3}}));
    CHECK(out[0b1010] == kOpen && out[0b1000] != kOpen);
    const DeterminantFamilies families({function}, std::vector<std::uint32_t>(n, 0));
    std::int64_t score = 0;
    families.scores(3, std::vector<std::uint16_t>{1}, 1, {&score, 1}, monitor);
    CHECK(score == kOpen);
}

}  // namespace

int main() {
    std::mt19937 random(1);
    for (const unsigned widest : {1U, 3U}) {
        for (const unsigned variables : {1U, 2U, 5U, 9U}) {
            const DeterminantFunction function = random_function(random, variables, widest);
            check_lattice(function);
            if (variables < 9) check_families(function);
        }
    }
    check_open_sets();
}
