#include "dagscape/sampling/order_sampler.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dagscape/numbers/score_weights.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sampling/family_draw.hpp"

namespace dagscape {
namespace {

// The rest of a list is left out if it is certain to be below this part of the sum.
constexpr double kNegligible = 0x1p-60;

// Families with stored sums.
class StoredSums {
public:
    StoredSums(const ParentSums& sums, const SetSums& forward, std::span<const std::int64_t> scores, int unit_bits)
        : sums_(sums), forward_(forward), draw_(sums, scores, unit_bits) {}

    unsigned n() const noexcept { return sums_.n(); }
    ScaledNumber forward(Subset set) const noexcept { return forward_.get(set); }
    ScaledNumber sum(unsigned v, Subset set) const noexcept { return sums_.get(v, set); }
    std::optional<Subset> draw(unsigned v, Subset set, RandomBits& random, Drawn& drawn) {
        const auto parents = draw_.draw(v, 0, set, random, drawn.loss);
        if (parents) drawn.score += draw_.score(v, *parents);
        return parents;
    }

private:
    const ParentSums& sums_;
    const SetSums& forward_;
    FamilyDraw draw_;
};

// Families in lists.
class ListedSums {
public:
    ListedSums(const SortedFamilies& families, int unit_bits, std::span<const std::int64_t> packed)
        : families_(families), unit_bits_(unit_bits), packed_(packed) {}

    unsigned n() const noexcept { return families_.n(); }
    ScaledNumber forward(Subset set) const noexcept { return unpacked(packed_[set]); }
    ScaledNumber sum(unsigned v, Subset set) const noexcept {
        const auto [total, exponent] = scan(v, set, [](double, std::size_t) { return true; });
        return normalised({total, exponent});
    }
    std::optional<Subset> draw(unsigned v, Subset set, RandomBits& random, Drawn& drawn) {
        const double total = scan(v, set, [](double, std::size_t) { return true; }).first;
        if (total == 0) return std::nullopt;
        const double drawn_at = uniform(random) * total;
        std::size_t found = 0;
        scan(v, set, [&](double sum, std::size_t rank) {
            found = rank;
            return sum <= drawn_at;
        });
        drawn.score += families_.score(v, found);
        return families_.sets(v)[found];
    }

private:
    // Calls visit(sum so far, rank) for the families within a set, best first, while it returns true; returns the sum
    // and its exponent.
    template <class Visit>
    std::pair<double, double> scan(unsigned v, Subset set, Visit&& visit) const {
        const std::size_t count = families_.sets(v).size();
        std::size_t rank = families_.next_within(v, set, 0);
        if (rank == count) return {0, kNothing};
        const std::int64_t top = binary_log(families_.score(v, rank), unit_bits_).whole;
        double sum = 0;
        for (; rank < count; rank = families_.next_within(v, set, rank + 1)) {
            const BinaryLog log = binary_log(families_.score(v, rank), unit_bits_);
            const double weight = half_power(log.fraction) * power_of_two(static_cast<double>(log.whole - top));
            if (weight * static_cast<double>(count - rank) < kNegligible * sum) break;
            sum += weight;
            if (!visit(sum, rank)) break;
        }
        // half_power is half of the power.
        return {sum, static_cast<double>(top + 1)};
    }

    const SortedFamilies& families_;
    int unit_bits_;
    std::span<const std::int64_t> packed_;
};

// Draws on one thread.
template <class Sums>
class OrderWalker {
public:
    OrderWalker(Sums sums, double kept_bytes) : sums_(std::move(sums)), most_kept_bytes_(kept_bytes) {}

    Drawn draw(RandomBits& random, std::span<Subset> parents) {
        Drawn drawn;
        for (Subset left = (Subset{1} << sums_.n()) - 1; left != 0;) {
            const std::vector<double>& cumulative = weights(left);
            const double at = uniform(random) * cumulative.back();
            const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), at);
            if (found == cumulative.end()) throw LostSample{};
            Subset members = left;
            for (auto before = cumulative.begin(); before != found; ++before) members &= members - 1;
            const unsigned v = lowest(members);
            left &= ~singleton(v);
            const auto family = sums_.draw(v, left, random, drawn);
            if (!family) throw LostSample{};
            parents[v] = *family;
        }
        return drawn;
    }

private:
    // The cumulative weights of the members as the last ones.
    const std::vector<double>& weights(Subset set) {
        if (const auto found = kept_.find(set); found != kept_.end()) return found->second;
        terms_.clear();
        double unit = kNothing;
        for_each_member(set, [&](unsigned v) {
            const Subset rest = set & ~singleton(v);
            terms_.push_back(times(sums_.sum(v, rest), sums_.forward(rest)));
            if (terms_.back().mantissa != 0) unit = std::max(unit, terms_.back().exponent);
        });
        latest_.clear();
        double sum = 0;
        for (const ScaledNumber& term : terms_) {
            latest_.push_back(sum += term.mantissa * power_of_two(term.exponent - unit));
        }
        // About what a node of the map, its bucket and the numbers take.
        const double bytes = 80 + 8.0 * static_cast<double>(latest_.size());
        if (kept_bytes_ + bytes > most_kept_bytes_) return latest_;
        kept_bytes_ += bytes;
        return kept_.emplace(set, latest_).first->second;
    }

    Sums sums_;
    std::unordered_map<Subset, std::vector<double>> kept_;
    double most_kept_bytes_, kept_bytes_ = 0;
    std::vector<double> latest_;
    std::vector<ScaledNumber> terms_;
};

template <class Sums>
Loss sample_with(const Sums& sums, const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor) {
    using Walker = OrderWalker<Sums>;
    PerWorker<Walker> walkers(threads, [&] { return std::make_unique<Walker>(sums, kept_bytes); });
    return draw_rows(sums.n(), rows, threads, monitor,
                     [&](RandomBits& random, std::span<Subset> parents, unsigned worker) {
                         return walkers(worker).draw(random, parents);
                     });
}

}  // namespace

Loss sample_orders(const ParentSums& sums, const SetSums& forward, std::span<const std::int64_t> scores, int unit_bits,
                   const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor) {
    return sample_with(StoredSums(sums, forward, scores, unit_bits), rows, kept_bytes, threads, monitor);
}

Loss sample_listed_orders(const SortedFamilies& families, int unit_bits, std::span<const std::int64_t> packed,
                          const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor) {
    return sample_with(ListedSums(families, unit_bits, packed), rows, kept_bytes, threads, monitor);
}

}  // namespace dagscape
