#include "dagscape/dag_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagscape/parallel.hpp"

namespace dagscape {
namespace {

// The reference of a set without any DAG: every number aligned to it vanishes.
constexpr double kNoReference = -kNothing;

// Tables of products cover this many variables at a time, so that they stay in the cache.
constexpr unsigned kInnerVariables = 6;

// Targets are distributed by which of this many variables they contain. Each target then has one owner, and receives
// its contributions in the same order for any number of threads.
constexpr unsigned kOwnerVariables = 3;

// The number of parts of a layer in the backward pass; their features are added in order.
constexpr std::size_t kChunks = 32;

// Zeros get the exponent kNothing, whatever their reference.
Lanes source_exponents(Lanes values, Lanes reference) {
    return values == broadcast(0) ? broadcast(kNothing) : reference;
}

// Products over all subsets of some variables, by doubling.
struct Products {
    std::vector<Lanes> mantissa, exponent;
    std::vector<Subset> set;
    std::size_t size = 0;

    void start(Lanes first, Lanes first_exponent, Subset first_set) {
        reserve(1);
        mantissa[0] = first;
        exponent[0] = first_exponent;
        set[0] = first_set;
        size = 1;
    }
    void extend(unsigned member, Lanes factor, Lanes factor_exponent) {
        reserve(2 * size);
        for (std::size_t i = 0; i < size; ++i) {
            mantissa[size + i] = mantissa[i] * factor;
            exponent[size + i] = exponent[i] + factor_exponent;
            set[size + i] = set[i] | singleton(member);
        }
        size *= 2;
    }

private:
    void reserve(std::size_t count) {
        if (mantissa.size() >= count) return;
        mantissa.resize(count);
        exponent.resize(count);
        set.resize(count);
    }
};

// Π over the members of a set of lane variables, with alternating sign.
ScaledNumber lane_product(const ParentSums& sums, Subset U, unsigned lanes) {
    ScaledNumber product{1, 0};
    for (unsigned v = 0; v < 2; ++v) {
        if (!contains(lanes, v)) continue;
        product.mantissa *= -sums.mantissa(v, U);
        product.exponent += sums.exponent(v, U);
    }
    return product;
}

// The sets of a layer: those with `size` members out of `variables` variables, in increasing order.
std::vector<Subset> layer(unsigned variables, unsigned size) {
    std::vector<Subset> sets;
    for (Subset set = (Subset{1} << size) - 1; set < Subset{1} << variables; set = next_of_same_size(set)) {
        sets.push_back(set);
        if (set == 0) break;
    }
    return sets;
}

// g over the lanes that one set has beyond another, for all pairs of sets of lanes; zero if it is not a superset.
struct LaneWeights {
    Lanes mantissa[4], exponent[4];

    void set(unsigned row, unsigned lane, ScaledNumber value) {
        mantissa[row][lane] = value.mantissa;
        exponent[row][lane] = value.exponent;
    }
};

template <class Visit>
void for_each_lane(Visit&& visit) {
    visit.template operator()<0>();
    visit.template operator()<1>();
    visit.template operator()<2>();
    visit.template operator()<3>();
}

}  // namespace

// The products of the forward pass, whose memory is reused from tile to tile.
struct DagSum::TargetProducts {
    Products inner, outer;
};

// The contribution of one part of the backward pass to the result.
struct DagSum::Features {
    explicit Features(const DagSumResult& result, unsigned n)
        : total_mantissa(result.total_mantissa), total_exponent(result.total_exponent), mass(n, 0), edges(n * n, 0),
          ancestors(n * n, 0) {}

    double total_mantissa, total_exponent;
    std::vector<double> mass, edges, ancestors;

    // For the current tile: products over the variables of X; w by X∖Y, summed over the outer and over the inner
    // variables; and w where Y lacks a lane.
    std::vector<unsigned> variables;
    Products inner, outer;
    std::vector<Lanes> inner_sum, outer_sum;
    Lanes without_0, without_1;
    LaneWeights weights;  // [y][u]: the lanes of X that are not in y, if U has the lanes u
    Lanes reference;      // of RR(X), by the lanes of U
};

DagSum::DagSum(const ParentSums& sums, unsigned threads, Monitor& monitor, bool record_nondescendants)
    : sums_(sums), threads_(threads), monitor_(monitor), forward_(std::size_t{1} << sums.n(), 0.0),
      forward_reference_(forward_.size()), backward_(forward_.size(), 0.0), backward_reference_(forward_.size()),
      nondescendants_(record_nondescendants ? forward_.size() * sums.n() : 0, 0.0) {}

DagSumResult DagSum::run() {
    // Each tile and each set disjoint from it, twice.
    monitor_.expect(2 * static_cast<std::uint64_t>(std::pow(3.0, tile_variables())));
    DagSumResult result;
    find_references();
    sum_forward();
    result.total_mantissa = forward_.back();
    result.total_exponent = forward_reference_.back();
    result.condition = top_condition();
    sum_backward(result);
    return result;
}

void DagSum::copy_forward(double* mantissa, double* exponent) const {
    for (std::size_t set = 0; set < forward_.size(); ++set) {
        const ScaledNumber value = normalised(forward(set));
        mantissa[set] = value.mantissa;
        exponent[set] = value.exponent;
    }
}

void DagSum::find_references() {
    const Subset all = (Subset{1} << n()) - 1;
    const auto best = [&](std::vector<double>& reference, Subset set, Subset candidates, auto&& before, auto&& source) {
        double highest = kNothing;
        for_each_member(candidates, [&](unsigned v) {
            const double other = reference[before(v)];
            const double weight = sums_.exponent(v, source(v));
            if (other < kNoReference && weight > kNothing) highest = std::max(highest, other + weight);
        });
        reference[set] = highest > kNothing ? highest : kNoReference;
    };
    forward_reference_[0] = 0;
    backward_reference_[0] = 0;
    for (Subset set = 1; set <= all; ++set) {
        if ((set & 0xFFFF) == 0) monitor_.check();
        const auto without = [&](unsigned v) { return set & ~singleton(v); };
        best(forward_reference_, set, set, without, without);
        // The first variable of X in an order comes after all variables outside X.
        best(backward_reference_, set, set, without, [&](unsigned) { return all & ~set; });
    }
}

void DagSum::sum_forward() {
    forward_[0] = 1;
    const unsigned owners = std::min(kOwnerVariables, tile_variables());
    const unsigned first_owner = tile_variables() - owners;
    const Subset owner_mask = (tiles() - 1) & ~((Subset{1} << first_owner) - 1);
    for (unsigned size = 0; size <= tile_variables(); ++size) {
        const std::vector<Subset> sources = layer(tile_variables(), size);
        for (const Subset tile : sources) finish_tile(tile);
        // Owners of many targets come first.
        run_tasks(std::size_t{1} << owners, threads_, monitor_, [&](std::size_t task, unsigned) {
            const Subset owned = (owner_mask - (static_cast<Subset>(task) << first_owner));
            TargetProducts products;
            for (const Subset tile : sources) {
                if ((tile & owner_mask & ~owned) == 0) push_tile(tile, owned, owner_mask, products);
            }
        });
    }
}

// Pushes from sets of a tile to other sets of the same tile.
void DagSum::finish_tile(Subset tile) {
    const std::size_t base = tile << 2;
    for (unsigned u = 0; u < 4; ++u) {
        if (forward_[base + u] == 0) continue;
        for (unsigned s = u + 1; s < 4; ++s) {
            if ((s & u) != u) continue;
            const ScaledNumber product = lane_product(sums_, base | u, s ^ u);
            const double scale = forward_reference_[base + u] + product.exponent - forward_reference_[base + s];
            forward_[base + s] -= forward_[base + u] * product.mantissa * power_of_two(scale);
        }
    }
}

void DagSum::push_tile(Subset tile, Subset owned, Subset owner_mask, TargetProducts& products_of_targets) {
    Products &inner = products_of_targets.inner, &outer = products_of_targets.outer;
    const std::size_t base = tile << 2;
    const Lanes values = load(&forward_[base]);
    LaneWeights weights;  // [u][s]: the lanes of s that are not in u
    for (unsigned u = 0; u < 4; ++u) {
        for (unsigned s = 0; s < 4; ++s) {
            weights.set(u, s, (s & u) == u ? lane_product(sums_, base | u, s ^ u) : ScaledNumber{});
        }
    }
    inner.start(broadcast(1), broadcast(0), 0);
    outer.start(-values, source_exponents(values, load(&forward_reference_[base])), tile);
    const auto extend = [&](Products& products, unsigned v) {
        products.extend(v, -sums_.mantissas(v + 2, base), sums_.exponents(v + 2, base));
    };
    // Every target of this owner contains all of these variables.
    for_each_member(owned & ~tile, [&](unsigned v) {
        outer.mantissa[0] *= -sums_.mantissas(v + 2, base);
        outer.exponent[0] += sums_.exponents(v + 2, base);
        outer.set[0] |= singleton(v);
    });
    unsigned taken = 0;
    for_each_member((tiles() - 1) & ~tile & ~owner_mask,
                    [&](unsigned v) { extend(taken++ < kInnerVariables ? inner : outer, v); });

    for (std::size_t i = 0; i < outer.size; ++i) {
        const Lanes outer_mantissa = outer.mantissa[i], outer_exponent = outer.exponent[i];
        // The tile itself is not a target.
        for (std::size_t k = outer.set[i] == tile ? 1 : 0; k < inner.size; ++k) {
            const Lanes source = outer_mantissa * inner.mantissa[k];
            const Lanes exponent = outer_exponent + inner.exponent[k];
            const std::size_t target = (outer.set[i] | inner.set[k]) << 2;
            const Lanes reference = load(&forward_reference_[target]);
            Lanes sum = load(&forward_[target]);
            for_each_lane([&]<int u>() {
                sum += spread<u>(source) * weights.mantissa[u] *
                       power_of_two(spread<u>(exponent) + weights.exponent[u] - reference);
            });
            store(&forward_[target], sum);
        }
    }
    monitor_.advance(outer.size * inner.size);
    monitor_.check();
}

void DagSum::sum_backward(DagSumResult& result) {
    Features all(result, n());
    for (unsigned size = tile_variables() + 1; size-- > 0;) {
        const std::vector<Subset> sources = layer(tile_variables(), size);
        const std::size_t chunks = std::min(kChunks, sources.size());
        std::vector<Features> parts(chunks, Features(result, n()));
        run_tasks(chunks, threads_, monitor_, [&](std::size_t chunk, unsigned) {
            const std::size_t end = sources.size() * (chunk + 1) / chunks;
            for (std::size_t i = sources.size() * chunk / chunks; i < end; ++i) pull_tile(sources[i], parts[chunk]);
        });
        const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
            std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
        };
        for (const Features& part : parts) {
            add(all.mass, part.mass);
            add(all.edges, part.edges);
            add(all.ancestors, part.ancestors);
        }
    }
    const double scale = backward_reference_.back() - result.total_exponent;
    result.disagreement = std::abs(backward_.back() * power_of_two(scale) / result.total_mantissa - 1);
    for (const double mass : all.mass) result.disagreement = std::max(result.disagreement, std::abs(mass - 1));
    result.edges = std::move(all.edges);
    result.ancestors = std::move(all.ancestors);
}

void DagSum::pull_tile(Subset tile, Features& features) {
    start_pull(tile, features);
    sum_subsets(tile, features);
    finish_pull(tile, features);
    // The sum over all Y without v is the sum over the sets X∖Y that contain v: fold the tables, starting with the last
    // variable.
    const auto fold = [&](std::vector<Lanes>& sums, std::size_t first, std::size_t count) {
        for (std::size_t v = count; v-- > 0;) {
            const std::size_t half = std::size_t{1} << v;
            Lanes upper = broadcast(0);
            for (std::size_t i = 0; i < half; ++i) {
                upper += sums[half + i];
                sums[i] += sums[half + i];
            }
            add_features(tile, features.variables[first + v] + 2, upper, features);
        }
    };
    const std::size_t variables = features.variables.size();
    const std::size_t inner_count = std::min<std::size_t>(variables, kInnerVariables);
    fold(features.inner_sum, 0, inner_count);
    fold(features.outer_sum, inner_count, variables - inner_count);
    add_features(tile, 0, Lanes{features.without_0[0], 0, features.without_0[2], 0}, features);
    add_features(tile, 1, Lanes{features.without_1[0], features.without_1[1], 0, 0}, features);
    monitor_.advance(features.outer.size * features.inner.size);
    monitor_.check();
}

// Computes the products over the variables of X.
void DagSum::start_pull(Subset tile, Features& features) {
    const std::size_t base = tile << 2;
    const Subset rest = (tiles() - 1) & ~tile;  // X without its lanes
    for (unsigned u = 0; u < 4; ++u) {
        const unsigned x = 3 ^ u;
        features.reference[u] = backward_reference_[rest << 2 | x];
        for (unsigned y = 0; y < 4; ++y) {
            features.weights.set(y, u, (y & u) == 0 ? lane_product(sums_, base | u, x ^ y) : ScaledNumber{});
        }
    }
    features.inner.start(broadcast(1), broadcast(0), 0);
    features.outer.start(broadcast(1), -features.reference, 0);
    features.variables.clear();
    for_each_member(rest, [&](unsigned v) {
        Products& products = features.variables.size() < kInnerVariables ? features.inner : features.outer;
        products.extend(v, -sums_.mantissas(v + 2, base), sums_.exponents(v + 2, base));
        features.variables.push_back(v);
    });
}

// Computes w(Y) for all Y that lack a variable of X other than the lanes.
void DagSum::sum_subsets(Subset tile, Features& features) const {
    const Subset rest = (tiles() - 1) & ~tile;
    const Products &inner = features.inner, &outer = features.outer;
    const LaneWeights weights = features.weights;
    features.inner_sum.assign(inner.size, broadcast(0));
    features.outer_sum.assign(outer.size, broadcast(0));
    Lanes without_0 = broadcast(0), without_1 = broadcast(0);
    for (std::size_t i = 0; i < outer.size; ++i) {
        const Lanes outer_mantissa = outer.mantissa[i], outer_exponent = outer.exponent[i];
        Lanes outer_sum = broadcast(0);
        for (std::size_t k = i == 0 ? 1 : 0; k < inner.size; ++k) {
            const Lanes factor = outer_mantissa * inner.mantissa[k];
            const Lanes exponent = outer_exponent + inner.exponent[k];
            const std::size_t below = (rest & ~(outer.set[i] | inner.set[k])) << 2;
            const Lanes values = load(&backward_[below]);
            const Lanes value_exponents = source_exponents(values, load(&backward_reference_[below]));
            Lanes term[4];
            for_each_lane([&]<int y>() {
                term[y] = spread<y>(values) * weights.mantissa[y] *
                          power_of_two(spread<y>(value_exponents) + weights.exponent[y] + exponent);
            });
            const Lanes w = factor * ((term[0] + term[1]) + (term[2] + term[3]));
            without_0 += factor * (term[0] + term[2]);
            without_1 += factor * (term[0] + term[1]);
            features.inner_sum[k] += w;
            outer_sum += w;
        }
        features.outer_sum[i] = outer_sum;
    }
    features.without_0 = without_0;
    features.without_1 = without_1;
}

// Computes RR of the tile's own sets, smallest first, and adds the contributions of all Y that lack only lanes of X.
void DagSum::finish_pull(Subset tile, Features& features) {
    const std::size_t rest_base = ((tiles() - 1) & ~tile) << 2;
    Lanes everything = broadcast(0);
    for (const Lanes part : features.outer_sum) everything += part;
    for (unsigned x = 0; x < 4; ++x) {
        const unsigned u = 3 ^ x;
        double own = everything[u];
        for (unsigned y = 0; y < x; ++y) {
            if ((y & ~x) != 0 || backward_[rest_base | y] == 0) continue;
            const double scale =
                backward_reference_[rest_base | y] + features.weights.exponent[y][u] - features.reference[u];
            const double term = backward_[rest_base | y] * features.weights.mantissa[y][u] * power_of_two(scale);
            own += term;
            if ((y & 1) == 0) features.without_0[u] += term;
            if ((y & 2) == 0) features.without_1[u] += term;
        }
        backward_[rest_base | x] = (rest_base | x) == 0 ? 1.0 : -own;
    }
}

// Computes q_v for the four sets of a tile, from the sums of w over all Y without v.
void DagSum::add_features(Subset tile, unsigned v, Lanes unfinished, Features& features) {
    const std::size_t base = tile << 2;
    const std::size_t rest_base = ((tiles() - 1) & ~tile) << 2;
    const Lanes values = load(&forward_[base]);
    Lanes reference;  // of RR, by the lanes of U
    for (unsigned u = 0; u < 4; ++u) {
        reference[u] = backward_[rest_base | (3 ^ u)] == 0 ? kNothing : backward_reference_[rest_base | (3 ^ u)];
    }
    const Lanes scale = source_exponents(values, load(&forward_reference_[base])) + reference;
    const Lanes q = -values * unfinished / broadcast(features.total_mantissa) *
                    power_of_two(scale - broadcast(features.total_exponent));
    const double mass = sum(q);
    if (mass == 0) return;
    features.mass[v] += mass;
    if (!nondescendants_.empty()) store(&nondescendants_[(std::size_t{v} << n()) + base], q);
    double* ancestors = &features.ancestors[v * n()];
    for_each_member((tiles() - 1) & ~tile, [&](unsigned t) {
        if (t + 2 != v) ancestors[t + 2] += mass;
    });
    if (v != 0) ancestors[0] += q[0] + q[2];
    if (v != 1) ancestors[1] += q[0] + q[1];

    // P(u → v): the share of v's families inside U that contain u.
    for (unsigned lanes = 0; lanes < 4; ++lanes) {
        if (q[lanes] == 0) continue;
        const Subset U = base | lanes;
        const double whole = sums_.mantissa(v, U), whole_exponent = sums_.exponent(v, U);
        for_each_member(U, [&](unsigned u) {
            const Subset less = U & ~singleton(u);
            const double ratio =
                sums_.mantissa(v, less) / whole * power_of_two(sums_.exponent(v, less) - whole_exponent);
            features.edges[u * n() + v] += q[lanes] * (1 - ratio);
        });
    }
}

// Σ |H(U) g_U(V∖U)| / H(V): the factor by which rounding errors of the terms are amplified in the total.
double DagSum::top_condition() const {
    const Subset all = (Subset{1} << n()) - 1;
    double magnitude = 0;
    for (Subset U = 0; U < all; ++U) {
        if ((U & 0xFFFF) == 0) monitor_.check();
        double product = std::abs(forward_[U]);
        double exponent = product == 0 ? kNothing : forward_reference_[U] - forward_reference_[all];
        for_each_member(all & ~U, [&](unsigned v) {
            product *= sums_.mantissa(v, U);
            exponent += sums_.exponent(v, U);
        });
        magnitude += product * power_of_two(exponent);
    }
    return magnitude / forward_[all];
}

}  // namespace dagscape
