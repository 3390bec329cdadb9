#include "dagscape/sums/tiled_order_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "dagscape/numbers/impossible.hpp"
#include "dagscape/numbers/score_weights.hpp"
#include "dagscape/runtime/parallel.hpp"
#include "dagscape/sets/lattice_tasks.hpp"
#include "dagscape/sets/subset.hpp"
#include "dagscape/sets/tile_walk.hpp"
#include "dagscape/sums/plain_walk.hpp"
#include "dagscape/sums/scaled_arithmetic.hpp"

namespace dagscape {
namespace {

// A child whose scores span less than this many powers of two needs no separate exponents.
constexpr std::int64_t kPlainRange = 990;
// Powers of two below this one are zero.
constexpr std::int64_t kTiniest = -1100;

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

using Walk = TileWalk<ScaledArithmetic>;

// The columns of the families of v, restricted from the first r variables to the first r - 1.
Column restricted(const Tiles& tiles, unsigned r, bool take, const Column& families) {
    Column rest = ScaledArithmetic::buffer(families, tiles.sets(r - 1));
    restrict_column<ScaledArithmetic>(tiles, r, take, families, rest);
    return rest;
}

// The same as a list, if the variable is taken.
Column taken_list(const LaneSets& sets, unsigned r, const Column& list) {
    Column rest;
    rest.reset(sets.size(r - 1), false);
    sets.copy_largest(r - 1, list.mantissa.data(), rest.mantissa.data());
    sets.take(r, list.mantissa.data(), rest.mantissa.data());
    return rest;
}

bool none_wide(const std::vector<Column>& columns) {
    return std::none_of(columns.begin(), columns.end(), [](const Column& column) { return column.wide(); });
}

std::vector<bool> wide_columns(const std::vector<Column>& columns) {
    std::vector<bool> wide;
    for (const Column& column : columns) wide.push_back(column.wide());
    return wide;
}

// Gathers the shares of the families from the tiles of a unit of the backward walk: reads F before R overwrites it, and
// propagates the weights of the tiles to the families, against the direction of the walk.
class UnitShares : public WalkObserver {
public:
    UnitShares(const Tiles& tiles, Subset fixed, const std::vector<Column>& families,
               std::span<const std::int64_t> packed)
        : tiles_(tiles), fixed_(fixed), families_(families), packed_(packed), forward_(kTile / 4), after_(kTile / 4) {}

    // A unit has 2^bits sets.
    void start(unsigned bits, ScaledNumber total) {
        total_ = total;
        bits_ = bits;
        levels_.resize(bits + 1);
        for (unsigned r = kLow; r <= bits; ++r) {
            levels_[r].resize(tiles_.n);
            for (unsigned v = 0; v < tiles_.n; ++v) levels_[r][v].reset(tiles_.sets(r), families_[v].wide());
        }
    }

    // The shares of the unit, from the tiles since start().
    Shares finish() { return std::move(levels_[bits_]); }

    void begin(Subset tile) {
        for (std::size_t q = 0; q < kTile / 4; ++q) forward_[q] = ScaledArithmetic::load(&packed_[tile + 4 * q]);
        // A child has no share in sets that contain it.
        for_each_member(tile | fixed_, [&](unsigned v) {
            Column& shares = levels_[kLow][v];
            shares.reset(shares.mantissa.size(), shares.wide());
        });
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
        for (unsigned v = 0; v < tiles_.n; ++v) {
            (take ? add_taken : add_left_out)(tiles_, r, levels_[r][v], levels_[r - 1][v]);
        }
    }

private:
    // Γ_v of this tile's sets: F(U) R(U∪v) / total, summed over supersets. Only the total includes the child's own
    // scale.
    void add_weights(unsigned v) {
        const bool wide = families_[v].wide();
        work_.reset(kTile, wide);
        for (std::size_t q = 0; q < kTile / 4; ++q) {
            const ScaledLanes weight = weight_of(forward_[q], after_[q], total_);
            if (wide) {
                const ScaledLanes normal = normalised(weight);
                store(&work_.mantissa[4 * q], normal.mantissa);
                store(&work_.exponent[4 * q], normal.exponent);
            } else {
                store(&work_.mantissa[4 * q], to_plain(weight));
            }
        }
        transform_tile<Over::supersets>(work_);
        const std::vector<std::size_t>& low_masks = tiles_.low_masks;
        Column& gamma = levels_[kLow][v];
        for (std::size_t i = 0; i < low_masks.size(); ++i) gamma.mantissa[i] = work_.mantissa[low_masks[i]];
        if (!wide) return;
        for (std::size_t i = 0; i < low_masks.size(); ++i) gamma.exponent[i] = work_.exponent[low_masks[i]];
    }

    const Tiles& tiles_;
    const Subset fixed_;
    const std::vector<Column>& families_;
    std::span<const std::int64_t> packed_;
    ScaledNumber total_;
    unsigned bits_ = 0;
    std::vector<Shares> levels_;  // [r]
    std::vector<ScaledLanes> forward_, after_;
    Column work_;
};

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

// What a thread keeps from one block to the next.
struct TiledOrderSum::Worker {
    // One of these, depending on whether columns have separate exponents.
    std::unique_ptr<PlainWalk> plain;
    std::unique_ptr<Walk> scaled;
    std::unique_ptr<UnitShares> shares;
};

TiledOrderSum::TiledOrderSum(unsigned n, unsigned max_parents, std::span<const std::int64_t> scores, int unit_bits,
                             std::span<std::int64_t> packed, RankOfMany rank)
    : tiles_(n, max_parents), sets_(LaneSets::of_all(tiles_)), own_(n - rank.rank_bits), fixed_(rank.rank << own_),
      scores_(scores), unit_bits_(unit_bits), packed_(packed), families_(restricted_families()),
      plain_(none_wide(families_)),
      tree_(tiles_, plain_ ? std::span<const LaneSets>(sets_) : std::span<const LaneSets>(), own_,
            wide_columns(families_)) {
    if (plain_) ranges_.resize(packed.size() / kTile);
    for (unsigned v = 0; v < n; ++v) families_[v] = restricted_further(v);
}

TiledOrderSum::~TiledOrderSum() = default;

// As far as they stay in the order of their size and mask, whether they become lists or not.
std::vector<Column> TiledOrderSum::restricted_families() {
    std::vector<Column> columns;
    for (unsigned v = 0; v < tiles_.n; ++v) {
        auto [families, scale] = families_of(v);
        for (unsigned r = tiles_.n; r > std::max(own_, sets_.front().top()); --r)
            families = restricted(tiles_, r, contains(fixed_, r - 1), families);
        columns.push_back(std::move(families));
        scale_ += scale;
    }
    return columns;
}

Column TiledOrderSum::restricted_further(unsigned v) const {
    Column families = families_[v];
    if (own_ > sets_.front().top()) return families;
    if (plain_) {
        Column list;
        list.reset(sets_[v].size(sets_.front().top()), false);
        sets_[v].spread(families.mantissa.data(), list.mantissa.data());
        families = std::move(list);
    }
    for (unsigned r = sets_.front().top(); r > own_; --r) {
        const bool take = contains(fixed_, r - 1);
        if (!plain_) {
            families = restricted(tiles_, r, take, families);
        } else if (take && v != r - 1) {
            families = taken_list(sets_[v], r, families);
        }
    }
    return families;
}

std::pair<Column, double> TiledOrderSum::families_of(unsigned v) const {
    const std::size_t count = tiles_.sets(tiles_.n);
    return weights_of(scores_.subspan(v * count, count), unit_bits_);
}

std::size_t TiledOrderSum::received_forwards() const noexcept {
    return static_cast<std::size_t>(std::popcount(fixed_));
}

std::size_t TiledOrderSum::received_backwards() const noexcept { return tiles_.n - own_ - received_forwards(); }

template <class Visit>
void TiledOrderSum::run(const SumBlock& block, Direction direction, unsigned threads, Monitor& monitor, Visit&& visit) {
    monitor.expect(std::uint64_t{1} << (block.bits - kLow));
    ReceivedBlocks received{std::vector<const std::int64_t*>(tiles_.n - own_), block.bits};
    std::size_t next = 0;
    for (unsigned i = own_; i < tiles_.n; ++i) {
        if (contains(fixed_, i) == (direction == Direction::forwards))
            received.blocks[i - own_] = block.received[next++];
    }
    workers_.resize(std::max<std::size_t>(workers_.size(), threads));
    const unsigned bits = std::min(lattice_bits(threads), block.bits - kLow), unit = block.bits - bits;
    run_lattice(bits, direction, threads, monitor, [&](Subset pattern, unsigned number) {
        if (!workers_[number]) workers_[number] = make_worker();
        visit(*workers_[number], (block.index << bits) + pattern, unit, received);
    });
}

std::unique_ptr<TiledOrderSum::Worker> TiledOrderSum::make_worker() {
    auto worker = std::make_unique<Worker>();
    if (plain_) {
        worker->plain =
            std::make_unique<PlainWalk>(PlainProblem{tiles_, sets_, own_, fixed_, families_, packed_, ranges_});
    } else {
        worker->scaled = std::make_unique<Walk>(tiles_, own_, fixed_, families_, packed_);
        worker->shares = std::make_unique<UnitShares>(tiles_, fixed_, families_, packed_);
    }
    return worker;
}

void TiledOrderSum::forward(const SumBlock& block, unsigned threads, Monitor& monitor) {
    run(block, Direction::forwards, threads, monitor,
        [&](Worker& worker, Subset index, unsigned bits, const ReceivedBlocks& received) {
            if (plain_) return worker.plain->forward(index << bits, bits, received, monitor);
            worker.scaled->walk(Direction::forwards, index << bits, bits, received, monitor, WalkObserver{});
        });
}

void TiledOrderSum::backward(const SumBlock& block, std::int64_t total, unsigned threads, Monitor& monitor) {
    total_ = unpacked(total);
    run(block, Direction::backwards, threads, monitor,
        [&](Worker& worker, Subset index, unsigned bits, const ReceivedBlocks& received) {
            if (plain_) {
                tree_.add(bits, index, worker.plain->backward(index << bits, bits, total_, received, monitor));
            } else {
                worker.shares->start(bits, total_);
                worker.scaled->walk(Direction::backwards, index << bits, bits, received, monitor, *worker.shares);
                tree_.add(bits, index, worker.shares->finish());
            }
        });
    done_ += Subset{1} << block.bits;
    if (all_done()) workers_.clear();
}

ScaledNumber TiledOrderSum::total(std::int64_t packed) const noexcept {
    const ScaledNumber total = unpacked(packed);
    return {total.mantissa, total.exponent + scale_};
}

std::vector<double> TiledOrderSum::shares() const {
    std::vector<double> numbers;
    numbers.reserve(share_count());
    append(numbers, *tree_.shares());
    return numbers;
}

void TiledOrderSum::merge(std::span<const double> shares) {
    Shares taken = tree_.zeros(tree_.level());
    extract(shares, taken);
    tree_.raise(taken);
}

OrderSumResult TiledOrderSum::finish() const {
    const unsigned n = tiles_.n;
    const ScaledNumber back = unpacked(packed_.front());
    OrderSumResult result;
    result.total_mantissa = total_.mantissa;
    result.total_exponent = total_.exponent + scale_;
    result.disagreement = std::abs(back.mantissa * power_of_two(back.exponent - total_.exponent) / total_.mantissa - 1);
    result.edges.assign(std::size_t{n} * n, 0);
    for (unsigned v = 0; v < n; ++v) {
        add_edges(tiles_, v, families_of(v).first, (*tree_.shares())[v], result.edges);
    }
    return result;
}

std::vector<double> TiledOrderSum::state() const {
    std::vector<double> numbers{static_cast<double>(done_), total_.mantissa, total_.exponent};
    for (const auto& [node, shares] : tree_.waiting()) append(numbers, shares);
    return numbers;
}

bool TiledOrderSum::restore(std::span<const double> state) {
    constexpr std::size_t kHeader = 3;
    if (state.size() < kHeader || tree_.level() != own_) return false;
    if (!(state[0] >= 0 && state[0] <= static_cast<double>(packed_.size()))) return false;
    // After blocks in decreasing order, the nodes that wait are those of the bits of the number of sets.
    const auto done = static_cast<Subset>(state[0]);
    std::size_t expected = kHeader;
    for_each_member(done, [&](unsigned level) { expected += level < kLow ? state.size() : tree_.numbers(level); });
    if (state.size() != expected) return false;
    tree_.clear();
    done_ = done;
    total_ = {state[1], state[2]};
    std::span<const double> rest = state.subspan(kHeader);
    for_each_member(done, [&](unsigned level) {
        Shares shares = tree_.zeros(level);
        extract(rest.first(tree_.numbers(level)), shares);
        rest = rest.subspan(tree_.numbers(level));
        tree_.add(level, (packed_.size() - (done & ~((Subset{1} << level) - 1))) >> level, std::move(shares));
    });
    return true;
}

namespace {

// The numbers that each rank stores besides the scores: `size(r)` are those of a column of the first r variables, and
// `shares_at(r)` those that a thread has for the shares of a variable at a level below a unit.
template <class Size, class SharesAt>
double numbers_of_rank(unsigned n, unsigned own, unsigned rank_bits, unsigned threads, Size&& size,
                       SharesAt&& shares_at) {
    std::vector<double> below(own + 2), shares_below(own + 2);  // the sizes of the levels below r
    for (unsigned r = kLow; r <= own; ++r) {
        below[r + 1] = at_most_endless(below[r] + size(r));
        shares_below[r + 1] = at_most_endless(shares_below[r] + shares_at(r));
    }
    const unsigned largest = std::max(own - std::min(lattice_bits(threads), own), kLow);
    double summing = 0;
    // The units may be smaller if the blocks are.
    for (unsigned unit = kLow; unit <= largest; ++unit) {
        const double shares = threads * (shares_below[unit] + size(unit));
        // One node per level waits for its sibling, and one may be joined. Of several threads, each may join one; they
        // hold no more units, as such or added up, than the window of the lattice.
        const double waiting = below[own + 1] - below[unit];
        const double tree = threads == 1 ? waiting + size(own)
                                         : 2 * waiting + 2 * static_cast<double>(lattice_window(threads)) * size(unit);
        summing = std::max(summing, shares + tree);
    }
    // Afterwards, shares of all sets are merged with those of other ranks: both, in a list and as columns, and the sum.
    const double merging = rank_bits == 0 ? 0 : 4 * size(n);
    // The weights of the rank's families, and those of all families of one variable, before and after a restriction.
    return n * (size(own) + std::max(threads * below[own] + summing, merging)) + 2 * size(n);
}

}  // namespace

double tiled_order_sum_bytes(unsigned n, unsigned max_parents, unsigned threads, bool wide,
                             unsigned rank_bits) noexcept {
    const unsigned own = n > rank_bits + kLow ? n - rank_bits : kLow;
    const auto sets = [&](unsigned r) { return set_count(r, max_parents); };
    // Columns become lists at the top of these, where there are both.
    const auto lists = [&](unsigned r) {
        const double list = r <= LaneSets::kTop ? LaneSets::numbers(r, max_parents) : 0;
        return r < std::min(n, LaneSets::kTop) ? list : list + sets(r);
    };
    // A list of shares that leaves a variable out needs no memory of its own, but a column does.
    const auto list_shares = [&](unsigned r) { return lists(r) + (r < std::min(n, LaneSets::kTop) ? 0 : sets(r)); };
    const double plain = numbers_of_rank(n, own, rank_bits, threads, lists, list_shares);
    const double scaled = wide ? 2 * numbers_of_rank(n, own, rank_bits, threads, sets, sets) : 0;
    // Besides the columns, the packed numbers and the exponents of their tiles, and the scores.
    return at_most_endless(times_sets(sizeof(std::int64_t) + sizeof(ExponentRange) / static_cast<double>(kTile), own) +
                           sizeof(double) * (n * sets(n) + std::max(plain, scaled)));
}

}  // namespace dagscape
