// The E-step of student models, and its parts, against sums over all states.
#include "dagscape/student/student_states.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/student/answer_tree.hpp"
#include "dagscape/student/state_tree.hpp"

using namespace dagscape;

namespace {

using Numbers = std::vector<double>;
using Sets = std::vector<std::uint32_t>;

bool near(double found, double expected) { return std::abs(found - expected) <= 1e-12 * (1 + std::abs(expected)); }

void check_near(const Numbers& found, const Numbers& expected) {
    CHECK(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(near(found[i], expected[i]));
}

Sets random_sets(std::mt19937& random, unsigned skills, std::size_t count, unsigned most) {
    Sets sets(count, 0);
    for (std::uint32_t& set : sets) {
        for (unsigned i = 0; i < 1 + random() % most; ++i) set |= 1U << random() % skills;
    }
    return sets;
}

void substates_are_packed() {
    CHECK(packed_substate(0b1011, 0b1010) == 0b11);
    CHECK(packed_substate(0b0101, 0b1010) == 0);
    CHECK(packed_substate(0xFFFF, 0x8001) == 3);
}

// Products up and sums down, in each lane, for sets that overlap, repeat and leave skills out.
void trees_multiply_and_sum() {
    std::mt19937 random(2);
    for (int trial = 0; trial < 200; ++trial) {
        const unsigned skills = 1 + random() % 7, most = 1 + random() % skills;
        const std::size_t size = std::size_t{1} << skills;
        const Sets sets = random_sets(random, skills, 1 + random() % 12, most);
        const StateTree tree(skills, sets);
        std::vector<Lanes> tables(tree.table_size()), states(size);
        Numbers prior(size);
        for (double& value : prior) value = 1 + random() % 3;
        for (Lanes& value : tables) value = Lanes{1, 2, 0.5, 0.25} * broadcast(1 + random() % 3);
        const std::vector<Lanes> given = tables;
        tree.combine<Multiplied>(tables.data(), prior.data(), states.data());
        const Lanes sum = tree.sum(states.data(), tables.data());
        for (unsigned lane = 0; lane < 4; ++lane) {
            Numbers sums(given.size(), 0.0);
            double total = 0;
            for (std::uint32_t state = 0; state < size; ++state) {
                double product = prior[state];
                std::size_t start = 0;
                for (const std::uint32_t set : sets) {
                    product *= given[start + packed_substate(state, set)][lane];
                    start += std::size_t{1} << std::popcount(set);
                }
                CHECK(near(states[state][lane], product));
                start = 0;
                for (const std::uint32_t set : sets) {
                    sums[start + packed_substate(state, set)] += product;
                    start += std::size_t{1} << std::popcount(set);
                }
                total += product;
            }
            CHECK(near(sum[lane], total));
            std::size_t values = 0;
            for (const std::uint32_t set : sets) values += std::size_t{1} << std::popcount(set);
            for (std::size_t i = 0; i < values; ++i) CHECK(near(tables[i][lane], sums[i]));
        }
    }
}

void orders_are_permutations() {
    std::mt19937 random(3);
    for (unsigned skills = 1; skills <= kMostSkills; ++skills) {
        std::vector<unsigned> order = fast_order(skills, random_sets(random, skills, 20, 3)), all(skills);
        std::sort(order.begin(), order.end());
        std::iota(all.begin(), all.end(), 0U);
        CHECK(order == all);
    }
}

// A single item may have three combinations; more items are taken as long as there are few.
void answer_trees_count_combinations() {
    const std::vector<std::int8_t> answers{1, 0, 1, 1, 0, 0, -1, 0, 1, 0, 1, 1, 1, 0, -1};
    const AnswerTable table{answers, 3};
    CHECK(table.patterns() == 5);
    const Sets items{0, 1, 2};
    CHECK(AnswerTree(table, items, 2, 1).items() == 1);
    CHECK(AnswerTree(table, items, 2, 3).items() == 2);
    AnswerTree tree(table, items, 2, 5);
    CHECK(tree.items() == 3 && tree.leaves() == 5);
    CHECK(tree.leaf(4 + kPadding) == tree.leaf(4));
    const Numbers right{-1, -2, -3, -4, -5, -6}, wrong{-10, -20, -30, -40, -50, -60};
    tree.add_logs(right.data(), wrong.data());
    CHECK(tree.logs(tree.leaf(0))[0] == -36 && tree.logs(tree.leaf(0))[1] == -48);
    CHECK(tree.logs(tree.leaf(2))[0] == -35 && tree.logs(tree.leaf(4))[1] == -42);
    Numbers leaf_counts(10), counts(12, -1.0);
    for (std::size_t pattern = 0; pattern < 5; ++pattern) leaf_counts[2 * tree.leaf(pattern)] = 1;
    tree.count(leaf_counts.data(), counts.data());
    CHECK(counts == (Numbers{1, 3, 0, 0, 4, 1, 0, 0, 1, 3, 0, 0}));
}

struct Problem {
    unsigned skills;
    Sets masks;
    std::vector<std::int8_t> answers;
    Numbers weights, prior, right, wrong;

    std::size_t patterns() const { return weights.size(); }
    std::size_t states() const { return prior.size(); }
    StudentModelLogs model() const { return {prior, right, wrong}; }

    // P(pattern, state).
    double joint(std::size_t pattern, std::uint32_t state) const {
        double log = prior[state];
        std::size_t start = 0;
        for (std::size_t item = 0; item < masks.size(); ++item) {
            const std::int8_t answer = answers[pattern * masks.size() + item];
            const std::size_t cell = start + packed_substate(state, masks[item]);
            if (answer != kNoAnswer) log += answer == 1 ? right[cell] : wrong[cell];
            start += std::size_t{1} << std::popcount(masks[item]);
        }
        return std::exp(log);
    }
};

Problem random_problem(std::mt19937& random, unsigned skills, std::size_t items, std::size_t patterns) {
    Problem problem{skills, random_sets(random, skills, items, 3), {}, {}, {}, {}, {}};
    std::uniform_real_distribution<double> uniform(0.01, 0.99);
    for (std::size_t i = 0; i < patterns * items; ++i) {
        problem.answers.push_back(static_cast<std::int8_t>(static_cast<int>(random() % 3) - 1));
    }
    for (std::size_t i = 0; i < patterns; ++i) problem.weights.push_back(random() % 4);
    problem.prior.resize(std::size_t{1} << skills);
    for (double& log : problem.prior) log = random() % 5 == 0 ? -HUGE_VAL : std::log(uniform(random));
    problem.prior[random() % problem.states()] = 0;
    for (const std::uint32_t mask : problem.masks) {
        for (std::size_t i = 0; i < std::size_t{1} << std::popcount(mask); ++i) {
            const double p = uniform(random);
            problem.right.push_back(std::log(p));
            problem.wrong.push_back(std::log(1 - p));
        }
    }
    return problem;
}

struct Expected {
    double log_likelihood = 0;
    Numbers states, cells;
};

Expected obvious(const Problem& problem) {
    Expected found{0, Numbers(problem.states(), 0.0), Numbers(2 * problem.right.size(), 0.0)};
    for (std::size_t pattern = 0; pattern < problem.patterns(); ++pattern) {
        double total = 0;
        for (std::uint32_t state = 0; state < problem.states(); ++state) total += problem.joint(pattern, state);
        found.log_likelihood += problem.weights[pattern] * std::log(total);
        for (std::uint32_t state = 0; state < problem.states(); ++state) {
            const double count = problem.weights[pattern] * problem.joint(pattern, state) / total;
            found.states[state] += count;
            std::size_t start = 0;
            for (std::size_t item = 0; item < problem.masks.size(); ++item) {
                const std::int8_t answer = problem.answers[pattern * problem.masks.size() + item];
                const std::size_t cell = start + packed_substate(state, problem.masks[item]);
                if (answer != kNoAnswer) found.cells[2 * cell + static_cast<std::size_t>(answer)] += count;
                start += std::size_t{1} << std::popcount(problem.masks[item]);
            }
        }
    }
    return found;
}

Expected expect(StudentStates& states, const Problem& problem, unsigned threads) {
    Expected found{0, Numbers(states.states()), Numbers(2 * states.cells())};
    Monitor monitor;
    found.log_likelihood = states.expect(problem.model(), threads, found.states, found.cells, monitor);
    CHECK(monitor.done() == monitor.total() && monitor.total() == problem.patterns());
    return found;
}

void expectations_are_sums_over_all_states() {
    std::mt19937 random(4);
    for (int trial = 0; trial < 60; ++trial) {
        const Problem problem = random_problem(random, 1 + random() % 6, 1 + random() % 15, 1 + random() % 30);
        StudentStates states(problem.masks, problem.skills, problem.answers, problem.weights);
        const Expected expected = obvious(problem);
        // The second call finds the memory of the first.
        for (int call = 0; call < 2; ++call) {
            const Expected found = expect(states, problem, 1);
            CHECK(near(found.log_likelihood, expected.log_likelihood));
            check_near(found.states, expected.states);
            check_near(found.cells, expected.cells);
        }
    }
}

void posteriors_and_marginals_agree() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 40; ++trial) {
        const Problem problem = random_problem(random, 1 + random() % 6, 1 + random() % 15, 1 + random() % 30);
        StudentStates states(problem.masks, problem.skills, problem.answers, problem.weights);
        const std::uint32_t all = (1U << problem.skills) - 1;
        const std::uint32_t some = 1 + random() % all;
        const std::size_t size = problem.states(), part = std::size_t{1} << std::popcount(some), width = size + part;
        Numbers out(problem.patterns() * width), logs(problem.patterns()), posterior(problem.patterns() * size);
        Monitor monitor;
        states.marginals(problem.model(), Sets{all, some}, 1, out, logs, monitor);
        const std::size_t first = random() % problem.patterns();
        states.posteriors(problem.model(), first, 1, {posterior.data(), (problem.patterns() - first) * size}, monitor);
        for (std::size_t pattern = 0; pattern < problem.patterns(); ++pattern) {
            Numbers sums(part, 0.0);
            for (std::uint32_t state = 0; state < size; ++state) {
                const double expected = problem.joint(pattern, state) / std::exp(logs[pattern]);
                CHECK(near(out[pattern * width + state], expected));
                if (pattern >= first) CHECK(near(posterior[(pattern - first) * size + state], expected));
                sums[packed_substate(state, some)] += expected;
            }
            for (std::size_t i = 0; i < part; ++i) CHECK(near(out[pattern * width + size + i], sums[i]));
        }
        Numbers only_logs(problem.patterns());
        states.marginals(problem.model(), Sets{}, 1, {}, only_logs, monitor);
        check_near(only_logs, logs);
    }
}

void threads_give_the_same_bits() {
    std::mt19937 random(6);
    const Problem problem = random_problem(random, 8, 20, 2000);
    StudentStates states(problem.masks, problem.skills, problem.answers, problem.weights);
    const Expected one = expect(states, problem, 1);
    for (const unsigned threads : {2U, 3U, 7U}) {
        const Expected found = expect(states, problem, threads);
        CHECK(found.log_likelihood == one.log_likelihood && found.states == one.states && found.cells == one.cells);
    }
}

void a_stop_leaves_the_object_usable() {
    std::mt19937 random(7);
    const Problem problem = random_problem(random, 5, 10, 100);
    StudentStates states(problem.masks, problem.skills, problem.answers, problem.weights);
    const Expected before = expect(states, problem, 2);
    Monitor monitor;
    monitor.stop();
    Numbers state_counts(states.states()), cell_counts(2 * states.cells());
    bool stopped = false;
    try {
        states.expect(problem.model(), 2, state_counts, cell_counts, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
    CHECK(expect(states, problem, 2).states == before.states);
}

// The answers favour the last state by e^2000, and the prior the first by e^1990: as products, both vanish.
void extreme_likelihoods_do_not_vanish() {
    Problem problem{2, {}, {}, {1.0}, {0.0, -HUGE_VAL, -HUGE_VAL, -1990.0}, {}, {}};
    for (std::uint32_t item = 0; item < 4000; ++item) {
        problem.masks.push_back(1 + item % 2);
        problem.answers.push_back(1);
        problem.right.insert(problem.right.end(), {-20.5, -20.0});
        problem.wrong.insert(problem.wrong.end(), {-1.0, -1.0});
    }
    StudentStates states(problem.masks, 2, problem.answers, problem.weights);
    const Expected found = expect(states, problem, 1);
    const double odds = std::exp(-10.0);
    CHECK(near(found.log_likelihood, -81990.0 + std::log1p(odds)));
    check_near(found.states, {odds / (1 + odds), 0, 0, 1 / (1 + odds)});
}

}  // namespace

int main() {
    substates_are_packed();
    trees_multiply_and_sum();
    orders_are_permutations();
    answer_trees_count_combinations();
    expectations_are_sums_over_all_states();
    posteriors_and_marginals_agree();
    threads_give_the_same_bits();
    a_stop_leaves_the_object_usable();
    extreme_likelihoods_do_not_vanish();
}
