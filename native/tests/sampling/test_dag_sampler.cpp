// Samples of all DAGs on three and four variables occur as often as their weights say, on any number of threads.
#include "dagscape/sampling/dag_sampler.hpp"

#include <map>
#include <random>
#include <vector>

#include "all_dags.hpp"
#include "check.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

constexpr int kUnitBits = 30;
constexpr std::size_t kSamples = 40000;

struct Sample {
    std::vector<Subset> parents;
    std::vector<std::int64_t> scores;
    Loss loss;
};

Sample draw(unsigned n, const std::vector<std::int64_t>& scores, std::size_t samples, double kept, unsigned threads,
            ChoiceRule rule = {}) {
    Monitor monitor;
    const ParentSums sums(n, scores, kUnitBits, threads, monitor);
    DagSum dags(sums, threads);
    dags.run_until(dags.forward_steps(), monitor);
    std::vector<std::uint64_t> seeds(samples);
    RandomBits random(7);
    for (std::uint64_t& seed : seeds) seed = random.next();
    Sample sample{std::vector<Subset>(samples * n), std::vector<std::int64_t>(samples), {}};
    const DagSampler sampler(sums, dags, scores, kUnitBits, rule);
    sample.loss = sampler.draw({seeds, sample.parents, sample.scores}, kept, threads, monitor);
    CHECK(monitor.done() > 0);
    return sample;
}

// The weights of all DAGs, by their parents.
std::map<std::vector<Subset>, double> all_weights(const Families& families) {
    std::map<std::vector<Subset>, double> found = all_dag_scores(families);
    for (auto& [dag, score] : found) score = std::exp(std::ldexp(score, -kUnitBits));
    return found;
}

void test_frequencies(unsigned n, unsigned max_parents, double impossible, ChoiceRule rule, std::mt19937& random) {
    const Families families = random_families(n, max_parents, std::int64_t{2} << kUnitBits, impossible, random);
    const std::map<std::vector<Subset>, double> weights = all_weights(families);
    double total = 0;
    for (const auto& [parents, weight] : weights) total += weight;
    if (weights.empty()) return;
    const Sample sample = draw(n, by_mask(families), kSamples, 1e6, 2, rule);
    std::map<std::vector<Subset>, double> counts;
    for (std::size_t i = 0; i < kSamples; ++i) {
        const auto first = sample.parents.begin() + static_cast<std::ptrdiff_t>(i * n);
        const std::vector<Subset> parents(first, first + n);
        ++counts[parents];
        CHECK(weights.contains(parents));
        std::int64_t score = 0;
        for (unsigned v = 0; v < n; ++v) score += families[v].at(parents[v]);
        CHECK(sample.scores[i] == score);
    }
    double statistic = 0, cells = 0;
    for (const auto& [parents, weight] : weights) {
        const double expected = weight / total * kSamples;
        if (expected < 5) continue;
        statistic += (counts[parents] - expected) * (counts[parents] - expected) / expected;
        ++cells;
    }
    // Five standard deviations.
    CHECK(statistic < cells + 5 * std::sqrt(2 * cells) + 1);
}

// Neither threads nor what is kept change a bit; weights span thousands of nats.
void test_same_bits(std::mt19937& random) {
    const Families families = random_families(7, 6, std::int64_t{3000} << kUnitBits, 0.2, random);
    const std::vector<std::int64_t> scores = by_mask(families);
    const Sample first = draw(7, scores, 100, 0, 1);
    for (const unsigned threads : {1U, 3U}) {
        const Sample other = draw(7, scores, 100, 1e6, threads);
        CHECK(other.parents == first.parents);
        CHECK(other.scores == first.scores);
        CHECK(other.loss.of_sets == first.loss.of_sets && other.loss.of_families == first.loss.of_families);
    }
    CHECK(first.loss.repeated == 0);
}

}  // namespace

int main() {
    std::mt19937 random(1);
    for (const unsigned n : {2U, 3U, 4U}) {
        for (unsigned max_parents = 1; max_parents < n; ++max_parents) {
            // Sinks are asked for, chosen at once, or chosen after one or two questions.
            for (const ChoiceRule rule : {ChoiceRule{}, ChoiceRule{0, 10}, ChoiceRule{1, 10}, ChoiceRule{1, 0.2}}) {
                test_frequencies(n, max_parents, 0, rule, random);
                test_frequencies(n, max_parents, 0.2, rule, random);
            }
        }
    }
    test_same_bits(random);
}
