#include "dagscape/best_scores.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "dagscape/lanes.hpp"
#include "dagscape/parallel.hpp"
#include "dagscape/tiles.hpp"

namespace dagscape {
namespace {

constexpr unsigned kBlockBits = 4;
constexpr std::size_t kSetsBetweenChecks = std::size_t{1} << 14;

LaneBits load_lanes(const std::int64_t* from) noexcept {
    LaneBits values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

void store_lanes(std::int64_t* to, LaneBits values) noexcept { std::memcpy(to, &values, sizeof values); }

LaneBits larger(LaneBits a, LaneBits b) noexcept { return a > b ? a : b; }

void keep_larger(std::int64_t* to, const std::int64_t* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = std::max(to[i], from[i]);
}

// The zeta transform of a tile with max for sum: the two lane variables at once, then two variables in each pass.
void transform(std::int64_t* values) {
    for (std::size_t q = 0; q < kTile; q += 4) {
        // A lane that does not hold the variable is compared with itself.
        LaneBits four = load_lanes(values + q);
        four = larger(four, shuffled<0, 0, 2, 2>(four));
        four = larger(four, shuffled<0, 1, 0, 1>(four));
        store_lanes(values + q, four);
    }
    static_assert(kLow % 2 == 0);
    for (std::size_t step = 4; step < kTile; step *= 4) {
        for (std::size_t block = 0; block < kTile; block += 4 * step) {
            for (std::size_t i = block; i < block + step; i += 4) {
                const LaneBits none = load_lanes(values + i);
                const LaneBits one = larger(none, load_lanes(values + i + step));
                const LaneBits other = larger(none, load_lanes(values + i + 2 * step));
                store_lanes(values + i + step, one);
                store_lanes(values + i + 2 * step, other);
                store_lanes(values + i + 3 * step, larger(larger(one, other), load_lanes(values + i + 3 * step)));
            }
        }
    }
}

// Walks the tiles of one pattern of the last variables.
class Walker {
public:
    Walker(const FamilyScores& families, const Tiles& tiles, Direction direction, std::vector<std::int64_t>& values,
           Monitor& monitor)
        : tiles_(tiles), forwards_(direction == Direction::forwards), values_(values), monitor_(monitor),
          levels_(tiles.n), work_(kTile), low_(kLow, std::vector<std::int64_t>(kTile)) {
        for (unsigned v = 0; v < tiles.n; ++v) {
            levels_[v].resize(tiles.n + 1);
            for (unsigned r = kLow; r <= tiles.n; ++r) levels_[v][r].resize(tiles.sets(r));
            const auto row = families.row(v);
            std::ranges::transform(row, levels_[v][tiles.n].begin(),
                                   [&](std::int64_t score) { return families.relative(v, score); });
        }
    }

    void walk(Subset top) { descend(tiles_.n, 0, top); }

private:
    // Decides variable r - 1, and those before it; forwards, sets come after their subsets.
    void descend(unsigned r, Subset tile, Subset top) {
        if (r == kLow) {
            monitor_.check();
            fill(tile);
            monitor_.advance(1);
            return;
        }
        const bool fixed = r + tiles_.top > tiles_.n;
        for (const bool first : {true, false}) {
            const bool take = first != forwards_;
            if (fixed && contains(top, r - 1) != take) continue;
            for (unsigned v = 0; v < tiles_.n; ++v) decide(levels_[v][r - 1], levels_[v][r], r, take);
            descend(r - 1, take ? tile | singleton(r - 1) : tile, top);
        }
    }

    void decide(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from, unsigned r, bool take) const {
        tiles_.decide(r, take, [&](std::size_t to_at, std::size_t from_at, std::size_t count, bool taken) {
            if (taken) {
                keep_larger(to.data() + to_at, from.data() + from_at, count);
            } else {
                std::copy_n(from.data() + from_at, count, to.data() + to_at);
            }
        });
    }

    // best_v on the current tile.
    void best_parents(unsigned v, std::vector<std::int64_t>& best) const {
        std::fill(best.begin(), best.end(), kRuledOut);
        const std::vector<std::int64_t>& base = levels_[v][kLow];
        for (std::size_t i = 0; i < base.size(); ++i) best[tiles_.low_masks[i]] = base[i];
        transform(best.data());
    }

    void fill(Subset tile) {
        std::int64_t* values = &values_[tile];
        std::fill_n(values, kTile, kRuledOut);
        const Subset high = ((Subset{1} << tiles_.n) - 1) & ~(Subset{kTile} - 1);
        if (forwards_ && tile == 0) values[0] = 0;
        if (!forwards_ && tile == high) values[kTile - 1] = 0;
        // No family of i holds i: best_i of a set is that of the set without i.
        for_each_member(forwards_ ? tile : high & ~tile, [&](unsigned i) {
            best_parents(i, work_);
            const std::int64_t* next = &values_[tile ^ singleton(i)];
            for (std::size_t q = 0; q < kTile; q += 4) {
                store_lanes(values + q, larger(load_lanes(values + q), load_lanes(next + q) + load_lanes(&work_[q])));
            }
        });
        for (unsigned i = 0; i < kLow; ++i) best_parents(i, low_[i]);
        for (std::size_t q = 0; q < kTile / 4; ++q) fill_four(values, forwards_ ? q : kTile / 4 - 1 - q);
    }

    // Four sets that agree on all but the first two variables, from those next to them.
    void fill_four(std::int64_t* values, std::size_t q) {
        LaneBits four = load_lanes(values + 4 * q);
        for_each_member(forwards_ ? q : ~q & (kTile / 4 - 1), [&](unsigned bit) {
            const std::size_t next = q ^ std::size_t{1} << bit;
            four = larger(four, load_lanes(values + 4 * next) + load_lanes(&low_[bit + 2][4 * q]));
        });
        const auto step = [&](unsigned set, unsigned i) {
            four[set] = std::max(four[set], four[set ^ 1U << i] + low_[i][4 * q + set]);
        };
        if (forwards_) {
            for (const auto& [set, i] : {std::pair{1U, 0U}, {2U, 1U}, {3U, 0U}, {3U, 1U}}) step(set, i);
        } else {
            for (const auto& [set, i] : {std::pair{2U, 0U}, {1U, 1U}, {0U, 0U}, {0U, 1U}}) step(set, i);
        }
        store_lanes(values + 4 * q, four);
    }

    const Tiles& tiles_;
    const bool forwards_;
    std::vector<std::int64_t>& values_;
    Monitor& monitor_;
    std::vector<std::vector<std::vector<std::int64_t>>> levels_;  // [v][r]
    std::vector<std::int64_t> work_;
    std::vector<std::vector<std::int64_t>> low_;  // best_i of the low variables
};

// All sets in order, with best(i, set) the best family of i within a set, whether or not that holds i.
template <class Best>
std::vector<std::int64_t> walk_sets(unsigned n, const Best& best, Direction direction, unsigned threads,
                                    Monitor& monitor) {
    const bool forwards = direction == Direction::forwards;
    const unsigned top = std::min(kBlockBits, n);
    const Subset block = Subset{1} << (n - top);
    const Subset all = (Subset{1} << n) - 1;
    std::vector<std::int64_t> values(std::size_t{1} << n, kRuledOut);
    values[forwards ? 0 : all] = 0;
    monitor.expect(std::uint64_t{1} << n);
    const auto fill_block = [&](Subset first) {
        for (Subset count = 0; count < block; ++count) {
            if (count % kSetsBetweenChecks == 0) monitor.check();
            const Subset set = first + (forwards ? count : block - 1 - count);
            std::int64_t value = values[set];
            for_each_member(forwards ? set : all & ~set,
                            [&](unsigned i) { value = std::max(value, values[set ^ singleton(i)] + best(i, set)); });
            values[set] = value;
            if ((count + 1) % kSetsBetweenChecks == 0) monitor.advance(kSetsBetweenChecks);
        }
    };
    // Blocks with as many of the last variables are independent.
    for (unsigned layer = 0; layer <= top; ++layer) {
        const unsigned size = forwards ? layer : top - layer;
        std::vector<Subset> blocks;
        for (Subset pattern = 0; pattern < Subset{1} << top; ++pattern) {
            if (static_cast<unsigned>(std::popcount(pattern)) == size) blocks.push_back(pattern * block);
        }
        run_tasks(blocks.size(), threads, monitor, [&](std::size_t task, unsigned) { fill_block(blocks[task]); });
    }
    return values;
}

std::vector<std::int64_t> walk_tiles(const FamilyScores& families, Direction direction, unsigned threads,
                                     Monitor& monitor) {
    const Tiles tiles(families.n(), families.max_parents());
    std::vector<std::int64_t> values(std::size_t{1} << tiles.n);
    monitor.expect(std::uint64_t{1} << (tiles.n - kLow));
    std::vector<std::unique_ptr<Walker>> walkers(threads);
    for (unsigned layer = 0; layer <= tiles.top; ++layer) {
        const std::vector<Subset> patterns =
            tiles.patterns(direction == Direction::forwards ? layer : tiles.top - layer);
        run_tasks(patterns.size(), threads, monitor, [&](std::size_t task, unsigned worker) {
            if (!walkers[worker])
                walkers[worker] = std::make_unique<Walker>(families, tiles, direction, values, monitor);
            walkers[worker]->walk(patterns[task]);
        });
    }
    return values;
}

}  // namespace

std::vector<std::int64_t> best_scores(const FamilyScores& families, const SortedFamilies& sorted, Direction direction,
                                      unsigned threads, Monitor& monitor) {
    switch (families.layout()) {
        case FamilyScores::Layout::by_size:
            return walk_tiles(families, direction, threads, monitor);
        case FamilyScores::Layout::by_mask:
            return walk_sets(families.n(), BestFamilies(families, threads, monitor), direction, threads, monitor);
        default:
            break;
    }
    const auto look_up = [&](unsigned i, Subset set) { return sorted.best_score(i, set); };
    return walk_sets(families.n(), look_up, direction, threads, monitor);
}

}  // namespace dagscape
