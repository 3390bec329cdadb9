#include "dagscape/tiled_order_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "dagscape/column.hpp"
#include "dagscape/impossible.hpp"
#include "dagscape/parallel.hpp"
#include "dagscape/scaled_lanes.hpp"
#include "dagscape/score_weights.hpp"
#include "dagscape/subset.hpp"
#include "dagscape/tile_walk.hpp"

namespace dagscape {
namespace {

// A child whose scores span less than this many powers of two needs no separate exponents.
constexpr std::int64_t kPlainRange = 990;
// Powers of two below this one are zero.
constexpr std::int64_t kTiniest = -1100;

// Sums and products of scaled numbers; columns may omit exponents.
class ScaledArithmetic {
public:
    using Column = dagscape::Column;
    using Function = std::vector<ScaledLanes>;
    using Four = ScaledLanes;

    static Column room(const Column& like, std::size_t size) {
        Column column;
        column.reset(size, like.wide());
        return column;
    }
    static void add(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
        dagscape::add(to, to_at, from, from_at, count);
    }
    static void copy(Column& to, std::size_t to_at, const Column& from, std::size_t from_at, std::size_t count) {
        dagscape::copy(to, to_at, from, from_at, count);
    }

    static Function tile_function() { return Function(kTile / 4); }
    static const ScaledLanes& at(const Function& function, std::size_t q) noexcept { return function[q]; }
    void spread(const Column& base, const std::vector<std::size_t>& low_masks, Function& sums) {
        work_.reset(kTile, base.wide());
        for (std::size_t i = 0; i < low_masks.size(); ++i) work_.mantissa[low_masks[i]] = base.mantissa[i];
        if (base.wide()) {
            for (std::size_t i = 0; i < low_masks.size(); ++i) work_.exponent[low_masks[i]] = base.exponent[i];
        }
        transform_tile<Over::subsets>(work_);
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            const Lanes values = dagscape::load(&work_.mantissa[4 * q]);
            sums[q] = base.wide() ? ScaledLanes{values, dagscape::load(&work_.exponent[4 * q])}
                                  : normalised(ScaledLanes{values, broadcast(0)});
        }
    }

    static ScaledLanes zero() noexcept { return ScaledLanes::nothing(); }
    static ScaledLanes plus(const ScaledLanes& a, const ScaledLanes& b) noexcept { return dagscape::plus(a, b); }
    static ScaledLanes times(const ScaledLanes& a, const ScaledLanes& b) noexcept { return dagscape::times(a, b); }
    static void set_to_one(ScaledLanes& four, unsigned lane) noexcept { four.set(lane, {1, 0}); }
    static void add_product(ScaledLanes& four, unsigned to, unsigned from, const ScaledLanes& weight) noexcept {
        const ScaledNumber product = dagscape::times(four.get(from), weight.get(to));
        if (product.mantissa != 0) four.set(to, dagscape::plus(four.get(to), product));
    }
    static ScaledLanes finished(const ScaledLanes& four) noexcept { return normalised(four); }
    static ScaledLanes load(const std::int64_t* words) noexcept { return unpacked(dagscape::load(words)); }
    static void store(std::int64_t* words, const ScaledLanes& four) noexcept { dagscape::store(words, packed(four)); }

private:
    Column work_;
};

using Walk = TileWalk<ScaledArithmetic>;

// The data shared by all threads.
struct Problem {
    Tiles tiles;
    std::vector<double> scales;       // the numbers of a child are relative to 2^scale, close to their maximum
    std::vector<Column> families;     // by size, then by mask
    std::vector<std::int64_t> words;  // F, then R
};

// The weights of one child's families, and their scale.
std::pair<Column, double> weights_of(std::span<const std::int64_t> scores, int unit_bits) {
    auto highest = static_cast<std::int64_t>(kNothing);
    for (const std::int64_t score : scores) {
        if (score != kImpossible) highest = std::max(highest, binary_log(score, unit_bits).whole);
    }
    // Every A includes the family without parents; if that is impossible, nothing bounds A from below.
    const bool wide = scores[0] == kImpossible || highest - binary_log(scores[0], unit_bits).whole > kPlainRange;
    Column families;
    families.reset(scores.size(), wide);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (scores[i] == kImpossible) continue;
        const BinaryLog log = binary_log(scores[i], unit_bits);
        const std::int64_t exponent = log.whole + 1 - highest;
        families.mantissa[i] = half_power(log.fraction);
        if (wide) {
            families.exponent[i] = static_cast<double>(exponent);
        } else {
            families.mantissa[i] = std::ldexp(families.mantissa[i], static_cast<int>(std::max(exponent, kTiniest)));
        }
    }
    return {std::move(families), static_cast<double>(highest)};
}

Problem make_problem(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits) {
    Problem problem{Tiles(n, max_parents), {}, {}, std::vector<std::int64_t>(std::size_t{1} << n, 0)};
    const std::size_t count = problem.tiles.sets(n);
    for (unsigned v = 0; v < n; ++v) {
        auto [families, scale] = weights_of(scores.subspan(v * count, count), unit_bits);
        problem.families.push_back(std::move(families));
        problem.scales.push_back(scale);
    }
    return problem;
}

// Gathers Γ of the families from the tiles of a pattern in the backward walk: reads F before R overwrites it, and
// propagates the weights of the tiles to the families, against the direction of the walk.
class FamilyShares : public TileObserver {
public:
    FamilyShares(const Problem& problem, ScaledNumber total)
        : problem_(problem), total_(total), levels_(problem.tiles.n), forward_(kTile / 4), after_(kTile / 4) {}

    void start() {
        for (unsigned v = 0; v < problem_.tiles.n; ++v) {
            levels_[v].resize(problem_.tiles.n + 1);
            for (unsigned r = kLow; r <= problem_.tiles.n; ++r)
                levels_[v][r].reset(problem_.tiles.sets(r), problem_.families[v].wide());
        }
    }

    // Γ_v of the families, from the tiles since start().
    const Column& shares(unsigned v) const { return levels_[v][problem_.tiles.n]; }

    void begin(Subset tile) {
        for (std::size_t q = 0; q < kTile / 4; ++q) forward_[q] = ScaledArithmetic::load(&problem_.words[tile + 4 * q]);
    }
    void neighbour(std::size_t q, const ScaledLanes& four) { after_[q] = four; }
    void neighbours_seen(unsigned i) { add_weights(i); }
    void end(const std::vector<ScaledLanes>& tile) {
        // R of the set with v, for the sets without it.
        for (unsigned v = 0; v < kLow; ++v) {
            for (std::size_t q = 0; q < kTile / 4; ++q) after_[q] = with_member(tile, q, v);
            add_weights(v);
        }
    }
    void ascend(unsigned r, bool take) {
        for (std::vector<Column>& levels : levels_) {
            Column &to = levels[r], &from = levels[r - 1];
            problem_.tiles.decide(r, take, [&](std::size_t from_at, std::size_t to_at, std::size_t count, bool) {
                add(to, to_at, from, from_at, count);
            });
            from.reset(from.mantissa.size(), from.wide());
        }
    }

private:
    static ScaledLanes with_member(const std::vector<ScaledLanes>& tile, std::size_t q, unsigned v) {
        if (v == 0) return ScaledSums::lanes_or_zero<1, 5, 3, 7>(tile[q]);
        if (v == 1) return ScaledSums::lanes_or_zero<2, 3, 6, 7>(tile[q]);
        return contains(q, v - 2) ? ScaledLanes::nothing() : tile[q | std::size_t{1} << (v - 2)];
    }

    // Γ_v of this tile's sets: F(U) R(U∪v) / total, summed over supersets. Only the total includes the child's own
    // scale.
    void add_weights(unsigned v) {
        const bool wide = problem_.families[v].wide();
        work_.reset(kTile, wide);
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            const ScaledLanes both = times(forward_[q], after_[q]);
            const Lanes mantissa = both.mantissa / broadcast(total_.mantissa);
            const Lanes exponent = both.exponent - broadcast(total_.exponent);
            if (wide) {
                const ScaledLanes normal = normalised(ScaledLanes{mantissa, exponent});
                store(&work_.mantissa[4 * q], normal.mantissa);
                store(&work_.exponent[4 * q], normal.exponent);
            } else {
                const Lanes bounded = exponent > broadcast(1000) ? broadcast(1000) : exponent;
                store(&work_.mantissa[4 * q],
                      exponent < broadcast(-999) ? broadcast(0) : mantissa * power_of_two(bounded));
            }
        }
        transform_tile<Over::supersets>(work_);
        const std::vector<std::size_t>& low_masks = problem_.tiles.low_masks;
        Column& gamma = levels_[v][kLow];
        for (std::size_t i = 0; i < low_masks.size(); ++i) gamma.mantissa[i] = work_.mantissa[low_masks[i]];
        if (!wide) return;
        for (std::size_t i = 0; i < low_masks.size(); ++i) gamma.exponent[i] = work_.exponent[low_masks[i]];
    }

    const Problem& problem_;
    const ScaledNumber total_;
    std::vector<std::vector<Column>> levels_;  // [v][r]
    std::vector<ScaledLanes> forward_, after_;
    Column work_;
};

void sum_forward(Problem& problem, unsigned threads, Monitor& monitor) {
    PerWorker<Walk> walks(threads, [&] {
        return std::make_unique<Walk>(problem.tiles, Direction::forwards, problem.families, problem.words, monitor);
    });
    for (const std::vector<Subset>& layer : problem.tiles.layers(Direction::forwards)) {
        run_tasks(layer.size(), threads, monitor,
                  [&](std::size_t task, unsigned worker) { walks(worker).walk(layer[task], TileObserver{}); });
    }
}

// Returns Γ of all families, by variable.
std::vector<Column> sum_backward(Problem& problem, ScaledNumber total, unsigned threads, Monitor& monitor) {
    const unsigned n = problem.tiles.n;
    PerWorker<Walk> walks(threads, [&] {
        return std::make_unique<Walk>(problem.tiles, Direction::backwards, problem.families, problem.words, monitor);
    });
    PerWorker<FamilyShares> shares(threads, [&] { return std::make_unique<FamilyShares>(problem, total); });
    std::vector<Column> gamma(n);
    for (unsigned v = 0; v < n; ++v) gamma[v].reset(problem.tiles.sets(n), problem.families[v].wide());
    for (const std::vector<Subset>& layer : problem.tiles.layers(Direction::backwards)) {
        std::vector<std::vector<Column>> parts(layer.size(), std::vector<Column>(n));
        run_tasks(layer.size(), threads, monitor, [&](std::size_t task, unsigned worker) {
            shares(worker).start();
            walks(worker).walk(layer[task], shares(worker));
            for (unsigned v = 0; v < n; ++v) parts[task][v] = shares(worker).shares(v);
        });
        for (const std::vector<Column>& part : parts) {
            for (unsigned v = 0; v < n; ++v) add(gamma[v], 0, part[v], 0, part[v].mantissa.size());
        }
    }
    return gamma;
}

// P(u → v) = Σ over the families of v that contain u of B_v Γ_v.
void add_edges(const Tiles& tiles, unsigned v, const Column& families, const Column& gamma,
               std::vector<double>& edges) {
    std::size_t at = 0;
    for (unsigned size = 0; size <= tiles.max_parents; ++size) {
        const std::size_t count = tiles.choose(tiles.n, size);
        Subset set = (Subset{1} << size) - 1;
        for (std::size_t i = 0; i < count; ++i, ++at) {
            double share = families.mantissa[at] * gamma.mantissa[at];
            if (families.wide()) share *= power_of_two(families.exponent[at] + gamma.exponent[at]);
            for_each_member(set, [&](unsigned u) { edges[u * tiles.n + v] += share; });
            set = next_of_same_size(set);
        }
    }
}

}  // namespace

bool can_be_tiled(unsigned n, std::span<const std::int64_t> scores, int unit_bits) noexcept {
    if (!can_be_summed(scores, unit_bits)) return false;
    const std::size_t sets = scores.size() / n;
    double ranges = 0;
    for (unsigned v = 0; v < n; ++v) {
        std::int64_t highest = kImpossible, lowest = std::numeric_limits<std::int64_t>::max();
        for (const std::int64_t score : scores.subspan(v * sets, sets)) {
            highest = std::max(highest, score);
            lowest = std::min(lowest, score == kImpossible ? lowest : score);
        }
        if (highest != kImpossible) ranges += static_cast<double>(highest) - static_cast<double>(lowest);
    }
    return ranges < std::ldexp(kWidestTiled, unit_bits);
}

OrderSumResult tiled_order_sum(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits,
                               unsigned threads, Monitor& monitor) {
    Problem problem = make_problem(n, max_parents, scores, unit_bits);
    monitor.expect(std::uint64_t{2} << (n - kLow));
    sum_forward(problem, threads, monitor);
    const ScaledNumber total = unpacked(problem.words.back());
    OrderSumResult result;
    result.total_mantissa = total.mantissa;
    result.total_exponent = total.exponent;
    for (const double scale : problem.scales) result.total_exponent += scale;
    result.edges.assign(std::size_t{n} * n, 0);
    if (total.mantissa == 0) return result;
    const std::vector<Column> gamma = sum_backward(problem, total, threads, monitor);
    const ScaledNumber back = unpacked(problem.words.front());
    result.disagreement = std::abs(back.mantissa * power_of_two(back.exponent - total.exponent) / total.mantissa - 1);
    for (unsigned v = 0; v < n; ++v) add_edges(problem.tiles, v, problem.families[v], gamma[v], result.edges);
    return result;
}

double tiled_order_sum_bytes(unsigned n, unsigned max_parents, unsigned threads, bool wide) noexcept {
    const double families = n * set_count(n, max_parents);
    // B and Γ of every family, and Γ once more for each of up to six parts of a layer; on each thread, the columns of
    // the walk and of the shares, which have one more level.
    const double columns = (2 + 6) * families + threads * 2 * (Tiles::walk_numbers(n, max_parents) + families);
    // Besides the columns, the scores.
    return at_most_endless(times_sets(sizeof(std::int64_t), n) +
                           sizeof(double) * (families + (wide ? 2 : 1) * columns));
}

}  // namespace dagscape
