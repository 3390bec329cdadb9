#include "dagscape/sums/order_ancestors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "dagscape/numbers/scaled.hpp"
#include "dagscape/runtime/byte_counts.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/layers.hpp"
#include "dagscape/sums/order_sum.hpp"

namespace dagscape {
namespace {

// At least this many terms for each task.
constexpr std::size_t kTermsOfTask = 1 << 14;

// A set of the variables other than s as a set of all variables, and back.
constexpr Subset with_gap(Subset set, unsigned s) noexcept {
    const Subset below = set & (singleton(s) - 1);
    return (set ^ below) << 1 | below;
}

// The place of every set of `variables` variables among those of its size, in increasing order.
std::vector<std::uint32_t> places(unsigned variables) {
    std::vector<std::uint32_t> place(std::size_t{1} << variables), seen(variables + 1, 0);
    for (Subset set = 0; set < place.size(); ++set) place[set] = seen[static_cast<unsigned>(std::popcount(set))]++;
    return place;
}

// The largest number of shares of one layer: C(n-1, k) 2^k.
double largest_layer(unsigned n) noexcept {
    double of_size = 1, largest = 1;
    for (unsigned k = 1; k < n && largest < kEndless; ++k) {
        of_size = of_size * 2 * (n - k) / k;
        largest = std::max(largest, of_size);
    }
    return largest;
}

class Descendants {
public:
    Descendants(const ParentSums& sums, const OrderWeights& weights, const SetSums& forward, unsigned threads,
                Monitor& monitor)
        : sums_(sums), weights_(weights), forward_(forward), place_(places(sums.n() - 1)), threads_(threads),
          monitor_(monitor) {
        const auto size = static_cast<std::size_t>(largest_layer(sums.n()));
        last_.resize(size);
        next_.resize(size);
    }

    // Adds P(s ⇝ t) for all t to a row; returns the sum of all shares.
    double add(unsigned s, double* row) {
        const unsigned others = sums_.n() - 1;
        for (unsigned k = 0; k <= others; ++k) {
            const std::vector<Subset> sets = layer(others, k);
            const std::size_t together = std::max<std::size_t>(1, kTermsOfTask >> (k + 1));
            run_tasks((sets.size() + together - 1) / together, threads_, monitor_, [&](std::size_t task, unsigned) {
                const std::size_t end = std::min(sets.size(), (task + 1) * together);
                for (std::size_t i = task * together; i < end; ++i) fill(s, sets[i], k);
            });
            std::swap(last_, next_);
        }
        double sum = 0;
        for (Subset T = 0; T < Subset{1} << others; ++T) {
            sum += last_[T];
            for_each_member(with_gap(T, s), [&](unsigned t) { row[t] += last_[T]; });
        }
        return sum;
    }

private:
    // F(U∖v) q_v(U∖v) / F(U), or nothing if U is impossible.
    ScaledNumber share_before(Subset U, unsigned v) const noexcept {
        const ScaledNumber whole = forward_.get(U), before = forward_.get(U & ~singleton(v));
        if (whole.mantissa == 0 || before.mantissa == 0) return {};
        return weights_.times({before.mantissa / whole.mantissa, before.exponent - whole.exponent}, v,
                              U & ~singleton(v));
    }

    static double plain(ScaledNumber value) noexcept { return value.mantissa * power_of_two(value.exponent); }

    // The shares p(U, T) of U = s and the k others in `set`, by T numbered by its members' places in the set.
    void fill(unsigned s, Subset set, unsigned k) {
        const Subset X = with_gap(set, s), U = X | singleton(s);
        double* const shares = &next_[std::size_t{place_[set]} << k];
        std::fill_n(shares, std::size_t{1} << k, 0.0);
        shares[0] = plain(times(share_before(U, s), sums_.get(s, X)));
        unsigned j = 0;
        for (Subset left = set; left != 0; left &= left - 1, ++j) {
            monitor_.check();
            const unsigned other = lowest(left), v = other < s ? other : other + 1;
            const ScaledNumber scale = share_before(U, v);
            if (scale.mantissa == 0) continue;
            add_last(v, j, X & ~singleton(v), scale, plain(times(scale, sums_.get(v, U & ~singleton(v)))),
                     &last_[std::size_t{place_[set & ~singleton(other)]} << (k - 1)], shares);
        }
        monitor_.advance(k == 0 ? 0 : std::uint64_t{k} << (k - 1));
    }

    // Adds the structures in which v, the member of U∖s at place j, comes last; `rest` are the others.
    void add_last(unsigned v, unsigned j, Subset rest, ScaledNumber scale, double whole, const double* before,
                  double* shares) const noexcept {
        const std::size_t below = (std::size_t{1} << j) - 1;
        Subset T = 0;
        std::size_t i = 0;
        do {
            const double apart = plain(times(scale, sums_.get(v, rest & ~T)));
            const std::size_t at = (i & ~below) << 1 | (i & below);
            shares[at] += before[i] * apart;
            shares[at | (below + 1)] += before[i] * std::max(0.0, whole - apart);
            T = (T - rest) & rest;
            ++i;
        } while (T != 0);
    }

    const ParentSums& sums_;
    const OrderWeights& weights_;
    const SetSums& forward_;
    std::vector<std::uint32_t> place_;
    std::vector<double> last_, next_;
    unsigned threads_;
    Monitor& monitor_;
};

}  // namespace

double order_ancestors_bytes(unsigned n) noexcept {
    const double sets = times_sets(2 * sizeof(double), n) + times_sets(sizeof(std::uint32_t), n - 1);
    return at_most_endless(sets + 2 * sizeof(double) * largest_layer(n));
}

OrderAncestors order_ancestors(const ParentSums& sums, unsigned threads, Monitor& monitor,
                               const OrderWeights& weights) {
    const unsigned n = sums.n();
    const double terms = n < 2 ? 0 : n * (n - 1) * std::pow(3.0, n - 2);
    monitor.expect((std::uint64_t{1} << n) + static_cast<std::uint64_t>(terms));
    const SetSums forward = order_forward(sums, threads, monitor, weights);
    OrderAncestors found{std::vector<double>(std::size_t{n} * n, 0)};
    Descendants descendants(sums, weights, forward, threads, monitor);
    for (unsigned s = 0; s < n; ++s) {
        const double sum = descendants.add(s, &found.ancestors[std::size_t{s} * n]);
        found.disagreement = std::max(found.disagreement, std::abs(sum - 1));
    }
    return found;
}

}  // namespace dagscape
