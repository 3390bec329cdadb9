#include "dagscape/sampling/order_sampler.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sampling/family_draw.hpp"

namespace dagscape {
namespace {

// What is known about the last variable of a set: some variables, their cumulative weights, and their sums A.
struct LastVariables {
    std::vector<unsigned> variables;
    std::vector<double> cumulative;
    std::vector<ScaledNumber> sums;

    // About what a node of the map, its bucket and the numbers of all variables take.
    double bytes() const noexcept { return 160 + 28.0 * static_cast<double>(variables.size()); }
};

// What samples share, up to some bytes.
class KeptSets {
public:
    explicit KeptSets(double most_bytes) : most_bytes_(most_bytes) {}

    // What is known about a set; find(set) finds it out if it is not there.
    template <class Find>
    LastVariables& operator()(Subset set, Find&& find) {
        if (const auto found = kept_.find(set); found != kept_.end()) return found->second;
        latest_ = find(set);
        if (bytes_ + latest_.bytes() > most_bytes_) return latest_;
        bytes_ += latest_.bytes();
        return kept_.emplace(set, std::move(latest_)).first->second;
    }

private:
    double most_bytes_, bytes_ = 0;
    std::unordered_map<Subset, LastVariables> kept_;
    LastVariables latest_;
};

// Draws on one thread from stored sums.
class StoredWalker {
public:
    StoredWalker(const ParentSums& sums, const SetSums& forward, std::span<const std::int64_t> scores, int unit_bits,
                 double kept_bytes)
        : sums_(sums), forward_(forward), families_(sums, scores, unit_bits), kept_(kept_bytes) {}

    Drawn draw(RandomBits& random, std::span<Subset> parents) {
        Drawn drawn;
        for (Subset left = (Subset{1} << sums_.n()) - 1; left != 0;) {
            const LastVariables& last = kept_(left, [&](Subset set) { return find(set); });
            const double at = uniform(random) * last.cumulative.back();
            const auto found = std::upper_bound(last.cumulative.begin(), last.cumulative.end(), at);
            if (found == last.cumulative.end()) throw LostSample{};
            const unsigned v = last.variables[static_cast<std::size_t>(found - last.cumulative.begin())];
            left &= ~singleton(v);
            const auto family = families_.draw(v, 0, left, random, drawn.loss);
            if (!family) throw LostSample{};
            parents[v] = *family;
            drawn.score += families_.score(v, *family);
        }
        return drawn;
    }

private:
    LastVariables find(Subset set) const {
        LastVariables last;
        const double unit = forward_.exponent[set];
        double sum = 0;
        for_each_member(set, [&](unsigned v) {
            const Subset rest = set & ~singleton(v);
            const ScaledNumber weight = times(sums_.get(v, rest), forward_.get(rest));
            last.variables.push_back(v);
            last.cumulative.push_back(sum += weight.mantissa * power_of_two(weight.exponent - unit));
        });
        return last;
    }

    const ParentSums& sums_;
    const SetSums& forward_;
    FamilyDraw families_;
    KeptSets kept_;
};

// Draws on one thread from lists.
class ListedWalker {
public:
    ListedWalker(const WeightLists& lists, std::span<const std::int64_t> packed, double kept_bytes)
        : lists_(lists), packed_(packed), kept_(kept_bytes) {}

    Drawn draw(RandomBits& random, std::span<Subset> parents) {
        Drawn drawn;
        for (Subset left = (Subset{1} << lists_.n()) - 1; left != 0;) {
            LastVariables& last = kept_(left, [&](Subset set) { return in_order(set); });
            const std::size_t found = find(left, uniform(random), last);
            const unsigned v = last.variables[found];
            left &= ~singleton(v);
            const std::size_t rank = lists_.rank_at(v, left, uniform(random), last.sums[found]);
            parents[v] = lists_.parents(v, rank);
            drawn.score += lists_.score(v, rank);
        }
        return drawn;
    }

private:
    // The variables that may be the last ones, those with the largest weights of one family first.
    LastVariables in_order(Subset set) const {
        std::vector<std::pair<ScaledNumber, unsigned>> found;
        for_each_member(set, [&](unsigned v) {
            const Subset rest = set & ~singleton(v);
            const ScaledNumber weight = times(lists_.best(v, rest), unpacked(packed_[rest]));
            if (weight.mantissa > 0) found.emplace_back(normalised(weight), v);
        });
        std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
            return std::tuple(a.first.exponent, a.first.mantissa, b.second) >
                   std::tuple(b.first.exponent, b.first.mantissa, a.second);
        });
        LastVariables last;
        for (const auto& [weight, v] : found) last.variables.push_back(v);
        return last;
    }

    // The place of the variable at a share of F(S). The last one has what rounding errors leave.
    std::size_t find(Subset set, double share, LastVariables& last) const {
        if (last.variables.empty()) throw LostSample{};
        const ScaledNumber total = unpacked(packed_[set]);
        const double at = share * total.mantissa;
        for (std::size_t place = 0;; ++place) {
            if (place == last.cumulative.size()) {
                const unsigned v = last.variables[place];
                const Subset rest = set & ~singleton(v);
                last.sums.push_back(lists_.sum(v, rest));
                const ScaledNumber weight = times(last.sums.back(), unpacked(packed_[rest]));
                const double before = place == 0 ? 0 : last.cumulative[place - 1];
                last.cumulative.push_back(before + weight.mantissa * power_of_two(weight.exponent - total.exponent));
            }
            if (last.cumulative[place] > at || place + 1 == last.variables.size()) return place;
        }
    }

    const WeightLists& lists_;
    std::span<const std::int64_t> packed_;
    KeptSets kept_;
};

template <class Walker, class Make>
Loss sample_with(unsigned n, const SampledRows& rows, unsigned threads, Monitor& monitor, Make&& make) {
    PerWorker<Walker> walkers(threads, make);
    return draw_rows(n, rows, threads, monitor, [&](RandomBits& random, std::span<Subset> parents, unsigned worker) {
        return walkers(worker).draw(random, parents);
    });
}

}  // namespace

Loss sample_orders(const ParentSums& sums, const SetSums& forward, std::span<const std::int64_t> scores, int unit_bits,
                   const SampledRows& rows, double kept_bytes, unsigned threads, Monitor& monitor) {
    return sample_with<StoredWalker>(sums.n(), rows, threads, monitor, [&] {
        return std::make_unique<StoredWalker>(sums, forward, scores, unit_bits, kept_bytes);
    });
}

Loss sample_listed_orders(const WeightLists& lists, std::span<const std::int64_t> packed, const SampledRows& rows,
                          double kept_bytes, unsigned threads, Monitor& monitor) {
    return sample_with<ListedWalker>(lists.n(), rows, threads, monitor,
                                     [&] { return std::make_unique<ListedWalker>(lists, packed, kept_bytes); });
}

}  // namespace dagscape
