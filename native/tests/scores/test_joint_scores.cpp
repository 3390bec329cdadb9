#include <bit>
#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/scores/joint_scores.hpp"
#include "random_table.hpp"

using namespace dagscape;

namespace {

using Data = Table;

Data random_data(std::mt19937& random, std::uint32_t largest_arity, std::size_t rows, std::uint32_t largest_weight) {
    const std::size_t n = 1 + random() % 6;
    return random_table(random, n, largest_arity, rows, largest_weight);
}

// J of one set, directly from its definition, with the same rounded terms.
std::int64_t obvious_joint_score(const Data& data, std::uint64_t mask, const JointScoreSpec& spec,
                                 CellTermCache& cache) {
    const LogStates log_states(data.arities);
    std::map<std::vector<std::uint32_t>, std::uint32_t> cells;
    std::uint64_t states = 1;
    Fixed log_sum = 0;
    for (std::size_t i = 0; i < data.arities.size(); ++i) {
        if ((mask >> i & 1) == 0) continue;
        states *= data.arities[i];
        log_sum += log_states.of_variable(i);
    }
    for (std::size_t row = 0; row < data.weights.size(); ++row) {
        std::vector<std::uint32_t> cell;
        for (std::size_t i = 0; i < data.arities.size(); ++i) {
            if (mask >> i & 1) cell.push_back(data.codes[row * data.arities.size() + i]);
        }
        cells[cell] += data.weights[row];
    }
    if (states > spec.max_states) return kImpossible;
    // The product is rounded far beyond the last digit of the terms.
    const double penalty = spec.penalty_per_state * static_cast<double>(states);
    std::int64_t sum = -std::llrint(std::ldexp(penalty, spec.term.unit_bits + spec.term.guard_bits));
    for (const auto& [cell, count] : cells) sum += cache.terms(log_sum, count)(count);
    const std::int64_t unit = std::int64_t{1} << spec.term.guard_bits;
    const std::int64_t below = sum / unit - (sum % unit < 0 ? 1 : 0);
    return 2 * (sum - below * unit) >= unit ? below + 1 : below;
}

template <class Code>
std::vector<std::int64_t> joint_scores(const Data& data, unsigned max_size, const JointScoreSpec& spec,
                                       unsigned threads) {
    const std::vector<Code> codes(data.codes.begin(), data.codes.end());
    Monitor monitor;
    const JointScoreJob job(std::span<const Code>(codes), std::span<const std::uint32_t>(data.weights),
                            std::span<const std::uint32_t>(data.arities), max_size, spec, monitor);
    std::vector<std::int64_t> out(job.index().size(), 12345);
    job.run(out, threads, monitor);
    CHECK(monitor.done() == monitor.total() && monitor.total() == out.size());
    CHECK(job.seconds_per_set(0.0, monitor) >= 0);
    CHECK(job.visits_per_set(3, monitor) >= 0);
    CHECK(job.visits_per_set(3, monitor) == job.visits_per_set(3, monitor));
    return out;
}

void compare(const Data& data, const JointScoreSpec& spec) {
    const auto n = static_cast<unsigned>(data.arities.size());
    CellTermCache cache(spec.term);
    for (unsigned max_size = 0; max_size <= n; ++max_size) {
        const std::vector<std::int64_t> found = joint_scores<std::uint8_t>(data, max_size, spec, 1);
        CHECK(found == joint_scores<std::uint32_t>(data, max_size, spec, 3));
        const SetIndex index(n, max_size);
        for (std::uint64_t mask = 0; mask < std::uint64_t{1} << n; ++mask) {
            if (static_cast<unsigned>(std::popcount(mask)) > max_size) continue;
            std::vector<std::uint16_t> members;
            for (unsigned i = 0; i < n; ++i) {
                if (mask >> i & 1) members.push_back(static_cast<std::uint16_t>(i));
            }
            CHECK(found[index.rank(members)] == obvious_joint_score(data, mask, spec, cache));
        }
    }
}

void sums_over_cells_match_the_definition() {
    std::mt19937 random(1);
    for (int trial = 0; trial < 150; ++trial) {
        // Few and many levels, light and heavy rows, so that every way of splitting a cell is used.
        const std::uint32_t largest_arity = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 5 : 40;
        const std::uint32_t largest_weight = trial % 4 == 0 ? 1 : trial % 4 == 1 ? 3 : trial % 4 == 2 ? 100 : 100000;
        const Data data = random_data(random, largest_arity, 1 + random() % 80, largest_weight);
        compare(data, {{CellTermKind::dirichlet_shared, 1.0, 30}, 0, ~std::uint64_t{0}});
        compare(data, {{CellTermKind::dirichlet_constant, 3.0, 30}, 0, ~std::uint64_t{0}});
        compare(data, {{CellTermKind::entropy, 1.0, 30}, 0.7777, 60});
        compare(data, {{CellTermKind::dirichlet_shared, 1.0, 28, 7}, 0, ~std::uint64_t{0}});
        compare(data, {{CellTermKind::entropy, 1.0, 20, 1}, 0.7777, 60});
    }
}

void rows_of_no_weight_count_for_nothing() {
    const Data data{{2, 3}, {0}, {1, 2}};
    const std::vector<std::int64_t> found =
        joint_scores<std::uint8_t>(data, 2, {{CellTermKind::entropy, 1.0, 3}, 1.25, 100}, 1);
    CHECK((found == std::vector<std::int64_t>{-10, -20, -30, -60}));
}

// Enough sets for several branches, so that threads share the work.
void many_sets_on_any_number_of_threads() {
    std::mt19937 random(7);
    Data data;
    const std::size_t n = 15;
    for (std::size_t i = 0; i < n; ++i) data.arities.push_back(2 + i % 3);
    for (std::size_t row = 0; row < 60; ++row) {
        data.weights.push_back(1);
        for (std::size_t i = 0; i < n; ++i) data.codes.push_back(random() % data.arities[i]);
    }
    const JointScoreSpec spec{{CellTermKind::dirichlet_shared, 1.0, 40}, 0, ~std::uint64_t{0}};
    const std::vector<std::int64_t> all = joint_scores<std::uint8_t>(data, 15, spec, 1);
    CHECK(all == joint_scores<std::uint8_t>(data, 15, spec, 5));
    CellTermCache cache(spec.term);
    for (std::uint64_t mask = 0; mask < all.size(); mask += 97) {
        CHECK(all[mask] == obvious_joint_score(data, mask, spec, cache));
    }
    CHECK(joint_scores<std::uint8_t>(data, 6, spec, 1) == joint_scores<std::uint8_t>(data, 6, spec, 4));
}

void a_stop_is_heeded() {
    std::mt19937 random(3);
    Data data;
    data.arities.assign(20, 3);
    data.weights.assign(3000, 1);
    for (std::size_t i = 0; i < 20 * 3000; ++i) data.codes.push_back(random() % 3);
    Monitor monitor;
    const std::vector<std::uint8_t> codes(data.codes.begin(), data.codes.end());
    const JointScoreJob job(std::span<const std::uint8_t>(codes), std::span<const std::uint32_t>(data.weights),
                            std::span<const std::uint32_t>(data.arities), 20,
                            {{CellTermKind::dirichlet_shared, 1.0, 30}, 0, ~std::uint64_t{0}}, monitor);
    std::vector<std::int64_t> out(job.index().size());
    monitor.stop();
    bool stopped = false;
    try {
        job.run(out, 2, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped);
}

}  // namespace

int main() {
    sums_over_cells_match_the_definition();
    rows_of_no_weight_count_for_nothing();
    many_sets_on_any_number_of_threads();
    a_stop_is_heeded();
}
