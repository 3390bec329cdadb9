#include "dagscape/sums/dag_forward.hpp"

#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/layers.hpp"

namespace dagscape {
namespace {

// Targets are distributed by which of this many variables they contain. Each target then has one owner, and receives
// its contributions in the same order for any number of threads.
constexpr unsigned kOwnerVariables = 3;

}  // namespace

// The products for one tile, whose memory is reused from tile to tile.
struct DagForward::Work {
    Subset tile = 0;
    LaneWeights weights{};  // [u][s]: the lanes of s that are not in u
    ScaledProducts outer, middle, scaled_inner;
    PlainProducts inner;
};

DagForward::DagForward(const ParentSums& sums, const BlockRange& range)
    : sums_(sums), range_(range), numbers_(sums.n()) {}

void DagForward::start(unsigned threads, Monitor& monitor) {
    // The last variable of a set in an order comes after all others.
    numbers_.find_references(
        threads, monitor,
        [&](unsigned v, Subset tile) {
            const Subset others = tile & ~singleton(v);
            return sums_.row(sums_.row_of(v + kLaneVariables, others)).exponent;
        },
        [&](unsigned v, Subset S) { return sums_.exponent(v, S & ~singleton(v)); });
    numbers_.choose_units(range_);
    // Restored numbers have it already.
    numbers_.set(0, {1, 0});
}

void DagForward::run_layer(unsigned size, unsigned threads, Monitor& monitor) {
    const std::vector<Subset> sources = layer(tile_variables(), size);
    for_each_of_layer(sources, threads, monitor, [&](Subset tile) { finish_tile(tile); });
    const unsigned owners = std::min(kOwnerVariables, tile_variables() - numbers_.inner_variables());
    const unsigned first_owner = tile_variables() - owners;
    const Subset owner_mask = ((Subset{1} << owners) - 1) << first_owner;
    // Owners of many targets come first.
    run_tasks(std::size_t{1} << owners, threads, monitor, [&](std::size_t task, unsigned) {
        const Subset owned = owner_mask - (static_cast<Subset>(task) << first_owner);
        std::vector<Work> group(kLargestGroup);
        for (std::size_t first = 0, end; first < sources.size(); first = end) {
            end = group_end(sources, first, sources.size(), numbers_.inner_variables());
            if ((sources[first] & owner_mask & ~owned) != 0) continue;
            for (std::size_t i = first; i < end; ++i) find_products(sources[i], owned, owner_mask, group[i - first]);
            push_group({group.data(), end - first});
            monitor.advance((end - first) << (first_owner - std::popcount(sources[first] & ~owner_mask)));
            monitor.check();
        }
    });
}

// Pushes from sets of a tile to other sets of the same tile.
void DagForward::finish_tile(Subset tile) {
    const Subset base = tile << kLaneVariables;
    const LaneFactors lane(sums_, tile);
    const auto push = [&](unsigned from, unsigned to, ScaledNumber product) {
        const ScaledNumber source = numbers_.get(base | from);
        numbers_.add(base | to, times({-source.mantissa, source.exponent}, product));
    };
    push(0, 1, lane.first);
    push(0, 2, lane.other);
    push(0, 3, times(lane.first, lane.other));
    push(1, 3, lane.other_after_first);
    push(2, 3, lane.first_after_other);
}

void DagForward::push_group(std::span<const Work> group) {
    // Several tiles push to the same targets while these are in the cache.
    for (std::size_t i = 0; i < group[0].outer.size(); ++i) {
        for (const Work& work : group) {
            for (std::size_t j = 0; j < work.middle.size(); ++j) {
                push(times(work.outer[i], work.middle[j]), work.outer.set(i) | work.middle.set(j), work);
            }
        }
    }
}

void DagForward::push(ScaledLanes outer, Subset target, const Work& work) {
    const std::size_t first = target == work.tile ? 1 : 0;  // the tile itself is not a target
    if (numbers_.is_narrow(target)) {
        const Lanes exponent = outer.exponent - broadcast(numbers_.block_unit(target));
        const LaneBits kept = exponent >= broadcast(range_.lowest_outer);
        if (any(kept)) push_plain(kept ? outer.mantissa * power_of_two(exponent) : broadcast(0), target, first, work);
    } else if (any(outer.exponent >= numbers_.references(target) - broadcast(range_.drop))) {
        push_scaled(outer, target, first, work);
    }
}

void DagForward::find_products(Subset tile, Subset owned, Subset owner_mask, Work& work) const {
    work.tile = tile;
    const LaneFactors lane(sums_, tile);
    constexpr ScaledNumber zero, one{1, 0};
    work.weights = {{LaneWeights::lanes(one, lane.first, lane.other, times(lane.first, lane.other)),
                     LaneWeights::lanes(zero, one, zero, lane.other_after_first),
                     LaneWeights::lanes(zero, zero, one, lane.first_after_other),
                     LaneWeights::lanes(zero, zero, zero, one)}};
    work.inner.start(work.weights, range_);
    work.scaled_inner.start({broadcast(1), broadcast(0)}, 0);
    ScaledLanes first = negative(numbers_.get_tile(tile));
    // Every target of this owner contains all of these variables.
    for_each_member(owned & ~tile, [&](unsigned v) {
        first = times(first, negative(sums_.row(sums_.row_of(v + kLaneVariables, tile))));
    });
    work.outer.start(first, tile | owned);
    work.middle.start({broadcast(1), broadcast(0)}, 0);
    std::size_t row = sums_.first_row(tile) + 1;
    for_each_member(((Subset{1} << tile_variables()) - 1) & ~tile & ~owner_mask, [&](unsigned v) {
        const ScaledLanes next = negative(sums_.row(row++));
        if (v >= numbers_.inner_variables()) {
            (work.middle.size() >> kMiddleVariables == 0 ? work.middle : work.outer).extend(v, next);
            return;
        }
        const Lanes plain = range_.plain(next.mantissa, next.exponent);
        work.inner.extend(v, {spread<0>(plain), spread<1>(plain), spread<2>(plain), spread<3>(plain)}, range_);
        if (numbers_.any_wide()) work.scaled_inner.extend(v, next);
    });
}

void DagForward::push_plain(Lanes outer, Subset target, std::size_t first, const Work& work) {
    const Lanes outer_0 = spread<0>(outer), outer_1 = spread<1>(outer);
    const Lanes outer_2 = spread<2>(outer), outer_3 = spread<3>(outer);
    double* const values = &numbers_.value[target << kLaneVariables];
    const PlainProducts::Rows* const rows = work.inner.rows();
    const std::uint32_t* const sets = work.inner.sets();
    const std::size_t size = work.inner.size();
    for (std::size_t k = first; k < size; ++k) {
        double* const at = values + (sets[k] << kLaneVariables);
        const Lanes terms =
            (outer_0 * rows[k][0] + outer_1 * rows[k][1]) + (outer_2 * rows[k][2] + outer_3 * rows[k][3]);
        store(at, load(at) + terms);
    }
}

void DagForward::push_scaled(ScaledLanes outer, Subset target, std::size_t first, const Work& work) {
    for (std::size_t k = first; k < work.scaled_inner.size(); ++k) {
        const ScaledLanes source = times(outer, work.scaled_inner[k]);
        const Subset tile = target | work.scaled_inner.set(k);
        const Lanes reference = numbers_.references(tile);
        Lanes sum = load(&numbers_.value[tile << kLaneVariables]);
        for_each_lane([&]<int u>() {
            const ScaledLanes& weight = work.weights.row[u];
            sum += spread<u>(source.mantissa) * weight.mantissa *
                   power_of_two(spread<u>(source.exponent) + weight.exponent - reference);
        });
        store(&numbers_.value[tile << kLaneVariables], sum);
    }
}

double DagForward::condition(unsigned threads, Monitor& monitor) const {
    const Subset tiles = Subset{1} << tile_variables();
    const std::size_t chunks = std::min<std::size_t>(64, tiles);
    std::vector<double> parts(chunks, 0);
    run_tasks(chunks, threads, monitor, [&](std::size_t chunk, unsigned) {
        for (Subset tile = tiles * chunk / chunks; tile < tiles * (chunk + 1) / chunks; ++tile) {
            parts[chunk] += magnitude(tile);
        }
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    // Zero divided by zero, if no structure is possible.
    const Subset all = (Subset{1} << sums_.n()) - 1;
    const ScaledNumber total = numbers_.get(all);
    return sum / (total.mantissa * power_of_two(total.exponent - numbers_.reference[all]));
}

// Σ |H(U) g_U(V∖U)| over the sets U of a tile, relative to the reference of V.
double DagForward::magnitude(Subset tile) const {
    const Subset all = (Subset{1} << sums_.n()) - 1;
    ScaledLanes product = numbers_.get_tile(tile);
    std::size_t row = sums_.first_row(tile) + 1;
    for_each_member((all >> kLaneVariables) & ~tile, [&](unsigned) { product = times(product, sums_.row(row++)); });
    const LaneFactors lane(sums_, tile);
    constexpr ScaledNumber zero, one{1, 0};
    // V itself has no term.
    product = times(product, LaneWeights::lanes(times(lane.first, lane.other), lane.other_after_first,
                                                lane.first_after_other, tile == all >> kLaneVariables ? zero : one));
    const Lanes terms = product.mantissa * power_of_two(product.exponent - broadcast(numbers_.reference[all]));
    return std::abs(terms[0]) + std::abs(terms[1]) + std::abs(terms[2]) + std::abs(terms[3]);
}

}  // namespace dagscape
