// Stored sums and lists of families give samples of orders with the same probabilities of edges.
#include "dagscape/sampling/order_sampler.hpp"

#include <random>
#include <vector>

#include "check.hpp"
#include "dagscape/sums/tiled_order_sum.hpp"
#include "random_families.hpp"

using namespace dagscape;

namespace {

constexpr int kUnitBits = 30;
constexpr unsigned kVariables = 10, kMaxParents = 2;
constexpr std::size_t kSamples = 4000;

std::vector<std::uint64_t> seeds() {
    std::vector<std::uint64_t> found(kSamples);
    RandomBits random(3);
    for (std::uint64_t& seed : found) seed = random.next();
    return found;
}

// The shares of edges are within five Monte Carlo errors of the sum over orders.
void check_edges(const std::vector<Subset>& parents, const OrderSumResult& exact) {
    for (unsigned u = 0; u < kVariables; ++u) {
        for (unsigned v = 0; v < kVariables; ++v) {
            double count = 0;
            for (std::size_t i = 0; i < kSamples; ++i) count += contains(parents[i * kVariables + v], u);
            const double p = exact.edges[u * kVariables + v];
            CHECK_NEAR(count / kSamples, p, 5 * std::sqrt(p * (1 - p) / kSamples) + 2.0 / kSamples);
        }
    }
}

void test_both(std::int64_t range, std::mt19937& random) {
    const Families families = random_families(kVariables, kMaxParents, range << kUnitBits, 0.1, random);
    const std::vector<std::int64_t> masks = by_mask(families), sizes = by_size(families, kMaxParents);
    Monitor monitor;
    const ParentSums sums(kVariables, masks, kUnitBits, 1, monitor);
    const OrderSumResult exact = order_sum(sums, 1, monitor);
    if (exact.total_mantissa == 0) return;
    const std::vector<std::uint64_t> given = seeds();
    std::vector<Subset> parents(kSamples * kVariables);
    std::vector<std::int64_t> scores(kSamples);
    const SampledRows rows{given, parents, scores};
    sample_orders(sums, order_forward(sums, 1, monitor), masks, kUnitBits, rows, 1e6, 1, monitor);
    check_edges(parents, exact);

    std::vector<std::int64_t> packed(std::size_t{1} << kVariables);
    TiledOrderSum tiled(kVariables, kMaxParents, sizes, kUnitBits, packed);
    tiled.forward({kVariables, 0, {}}, 1, monitor);
    const SortedFamilies lists(FamilyScores::by_size(kVariables, kMaxParents, sizes), SortedFamilies::Keep::all, 1,
                               monitor);
    sample_listed_orders(lists, kUnitBits, packed, rows, 1e6, 1, monitor);
    check_edges(parents, exact);
    const std::vector<Subset> first = parents;
    sample_listed_orders(lists, kUnitBits, packed, rows, 0, 3, monitor);
    CHECK(parents == first);
}

}  // namespace

int main() {
    std::mt19937 random(2);
    for (const std::int64_t range : {2, 2000}) test_both(range, random);
}
