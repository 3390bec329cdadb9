#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "check.hpp"
#include "dagscape/numbers/chi_square.hpp"
#include "dagscape/search/independence.hpp"
#include "random_table.hpp"

using namespace dagscape;

namespace {

using Members = std::vector<std::uint16_t>;
using State = std::vector<std::uint32_t>;

struct Obvious {
    double half = 0;
    std::uint64_t freedom = 0;
};

// G²/2 and its degrees of freedom, directly from their definitions.
Obvious obvious_test(const Table& table, std::uint16_t first, std::uint16_t second, const Members& given) {
    const std::size_t n = table.arities.size();
    std::map<State, std::map<std::pair<std::uint32_t, std::uint32_t>, double>> tables;
    for (std::size_t row = 0; row < table.weights.size(); ++row) {
        State state;
        for (const std::uint16_t member : given) state.push_back(table.codes[row * n + member]);
        tables[state][{table.codes[row * n + first], table.codes[row * n + second]}] += table.weights[row];
    }
    Obvious found;
    for (const auto& [state, cells] : tables) {
        std::map<std::uint32_t, double> by_first, by_second;
        double rows = 0;
        for (const auto& [pair, count] : cells) {
            by_first[pair.first] += count;
            by_second[pair.second] += count;
            rows += count;
        }
        for (const auto& [pair, count] : cells) {
            found.half += count * std::log(count * rows / (by_first[pair.first] * by_second[pair.second]));
        }
        found.freedom += (by_first.size() - 1) * (by_second.size() - 1);
    }
    return found;
}

TestTable test_table(const Table& table) {
    const Monitor monitor;
    return TestTable(std::span<const std::uint32_t>(table.codes), table.weights, table.arities, monitor);
}

// Sets that share their first members, or not, in any order.
void tests_match_the_definition() {
    std::mt19937 random(1);
    for (int trial = 0; trial < 60; ++trial) {
        // Few and many levels, light and heavy rows, so that cells are counted in every way.
        const std::uint32_t largest_arity = trial % 4 == 0 ? 2 : trial % 4 == 1 ? 4 : trial % 4 == 2 ? 20 : 300;
        const std::uint32_t largest_weight = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 3 : 1000;
        const Table table = random_table(random, 6, largest_arity, 1 + random() % 400, largest_weight);
        const TestTable tests = test_table(table);
        IndependenceTester tester(tests, 1);
        for (int i = 0; i < 20; ++i) {
            Members members{0, 1, 2, 3, 4, 5};
            std::shuffle(members.begin(), members.end(), random);
            tester.set_target(members[0]);
            for (std::size_t size = 0; size <= 4; ++size) {
                const Members given(members.begin() + 2, members.begin() + 2 + static_cast<std::ptrdiff_t>(size));
                if (!tester.is_possible(members[1], given)) continue;
                const IndependenceTest test = tester.test(members[1], given);
                const Obvious expected = obvious_test(table, members[0], members[1], given);
                const double half = std::ldexp(static_cast<double>(test.statistic), -tests.unit_bits());
                CHECK_NEAR(half, expected.half, 1e-6 * (1 + expected.half));
                CHECK(test.freedom == expected.freedom);
            }
        }
    }
}

void both_directions_agree_exactly() {
    std::mt19937 random(2);
    const Table table = random_table(random, 5, 3, 500, 2);
    const TestTable tests = test_table(table);
    IndependenceTester tester(tests, 1);
    const Members given{4, 2};
    tester.set_target(0);
    const IndependenceTest forward = tester.test(1, given);
    tester.set_target(1);
    const IndependenceTest backward = tester.test(0, given);
    CHECK(forward.statistic == backward.statistic && forward.freedom == backward.freedom);
}

void many_levels_are_sorted() {
    std::mt19937 random(3);
    const Table table = random_table(random, 4, 60000, 300, 3);
    const TestTable tests = test_table(table);
    IndependenceTester tester(tests, 1);
    tester.set_target(3);
    for (std::uint16_t other = 0; other < 3; ++other) {
        const double half = std::ldexp(static_cast<double>(tester.statistic(other)), -tests.unit_bits());
        CHECK_NEAR(half, obvious_test(table, 3, other, {}).half, 1e-6);
    }
}

void few_rows_rule_out_tests() {
    Table table{{2, 5, 3}, std::vector<std::uint32_t>(50, 2), {}};
    for (std::uint32_t i = 0; i < 50; ++i) table.codes.insert(table.codes.end(), {i % 2, i % 5, i % 3});
    const TestTable tests = test_table(table);
    for (const std::uint64_t rows_per_cell : {1, 3, 4, 10, 11}) {
        IndependenceTester tester(tests, rows_per_cell);
        tester.set_target(0);
        CHECK(tester.is_possible(1, {}) == (10 * rows_per_cell <= 100));
        CHECK(tester.is_possible(1, Members{2}) == (30 * rows_per_cell <= 100));
    }
}

// Values of ln Q(f/2, x), computed with 40 digits.
void tails_match_known_values() {
    struct Known {
        double half;
        std::uint64_t freedom;
        double log_tail;
    };
    ChiSquareTail tail;
    const std::vector<Known> known{
        {0.001, 1, -0.0363223329171132428},
        {0.5, 1, -1.1478744644493182},
        {1.5, 1, -2.48573279098607964},
        {1.9, 1, -2.97098926501655056},
        {20, 1, -22.093833084219643},
        {5000, 1, -5004.83106151364514},
        {0.7, 2, -0.699999999999999956},
        {3, 2, -3.0},
        {800, 2, -800.0},
        {2, 5, -0.598899471609245572},
        {3.4, 5, -1.44415851134462714},
        {3.6, 5, -1.57897699435950889},
        {40, 5, -34.7141034565379365},
        {12, 30, -0.258738951866993069},
        {15.9, 30, -0.975811136293736085},
        {16.1, 30, -1.02642806284447676},
        {300, 30, -245.290645775328536},
        {480, 1000, -0.206141377402182136},
        {501.5, 1000, -0.760665095460634791},
        {600, 1000, -11.3094996503766763},
        {20000, 1000, -17663.2502964309792},
        {9900, 20000, -0.172748951361415945},
        {10300, 20000, -6.52215627064222385},
    };
    for (const Known& value : known) {
        CHECK_NEAR(tail.log_tail(value.half, value.freedom), value.log_tail, 1e-12 * (1 + std::abs(value.log_tail)));
    }
    CHECK(tail.log_tail(0, 3) == 0);
}

void critical_values_separate() {
    CriticalValues critical(0.05, 40);
    for (const std::uint64_t freedom : {1, 2, 3, 10, 100, 2000}) {
        const std::int64_t value = critical.at(freedom);
        CHECK(critical.log_tail(value, freedom) <= std::log(0.05) + 1e-15);
        CHECK(critical.log_tail(value - 1, freedom) >= std::log(0.05) - 1e-12);
        CHECK(critical.at(freedom) == value);
    }
    CHECK_NEAR(2 * std::ldexp(static_cast<double>(critical.at(1)), -40), 3.8414588206941236, 1e-10);
}

}  // namespace

int main() {
    tests_match_the_definition();
    both_directions_agree_exactly();
    many_levels_are_sorted();
    few_rows_rule_out_tests();
    tails_match_known_values();
    critical_values_separate();
}
