#include "dagscape/sums/path_sum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dagscape/runtime/parallel.hpp"

namespace dagscape {
namespace {

constexpr std::size_t kChunks = 256;

// Sums over the sets inside one W; members of W are numbered by their position in it.
class InsideSums {
public:
    InsideSums(const ParentSums& sums, const DagSum& dags, Subset W)
        : members_(static_cast<unsigned>(std::popcount(W))) {
        for_each_member(W, [&](unsigned v) { variable_.push_back(v); });
        const std::size_t sets = std::size_t{1} << members_;
        expanded_.assign(sets, 0);
        for (std::size_t set = 1; set < sets; ++set) {
            expanded_[set] = expanded_[set & (set - 1)] | singleton(variable_[lowest(set)]);
        }
        mantissa_.resize(members_ * sets);
        exponent_.resize(members_ * sets);
        for (unsigned j = 0; j < members_; ++j) {
            for (std::size_t set = 0; set < sets; ++set) {
                if (contains(set, j)) continue;
                mantissa_[j * sets + set] = sums.mantissa(variable_[j], expanded_[set]);
                exponent_[j * sets + set] = sums.exponent(variable_[j], expanded_[set]);
            }
        }
        const auto whole = dags.forward(W);
        weight_.resize(sets);
        for (std::size_t set = 0; set < sets; ++set) {
            const auto part = dags.forward(expanded_[set]);
            weight_[set] = {part.mantissa / whole.mantissa, part.exponent - whole.exponent};
        }
        sum_backward();
    }

    unsigned members() const noexcept { return members_; }
    unsigned variable(unsigned member) const noexcept { return variable_[member]; }
    Subset expanded(std::size_t set) const noexcept { return expanded_[set]; }

    // Calls visit(U, s, h_s(W, U) / H(W)) for every U inside W and every s in W∖U.
    void for_each_distribution(const std::function<void(std::size_t, unsigned, double)>& visit) {
        const std::size_t all = weight_.size() - 1;
        for (std::size_t U = 0; U < all; ++U) {
            if (weight_[U].mantissa == 0) continue;
            // Gather the terms again, with that of X itself, relative to its reference.
            const std::size_t X = all & ~U;
            const std::size_t terms = gather_terms(U);
            terms_[terms - 1] = backward_[X];
            std::size_t length = terms;
            const double scale = weight_[U].exponent + reference_[X];
            for (std::size_t k = outside_.size(); k-- > 0;) {
                const std::size_t half = length / 2;
                double without = 0;
                for (std::size_t i = 0; i < half; ++i) {
                    without += terms_[i];
                    terms_[i] += terms_[half + i];
                }
                length = half;
                const double share = -weight_[U].mantissa * without * power_of_two(scale);
                if (share != 0) visit(U, outside_[k], share);
            }
        }
    }

private:
    // Computes w(Y) for all Y ⊊ X = W∖U, by Y's index among the subsets of X, relative to the reference of X. Returns
    // the number of these sets plus one.
    std::size_t gather_terms(std::size_t U) {
        const std::size_t sets = weight_.size();
        const std::size_t X = (sets - 1) & ~U;
        outside_.clear();
        for_each_member(X, [&](unsigned j) { outside_.push_back(j); });
        const std::size_t count = std::size_t{1} << outside_.size();
        product_.resize(count);
        product_exponent_.resize(count);
        taken_.resize(count);
        terms_.resize(count);
        product_[0] = 1;
        product_exponent_[0] = -reference_[X];
        taken_[0] = 0;
        for (std::size_t k = 0; k < outside_.size(); ++k) {
            const std::size_t half = std::size_t{1} << k;
            const double factor = -mantissa_[outside_[k] * sets + U], exponent = exponent_[outside_[k] * sets + U];
            for (std::size_t i = 0; i < half; ++i) {
                product_[half + i] = product_[i] * factor;
                product_exponent_[half + i] = product_exponent_[i] + exponent;
                taken_[half + i] = taken_[i] | singleton(outside_[k]);
            }
        }
        for (std::size_t i = 1; i < count; ++i) {
            const std::size_t Y = X & ~taken_[i];
            const double value = backward_[Y];
            terms_[count - 1 - i] =
                value == 0 ? 0 : product_[i] * value * power_of_two(product_exponent_[i] + reference_[Y]);
        }
        return count;
    }

    void sum_backward() {
        const std::size_t sets = weight_.size();
        backward_.assign(sets, 0);
        reference_.assign(sets, 0);
        backward_[0] = 1;
        for (std::size_t X = 1; X < sets; ++X) {
            const std::size_t U = (sets - 1) & ~X;
            double best = kNothing;
            for_each_member(X, [&](unsigned j) {
                const std::size_t rest = X & ~singleton(j);
                const double exponent = exponent_[j * sets + U];
                if (backward_[rest] != 0 && exponent > kNothing) best = std::max(best, reference_[rest] + exponent);
            });
            reference_[X] = best > kNothing ? best : 0;
            if (best == kNothing) continue;
            const std::size_t count = gather_terms(U);
            double sum = 0;
            for (std::size_t i = 0; i + 1 < count; ++i) sum += terms_[i];
            backward_[X] = -sum;
        }
    }

    unsigned members_;
    std::vector<unsigned> variable_;
    std::vector<Subset> expanded_;
    std::vector<double> mantissa_, exponent_;  // A by member and set
    std::vector<ScaledNumber> weight_;         // H(U) / H(W)
    std::vector<double> backward_, reference_;
    std::vector<unsigned> outside_;
    std::vector<double> product_, product_exponent_, terms_;
    std::vector<Subset> taken_;
};

void add_paths(const ParentSums& sums, const DagSum& dags, Subset W, std::vector<double>& paths) {
    const unsigned n = sums.n();
    const Subset outside = ((Subset{1} << n) - 1) & ~W;
    // There is no path via p to t if p has no descendants, and none from s if W is empty.
    if (W == 0 || std::popcount(outside) < 2 || dags.forward(W).mantissa == 0) return;
    InsideSums inside(sums, dags, W);
    std::vector<double> reached(std::size_t{n} * n, 0);  // [s * n + p]: the probability that s leads to p
    inside.for_each_distribution([&](std::size_t U, unsigned s, double share) {
        for_each_member(outside, [&](unsigned p) {
            const double whole = sums.mantissa(p, W);
            if (whole == 0) return;
            const Subset below = inside.expanded(U);
            const double ratio =
                sums.mantissa(p, below) / whole * power_of_two(sums.exponent(p, below) - sums.exponent(p, W));
            reached[inside.variable(s) * n + p] += share * (1 - ratio);
        });
    });
    for_each_member(W, [&](unsigned s) {
        for_each_member(outside, [&](unsigned p) {
            const double probability = dags.nondescendants(p, W) * reached[s * n + p];
            for_each_member(outside & ~singleton(p), [&](unsigned t) { paths[(s * n + p) * n + t] += probability; });
        });
    });
}

}  // namespace

std::size_t path_chunks(unsigned n) noexcept { return std::min<std::size_t>(kChunks, std::size_t{1} << n); }

void add_path_chunks(const ParentSums& sums, const DagSum& dags, std::size_t first, std::size_t end,
                     std::span<double> paths, unsigned threads, Monitor& monitor) {
    const unsigned n = sums.n();
    const Subset sets = Subset{1} << n;
    const std::size_t chunks = path_chunks(n);
    std::vector<std::vector<double>> parts(end - first);
    run_tasks(parts.size(), threads, monitor, [&](std::size_t task, unsigned) {
        parts[task].assign(paths.size(), 0);
        // Every chunk has sets of all sizes, because large sets cost most.
        for (Subset W = first + task; W < sets; W += chunks) {
            monitor.check();
            add_paths(sums, dags, W, parts[task]);
            monitor.advance(static_cast<std::uint64_t>(std::pow(3.0, std::popcount(W))));
        }
    });
    for (const std::vector<double>& part : parts) {
        std::transform(paths.begin(), paths.end(), part.begin(), paths.begin(), std::plus<>());
    }
}

double path_sum_bytes(unsigned n, unsigned threads) noexcept {
    // InsideSums: two numbers for every set and variable, and eight for every set.
    return times_sets(sizeof(double) * (2.0 * n + 8) * threads, n);
}

}  // namespace dagscape
