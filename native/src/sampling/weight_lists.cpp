#include "dagscape/sampling/weight_lists.hpp"

#include "dagscape/numbers/score_weights.hpp"
#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

constexpr double kNegligible = 0x1p-46;

}  // namespace

WeightLists::WeightLists(const FamilyScores& families, int unit_bits, unsigned threads, Monitor& monitor)
    : families_(families, SortedFamilies::Keep::all, threads, monitor), weights_(families.n()) {
    run_tasks(families.n(), threads, monitor, [&](std::size_t task, unsigned) {
        const auto v = static_cast<unsigned>(task);
        std::vector<Weight>& weights = weights_[v];
        weights.resize(families_.sets(v).size());
        ScaledNumber rest;
        for (std::size_t rank = weights.size(); rank-- > 0;) {
            const BinaryLog log = binary_log(families_.score(v, rank), unit_bits);
            const auto exponent = static_cast<double>(log.whole + 1);
            const double mantissa = half_power(log.fraction);
            rest = plus({mantissa, exponent}, rest);
            weights[rank] = {mantissa, rest.mantissa * power_of_two(rest.exponent - exponent), exponent};
            rest = normalised(rest);
        }
    });
}

// Calls visit(sum so far, exponent, rank) for the families within a set, best first, while it returns true; returns the
// sum.
template <class Visit>
ScaledNumber WeightLists::scan(unsigned v, Subset set, Visit&& visit) const {
    const std::vector<Weight>& weights = weights_[v];
    std::size_t rank = families_.next_within(v, set, 0);
    if (rank == weights.size()) return {};
    const double unit = weights[rank].exponent;
    double sum = 0;
    for (; rank < weights.size(); rank = families_.next_within(v, set, rank + 1)) {
        const Weight& weight = weights[rank];
        const double scale = power_of_two(weight.exponent - unit);
        if (weight.rest * scale < kNegligible * sum) break;
        sum += weight.mantissa * scale;
        if (!visit(sum, unit, rank)) break;
    }
    return {sum, unit};
}

ScaledNumber WeightLists::best(unsigned v, Subset set) const noexcept {
    return scan(v, set, [](double, double, std::size_t) { return false; });
}

ScaledNumber WeightLists::sum(unsigned v, Subset set) const noexcept {
    return scan(v, set, [](double, double, std::size_t) { return true; });
}

std::size_t WeightLists::rank_at(unsigned v, Subset set, double share, ScaledNumber sum) const noexcept {
    std::size_t found = 0;
    scan(v, set, [&](double so_far, double unit, std::size_t rank) {
        found = rank;
        return so_far <= share * sum.mantissa * power_of_two(sum.exponent - unit);
    });
    return found;
}

}  // namespace dagscape
