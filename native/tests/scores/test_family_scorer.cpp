#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/scores/family_scorer.hpp"
#include "random_table.hpp"

using namespace dagscape;

namespace {

using Members = std::vector<std::uint16_t>;

struct Data : Table {
    FamilyFunctions functions;
};

const std::vector<JointScoreSpec> kSpecs{{{CellTermKind::dirichlet_shared, 1.0, 28, 7}, 0, ~std::uint64_t{0}},
                                         {{CellTermKind::dirichlet_constant, 3.0, 30}, 0, ~std::uint64_t{0}},
                                         {{CellTermKind::entropy, 1.0, 20, 1}, 0.7777, 5000}};

// Each child has its own functions, summed over one of two subsets of the rows.
Data random_data(std::mt19937& random, std::uint32_t largest_arity, std::size_t rows, std::uint32_t largest_weight) {
    const std::size_t n = 2 + random() % 6;
    Data data{random_table(random, n, largest_arity, rows, largest_weight), {}};
    for (std::uint32_t subset = 0; subset < 2; ++subset) {
        for (const JointScoreSpec& spec : kSpecs) {
            data.functions.specs.push_back(spec);
            data.functions.subset.push_back(subset);
        }
        for (std::size_t row = 0; row < rows; ++row) data.functions.chosen.push_back(subset == 0 || random() % 3 > 0);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t subset = random() % 2;
        data.functions.family.push_back(3 * subset + random() % 3);
        data.functions.parents.push_back(3 * subset + random() % 3);
    }
    return data;
}

// J of one set, directly from its definition.
std::int64_t obvious_value(const Data& data, std::uint32_t function, const Members& members) {
    const JointScoreSpec& spec = data.functions.specs[function];
    const LogStates log_states(data.arities);
    CellTermCache cache(spec.term);
    const std::size_t n = data.arities.size(), rows = data.weights.size();
    std::map<std::vector<std::uint32_t>, std::uint32_t> cells;
    std::uint64_t states = 1;
    Fixed log_sum = 0;
    for (const std::uint16_t member : members) {
        states *= data.arities[member];
        log_sum += log_states.of_variable(member);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        if (data.functions.chosen[data.functions.subset[function] * rows + row] == 0) continue;
        std::vector<std::uint32_t> cell;
        if (!data.functions.segment.empty()) cell.push_back(data.functions.segment[row]);
        for (const std::uint16_t member : members) cell.push_back(data.codes[row * n + member]);
        cells[cell] += data.weights[row];
    }
    if (states > spec.max_states) return kImpossible;
    std::int64_t sum = 0;
    for (const auto& [cell, count] : cells) sum += cache.terms(log_sum, count)(count);
    return spec.value(sum, states);
}

std::int64_t obvious_score(const Data& data, std::uint16_t child, Members parents) {
    std::sort(parents.begin(), parents.end());
    const std::int64_t base = obvious_value(data, data.functions.parents[child], parents);
    parents.push_back(child);
    std::sort(parents.begin(), parents.end());
    const std::int64_t joint = obvious_value(data, data.functions.family[child], parents);
    return joint == kImpossible || base == kImpossible ? kImpossible : joint - base;
}

template <class Code>
FamilyScorer family_scorer(const Data& data, unsigned threads, std::size_t most_bytes) {
    const std::vector<Code> codes(data.codes.begin(), data.codes.end());
    const Monitor monitor;
    return FamilyScorer(std::span<const Code>(codes), std::span<const std::uint32_t>(data.weights),
                        std::span<const std::uint32_t>(data.arities), data.functions, threads, most_bytes, monitor);
}

std::size_t fixed_bytes(const Data& data, unsigned threads) {
    std::uint64_t weight = 0;
    for (const std::uint32_t count : data.weights) weight += count;
    return FamilyScorer::fixed_bytes(data.weights.size(), data.arities, weight, 2, kSpecs.size(), threads,
                                     !data.functions.segment.empty());
}

// Families of random size, then all additions to their parents; most are requested more than once.
void compare(const Data& data, FamilyScorer& scores, std::size_t most_bytes, std::mt19937& random) {
    const auto n = static_cast<std::uint16_t>(data.arities.size());
    Monitor monitor;
    for (int trial = 0; trial < 12; ++trial) {
        const auto child = static_cast<std::uint16_t>(random() % n);
        Members parents, candidates;
        for (std::uint16_t i = 0; i < n; ++i) {
            if (i != child) (random() % 2 ? parents : candidates).push_back(i);
        }
        std::vector<std::int64_t> out(1);
        scores.scores(child, parents, parents.size(), out, monitor);
        CHECK(out[0] == obvious_score(data, child, parents));
        out.resize(candidates.size());
        scores.additions(child, parents, candidates, out, monitor);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            Members larger = parents;
            larger.push_back(candidates[i]);
            CHECK(out[i] == obvious_score(data, child, larger));
        }
        CHECK(scores.bytes() <= most_bytes);
    }
}

void families_match_the_definition() {
    std::mt19937 random(1);
    for (int trial = 0; trial < 48; ++trial) {
        // Few and many levels, light and heavy rows, so that every way of counting is used.
        const std::uint32_t largest_arity = trial % 4 == 0 ? 2 : trial % 4 == 1 ? 5 : trial % 4 == 2 ? 40 : 70000;
        const std::uint32_t largest_weight = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 3 : 100000;
        Data data = random_data(random, largest_arity, 1 + random() % 120, largest_weight);
        if (trial % 5 == 0) {
            for (std::size_t row = 0; row < data.weights.size(); ++row) data.functions.segment.push_back(random() % 7);
        }
        const unsigned threads = 1 + trial % 3;
        for (const std::size_t room : {std::size_t{0}, std::size_t{4000}, std::size_t{1} << 20}) {
            const std::size_t most = fixed_bytes(data, threads) + room;
            FamilyScorer scores = family_scorer<std::uint32_t>(data, threads, most);
            compare(data, scores, most, random);
        }
    }
}

void narrow_codes_give_the_same() {
    std::mt19937 random(2);
    const Data data = random_data(random, 6, 300, 2);
    FamilyScorer scores = family_scorer<std::uint8_t>(data, 2, std::size_t{1} << 26);
    compare(data, scores, std::size_t{1} << 26, random);
}

void a_stop_is_heeded_and_harms_nothing() {
    std::mt19937 random(3);
    const Data data = random_data(random, 3, 200, 1);
    FamilyScorer scores = family_scorer<std::uint8_t>(data, 2, std::size_t{1} << 24);
    Monitor monitor;
    monitor.stop();
    const Members parents{}, candidates{1};
    std::vector<std::int64_t> out(1);
    bool stopped = false;
    try {
        scores.additions(0, parents, candidates, out, monitor);
    } catch (const Stopped&) {
        stopped = true;
    }
    CHECK(stopped && scores.cached_sets() == 0);
    compare(data, scores, std::size_t{1} << 24, random);
}

}  // namespace

int main() {
    families_match_the_definition();
    narrow_codes_give_the_same();
    a_stop_is_heeded_and_harms_nothing();
}
