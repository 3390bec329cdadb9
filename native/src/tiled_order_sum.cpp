#include "dagscape/tiled_order_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "dagscape/column.hpp"
#include "dagscape/lanes.hpp"
#include "dagscape/parallel.hpp"
#include "dagscape/scaled_lanes.hpp"
#include "dagscape/subset.hpp"
#include "dagscape/tiles.hpp"

namespace dagscape {
namespace {

// A child whose scores span less than this many powers of two can do without exponents of its own.
constexpr double kPlainRange = 990;

// Scalar access to one lane.
struct Number {
    double mantissa, exponent;
};

Number get(const Scaled& value, unsigned lane) { return {value.mantissa[lane], value.exponent[lane]}; }

void add_product(Scaled& to, unsigned lane, Number a, Number b) {
    const double mantissa = a.mantissa * b.mantissa;
    if (mantissa == 0) return;
    const double exponent = a.exponent + b.exponent;
    const double highest = std::max(to.exponent[lane], exponent);
    to.mantissa[lane] =
        to.mantissa[lane] * power_of_two(to.exponent[lane] - highest) + mantissa * power_of_two(exponent - highest);
    to.exponent[lane] = highest;
}

struct Child {
    bool wide;
    double scale;     // its numbers are relative to 2^scale, about the best of them
    Column families;  // by size, then by mask
};

// What all threads share.
struct Problem {
    Tiles tiles;
    std::vector<Child> children;
    std::vector<std::int64_t> words;  // F, then R
};

Problem make_problem(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits) {
    Problem problem{Tiles(n, max_parents), {}, std::vector<std::int64_t>(std::size_t{1} << n, 0)};
    const std::size_t families = problem.tiles.sets(n);
    for (unsigned v = 0; v < n; ++v) {
        const auto row = scores.subspan(v * families, families);
        std::vector<double> log2(families, kNothing);
        double highest = kNothing;
        for (std::size_t i = 0; i < families; ++i) {
            if (row[i] == INT64_MIN) continue;
            log2[i] = static_cast<double>(std::ldexp(static_cast<long double>(row[i]), -unit_bits) *
                                          std::numbers::log2e_v<long double>);
            highest = std::max(highest, log2[i]);
        }
        // Every A holds the family without parents; where that is impossible, nothing bounds it from below.
        Child child{highest - log2[0] > kPlainRange, std::floor(highest), {}};
        child.families.reset(families, child.wide);
        for (std::size_t i = 0; i < families; ++i) {
            if (log2[i] == kNothing) continue;
            const double relative = log2[i] - child.scale;
            const double whole = std::floor(relative) + 1;
            if (child.wide) {
                child.families.mantissa[i] = std::exp2(relative - whole);
                child.families.exponent[i] = whole;
            } else {
                child.families.mantissa[i] = std::exp2(relative);
            }
        }
        problem.children.push_back(std::move(child));
    }
    return problem;
}

// Walks the tiles of one pattern of the last variables.
class Walker {
public:
    Walker(Problem& problem, Monitor& monitor)
        : problem_(problem), monitor_(monitor), levels_(problem.tiles.n), gammas_(problem.tiles.n) {
        for (unsigned v = 0; v < problem.tiles.n; ++v) {
            levels_[v].resize(problem.tiles.n);
            for (unsigned r = kLow; r < problem.tiles.n; ++r)
                levels_[v][r].reset(problem.tiles.sets(r), problem.children[v].wide);
        }
        tile_.resize(kTile / 4);
        other_.resize(kTile / 4);
        weights_.resize(kLow, std::vector<Scaled>(kTile / 4));
        streamed_.resize(kTile / 4);
    }

    void forward(Subset top) {
        backward_ = false;
        descend(problem_.tiles.n, 0, top);
    }

    // Leaves Γ of the families in gamma(v), for the sets of this pattern.
    void backward(Subset top, Number total) {
        backward_ = true;
        total_ = total;
        for (unsigned v = 0; v < problem_.tiles.n; ++v) {
            gammas_[v].resize(problem_.tiles.n + 1);
            for (unsigned r = kLow; r <= problem_.tiles.n; ++r)
                gammas_[v][r].reset(problem_.tiles.sets(r), problem_.children[v].wide);
        }
        descend(problem_.tiles.n, 0, top);
    }

    const Column& gamma(unsigned v) const { return gammas_[v][problem_.tiles.n]; }

private:
    const Column& level(unsigned v, unsigned r) const {
        return r == problem_.tiles.n ? problem_.children[v].families : levels_[v][r];
    }

    // Decides variable r - 1, and those before it.
    void descend(unsigned r, Subset tile, Subset top) {
        if (r == kLow) {
            monitor_.check();
            backward_ ? pull_tile(tile) : push_tile(tile);
            monitor_.advance(1);
            return;
        }
        const bool fixed = r + problem_.tiles.top > problem_.tiles.n;
        for (const bool first : {true, false}) {
            const bool take = first == backward_;
            if (fixed && contains(top, r - 1) != take) continue;
            for (unsigned v = 0; v < problem_.tiles.n; ++v) decide(levels_[v][r - 1], level(v, r), r, take);
            descend(r - 1, take ? tile | singleton(r - 1) : tile, top);
            if (!backward_) continue;
            for (unsigned v = 0; v < problem_.tiles.n; ++v) give_back(gammas_[v][r], gammas_[v][r - 1], r, take);
        }
    }

    void decide(Column& to, const Column& from, unsigned r, bool take) const {
        problem_.tiles.decide(r, take, [&](std::size_t to_at, std::size_t from_at, std::size_t count, bool taken) {
            taken ? add(to, to_at, from, from_at, count) : copy(to, to_at, from, from_at, count);
        });
    }

    void give_back(Column& to, Column& from, unsigned r, bool take) const {
        problem_.tiles.decide(r, take, [&](std::size_t from_at, std::size_t to_at, std::size_t count, bool) {
            add(to, to_at, from, from_at, count);
        });
        from.reset(from.mantissa.size(), from.wide());
    }

    // A_v on the current tile.
    void sum_parents(unsigned v, std::vector<Scaled>& sums) {
        const Child& child = problem_.children[v];
        const Column& base = level(v, kLow);
        work_.reset(kTile, child.wide);
        for (std::size_t i = 0; i < problem_.tiles.low_masks.size(); ++i) {
            work_.mantissa[problem_.tiles.low_masks[i]] = base.mantissa[i];
            if (child.wide) work_.exponent[problem_.tiles.low_masks[i]] = base.exponent[i];
        }
        transform(work_, true);
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            const Lanes values = load(&work_.mantissa[4 * q]);
            sums[q] = child.wide ? Scaled{values, load(&work_.exponent[4 * q])} : normalised(values, broadcast(0));
        }
    }

    void load_tile(Subset tile, std::vector<Scaled>& values) const {
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            LaneBits words;
            std::memcpy(&words, &problem_.words[tile + 4 * q], sizeof words);
            values[q] = unpacked(words);
        }
    }

    void store_tile(Subset tile, const std::vector<Scaled>& values) {
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            const LaneBits words = packed(values[q]);
            std::memcpy(&problem_.words[tile + 4 * q], &words, sizeof words);
        }
    }

    void push_tile(Subset tile) {
        std::fill(tile_.begin(), tile_.end(), Scaled{broadcast(0), broadcast(kNothing)});
        if (tile == 0) {
            tile_[0].mantissa[0] = 1;
            tile_[0].exponent[0] = 0;
        }
        for_each_member(tile, [&](unsigned i) {
            sum_parents(i, streamed_);
            load_tile(tile & ~singleton(i), other_);
            for (std::size_t q = 0; q < kTile / 4; ++q) tile_[q] = plus(tile_[q], times(other_[q], streamed_[q]));
        });
        for (unsigned i = 0; i < kLow; ++i) sum_parents(i, weights_[i]);
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            Scaled sum = tile_[q];
            for_each_member(q, [&](unsigned bit) {
                const std::size_t less = q & ~(std::size_t{1} << bit);
                sum = plus(sum, times(tile_[less], weights_[bit + 2][less]));
            });
            const Scaled& first = weights_[0][q];
            const Scaled& second = weights_[1][q];
            add_product(sum, 1, get(sum, 0), get(first, 0));
            add_product(sum, 2, get(sum, 0), get(second, 0));
            add_product(sum, 3, get(sum, 1), get(second, 1));
            add_product(sum, 3, get(sum, 2), get(first, 2));
            tile_[q] = normalised(sum.mantissa, sum.exponent);
        }
        store_tile(tile, tile_);
    }

    void pull_tile(Subset tile) {
        const Subset high = ((Subset{1} << problem_.tiles.n) - 1) & ~(Subset{kTile} - 1);
        std::vector<Scaled>& forward = streamed_forward_;
        forward.resize(kTile / 4);
        load_tile(tile, forward);
        std::fill(tile_.begin(), tile_.end(), Scaled{broadcast(0), broadcast(kNothing)});
        if (tile == high) {
            tile_.back().mantissa[3] = 1;
            tile_.back().exponent[3] = 0;
        }
        for_each_member(high & ~tile, [&](unsigned i) {
            sum_parents(i, streamed_);
            load_tile(tile | singleton(i), other_);
            for (std::size_t q = 0; q < kTile / 4; ++q) tile_[q] = plus(tile_[q], times(other_[q], streamed_[q]));
            // Γ: sets of this tile, then the child.
            add_weights(i, forward, other_);
        });
        for (unsigned i = 0; i < kLow; ++i) sum_parents(i, weights_[i]);
        for (std::size_t q = kTile / 4; q-- > 0;) {
            Scaled sum = tile_[q];
            for (unsigned bit = 0; bit + 2 < kLow; ++bit) {
                if (contains(q, bit)) continue;
                sum = plus(sum, times(tile_[q | std::size_t{1} << bit], weights_[bit + 2][q]));
            }
            const Scaled& first = weights_[0][q];
            const Scaled& second = weights_[1][q];
            add_product(sum, 2, get(sum, 3), get(first, 2));
            add_product(sum, 1, get(sum, 3), get(second, 1));
            add_product(sum, 0, get(sum, 1), get(first, 0));
            add_product(sum, 0, get(sum, 2), get(second, 0));
            tile_[q] = normalised(sum.mantissa, sum.exponent);
        }
        store_tile(tile, tile_);
        for (unsigned v = 0; v < kLow; ++v) {
            // R of the set with v, for the sets without it.
            for (std::size_t q = 0; q < kTile / 4; ++q) {
                if (v >= 2) {
                    const bool holds = contains(q, v - 2);
                    other_[q] =
                        holds ? Scaled{broadcast(0), broadcast(kNothing)} : tile_[q | std::size_t{1} << (v - 2)];
                    continue;
                }
                Scaled shifted{broadcast(0), broadcast(kNothing)};
                for (unsigned lane = 0; lane < 4; ++lane) {
                    if (contains(lane, v)) continue;
                    shifted.mantissa[lane] = tile_[q].mantissa[lane | 1U << v];
                    shifted.exponent[lane] = tile_[q].exponent[lane | 1U << v];
                }
                other_[q] = shifted;
            }
            add_weights(v, forward, other_);
        }
    }

    // Γ_v of this tile's sets: F(U) R(U∪v) / total, summed over supersets. Only the total holds the child's own scale.
    void add_weights(unsigned v, const std::vector<Scaled>& forward, const std::vector<Scaled>& after) {
        const Child& child = problem_.children[v];
        work_.reset(kTile, child.wide);
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            const Scaled both = times(forward[q], after[q]);
            const Lanes mantissa = both.mantissa / broadcast(total_.mantissa);
            const Lanes exponent = both.exponent - broadcast(total_.exponent);
            if (child.wide) {
                const Scaled normal = normalised(mantissa, exponent);
                store(&work_.mantissa[4 * q], normal.mantissa);
                store(&work_.exponent[4 * q], normal.exponent);
            } else {
                const Lanes bounded = exponent > broadcast(1000) ? broadcast(1000) : exponent;
                store(&work_.mantissa[4 * q],
                      exponent < broadcast(-999) ? broadcast(0) : mantissa * power_of_two(bounded));
            }
        }
        transform(work_, false);
        Column& gamma = gammas_[v][kLow];
        for (std::size_t i = 0; i < problem_.tiles.low_masks.size(); ++i) {
            gamma.mantissa[i] = work_.mantissa[problem_.tiles.low_masks[i]];
            if (child.wide) gamma.exponent[i] = work_.exponent[problem_.tiles.low_masks[i]];
        }
    }

    Problem& problem_;
    Monitor& monitor_;
    bool backward_ = false;
    Number total_{1, 0};
    std::vector<std::vector<Column>> levels_, gammas_;  // [v][r]
    std::vector<Scaled> tile_, other_, streamed_, streamed_forward_;
    std::vector<std::vector<Scaled>> weights_;  // A of the low variables
    Column work_;
};

}  // namespace

OrderSumResult tiled_order_sum(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits,
                               unsigned threads, Monitor& monitor) {
    Problem problem = make_problem(n, max_parents, scores, unit_bits);
    monitor.expect(std::uint64_t{2} << (n - kLow));
    std::vector<std::unique_ptr<Walker>> walkers(threads);
    const auto walker = [&](unsigned worker) -> Walker& {
        if (!walkers[worker]) walkers[worker] = std::make_unique<Walker>(problem, monitor);
        return *walkers[worker];
    };
    for (unsigned size = 0; size <= problem.tiles.top; ++size) {
        const std::vector<Subset> layer = problem.tiles.patterns(size);
        run_tasks(layer.size(), threads, monitor,
                  [&](std::size_t task, unsigned worker) { walker(worker).forward(layer[task]); });
    }
    LaneBits last;
    std::memcpy(&last, &problem.words[problem.words.size() - 4], sizeof last);
    const Scaled whole = unpacked(last);
    const Number total{whole.mantissa[3], whole.exponent[3]};

    OrderSumResult result;
    result.total_mantissa = total.mantissa;
    result.total_exponent = total.exponent;
    for (const Child& child : problem.children) result.total_exponent += child.scale;
    result.edges.assign(std::size_t{n} * n, 0);
    if (total.mantissa == 0) return result;
    std::vector<Column> gamma(n);
    for (unsigned v = 0; v < n; ++v) gamma[v].reset(problem.tiles.sets(n), problem.children[v].wide);
    for (unsigned size = problem.tiles.top + 1; size-- > 0;) {
        const std::vector<Subset> layer = problem.tiles.patterns(size);
        std::vector<std::vector<Column>> parts(layer.size(), std::vector<Column>(n));
        run_tasks(layer.size(), threads, monitor, [&](std::size_t task, unsigned worker) {
            walker(worker).backward(layer[task], total);
            for (unsigned v = 0; v < n; ++v) parts[task][v] = walker(worker).gamma(v);
        });
        for (const std::vector<Column>& part : parts) {
            for (unsigned v = 0; v < n; ++v) add(gamma[v], 0, part[v], 0, part[v].mantissa.size());
        }
    }
    std::memcpy(&last, problem.words.data(), sizeof last);
    const Scaled back = unpacked(last);
    result.disagreement =
        std::abs(back.mantissa[0] * power_of_two(back.exponent[0] - total.exponent) / total.mantissa - 1);

    for (unsigned v = 0; v < n; ++v) {
        const Child& child = problem.children[v];
        std::size_t at = 0;
        for (unsigned size = 0; size <= max_parents; ++size) {
            const std::size_t count = problem.tiles.choose(n, size);
            Subset set = (Subset{1} << size) - 1;
            for (std::size_t i = 0; i < count; ++i, ++at) {
                double share = child.families.mantissa[at] * gamma[v].mantissa[at];
                if (child.wide) share *= power_of_two(child.families.exponent[at] + gamma[v].exponent[at]);
                for_each_member(set, [&](unsigned u) { result.edges[u * n + v] += share; });
                set = next_of_same_size(set);
            }
        }
    }
    return result;
}

}  // namespace dagscape
