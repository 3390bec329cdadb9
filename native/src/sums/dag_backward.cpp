#include "dagscape/sums/dag_backward.hpp"

#include <algorithm>

#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/layers.hpp"

namespace dagscape {
namespace {

// The number of parts of a layer; their features are added in order.
constexpr std::size_t kChunks = 32;

// Shares of the total below 2^-n of this add nothing to probabilities.
constexpr double kNegligible = -64;

// From the lanes of a set to those of its complement.
Lanes reversed(Lanes values) { return shuffled<3, 2, 1, 0>(values, values); }

// From the first row of a tile: the sums of variable 0 and of variable 1 by lanes of U, zero for sets that contain it.
ScaledLanes of_first(ScaledLanes row) {
    return {shuffled<0, 4, 1, 4>(row.mantissa, broadcast(0)), shuffled<0, 4, 1, 4>(row.exponent, broadcast(kNothing))};
}
ScaledLanes of_other(ScaledLanes row) {
    return {shuffled<2, 3, 4, 4>(row.mantissa, broadcast(0)), shuffled<2, 3, 4, 4>(row.exponent, broadcast(kNothing))};
}

// The sums for U without variable 0, and without variable 1.
ScaledLanes without_first(ScaledLanes row) {
    return {shuffled<0, 0, 2, 2>(row.mantissa, row.mantissa), shuffled<0, 0, 2, 2>(row.exponent, row.exponent)};
}
ScaledLanes without_other(ScaledLanes row) {
    return {shuffled<0, 1, 0, 1>(row.mantissa, row.mantissa), shuffled<0, 1, 0, 1>(row.exponent, row.exponent)};
}

std::size_t rounded_to_lanes(unsigned n) { return (n + 3) / 4 * 4; }

}  // namespace

// The tables for the current tile, whose memory is reused from tile to tile; and the features of a part of a layer.
struct DagBackward::Part {
    explicit Part(unsigned n)
        : mass(n, broadcast(0)), edges(n * n, broadcast(0)), ancestors(n * rounded_to_lanes(n), 0),
          outside(rounded_to_lanes(n)), share(n), scaled(n), exponent(n) {}

    std::vector<Lanes> mass, edges;  // as in DagFeatures, by the lanes of U; [u * n + v]
    std::vector<double> ancestors;   // [s * rounded_to_lanes(n) + t]
    std::vector<double> outside;     // [t]: 1 for the members of X other than the lanes
    // For the current tile: q, q / A without its exponent, and the exponent, by variable.
    std::vector<Lanes> share, scaled, exponent;
};

struct DagBackward::Work {
    Subset tile = 0;
    // Products over the variables of X, and w by X∖Y, summed over all but the inner, the middle and the outer
    // variables; and w where Y lacks a lane.
    std::vector<unsigned> variables;
    ScaledProducts outer, middle, scaled_inner;
    PlainProducts inner;
    std::vector<Lanes> inner_sum, middle_sum, outer_sum;
    Lanes without_0{}, without_1{};
    LaneWeights weights{};  // [y][u]: the lanes of X that are not in y, if U has the lanes u
    Lanes reference{};      // of these sums, by the lanes of U
    ScaledLanes forward{};  // H(U)
};

DagBackward::DagBackward(const ParentSums& sums, const BlockRange& range, const SetNumbers& forward,
                         bool record_nondescendants)
    : sums_(sums), range_(range), forward_(forward), numbers_(sums.n()), features_(sums.n()),
      nondescendants_(record_nondescendants ? std::size_t{sums.n()} << sums.n() : 0, 0.0) {}

void DagBackward::start(unsigned threads, Monitor& monitor) {
    const Subset all = (Subset{1} << sums_.n()) - 1;
    // The first variable of X in an order comes after all variables outside X.
    numbers_.find_references(
        threads, monitor,
        [&](unsigned v, Subset tile) {
            return reversed(sums_.row(sums_.row_of(v + kLaneVariables, (tiles() - 1) & ~tile)).exponent);
        },
        [&](unsigned v, Subset X) { return sums_.exponent(v, all & ~X); });
    numbers_.choose_units(range_);
    total_ = forward_.get(all);
}

void DagBackward::run_layer(unsigned size, unsigned threads, Monitor& monitor) {
    const unsigned n = sums_.n();
    const std::vector<Subset> sources = layer(tile_variables(), size);
    const std::size_t chunks = std::min(kChunks, sources.size());
    std::vector<Part> parts(chunks, Part(n));
    run_tasks(chunks, threads, monitor, [&](std::size_t chunk, unsigned) {
        const std::size_t end = sources.size() * (chunk + 1) / chunks;
        std::vector<Work> group(kLargestGroup);
        for (std::size_t first = sources.size() * chunk / chunks, next; first < end; first = next) {
            next = group_end(sources, first, end, numbers_.inner_variables());
            for (std::size_t i = first; i < next; ++i) find_products(sources[i], group[i - first]);
            pull_group({group.data(), next - first});
            for (std::size_t i = first; i < next; ++i) finish_tile(group[i - first], parts[chunk]);
            monitor.advance((next - first) << (tile_variables() - size));
            monitor.check();
        }
    });
    for (const Part& part : parts) {
        for (unsigned v = 0; v < n; ++v) {
            features_.mass()[v] += sum(part.mass[v]);
            for (unsigned t = 0; t < n; ++t) {
                features_.ancestors()[v * n + t] += t == v ? 0 : part.ancestors[v * rounded_to_lanes(n) + t];
                features_.edges()[v * n + t] += sum(part.edges[v * n + t]);
            }
        }
    }
}

void DagBackward::finish_tile(Work& work, Part& part) {
    finish_pull(work);
    std::fill(part.outside.begin(), part.outside.end(), 0);
    for (const unsigned v : work.variables) part.outside[v + kLaneVariables] = 1;
    std::fill(part.share.begin(), part.share.end(), broadcast(0));
    // The sum over all Y without v is the sum over the sets X∖Y that contain v: fold the tables, starting with the last
    // variable.
    auto variable = work.variables.rbegin();
    for (std::vector<Lanes>* sums : {&work.outer_sum, &work.middle_sum, &work.inner_sum}) {
        for (std::size_t half = sums->size() / 2; half > 0; half /= 2) {
            Lanes upper = broadcast(0);
            for (std::size_t i = 0; i < half; ++i) {
                upper += (*sums)[half + i];
                (*sums)[i] += (*sums)[half + i];
            }
            add_features(work, *variable++ + kLaneVariables, upper, part);
        }
    }
    add_features(work, 0, Lanes{work.without_0[0], 0, work.without_0[2], 0}, part);
    add_features(work, 1, Lanes{work.without_1[0], work.without_1[1], 0, 0}, part);
    add_edges(work, part);
}

// Computes the products over the variables of X.
void DagBackward::find_products(Subset tile, Work& work) const {
    const Subset rest = (tiles() - 1) & ~tile;  // X without its lanes
    work.tile = tile;
    work.forward = forward_.get_tile(tile);
    work.reference = reversed(numbers_.references(rest)) - broadcast(range_.lift);
    const LaneFactors lane(sums_, tile);
    constexpr ScaledNumber zero, one{1, 0};
    work.weights = {
        {LaneWeights::lanes(times(lane.first, lane.other), lane.other_after_first, lane.first_after_other, one),
         LaneWeights::lanes(lane.other, zero, one, zero), LaneWeights::lanes(lane.first, one, zero, zero),
         LaneWeights::lanes(one, zero, zero, zero)}};
    work.inner.start(work.weights, range_);
    work.scaled_inner.start({broadcast(1), broadcast(0)}, 0);
    work.middle.start({broadcast(1), broadcast(0)}, 0);
    work.outer.start({broadcast(1), -work.reference}, 0);
    work.variables.clear();
    std::size_t row = sums_.first_row(tile) + 1;
    for_each_member(rest, [&](unsigned v) {
        work.variables.push_back(v);
        const ScaledLanes next = negative(sums_.row(row++));
        if (v >= numbers_.inner_variables()) {
            (work.middle.size() >> kMiddleVariables == 0 ? work.middle : work.outer).extend(v, next);
            return;
        }
        const Lanes plain = range_.plain(next.mantissa, next.exponent);
        work.inner.extend(v, {plain, plain, plain, plain}, range_);
        if (numbers_.any_wide()) work.scaled_inner.extend(v, next);
    });
}

// Computes w(Y) for all Y that lack a variable of X other than the lanes.
void DagBackward::pull_group(std::span<Work> group) const {
    for (Work& work : group) {
        work.inner_sum.assign(work.inner.size(), broadcast(0));
        work.middle_sum.assign(work.middle.size(), broadcast(0));
        work.outer_sum.assign(work.outer.size(), broadcast(0));
        work.without_0 = work.without_1 = broadcast(0);
    }
    // Several tiles pull from the same sets while these are in the cache.
    for (std::size_t i = 0; i < group[0].outer.size(); ++i) {
        for (Work& work : group) {
            for (std::size_t j = 0; j < work.middle.size(); ++j) {
                const Lanes sum =
                    pull(times(work.outer[i], work.middle[j]), work.outer.set(i) | work.middle.set(j), work);
                work.outer_sum[i] += sum;
                work.middle_sum[j] += sum;
            }
        }
    }
}

// Adds w(Y) for all Y that lack the given variables, and any inner variables and lanes; returns their sum.
Lanes DagBackward::pull(ScaledLanes outer, Subset lacking, Work& work) const {
    const Subset largest = (tiles() - 1) & ~work.tile & ~lacking;
    const std::size_t first = lacking == 0 ? 1 : 0;  // X itself has no term
    if (!numbers_.is_narrow(largest)) return pull_scaled(outer, largest, first, work);
    const Lanes exponent = outer.exponent + broadcast(numbers_.block_unit(largest));
    const LaneBits kept = exponent >= broadcast(range_.lowest_factor) && exponent <= broadcast(range_.highest_factor);
    if (!any(kept)) return broadcast(0);
    return pull_plain(kept ? outer.mantissa * power_of_two(exponent) : broadcast(0), largest, first, work);
}

Lanes DagBackward::pull_plain(Lanes outer, Subset largest, std::size_t first, Work& work) const {
    const double* const values = numbers_.value.data();
    const PlainProducts::Rows* const rows = work.inner.rows();
    const std::uint32_t* const sets = work.inner.sets();
    Lanes* const inner_sum = work.inner_sum.data();
    const std::size_t size = work.inner.size();
    Lanes all = broadcast(0), without_0 = broadcast(0), without_1 = broadcast(0);
    for (std::size_t k = first; k < size; ++k) {
        const PlainProducts::Rows& row = rows[k];
        const double* const from = values + ((largest & ~Subset{sets[k]}) << kLaneVariables);
        const Lanes term_0 = broadcast(from[0]) * row[0], term_1 = broadcast(from[1]) * row[1];
        const Lanes term_2 = broadcast(from[2]) * row[2], term_3 = broadcast(from[3]) * row[3];
        const Lanes lacking_1 = term_0 + term_1;
        const Lanes terms = lacking_1 + (term_2 + term_3);
        all += terms;
        without_0 += term_0 + term_2;
        without_1 += lacking_1;
        inner_sum[k] += outer * terms;
    }
    work.without_0 += outer * without_0;
    work.without_1 += outer * without_1;
    return outer * all;
}

Lanes DagBackward::pull_scaled(ScaledLanes outer, Subset largest, std::size_t first, Work& work) const {
    Lanes all = broadcast(0), without_0 = broadcast(0), without_1 = broadcast(0);
    for (std::size_t k = first; k < work.scaled_inner.size(); ++k) {
        const ScaledLanes factor = times(outer, work.scaled_inner[k]);
        const ScaledLanes numbers = numbers_.get_tile(largest & ~work.scaled_inner.set(k));
        Lanes term[4];
        for_each_lane([&]<int y>() {
            const ScaledLanes& weight = work.weights.row[y];
            term[y] = spread<y>(numbers.mantissa) * weight.mantissa *
                      power_of_two(spread<y>(numbers.exponent) + weight.exponent + factor.exponent);
        });
        const Lanes terms = factor.mantissa * ((term[0] + term[1]) + (term[2] + term[3]));
        all += terms;
        without_0 += factor.mantissa * (term[0] + term[2]);
        without_1 += factor.mantissa * (term[0] + term[1]);
        work.inner_sum[k] += terms;
    }
    work.without_0 += without_0;
    work.without_1 += without_1;
    return all;
}

// Computes RR of the tile's own sets, smallest first, and adds the contributions of all Y that lack only lanes of X.
void DagBackward::finish_pull(Work& work) {
    const Subset rest_base = ((tiles() - 1) & ~work.tile) << kLaneVariables;
    Lanes everything = broadcast(0);
    for (const Lanes part : work.outer_sum) everything += part;
    for (unsigned x = 0; x < 4; ++x) {
        const unsigned u = 3 ^ x;
        double own = everything[u];
        for (unsigned y = 0; y < x; ++y) {
            if ((y & ~x) != 0) continue;
            const ScaledNumber product = times(numbers_.get(rest_base | y), work.weights.row[y].get(u));
            const double term = product.mantissa * power_of_two(product.exponent - work.reference[u]);
            own += term;
            if ((y & 1) == 0) work.without_0[u] += term;
            if ((y & 2) == 0) work.without_1[u] += term;
        }
        numbers_.set(rest_base | x, (rest_base | x) == 0 ? ScaledNumber{1, 0} : ScaledNumber{-own, work.reference[u]});
    }
}

// Computes q_v for the four sets of a tile, from the sums of w over all Y without v.
void DagBackward::add_features(const Work& work, unsigned v, Lanes sums, Part& part) {
    const ScaledLanes normal = normalised(ScaledLanes{sums, work.reference});
    const Lanes exponent = work.forward.exponent + normal.exponent - broadcast(total_.exponent);
    const LaneBits relevant = exponent > broadcast(kNegligible - sums_.n());
    if (!any(relevant)) return;
    const Lanes share = -work.forward.mantissa * normal.mantissa / broadcast(total_.mantissa) * power_of_two(exponent);
    const Lanes q = relevant ? share : broadcast(0);
    if (!nondescendants_.empty()) {
        store(&nondescendants_[(std::size_t{v} << sums_.n()) + (work.tile << kLaneVariables)], q);
    }
    part.mass[v] += q;
    const Lanes mass = broadcast(sum(q));
    double* const ancestors = &part.ancestors[v * part.outside.size()];
    for (std::size_t t = 0; t < part.outside.size(); t += 4) {
        store(ancestors + t, load(ancestors + t) + mass * load(&part.outside[t]));
    }
    ancestors[0] += q[0] + q[2];
    ancestors[1] += q[0] + q[1];
    part.share[v] = q;
}

// P(u → v): the share of v's families inside U that contain u.
void DagBackward::add_edges(const Work& work, Part& part) const {
    const unsigned n = sums_.n();
    const auto scale = [&](unsigned v, ScaledLanes whole) {
        part.scaled[v] = part.share[v] / (whole.mantissa == broadcast(0) ? broadcast(1) : whole.mantissa);
        part.exponent[v] = whole.exponent;
    };
    // q (1 - A(U∖u) / A(U))
    const auto with = [&](unsigned v, ScaledLanes less) {
        return part.share[v] - part.scaled[v] * less.mantissa * power_of_two(less.exponent - part.exponent[v]);
    };
    const std::size_t first = sums_.first_row(work.tile);
    scale(0, of_first(sums_.row(first)));
    scale(1, of_other(sums_.row(first)));
    for (std::size_t i = 0; i < work.variables.size(); ++i) {
        const unsigned v = work.variables[i] + kLaneVariables;
        const ScaledLanes whole = sums_.row(first + 1 + i);
        scale(v, whole);
        const Lanes with_0 = with(v, without_first(whole)), with_1 = with(v, without_other(whole));
        part.edges[v] += Lanes{0, with_0[1], 0, with_0[3]};
        part.edges[n + v] += Lanes{0, 0, with_1[2], with_1[3]};
    }
    const Lanes from_1 = with(0, without_other(of_first(sums_.row(first))));
    const Lanes from_0 = with(1, without_first(of_other(sums_.row(first))));
    part.edges[n] += Lanes{0, 0, from_1[2], 0};
    part.edges[1] += Lanes{0, from_0[1], 0, 0};
    for_each_member(work.tile, [&](unsigned u) {
        const std::size_t less = sums_.first_row(work.tile & ~singleton(u));
        Lanes* const edges = &part.edges[(u + kLaneVariables) * n];
        edges[0] += with(0, of_first(sums_.row(less)));
        edges[1] += with(1, of_other(sums_.row(less)));
        // u itself has a row, too.
        for (std::size_t i = 0; i < work.variables.size(); ++i) {
            const unsigned v = work.variables[i];
            edges[v + kLaneVariables] += with(v + kLaneVariables, sums_.row(less + 1 + i + (v > u ? 1 : 0)));
        }
    });
}

}  // namespace dagscape
